"""What is true of wrong numbers where no misconception is known that gives them.

In which cases they are wrong, in which of several results, at which places, and by what: a factor,
a shift, a sign. None of it is a guess; it is where to look.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checking.comparing import agree
from autograder.checking.events import Event, Reason
from autograder.checking.registry import Exercise
from autograder.diagnosis.explaining import Finding, Students
from autograder.remote.calling import tensors

NAMED = 3  # cases that are named; of more, how many there are
CLOSE = {"rtol": 2e-3, "atol": 1e-5}


@dataclass(frozen=True)
class Numbers:
    """One result that is wrong in its numbers alone."""

    path: str
    got: Tensor
    want: Tensor


def plain(exercise: Exercise, students: Students) -> Finding | None:
    """What is true of all that is wrong; None where that says no more than the account does."""
    if students.failing[0].reason not in (Reason.VALUES, Reason.GRADIENT, Reason.SHAPE):
        return None  # an error, or what does not hold, is told in words
    parts = [part for part in (_where(exercise, students), _what(students)) if part]
    if not parts:
        return None
    key = "+".join(key for key, _ in parts)
    return Finding(f"plain.{key}", " ".join(text for _, text in parts))


def _where(exercise: Exercise, students: Students) -> tuple[str, str] | None:
    """Which questions get a wrong answer, if others of their kind get a right one."""
    failing = students.failing
    if all(event.kind == "gradient" for event in failing):
        of = _listed(list(dict.fromkeys(event.variant for event in failing)))
        return "gradients", (
            f"The values of {exercise.name} are right, but a gradient is not: that of {of}. Some "
            "step on the way to the result is cut off, or made in a way that "
            "autograd sees otherwise."
        )
    for variant, words in (
        ("float64", "in float64"),
        ("not contiguous", "for inputs that are not contiguous in memory"),
    ):
        if all(event.variant == variant for event in failing):
            return variant, f"{exercise.name} is right otherwise, and wrong only {words}."
    wrong = [event for event in failing if event.kind in ("value", "raised", "holds", "asked")]
    bad = list(dict.fromkeys(event.case for event in wrong if not event.variant))
    asked = dict.fromkeys(event.case for event in students.events if not event.variant)
    good = [case for case in asked if case not in bad]
    if not good or not bad:
        return None
    if bad == [""]:
        return "cases", (
            f"{exercise.name} is right in special cases ({_cases(good)}), but not in the plain one."
        )
    return "cases", (
        f"{exercise.name} is right in {_number(good)} ({_cases(good)}), and wrong in "
        f"{_number(bad)} ({_cases(bad)}): what do these have that the others do not?"
    )


def _number(cases: Sequence[str]) -> str:
    return "one case" if len(cases) == 1 else f"{len(cases)} cases"


def _cases(cases: Sequence[str]) -> str:
    named = [case or "the plain one" for case in cases[:NAMED]]
    more = len(cases) - len(named)
    return "; ".join([*named, f"{more} more"] if more else named)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names[:NAMED]) + (" and others" if len(names) > NAMED else "")


def _what(students: Students) -> tuple[str, str] | None:
    """What is wrong with the numbers, if it is the same wherever they are wrong."""
    wrong = [event for event in students.failing if event.kind == "value" and not event.variant]
    if not wrong or any(event.reason is not Reason.VALUES for event in wrong):
        return None
    numbers = [found for event in wrong for found in _numbers(event)]
    if not numbers:
        return None
    which = _which(wrong, numbers)
    for key, relation in RELATIONS:
        texts = {relation(found) for found in numbers}
        if "" in texts:
            continue
        if len(texts) == 1:
            return key, f"{which}{texts.pop()}"
        if key == "factor" and any(found.want.numel() > 1 for found in numbers):
            return key, f"{which}In each case, all numbers are wrong by one factor."
    places = {_places(found) for found in numbers}
    if len(places) == 1 and (text := next(iter(places))):
        return "places", f"{which}{text}"
    return ("result", which.strip()) if which else None


def _which(events: Sequence[Event], numbers: Sequence[Numbers]) -> str:
    """Of several results, the only one that is wrong."""
    paths = {found.path for found in numbers}
    names = events[0].fields.get("names", ())
    if len(paths) != 1 or not isinstance(events[0].want, tuple | list):
        return ""
    path = paths.pop()
    if not path.isdigit() or len(events[0].want) < 2:
        return ""
    place = int(path)
    name = names[place] if place < len(names) else f"value {place}"
    return f"Of what is returned, only {name} is wrong. "


def _numbers(event: Event) -> Iterator[Numbers]:
    if isinstance(event.want, float | int) and isinstance(event.got, float | int):
        yield Numbers("", torch.tensor([float(event.got)]), torch.tensor([float(event.want)]))
        return
    theirs = dict(tensors(event.got))
    for path, want in tensors(event.want):
        got = theirs.get(path)
        if got is not None and got.shape == want.shape and not agree(got, want, dtype=False):
            yield Numbers(path, got.double(), want.double())


def _same(one: Tensor, other: Tensor) -> bool:
    return bool(torch.isclose(one, other, **CLOSE, equal_nan=True).all())


def _not_finite(found: Numbers) -> str:
    if bool(torch.isfinite(found.want).all()) and bool(torch.isnan(found.got).all()):
        return "All numbers are NaN, as from 0 / 0 or infinity minus infinity."
    return ""


def _not_finite_in_part(found: Numbers) -> str:
    wrong = torch.isnan(found.got)
    others_right = _same(found.got[~wrong], found.want[~wrong])
    if bool(torch.isfinite(found.want).all()) and bool(wrong.any()) and others_right:
        return "Where it is wrong there is NaN, as from 0 / 0 or infinity minus infinity."
    return ""


def _zeros(found: Numbers) -> str:
    return "" if bool(found.got.any()) else "All numbers are zero."


def _factor(found: Numbers) -> str:
    big = found.want.abs() > 1e-3 * found.want.abs().max()
    if not bool(big.any()) or found.want.numel() < 1:
        return ""
    ratio = float((found.got[big] / found.want[big]).median())
    if not math.isfinite(ratio) or ratio == 0 or not _same(found.got, ratio * found.want):
        return ""
    if abs(ratio + 1) < 1e-3:
        return "Every number has the wrong sign."
    return f"Every number is {ratio:.4g} times what it should be."


def _offset(found: Numbers) -> str:
    gap = float((found.got - found.want).median())
    if found.want.numel() > 1 and math.isfinite(gap) and _same(found.got, found.want + gap):
        return f"Every number is off by the same amount, {gap:.4g}."
    return ""


def _absolute(found: Numbers) -> str:
    if _same(found.got, found.want.abs()):
        return "The numbers have the right size, but all are positive: a sign is lost."
    return ""


def _clamped(found: Numbers) -> str:
    for bound, limit, word in (
        (found.got.min(), found.want.clamp(min=float(found.got.min())), "below"),
        (found.got.max(), found.want.clamp(max=float(found.got.max())), "above"),
    ):
        beyond = bool((found.got != bound).any())  # a single number shows no limit
        if beyond and math.isfinite(float(bound)) and _same(found.got, limit):
            return f"The numbers are cut off: none is {word} a limit, where some should be."
    return ""


def _moved(found: Numbers) -> str:
    """The right numbers, at other places."""
    for axis in range(found.want.dim()):
        words = f"along axis {axis - found.want.dim()}"
        if found.want.shape[axis] < 2:
            continue
        for step in (1, -1):
            if _same(found.got, found.want.roll(step, axis)):
                return f"The right numbers stand one place too far {words}."
        if _same(found.got, found.want.flip(axis)):
            return f"The right numbers stand in reverse order {words}."
    square = found.want.dim() > 1 and found.want.shape[-1] == found.want.shape[-2]
    if square and _same(found.got, found.want.mT):
        return "The last two axes are exchanged."
    one, other = found.got.flatten().sort().values, found.want.flatten().sort().values
    if found.want.numel() > 3 and _same(one, other):
        return "These are the right numbers, but at other places than they should stand."
    return ""


RELATIONS: tuple[tuple[str, Callable[[Numbers], str]], ...] = (
    ("nan", _not_finite),
    ("nan", _not_finite_in_part),
    ("zeros", _zeros),
    ("factor", _factor),
    ("offset", _offset),
    ("absolute", _absolute),
    ("clamped", _clamped),
    ("moved", _moved),
)


def _places(found: Numbers) -> str:
    """Where along one axis all that is wrong stands, if the rest is right."""
    wrong = ~torch.isclose(found.got, found.want, rtol=1e-4, atol=1e-5, equal_nan=True)
    if not bool(wrong.any()):
        return ""
    for axis in range(wrong.dim()):
        size = wrong.shape[axis]
        others = [other for other in range(wrong.dim()) if other != axis]
        flags = (wrong.any(dim=others) if others else wrong).tolist()
        words = f"along axis {axis - wrong.dim()}"
        if size < 3 and not (size == 2 and flags == [False, True]):
            continue
        if sum(flags) == size:
            continue
        if flags == [True] + [False] * (size - 1):
            return f"Only the first entry {words} is wrong."
        if flags == [False] * (size - 1) + [True]:
            return f"Only the last entry {words} is wrong."
        if flags == [False] + [True] * (size - 1):
            return f"Only the first entry {words} is right."
        if flags == [True] * (size - 1) + [False]:
            return f"Only the last entry {words} is right."
    return ""
