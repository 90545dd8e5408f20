"""Whether what is wrong with a result is one of its arguments, or the size of one.

A factor that is the root of a size, a difference that is an argument itself, wrong numbers where a
mask is False and nowhere else: of several calls, and true of all of them.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.places import AXES, TELLING, Numbers

CLOSE = {"rtol": 1e-3, "atol": 1e-5}
POWERS = (
    (1.0, "{0}"),
    (0.5, "the root of {0}"),
    (2.0, "the square of {0}"),
)
FEW = 2  # names that a size may have: of more, nobody knows which it is
COMPARED = "Compared in {0} of the calls that go wrong: "
LARGER, SMALLER = "too large", "too small"
ADDED = (
    (1.0, "too large by"),
    (-1.0, "too small by"),
    (0.5, "too large by half of"),
    (-0.5, "too small by half of"),
)


def sizes_of(given: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that are given, and the sizes of what is."""
    found: dict[str, float] = {}
    for name, value in given.items():
        if isinstance(value, Tensor):
            places = range(-1, -min(value.dim(), len(AXES)) - 1, -1)
            of_axes = {f"the size of {AXES[axis]} of `{name}`": axis for axis in places}
            found |= {words: float(value.shape[axis]) for words, axis in of_axes.items()}
        elif type(value) in (int, float) and value > 0:
            found[f"`{name}`"] = float(value)
    return found


@dataclass(frozen=True)
class Shaped:
    """A call by its arguments, and the shape of its result, as it is and as it should be."""

    given: Mapping[str, Any]
    mine: torch.Size
    right: torch.Size


def by_size(asked: Sequence[Shaped]) -> str:
    """Whose size stands along an axis of all of these results, and whose belongs there."""
    axes = {len(one.right) for one in asked} | {len(one.mine) for one in asked}
    if not asked or len(axes) != 1:
        return ""
    sizes = [sizes_of(one.given) for one in asked]
    names = [name for name in _common(sizes) if _may_be_a_size(name, asked[0].given)]
    for axis in range(-1, -axes.pop() - 1, -1):
        sides = [(one.mine[axis], one.right[axis]) for one in asked]
        if all(mine == right for mine, right in sides) or len({*sides}) < 2:
            continue  # that one size is another one's has many reasons
        found = [[name for name in names
                  if all(one[name] == pair[at] for one, pair in zip(sizes, sides, strict=True))]
                 for at in (0, 1)]  # fmt: skip
        told = all(0 < len(one) <= FEW for one in found)
        if told and axis in AXES:
            place = AXES[axis].removeprefix("the ")
            mine, right = (_as_size(one[0]) for one in found)
            return f"In these calls, the result's {place} has {mine}, where {right} belongs."
    return ""


def _as_size(name: str) -> str:
    """`the size of ...` as it is, and of a number that it is one."""
    return name if name.startswith("the size") else f"the size {name}"


def _may_be_a_size(name: str, given: Mapping[str, Any]) -> bool:
    """Whether it is a size, or a whole number that is no token's."""
    bare = name.strip("`")
    return bare not in given or type(given[bare]) is int and not bare.endswith("_id")


@dataclass(frozen=True)
class Compared:
    """A call by its arguments, and one wrong result of it."""

    given: Mapping[str, Any]
    numbers: Numbers

    @property
    def sizes(self) -> dict[str, float]:
        return sizes_of(self.given)

    @property
    def alike(self) -> dict[str, Tensor]:
        """The floating-point arguments of the result's own shape."""
        shape = self.numbers.want.shape
        given = {name: one for name, one in self.given.items() if isinstance(one, Tensor)}
        return {
            name: one.double()
            for name, one in given.items()
            if one.is_floating_point() and one.shape == shape and len(shape)
        }

    @property
    def parts(self) -> dict[str, Tensor]:
        """Which places of the result, by what stands at them in an argument."""
        found: dict[str, Tensor] = {}
        shape = self.numbers.want.shape
        for name, one in self.given.items():
            if not isinstance(one, Tensor) or not one.dim():
                continue
            for words, flags in _kinds(name, one, self.given):
                if (whole := _fitted(flags, shape)) is not None:
                    found[f"where {words}"] = whole
                if (whole := _fitted(flags.any(dim=-1, keepdim=True), shape)) is not None:
                    found[f"in rows in which {words} somewhere"] = whole
                if (whole := _fitted(flags.all(dim=-1, keepdim=True), shape)) is not None:
                    found[f"in rows in which {words} throughout"] = whole
        return found


