"""PyTorch's random draws: the same numbers from the same seed, as its generator makes them.

Uniform and normal numbers, whole numbers, permutations, and so the weights with which layers begin.
Source: ATen's CPUGeneratorImpl, DistributionTemplates and TransformationHelper.
"""

import math
from collections.abc import Sequence
from typing import Any

import borch
import numpy as np
from borch import Tensor

SEED = 67280421310721  # what PyTorch's generator begins with
FEW = 16  # normal numbers: fewer are drawn one by one
Shape = int | Sequence[int] | None


class Draws:
    """A stream of random numbers, in the place of the one of NumPy that pyborch draws from."""

    def __init__(self, seed: int = SEED) -> None:
        self.seed(seed)

    def seed(self, seed: int) -> None:
        self._bits: Any = np.random.RandomState(seed & 0xFFFFFFFF)._bit_generator
        self._left: float | None = None  # normal numbers come in pairs

    @property
    def state(self) -> tuple[Any, float | None]:
        return self._bits.state, self._left

    @state.setter
    def state(self, state: tuple[Any, float | None]) -> None:
        self._bits.state, self._left = state

    def __getattr__(self, name: str) -> Any:
        return getattr(np.random.Generator(self._bits), name)  # what is drawn otherwise

    def _words(self, count: int) -> np.ndarray:
        """Whole numbers of 32 bits."""
        return np.asarray(self._bits.random_raw(count), dtype=np.uint64)

    def random(self, size: Shape = None, dtype: Any = np.float32) -> np.ndarray:
        """From 0 to 1, with as many digits as the dtype has."""
        shape = _shape(size)
        count = math.prod(shape)
        if dtype == np.float64:
            high, low = self._words(2 * count).reshape(count, 2).T
            drawn = ((high << np.uint64(32) | low) & np.uint64(2**53 - 1)) * 2.0**-53
        else:
            drawn = ((self._words(count) & np.uint64(2**24 - 1)) * 2.0**-24).astype(np.float32)
        return drawn.reshape(shape)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Shape = None) -> np.ndarray:
        start, width = np.float32(low), np.float32(high) - np.float32(low)
        return self.random(size) * width + start

    def standard_normal(self, size: Shape = None, dtype: Any = np.float32) -> np.ndarray:
        shape = _shape(size)
        count = math.prod(shape)
        if count < FEW:
            return np.array([self._one_normal() for _ in range(count)], dtype).reshape(shape)
        drawn = self.random(count, dtype)
        whole = count - count % FEW
        drawn[:whole] = _normal_of(drawn[:whole])
        if whole < count:  # the last ones are drawn anew
            drawn[-FEW:] = _normal_of(self.random(FEW, dtype))
        return drawn.reshape(shape)

    def _one_normal(self) -> float:
        if self._left is not None:
            drawn, self._left = self._left, None
            return drawn
        one, two = self.random(2, np.float64).tolist()
        length, angle = math.sqrt(-2 * math.log1p(-two)), 2 * math.pi * one
        self._left = length * math.sin(angle)
        return length * math.cos(angle)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Shape = None) -> np.ndarray:
        return self.standard_normal(size) * np.float32(scale) + np.float32(loc)

    def integers(self, low: int, high: int, size: Shape = None) -> np.ndarray:
        shape = _shape(size)
        words = self._words(math.prod(shape)) % np.uint64(high - low)
        return (words.astype(np.int64) + low).reshape(shape)

    def permutation(self, count: int) -> np.ndarray:
        order = np.arange(count)
        for place, word in enumerate(self._words(max(count - 1, 0)).tolist()):
            other = place + word % (count - place)
            order[place], order[other] = order[other], order[place]
        return order


def _shape(size: Shape) -> tuple[int, ...]:
    return () if size is None else (size,) if isinstance(size, int) else tuple(size)


def _normal_of(uniform: np.ndarray) -> np.ndarray:
    """Normal numbers of uniform ones, by sixteens: eight lengths, then their eight angles."""
    pairs = uniform.reshape(-1, 2, FEW // 2)
    length = np.sqrt(-2 * np.log(1 - pairs[:, 0]))
    angle = uniform.dtype.type(2 * math.pi) * pairs[:, 1]
    return np.stack([length * np.cos(angle), length * np.sin(angle)], 1).reshape(-1)


class Generator:
    """`torch.Generator`: a stream of its own."""

    def __init__(self, device: Any = None) -> None:
        self._draws, self._seed = Draws(), SEED

    def manual_seed(self, seed: int) -> "Generator":
        self._seed = int(seed)
        self._draws.seed(self._seed)
        return self

    def initial_seed(self) -> int:
        return self._seed

    def rng(self) -> Draws:
        return self._draws


ALL = Draws()  # the stream of whoever names no generator


def manual_seed(seed: Any) -> None:
    ALL.seed(int(seed))


def get_rng_state() -> Any:
    return ALL.state


def set_rng_state(state: Any) -> None:
    ALL.state = state


def _drawn(name: str) -> Any:
    def draw(
        *size: Any,
        generator: Generator | None = None,
        dtype: Any = None,
        requires_grad: bool = False,
        device: Any = None,
    ) -> Tensor:
        shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
        stream = ALL if generator is None else generator.rng()
        kind = np.float32 if dtype is None or dtype.np != np.float64 else np.float64
        drawn = getattr(stream, name)(tuple(shape), kind)
        return borch.tensor(drawn, dtype=dtype or borch.float32, requires_grad=requires_grad)

    return draw


rand, randn = _drawn("random"), _drawn("standard_normal")
