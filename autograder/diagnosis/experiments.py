"""What can be tried on a wrong call of code that nothing known explains: what its result hangs on.

One place of an input is changed, or all of its numbers are doubled, on both sides: where the
student's result moves and the reference's does not, or the other way around, that is said.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Closeness, finite
from autograder.diagnosis.by_argument import Compared, Shaped, by_argument, by_size
from autograder.diagnosis.findings import arguments, makes_no_difference, with_argument
from autograder.diagnosis.places import AXES
from autograder.diagnosis.relations import numbers_in
from autograder.diagnosis.simpler import becomes_right
from autograder.diagnosis.smallest import size_of
from autograder.diagnosis.where import LARGE, NEARLY, RAISES, Calls, Judged
from autograder.remote.calling import cotangent, mapped, tensors
from autograder.remote.requests import CallRequest
from autograder.remote.values import Function, Ref

CALLS, PLACES, SEVERAL = 3, 6, 8  # at most
SMALLER = 0.1  # numbers so much smaller saturate no softmax and pass no limit
LIKE = Closeness(rtol=1e-3, atol=1e-4, dtype=False, nan_equal=True)
IDLE = (
    "With other values for `{0}`, the right result was another one in calls that were tried, and "
    "this one was always the same: `{0}` makes no difference there."
)
START = "Tried on calls that go wrong: "


@dataclass(frozen=True)
class _Tried:
    """A call that goes wrong, and what both sides make of it when it is changed."""

    calls: Calls
    request: CallRequest
    got: Any
    want: Any
    given: Mapping[str, Any] = field(default_factory=dict)

    def changed(self, name: str, value: Any) -> tuple[Any, Any] | None:
        """What both sides answer with another value for an argument; None without an answer."""
        other = with_argument(self.calls.exercise, self.request, name, value)
        return self.calls.both(other) if other else None

    def with_others(self) -> "list[_Tried]":
        """It, and the same with smaller and with common numbers: there nothing is alike by chance.

        Where numbers are large, or several are equal, a result hangs on less than it may.
        """
        tries = [self]
        for change in (_smaller, _common):
            args, kwargs = mapped(change, (self.request.args, self.request.kwargs))
            request = replace(self.request, args=args, kwargs=kwargs)
            values = self.calls.both(request)
            if values and all(map(_is_finite, values)):
                tries.append(_Tried(self.calls, request, *values))
        return tries


def experiment(calls: Calls) -> tuple[str, str] | None:
    """The key and the words of what is found first; None if nothing is."""
    if idle := next(_idle(calls), None):
        return "idle", IDLE.format(idle)
    every = []
    for one in sorted(calls.wrong, key=_order)[:SEVERAL]:
        values = calls.both(one.plain)
        wrong = values and not NEARLY.surely_agree(*values)  # in another dtype it may be right
        if values and wrong and all(map(_is_finite, values)):
            every.append(_Tried(calls, one.plain, *values, one.given))
    for shapes in _shapes(every):
        if words := by_size(shapes):
            return "of-size", words
    for result in _results(every):
        if told := by_argument(result):
            return told
    every = every[:CALLS]
    found = itertools.chain(_sure(every), *map(_scaled, every), _made_simpler(every))
    return next(((key, f"{START}{text}") for key, text in found), None)


def _made_simpler(every: Sequence[_Tried]) -> Iterator[tuple[str, str]]:
    if every:
        calls, requests = every[0].calls, [one.request for one in every]
        if words := becomes_right(calls.exercise, requests, calls.both):
            yield "simpler", words


def _shapes(every: Sequence[_Tried]) -> Iterator[list[Shaped]]:
    """Each part of a result that has another shape, in all calls in which it has."""
    found: dict[str, list[Shaped]] = {}
    for tried in every:
        theirs = dict(tensors(tried.got))
        for path, right in tensors(tried.want):
            if path in theirs and theirs[path].shape != right.shape:
                one = Shaped(tried.given, theirs[path].shape, right.shape)
                found.setdefault(path, []).append(one)
    yield from found.values()


def _results(every: Sequence[_Tried]) -> Iterator[list[Compared]]:
    """Each part of a result that is wrong, as it is in all calls in which it is wrong."""
    found: dict[str, list[Compared]] = {}
    for tried in every:
        for one in numbers_in(tried.got, tried.want):
            found.setdefault(one.path, []).append(Compared(tried.given, one))
    if len(found) == 1:  # of several parts one may be wrong by another's fault
        yield from found.values()


def _idle(calls: Calls) -> Iterator[str]:
    """The arguments on which the right result hangs, and the student's in no call that is tried."""
    asked = [one.plain for one in calls.judged if one.outcome != RAISES]
    for name in dict.fromkeys(name for one in asked for name in arguments(calls.exercise, one)):
        if makes_no_difference(calls.exercise, name, asked, calls.both):
            yield name


def _smaller(value: Tensor) -> Tensor:
    return SMALLER * value if value.is_floating_point() else value


def _common(value: Tensor) -> Tensor:
    return cotangent(value) if value.is_floating_point() else value


