"""Cases that checks have in common: the shapes and numbers at which wrong code shows."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Ask, require
from autograder.checking.draw import Draw
from autograder.remote.subject import Subject

# For `agrees`, where a case is about values, and the rest of the battery was asked of another.
VALUES = Ask(gradients=False, contiguous=False, double=False, unchanged=False)


def each_one(**sizes: int) -> Iterator[tuple[str, dict[str, int]]]:
    """The sizes with each of them in turn as 1, named: a `squeeze()` or a lost axis shows.

    >>> list(each_one(L=3, D=4))
    [('L = 1', {'L': 1, 'D': 4}), ('D = 1', {'L': 3, 'D': 1})]
    """
    for name in sizes:
        yield f"{name} = 1", sizes | {name: 1}


def large_whole_numbers() -> Tensor:
    """Whole numbers that neither float32 nor float64 can hold: a detour through one shows."""
    return torch.tensor([2**24 + 1, -(2**24) - 3, 2**53 + 1, 5])


def low_scores(*sizes: int) -> Tensor:
    """The lowest scores that contracts allow, and one at zero in each row.

    What somebody puts in the place of -inf may be no lower.
    """
    scores = torch.full(sizes, -1e4)
    scores[..., -1] = 0.0
    return scores


def masks(draw: Draw, *sizes: int) -> Iterator[tuple[str, Tensor]]:
    """Masks of every rank that broadcast to these sizes, also with one of the last axes of size 1.

    >>> [case for case, _ in masks(Draw(0), 2, 3)]
    ['a mask (3,)', 'a mask (2, 3)', 'a mask (2, 1)', 'a mask (1, 3)']
    """
    for rank in range(1, len(sizes) + 1):
        shape = sizes[-rank:]
        ones = [(*shape[:axis], 1, *shape[axis + 1 :]) for axis in range(rank - 1, 0, -1)[:3]]
        if rank > 1:
            ones.append((1, *shape[1:]))
        for one in dict.fromkeys([shape, *ones]):
            yield f"a mask {one}", draw.boolean(*one)


def without_a_loop(student: Subject, few: tuple[Any, ...], many: tuple[Any, ...]) -> None:
    """Fail if larger inputs take more operations of torch: something goes over them in a loop."""
    steps = student.steps(*few), student.steps(*many)
    require(
        steps[1] < 2 * steps[0],
        f"{student.name} goes over its inputs in a loop: larger ones take {steps[1]} operations of "
        f"torch where smaller ones take {steps[0]}. The contract asks for none.",
    )
