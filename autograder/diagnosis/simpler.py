"""Which of a wrong call's inputs must be simpler for the answer to be right.

One row, no negative numbers, an option that is 1: what is changed is changed on both sides, and
what is said held in every call in which it was tried.
"""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Closeness
from autograder.checking.registry import Exercise
from autograder.diagnosis.findings import arguments, with_argument
from autograder.diagnosis.places import AXES
from autograder.remote.calling import mapped, tensors
from autograder.remote.requests import CallRequest

RIGHT = Closeness(dtype=False)
TRIED, SURE, NAMED = 4, 2, 2  # wrong calls, those that it takes, and axes
LARGE = 30.0
Both = Callable[[CallRequest], tuple[Any, Any] | None]


@dataclass(frozen=True)
class Simpler:
    """A call that is simpler in one way, and the words for it."""

    words: str
    request: CallRequest
    option: bool = False  # whether that is an option: how numbers lie may be so by chance


def becomes_right(exercise: Exercise, wrong: Sequence[CallRequest], both: Both) -> str:
    """Where all of the wrong calls are right that can be made simpler so; empty if nowhere."""
    ways = [list(_simpler(exercise, request)) for request in wrong[:TRIED]]
    for words in dict.fromkeys(one.words for one in itertools.chain(*ways)):
        alike = [[one for one in way if one.words == words] for way in ways]
        calls = [way for way in alike if way]
        if len(calls) < (1 if calls[0][0].option else SURE):
            continue
        values = (both(one.request) for way in calls for one in way)
        if all(pair and _is_telling(pair[1]) and RIGHT.surely_agree(*pair) for pair in values):
            return f"{words}, the result was right in all that were tried."
    return ""


def _is_telling(right: Any) -> bool:
    """Whether a right result is more than zeros, ones or what is not finite."""
    found = [tensor.double() for _, tensor in tensors(right)]
    if isinstance(right, float | int):
        found = [torch.tensor([float(right)])]
    return any(
        bool(one.isfinite().all()) and bool(((one != 0) & (one != 1)).any())
        for one in found
        if one.numel() and not one.is_meta
    )


def _simpler(exercise: Exercise, request: CallRequest) -> Iterator[Simpler]:
    given = arguments(exercise, request)
    for name, value in given.items():
        token = name.endswith("_id")  # another one is no simpler one
        for words, other in () if token else _values(f"`{name}`", value):
            changed = with_argument(exercise, request, name, other)
            if changed:
                yield Simpler(words, changed, not isinstance(value, Tensor))
    yield from _cut(request, given)


def _cut(request: CallRequest, given: dict[str, Any]) -> Iterator[Simpler]:
    """All axes of one size cut to one entry."""
    held = {name: one for name, one in given.items() if isinstance(one, Tensor)}
    for size in dict.fromkeys(size for one in held.values() for size in one.shape if size > 1):
        axes = [
            f"{_axis(one, axis)} of `{name}`"
            for name, one in held.items()
            for axis in range(-min(one.dim(), len(AXES)), 0)
            if one.shape[axis] == size
        ]
        if len(axes) > NAMED:
            continue  # one that is not named may be what makes the difference
        has = "has" if len(axes) == 1 else "have"
        words = f"where {' and '.join(axes)} {has} the size 1"
        for place in (0, size - 1):
            cut = functools.partial(_one_of, size, place)
            args, kwargs = mapped(cut, (request.args, request.kwargs))
            yield Simpler(words, replace(request, args=args, kwargs=kwargs))


def _axis(tensor: Tensor, axis: int) -> str:
    return "the first axis" if axis == -tensor.dim() and axis < -1 else AXES[axis]


def _one_of(size: int, place: int, tensor: Tensor) -> Tensor:
    """What stands at a place of all axes of that size."""
    places = (slice(place, place + 1) if one == size else slice(None) for one in tensor.shape)
    return tensor[tuple(places)].clone()


def _values(word: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Simpler values for an argument."""
    match value:
        case bool():
            yield f"where {word} is {not value}", not value
        case int():
            if value < 0:
                yield f"where {word} is not negative", -value
            yield from ((f"where {word} is {one}", one) for one in (0, 1) if one != value)
        case float():
            yield from ((f"where {word} is {one:g}", one) for one in (0.0, 1.0) if one != value)
        case Tensor() if value.dtype == torch.bool and value.dim():
            if not bool(value.all()):
                yield f"where {word} is True everywhere", torch.ones_like(value)
                allowed = value | ~value.any(dim=-1, keepdim=True)
                yield f"where every row of {word} allows something", allowed
        case Tensor() if value.is_floating_point() and value.dim():
            yield from _numbers(word, value)
        case list() | tuple() if len(value) > 1:
            yield f"where {word} has one item", value[:1]


def _numbers(word: str, value: Tensor) -> Iterator[tuple[str, Tensor]]:
    if bool((value < 0).any()):
        yield f"where {word} has no negative numbers", value.abs()
    if value.shape[-1] > 1:
        mean = value - value.mean(dim=-1, keepdim=True)
        yield f"where {word} has the mean 0 along its last axis", mean
        spread = mean / mean.std(dim=-1, keepdim=True, correction=0).clamp(min=1e-6)
        yield f"where {word} has the mean 0 and the variance 1 along its last axis", spread
        length = torch.nn.functional.normalize(value, dim=-1)
        yield f"where each vector of {word} has the length 1", length
    largest = float(value.abs().max()) if value.numel() else 0.0
    if LARGE < largest < float("inf"):
        yield f"where {word} has no large numbers", value / largest
