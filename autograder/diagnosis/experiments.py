"""What can be tried on a wrong call of code that nothing known explains: what its result hangs on.

One place of an input is changed, or all of its numbers are doubled, on both sides: where the
student's result moves and the reference's does not, or the other way around, that is said.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Closeness, finite
from autograder.diagnosis.findings import arguments, with_argument
from autograder.diagnosis.smallest import size_of
from autograder.diagnosis.where import DIFFERS, LARGE, Calls
from autograder.remote.calling import cotangent, tensors
from autograder.remote.requests import CallRequest

CALLS, PLACES = 3, 6  # of an input, at most
LIKE = Closeness(rtol=1e-3, atol=1e-4, dtype=False, nan_equal=True)
START = "Tried on one of the calls that go wrong: "


@dataclass(frozen=True)
class _Tried:
    """A call that goes wrong, and what both sides make of it when it is changed."""

    calls: Calls
    request: CallRequest
    got: Any
    want: Any

    def changed(self, name: str, value: Any) -> tuple[Any, Any] | None:
        """What both sides answer with another value for an argument; None without an answer."""
        other = with_argument(self.calls.exercise, self.request, name, value)
        return self.calls.both(other) if other else None


def experiment(calls: Calls) -> tuple[str, str] | None:
    """The key and the words of what is found first; None if nothing is."""
    wrong = [one.asked.request for one in calls.judged if one.outcome == DIFFERS]
    every = []
    for request in sorted(wrong, key=_order)[:CALLS]:
        values = calls.both(request)
        if values and all(map(_is_finite, values)):
            every.append(_Tried(calls, request, *values))
    sure = itertools.chain.from_iterable(_sure(tried, every) for tried in every)
    found = itertools.chain(sure, *map(_scaled, every))
    return next(((key, f"{START}{text}") for key, text in found), None)


def _sure(tried: _Tried, every: Sequence[_Tried]) -> Iterator[tuple[str, str]]:
    """What one call shows, one after the other as it is asked for; of one number, what two show."""
    if not _is_one_number(tried.want):
        yield from _flow(tried)
        return
    for found in _flow(tried):
        if any(found in _flow(other) for other in every if other is not tried):
            yield found


def _is_one_number(value: Any) -> bool:
    """As a largest difference is: what it hangs on in one call, it need not in another."""
    return sum(tensor.numel() for _, tensor in tensors(value)) < 2


def _order(request: CallRequest) -> tuple[bool, int]:
    """Small ones first, but before all those with several places and numbers of usual size.

    Where numbers are large, a result may be saturated: it hangs on nothing then.
    """
    given = [tensor for _, tensor in tensors((request.args, request.kwargs))]
    large = any(bool((tensor.double().abs() > LARGE).any()) for tensor in given)
    return large or any(1 in tensor.shape for tensor in given), size_of(request)


def _is_finite(value: Any) -> bool:
    return all(not one.is_meta and finite(one) for _, one in tensors(value))


def _flow(tried: _Tried) -> Iterator[tuple[str, str]]:
    """A place of the result that hangs on a place of an input, and should not, or the reverse."""
    for name, value in arguments(tried.calls.exercise, tried.request).items():
        if not isinstance(value, Tensor) or not value.dim():
            continue
        axis = -1 if value.dim() == 1 or not value.is_floating_point() else -2
        extra: set[tuple[int, int]] = set()
        missing: set[tuple[int, int]] = set()
        for place in range(min(value.shape[axis], PLACES)):
            moved = _where_it_moves(tried, name, value, axis, place)
            for number, (moves, should) in enumerate(zip(*moved, strict=True) if moved else ()):
                if moves and not should:
                    extra.add((number, place))
                if should and not moves:
                    missing.add((number, place))
        if extra:
            yield "flow", f"{_hangs(extra, name, 'depends')}, which it should not."
        if missing:
            yield "flow", f"{_hangs(missing, name, 'does not depend')}, which it should."


def _where_it_moves(
    tried: _Tried, name: str, value: Tensor, axis: int, place: int
) -> tuple[list[bool], list[bool]] | None:
    """Which places of both results move with one of an input, by any of several changes."""
    mine: list[bool] = []
    right: list[bool] = []
    for other in _changed_at(value, axis, place):
        values = tried.changed(name, other)
        moved = [_moved(*pair) for pair in zip((tried.got, tried.want), values or (), strict=False)]
        one, two = moved if values else (None, None)
        if one is None or two is None or len(one) != len(two):
            return None
        mine = [a or b for a, b in itertools.zip_longest(mine, one)]
        right = [a or b for a, b in itertools.zip_longest(right, two)]
        if all(mine) and all(right):
            break
    return (mine, right) if mine else None


def _changed_at(value: Tensor, axis: int, place: int) -> Iterator[Tensor]:
    """With other numbers at one place of an axis, by little and by much."""
    for factor in (0.5, -1.5, 4.0):
        other = value.clone()
        part = other.select(axis, place)
        if value.is_floating_point():
            part.add_(factor * cotangent(part))
        elif value.dtype == torch.bool:
            part.logical_not_()
        elif value.numel() and int(value.min()) < int(value.max()):
            part.copy_(torch.where(part == value.max(), value.min(), value.max()))
        else:
            return
        yield other
        if not value.is_floating_point():
            return


def _moved(before: Any, after: Any) -> list[bool] | None:
    """Which places of the first result move, along its next to last axis; one for no axis."""
    one, other = (next((tensor for _, tensor in tensors(each)), None) for each in (before, after))
    if one is None or other is None:
        return None if one is not other else [not LIKE.agree(after, before)]
    if one.shape != other.shape:
        return None
    apart = ~torch.isclose(one.double(), other.double(), rtol=1e-4, atol=1e-5, equal_nan=True)
    if apart.dim() < 2:
        return [bool(apart.any())]
    return apart.movedim(-2, 0).flatten(1).any(dim=1).tolist()


def _hangs(pairs: set[tuple[int, int]], name: str, verb: str) -> str:
    """Which places of the result hang on which of an input."""
    numbers = {number for number, _ in pairs}
    if all(place > number for number, place in pairs) and len(pairs) > 1:
        return f"the result at a place {verb} on later places of `{name}`"
    if all(place < number for number, place in pairs) and len(pairs) > 1:
        return f"the result at a place {verb} on earlier places of `{name}`"
    if all(place == number for number, place in pairs) and len(pairs) > 1:
        return f"the result at a place {verb} on the same place of `{name}`"
    number, place = min(pairs)
    where = "the result" if numbers == {0} else f"row {number} of the result"
    return f"{where} {verb} on place {place} of `{name}`"


def _scaled(tried: _Tried) -> Iterator[tuple[str, str]]:
    """How the result follows when all numbers of an input are doubled, or one is added to them."""
    for name, value in arguments(tried.calls.exercise, tried.request).items():
        if not isinstance(value, Tensor) or not value.is_floating_point():
            continue
        for words, other in (("doubled", 2 * value), ("one larger", value + 1)):
            values = tried.changed(name, other)
            if values is None:
                continue
            mine, right = _follows(tried.got, values[0]), _follows(tried.want, values[1])
            if mine != right and mine and right:
                yield (
                    "follows",
                    (
                        f"where all numbers of `{name}` are {words}, the result should "
                        f"{right}, and it {_third(mine)}."
                    ),
                )


def _follows(before: Any, after: Any) -> str:
    """What has become of a result; empty where that cannot be told."""
    one, other = (next((tensor for _, tensor in tensors(each)), None) for each in (before, after))
    if one is None or other is None or not one.is_floating_point() or one.shape != other.shape:
        return ""
    if not bool(one.isfinite().all() and other.isfinite().all()) or not bool(one.any()):
        return ""
    for words, expected in (
        ("stay as it is", one),
        ("double", 2 * one),
        ("become four times as large", 4 * one),
        ("become half as large", one / 2),
        ("become one larger", one + 1),
    ):
        if LIKE.agree(other, expected):
            return words
    return "change in another way"


def _third(words: str) -> str:
    verb, _, rest = words.partition(" ")
    return {"stay": "stays", "double": "doubles", "become": "becomes", "change": "changes"}[
        verb
    ] + (f" {rest}" if rest else "")