def _sure(every: Sequence[_Tried]) -> Iterator[tuple[str, str]]:
    """What all calls of a form show, one after the other as it is asked for; of one number, two."""
    for tried in every:
        others = [one for one in every if one is not tried and _form(one) == _form(tried)]
        for found in _flow(tried):
            shown = [found in _flow(other) for other in others]
            if any(shown) if _is_one_number(tried.want) else all(shown):
                yield found


def _form(tried: _Tried) -> list[tuple[str, int]]:
    """How many axes each tensor has that is given: words of places are alike in such calls."""
    return [(path, one.dim()) for path, one in tensors((tried.request.args, tried.request.kwargs))]


def _is_one_number(value: Any) -> bool:
    """As a largest difference is: what it hangs on in one call, it need not in another."""
    return sum(tensor.numel() for _, tensor in tensors(value)) < 2


def _order(one: Judged) -> tuple[bool, int]:
    """Small ones first, but before all those with several places and numbers of usual size.

    Where numbers are large, a result may be saturated: it hangs on nothing then.
    """
    request = one.plain
    given = [tensor for _, tensor in tensors((request.args, request.kwargs))]
    large = any(bool((tensor.double().abs() > LARGE).any()) for tensor in given)
    return large or any(1 in tensor.shape for tensor in given), size_of(request)


def _is_finite(value: Any) -> bool:
    return all(not one.is_meta and finite(one) for _, one in tensors(value))


Pairs = set[tuple[int, int]]  # a place of the result, and one of an input


def _flow(tried: _Tried) -> Iterator[tuple[str, str]]:
    """A place of the result that hangs on a place of an input, and should not, or the reverse.

    What it should hang on is asked with other numbers, too: a saturated result hangs on little.
    """
    tries = tried.with_others()
    given = arguments(tried.calls.exercise, tried.request)
    single = _is_one_number(tried.want)
    if single and any(isinstance(one, Ref | Function) for one in given.values()):
        return  # what it hangs on, the function that is given decides
    for name, value in given.items():
        if not isinstance(value, Tensor) or not value.dim():
            continue
        if single and not value.is_floating_point():
            continue  # a change of one index of many is no small one
        if value.is_floating_point() and value.dim() > max(_axes(tried.want), 2):
            continue  # its axes are not the result's, so that places would be of two kinds
        masks = [other for other in given if other != name and _is_boolean(given[other])]
        yield from _flow_of(tried, tries, name, f" with such a `{masks[0]}`" if masks else "")


def _flow_of(
    tried: _Tried, tries: Sequence[_Tried], name: str, there: str
) -> Iterator[tuple[str, str]]:
    """The same of one input."""
    value = arguments(tried.calls.exercise, tried.request)[name]
    axis = -1 if value.dim() == 1 or not value.is_floating_point() else -2
    extra, missing = _pairs_that_differ(tries, name, axis, min(value.shape[axis], PLACES))
    of = f"`{name}`" if value.dim() == 1 else f"`{name}` along {AXES[axis]}"
    places = _places(tried.want)
    lined_up = places == value.shape[axis]
    if extra:
        text = hangs(extra, "depends", of, places > 0, lined_up)
        yield "flow", f"{text}, which it should not{there}."
    if missing and (value.is_floating_point() or value.dtype == torch.bool):  # any change
        text = hangs(missing, "does not depend", of, places > 0, lined_up)
        yield "flow", f"{text}, which it should{there}."


def _pairs_that_differ(
    tries: Sequence[_Tried], name: str, axis: int, places: int
) -> tuple[Pairs, Pairs]:
    """Which places of the student's result move with one of an input, or do not, as they should."""
    extra: Pairs = set()
    missing: Pairs = set()
    moving: set[int] = set()  # of the rest nobody knows whether it is so in this call alone
    for place in range(places):
        found = [_where_it_moves(one, name, axis, place) for one in tries]
        moves = [one for one in found if one]
        if len(moves) < len(tries) or len({len(each) for one in moves for each in one}) > 1:
            continue
        sides = (map(any, zip(*side, strict=True)) for side in zip(*moves, strict=True))
        for number, (mine, at_all, right) in enumerate(zip(*sides, strict=True)):
            if right:
                moving.add(number)
            if mine and not right:
                extra.add((number, place))
            if right and not at_all:
                missing.add((number, place))
    return {pair for pair in extra if pair[0] in moving}, missing


def _is_idle_here(tried: _Tried, name: str, value: Tensor) -> bool:
    """Whether the right result is the same with other numbers: of this call, not of the contract.

    As where a mask leaves each query one key, whatever the query is.
    """
    if not value.is_floating_point():
        return False
    values = tried.changed(name, value + cotangent(value))
    return values is not None and LIKE.agree(values[1], tried.want)


def _axes(result: Any) -> int:
    """How many axes the first result has."""
    return next((one.dim() for _, one in tensors(result)), 0)


