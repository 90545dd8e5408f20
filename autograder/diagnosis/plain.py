"""What is true of wrong answers where no misconception is known that gives them.

In which way they are wrong, and in which cases: by a factor, in their shape, by an error; where a
mask is given, for an odd size, from the second call on. None of it is a guess; it is where to look.
Something is said whatever fails.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor

from autograder.checking.comparing import finite, kind_of
from autograder.checking.events import Event, Reason
from autograder.checking.registry import Exercise
from autograder.diagnosis.errors import error_in_words, is_written, unfit
from autograder.diagnosis.experiments import experiment
from autograder.diagnosis.explaining import Finding, Students
from autograder.diagnosis.findings import sources_given
from autograder.diagnosis.relations import (
    numbers_in,
    numbers_of,
    off,
    related,
    shape_gap,
    shapes_in_words,
)
from autograder.diagnosis.where import DIFFERS, RAISES, Calls
from autograder.remote.calling import tensors
from autograder.remote.requests import CallRequest

NAMED = 3  # cases that are named; of more, how many there are


@dataclass(frozen=True)
class Statement:
    """What is true of some answers that are wrong, and of which."""

    finding: Finding
    events: Sequence[Event]


@dataclass(frozen=True)
class _Cases:
    """In which cases a check finds something wrong, and in which right."""

    students: Students
    whole: Students  # with what was set aside

    def of(self, wrong: Sequence[Event]) -> str:
        """Those in which something is wrong, to follow `is wrong`; empty if there is no other."""
        if wrong[0].kind == "gradient":
            alike = [event for event in self.students.events if event.kind == "gradient"]
            failed = {event.case for event in alike if event.failed}
        else:  # that some property holds, or an error comes that is asked for, is no right answer
            kinds = "holds", "asked"
            every = self.students.events
            alike = [event for event in every if event.kind not in kinds and not event.variant]
            wrong = [event for event in wrong if not event.variant]
            failed = {event.case for event in self.students.failing}
        bad = list(dict.fromkeys(event.case for event in wrong))
        good = [case for case in dict.fromkeys(event.case for event in alike) if case not in failed]
        if not good or not bad:
            return ""
        right = f"is {self._how_right()} in {_number(good)} ({_cases(good)})"
        if bad == [""]:  # a call that ends in an error is of no case that the check has named
            where = "a further call" if wrong[0].kind == "raised" else "the plain case"
            return f" in {where}, and {right}"
        return f" in {_number(bad)} ({_cases(bad)}), and {right}"

    def _how_right(self) -> str:
        """Whether the numbers that pass for right have all of their digits in float64, too."""
        left = self.students.places
        digits = (event.variant == "float64" and event.place not in left
                  for event in self.whole.failing)  # fmt: skip
        return "right to about four digits" if any(digits) else "right"


def plain(
    exercise: Exercise, students: Students, whole: Students, calls: Callable[[], Calls]
) -> Iterator[Statement]:
    """What is true of all that is wrong, each way to be so by itself, the first one first.

    The `whole` has what was set aside of the students' answers, too.
    """
    cases = _Cases(students, whole)
    errors = [event for event in students.failing if event.kind == "raised"]
    raised = [event for event in errors if not unfit(event)]
    unlike = [event for event in errors if unfit(event)]
    values = [event for event in students.failing if event.kind == "value"]
    gradients = [event for event in students.failing if event.kind == "gradient"]
    found = []
    if raised:
        found.append(_error(exercise, cases, raised, calls))
    if unlike:
        found.append(_unlike(exercise, unlike))
    if values:
        found.append(_values(exercise, cases, values, calls))
    if gradients:
        found.append(_gradients(exercise, cases, gradients))
    yield from sorted(found, key=lambda one: one.events[0].place)


def _error(
    exercise: Exercise, cases: _Cases, raised: Sequence[Event], calls: Callable[[], Calls]
) -> Statement:
    """What an error says, and where it comes."""
    key, meaning, alike = error_in_words(raised)
    where = ""
    if len(alike) == len(raised):
        condition = calls().condition(RAISES)
        where = f" {condition.text}" if condition else cases.of(raised)
    text = f"In this check, {exercise.name} ends in an error{where}. {meaning}"
    first, message = str(alike[0].got), str(alike[0].fields.get("message", ""))
    if "message" not in alike[0].fields:  # it is the check's own, with what came back
        text = (
            f"What {exercise.name} returns has another form than its contract says{where}: to use "
            f"it ends in {first}."
        )
    line = str(alike[0].fields.get("where", ""))
    given = sources_given(c.request for c in calls().mine if isinstance(c.request, CallRequest))
    refused = first != "KeyError" and "message" in alike[0].fields
    if refused and is_written(first, message, line, given):
        text = (
            f"{exercise.name} refuses what its contract allows{where}: it raises {first} "
            f"({message}), where there is an answer to give."
        )
    return Statement(Finding(f"plain.error.{key}", text), alike)


def _unlike(exercise: Exercise, unlike: Sequence[Event]) -> Statement:
    """Parameters that are not the contract's: no error of the student's code."""
    key, meaning = unfit(unlike[0]) or ("", "")
    text = f"{exercise.name} has other parameters than its contract names. {meaning}"
    return Statement(Finding(f"plain.{key}", text), unlike)


def _values(
    exercise: Exercise, cases: _Cases, wrong: Sequence[Event], calls: Callable[[], Calls]
) -> Statement:
    """How results are wrong, and where."""
    parts = [_where(exercise, cases, wrong, calls)]
    as_they_are = [event for event in wrong if not event.variant]
    parts += _what(as_they_are or wrong)
    if as_they_are and (found := experiment(calls())):
        parts.append(found)
    key = "+".join(key for key, _ in parts if key)
    return Statement(Finding(f"plain.{key}", " ".join(text for _, text in parts)), wrong)


def _gradients(exercise: Exercise, cases: _Cases, wrong: Sequence[Event]) -> Statement:
    """What is wrong with gradients, where the values are right."""
    kinds = dict.fromkeys(map(_of_gradient, wrong))
    of = _listed(list(dict.fromkeys(event.variant for event in wrong)))
    key, text = next(iter(kinds)) if len(kinds) == 1 else ("", OTHERWISE)
    numbers = [one for event in wrong for one in numbers_in(event.got, event.want)]
    if not key and numbers and (how := related(numbers))[0] != "off":
        key, text = f"-{how[0]}", f"Of the gradient: {how[1]}"
    start = f"Where the values of {exercise.name} are right, a gradient is wrong"
    text = f"{start}{cases.of(wrong)}: that of {of}. {text}"
    return Statement(Finding(f"plain.gradients{key}", text), wrong)


OTHERWISE = (
    "There the function has the right value, and another slope: a step is cut off from autograd, "
    "or has the right value at these inputs alone."
)


def _of_gradient(event: Event) -> tuple[str, str]:
    """Which of the ways to be wrong it is."""
    if event.got is None or not bool(event.got.any()):
        return "-none", "No gradient gets there: the result is cut off from it on the way."
    if not finite(event.got):
        return "-nan", (
            "It is NaN or infinite: on the way a number is, even if another one is put in its "
            "place afterward, or a slope is, as that of a root at zero."
        )
    return "", OTHERWISE


def _where(
    exercise: Exercise, cases: _Cases, wrong: Sequence[Event], calls: Callable[[], Calls]
) -> tuple[str, str]:
    """Which questions get a wrong answer, if others of their kind get a right one."""
    for variant, words in (
        ("float64", "in float64"),
        ("not contiguous", "for inputs that are not contiguous in memory"),
    ):
        if all(event.variant == variant for event in wrong):
            return variant, f"In this check, {exercise.name} is wrong only {words}."
    if condition := calls().condition(DIFFERS):
        return "where", f"In this check, {exercise.name} is wrong {condition.text}."
    if words := cases.of(wrong):
        return "cases", f"In this check, {exercise.name} is wrong{words}."
    return "all", f"{exercise.name} is wrong in every case that is tried."


def right_all_the_same(events: Sequence[Event]) -> str:
    """Where a misconception is mended: a sentence to follow its own; empty if nowhere."""
    cases = list(dict.fromkeys(event.case for event in events))
    return f" It is right all the same in {_number(cases)} ({_cases(cases)})." if cases else ""


def _number(cases: Sequence[str]) -> str:
    return "one case" if len(cases) == 1 else f"{len(cases)} cases"


def _cases(cases: Sequence[str]) -> str:
    named = [case or "the plain one" for case in cases[:NAMED]]
    more = len(cases) - len(named)
    return "; ".join([*named, f"{more} more"] if more else named)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names[:NAMED]) + (" and others" if len(names) > NAMED else "")


def _what(wrong: Sequence[Event]) -> Iterator[tuple[str, str]]:
    """How results are wrong: in their numbers, and in what else."""
    numbers = [event for event in wrong if event.reason is Reason.VALUES]
    others = [event for event in wrong if event.reason is not Reason.VALUES]
    found = [one for event in numbers for one in numbers_of(event)]
    if found:
        key, text = related(found)
        if key == "off":
            key, text = _in_one_case(numbers) or (key, off(found, sum(map(_right_beside, numbers))))
        start = IN_OTHERS if any(any(_shapes(event)) for event in others) else ""
        yield key, f"{start}{_which(numbers, wrong)}{text}"
    elif numbers:
        yield "other", _in_place(numbers[0])
    if others:
        yield _other(others)


IN_OTHERS = "In calls in which all shapes are right: "


def _right_beside(event: Event) -> int:
    """How many numbers stand in the parts of a result of which none is wrong."""
    wrong = {one.path for one in numbers_of(event)}
    return sum(one.numel() for path, one in tensors(event.want) if path not in wrong)


def _in_one_case(events: Sequence[Event]) -> tuple[str, str] | None:
    """What is true in one case at least, where nothing is in all; the first that has something."""
    for case in dict.fromkeys(event.case for event in events):  # of which there may be several
        numbers = [one for event in events if event.case == case for one in numbers_of(event)]
        key, text = related(numbers) if numbers else ("off", "")
        if key not in ("off", "places"):  # where one case is wrong, its mask may decide
            return key, f"In one case ({case or 'the plain one'}): {text}"
    return None


def _which(events: Sequence[Event], every: Sequence[Event]) -> str:
    """Of several results, those that are wrong, in whatever way, if not all are."""
    names, want = events[0].fields.get("names", ()), events[0].want
    things = list(dict.fromkeys(str(event.fields.get("of", "")) for event in events))
    if all(things):
        return f"What is wrong: {_listed([f'{thing[0].lower()}{thing[1:]}' for thing in things])}. "
    paths = {path for event in every for path in _wrong_parts(event)}
    if isinstance(want, dict):
        return _entries(events[0])
    if len(paths) != 1 or not isinstance(want, tuple | list) or len(want) < 2:
        return ""
    (path,) = paths
    if not path.isdigit():
        return ""
    place = int(path)
    name = names[place] if place < len(names) else f"value {place}"
    return f"Of what is returned, only {name} is wrong. "


def _wrong_parts(event: Event) -> Iterator[str]:
    """The parts of a result that are wrong, in their numbers or otherwise."""
    theirs = dict(tensors(event.got))
    for path, want in tensors(event.want):
        if path not in theirs or theirs[path].shape != want.shape:
            yield path
    yield from (one.path for one in numbers_of(event))


def _entries(event: Event) -> str:
    """Which entries of a dictionary are wrong in their numbers, and which otherwise."""
    wrong = [one.path for one in numbers_of(event)]
    theirs = dict(tensors(event.got))
    others = [
        path
        for path, want in tensors(event.want)
        if path not in theirs or theirs[path].shape != want.shape
    ]
    if not wrong:
        return ""
    shapes = f"; missing or of another shape are {_listed(others)}" if others else ""
    return f"Of {len(event.want)} entries, wrong in their numbers are {_listed(wrong)}{shapes}. "


def _other(events: Sequence[Event]) -> tuple[str, str]:
    """What is wrong with results that cannot be compared number by number."""
    texts = dict.fromkeys(map(_kind, events))
    (key, text), *more = texts
    if more and (alike := shape_gap([pair for event in events for pair in _first_shapes(event)])):
        return "size", alike
    return key, text if not more else f"In the first case that goes wrong: {text}"


def _first_shapes(event: Event) -> Iterator[tuple[Tensor, Tensor]]:
    return itertools.islice(_shapes(event), 1)


def _shapes(event: Event) -> Iterator[tuple[Tensor, Tensor]]:
    """The parts of a result that have another shape than they should."""
    theirs = dict(tensors(event.got))
    for path, want in tensors(event.want):
        if path in theirs and theirs[path].shape != want.shape:
            yield theirs[path], want


def _kind(event: Event) -> tuple[str, str]:
    """Another shape, or another kind of thing."""
    if event.reason is Reason.SHAPE:
        for pair in _shapes(event):
            return shapes_in_words(*pair)
    return "kind", _in_place(event)


def _in_place(event: Event) -> str:
    got, want = kind_of(event.got), kind_of(event.want)
    if isinstance(event.got, dict) and isinstance(event.want, dict):
        missing, extra = (
            [name for name in one if name not in other]
            for one, other in ((event.want, event.got), (event.got, event.want))
        )
        texts = [f"Missing: {_listed(missing)}."] if missing else []
        texts += [f"It has {_listed(extra)}, which should not be there."] if extra else []
        return " ".join(texts)
    if got == want:
        return "The result is of the right kind, but another one."
    return f"The result is {got}, where it should be {want}."
