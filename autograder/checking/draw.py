"""Seeded inputs. NumPy's PCG64 draws the same numbers on every platform."""

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

UNNAMED = ""  # stands for an axis that is drawn without a name


class Draw:
    """Draws inputs and remembers what their axes are called, so that messages can name them."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.Generator(np.random.PCG64(seed))
        self.axes: dict[int, set[str]] = {}

    def _shape(self, sizes: tuple[int, ...], named: dict[str, int]) -> tuple[int, ...]:
        for name, size in [*((UNNAMED, size) for size in sizes), *named.items()]:
            self.axes.setdefault(size, set()).add(name)
        return (*sizes, *named.values())

    def normal(self, *sizes: int, **named: int) -> Tensor:
        """Independent standard normal numbers: `draw.normal(2, L=5, D=8)`."""
        drawn = self._rng.standard_normal(self._shape(sizes, named))
        return torch.as_tensor(drawn, dtype=torch.float32)

    def uniform(self, *sizes: int, low: float = 0.0, high: float = 1.0, **named: int) -> Tensor:
        """Independent uniform numbers in [low, high)."""
        drawn = self._rng.uniform(low, high, self._shape(sizes, named))
        return torch.as_tensor(drawn, dtype=torch.float32)

    def integers(self, low: int, high: int, *sizes: int, **named: int) -> Tensor:
        """Independent whole numbers in [low, high), int64."""
        return torch.as_tensor(self._rng.integers(low, high, self._shape(sizes, named)))

    def boolean(self, *sizes: int, p: float = 0.5, **named: int) -> Tensor:
        """Independent booleans, True with probability p."""
        return torch.as_tensor(self._rng.random(self._shape(sizes, named)) < p)

    def permutation(self, n: int) -> Tensor:
        """The numbers 0 to n - 1 in some order that is not the identity (for n > 1)."""
        order = self._rng.permutation(n)
        while n > 1 and (order == np.arange(n)).all():
            order = self._rng.permutation(n)
        return torch.as_tensor(order)

    def int(self, low: int, high: int) -> int:
        """One whole number in [low, high)."""
        return int(self._rng.integers(low, high))

    def float(self, low: float, high: float) -> float:
        """One number in [low, high)."""
        return float(self._rng.uniform(low, high))

    def choice(self, items: Sequence[Any]) -> Any:
        """One of the items."""
        return items[int(self._rng.integers(len(items)))]

    def words(self, n: builtins.int, letters: str = "abcdefgh") -> list[str]:
        """n words of 3 to 7 letters."""
        return ["".join(self.choice(letters) for _ in range(self.int(3, 8))) for _ in range(n)]
