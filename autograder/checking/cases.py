"""Cases that checks have in common: the shapes and numbers at which wrong code shows."""

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.checking.draw import Draw

# For `agrees`, where a case is about values, and the rest of the battery was asked of another.
VALUES = {"gradients": False, "contiguous": False, "double": False, "unchanged": False}


def each_one(**sizes: int) -> Iterator[tuple[str, dict[str, int]]]:
    """The sizes with each of them in turn as 1, named: a `squeeze()` or a lost axis shows."""
    for name in sizes:
        yield f"{name} = 1", sizes | {name: 1}


def masks(draw: Draw, L: int, S: int, B: int | None = None) -> Iterator[tuple[str, Tensor]]:
    """Boolean masks of every shape that broadcasts to (B, L, S), True where attention may go.

    Every row of the first ones allows something; the last one has a row that allows nothing.
    """
    allowed = draw.boolean(L, S, p=0.6)
    allowed[:, draw.int(0, S)] = True
    yield "a mask [L, S]", allowed
    yield "a mask [S] for all queries alike", allowed[0]
    yield "a mask that allows all", torch.ones(L, S, dtype=torch.bool)
    if B is not None:
        padding = torch.arange(S) < draw.integers(1, S + 1, B, 1, 1)
        yield "a mask [B, 1, S] for each example", padding
        yield "a mask [B, L, S]", padding & allowed | (torch.arange(S) == 0)
    empty = allowed.clone()
    empty[draw.int(0, L)] = False
    yield "a mask that leaves a query nothing", empty