def _places(result: Any) -> int:
    """How many places the first result has, along its next to last axis; none for no such axis."""
    first = next((one for _, one in tensors(result)), None)
    return first.shape[-2] if first is not None and first.dim() > 1 else 0


def _where_it_moves(
    tried: _Tried, name: str, axis: int, place: int
) -> tuple[list[bool], list[bool], list[bool]] | None:
    """Which places move with one of an input: the student's clearly, at all, and the right ones.

    By any of several changes.
    """
    found: list[list[bool]] = [[], [], []]
    value = arguments(tried.calls.exercise, tried.request)[name]
    for other in changed_at(value, axis, place):
        values = tried.changed(name, other)
        if values is None:
            return None
        mine, right = values
        moves = moved(tried.got, mine), moved(tried.got, mine, 0.0), moved(tried.want, right)
        if any(one is None or len(one) != len(moves[0] or ()) for one in moves):
            return None
        found = [
            [a or b for a, b in itertools.zip_longest(before, now or ())]
            for before, now in zip(found, moves, strict=True)
        ]
        if all(found[0]) and all(found[2]):
            break
    return (found[0], found[1], found[2]) if found[0] else None


def changed_at(value: Tensor, axis: int, place: int) -> Iterator[Tensor]:
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


def moved(before: Any, after: Any, share: float = 1.0) -> list[bool] | None:
    """Which places of the first result move, along its next to last axis; one for no axis.

    By more than a `share` of what is taken for rounding.
    """
    one, other = (next((tensor for _, tensor in tensors(each)), None) for each in (before, after))
    if one is None or other is None:
        return None if one is not other else [not LIKE.agree(after, before)]
    if one.shape != other.shape:
        return None
    within = {"rtol": share * 1e-4, "atol": share * 1e-5, "equal_nan": True}
    apart = ~torch.isclose(one.double(), other.double(), **within)
    if apart.dim() < 2:
        return [bool(apart.any())]
    return apart.movedim(-2, 0).flatten(1).any(dim=1).tolist()


def hangs(pairs: Pairs, verb: str, of: str, several: bool, lined_up: bool, last: int = 0) -> str:
    """Which places of the result, if it has several, hang on which of an input.

    Of which the `last` is known by that, and by its number in this call alone.
    """
    if lined_up and len(pairs) > 1:
        for words, alike in (
            ("later places", all(place > number for number, place in pairs)),
            ("earlier places", all(place < number for number, place in pairs)),
            ("the same place", all(place == number for number, place in pairs)),
        ):
            if alike:
                return f"the result at a place {verb} on {words} of {of}"
    number, place = min(pairs)
    where = f" at place {number} along {AXES[-2]}" if several else ""
    there = "the last place" if place and place == last else f"place {place}"
    return f"the result{where} {verb} on {there} of {of}"


def _scaled(tried: _Tried) -> Iterator[tuple[str, str]]:
    """How the result follows when all numbers of an input are doubled, or one is added to them.

    Of a list of inputs, those of its first item or of its last.
    """
    tries = tried.with_others()
    for name, value in arguments(tried.calls.exercise, tried.request).items():
        if isinstance(value, Tensor) and _is_idle_here(tried, name, value):
            continue
        for of, item in _held(name, value):
            for words, change in CHANGES:
                found = {_both_follow(one, name, item, change) for one in tries}
                mine, right = found.pop() if len(found) == 1 else ("", "")
                if mine != right and mine and right:
                    text = f"where all numbers of {of} are {words}, {_unlike(mine, right)}"
                    yield "follows", text


def _held(name: str, value: Any) -> Iterator[tuple[str, int | None]]:
    """The floating-point tensors of an argument in words, with their place where it is a list."""
    if _is_floating(value):
        yield f"`{name}`", None
    if isinstance(value, list) and value and all(map(_is_floating, value)):
        yield f"`{name}[0]`", 0
        yield f"`{name}[-1]`", -1


def _is_boolean(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype == torch.bool


def _is_floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _both_follow(
    tried: _Tried, name: str, item: int | None, change: Callable[[Tensor], Tensor]
) -> tuple[str, str]:
    """What becomes of the student's result and of the right one; empty where nobody can tell."""
    value = arguments(tried.calls.exercise, tried.request)[name]
    if item is None:
        other = change(value)
    else:
        other = list(value)
        other[item] = change(other[item])
    values = tried.changed(name, other)
    if values is None:
        return "", ""
    return _follows(tried.got, values[0]), _follows(tried.want, values[1])


CHANGES: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("doubled", lambda value: 2 * value),
    ("one larger", lambda value: value + 1),
)
OTHERWISE = "change in another way"


def _unlike(mine: str, right: str) -> str:
    """How a result follows, and how it should."""
    if right == OTHERWISE:
        return f"the result {_third(mine)}, which it should not."
    return f"the result should {right}, and it {_third(mine)}."


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
    return OTHERWISE


def _third(words: str) -> str:
    verb, _, rest = words.partition(" ")
    return {"stay": "stays", "double": "doubles", "become": "becomes", "change": "changes"}[
        verb
    ] + (f" {rest}" if rest else "")