def _kinds(name: str, one: Tensor, given: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """What may stand at a place of an argument, and where it does."""
    if one.dtype == torch.bool:
        yield f"`{name}` is False", ~one
        yield f"`{name}` is True", one
    elif one.is_floating_point():
        yield f"`{name}` is negative", one < 0
        yield f"`{name}` is zero", one == 0
    else:
        for other, token in given.items():
            if other.endswith("_id") and type(token) is int:
                yield f"`{other}` stands in `{name}`", one == token
                yield f"another token than `{other}` stands in `{name}`", one != token


def _fitted(flags: Tensor, shape: torch.Size) -> Tensor | None:
    """Flags spread over a result: lined up from the first axis on, or broadcast from the last."""
    if len(shape) < 1:
        return None
    for one in (flags, flags.reshape(*flags.shape, *[1] * max(0, len(shape) - flags.dim()))):
        try:
            return one.expand(shape)
        except RuntimeError:
            continue
    return None


def by_argument(asked: Sequence[Compared]) -> tuple[str, str] | None:
    """The key and the words of the first that is true of all calls; None if nothing is."""
    if not asked:
        return None
    for key, found in (
        ("same", _same(asked)),
        ("scale", _scale(asked)),
        ("shift", _shift(asked)),
        ("added", _added(asked)),
        ("where", _where(asked)),
    ):
        if found:
            return key, f"{COMPARED.format(len(asked))}{found}"
    return None


def _close(one: Tensor, other: Tensor) -> bool:
    return bool(torch.isclose(one, other, **CLOSE, equal_nan=False).all())


def _common(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names that stand in all of them."""
    return [name for name in found[0] if all(name in one for one in found)]


def _same(asked: Sequence[Compared]) -> str:
    """The result is an argument, as it was given."""
    alike = [one.alike for one in asked]
    for name in _common(alike):
        pairs = zip(asked, alike, strict=True)
        if all(_close(one.numbers.got, given[name]) for one, given in pairs):
            return f"the result is `{name}` as it was given."
    return ""


def _factor(numbers: Numbers) -> float | None:
    """The one factor by which all numbers are wrong; None if there is none."""
    got, want = numbers.got, numbers.want
    big = want.abs() > 1e-3 * want.abs().max() if want.numel() else want != 0
    if not bool(big.any()):
        return None
    factor = float((got[big] / want[big]).median())
    return factor if factor > 0 and _close(got, factor * want) else None


def _amount(numbers: Numbers) -> float | None:
    """The one amount by which all numbers are off; None if there is none."""
    if not numbers.want.numel():
        return None
    amount = float((numbers.got - numbers.want).median())
    return amount if _close(numbers.got, numbers.want + amount) else None


def _scale(asked: Sequence[Compared]) -> str:
    factors = [_factor(one.numbers) for one in asked]
    found = _size(asked, factors)
    inverse = _size(asked, [one and 1 / one for one in factors])
    for words, side in ((found, LARGER), (inverse, SMALLER)):
        if words:
            return f"every number is {side} by a factor, and that is {words}."
    return ""


def _shift(asked: Sequence[Compared]) -> str:
    amounts = [_amount(one.numbers) for one in asked]
    found = _size(asked, amounts)
    negative = _size(asked, [one and -one for one in amounts])
    for words, side in ((found, LARGER), (negative, SMALLER)):
        if words:
            return f"every number is {side} by one amount, and that is {words}."
    return ""


def _size(asked: Sequence[Compared], values: Sequence[float | None]) -> str:
    """Which size, or what power of one, these numbers are; empty if they are none.

    Two numbers at least must be others: one is a power of many things.
    """
    if any(value is None or value <= 0 for value in values):
        return ""
    sizes = [one.sizes for one in asked]
    wanted = torch.tensor(values, dtype=torch.float64)
    own = {name: torch.tensor([one[name] for one in sizes]).double() for name in _common(sizes)}
    shares = itertools.permutations(own, 2)
    every = itertools.chain(
        own.items(),
        ((f"{one}, over {other}", own[one] / own[other]) for one, other in shares),
    )
    for name, size in every:
        if len(set(size.tolist())) < 2:
            continue
        for power, words in POWERS:
            if _close(wanted, size**power):
                return words.format(name)
    return ""


def _added(asked: Sequence[Compared]) -> str:
    """Each number is off by its entry in an argument."""
    alike = [one.alike for one in asked]
    for name in _common(alike):
        pairs = [(one.numbers, given[name]) for one, given in zip(asked, alike, strict=True)]
        for times, words in ADDED:
            if all(_close(one.got, one.want + times * entry) for one, entry in pairs):
                return f"every number is {words} the entry of `{name}` at the same place."
    return ""


def _where(asked: Sequence[Compared]) -> str:
    """All that is wrong stands at places of one kind, and of all others none is wrong."""
    parts = [one.parts for one in asked]
    for words in _common(parts):
        pairs = [(one.numbers.wrong, flags[words]) for one, flags in zip(asked, parts, strict=True)]
        wrong = sum(int((one & flags).sum()) for one, flags in pairs)
        others = sum(int((one & ~flags).sum()) for one, flags in pairs)
        right = sum(int((~flags).sum()) for _, flags in pairs)
        if wrong >= TELLING and not others and right >= TELLING:
            return f"only {words} numbers are wrong."
    return ""
