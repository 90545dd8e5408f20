"""Which of a student's answers a changed reference gives, and whether it gives none that they lack.

A change explains an answer that is wrong if it gives the same one. It is consistent with the rest
if it is right wherever it does not: what it gets wrong and the student's code does not, or gets
wrong otherwise, speaks against it.
"""

import enum
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import agree, finite
from autograder.checking.events import Event, Log
from autograder.remote.calling import tensors
from autograder.source.changes import Change
from autograder.source.sources import Definition

Place = tuple[int, int]
Rerun = Callable[[Any, Log], None]  # run the check with a changed reference, and note its events
TO_MAKE = 2  # what it costs to make one definition of a changed reference, in events


@dataclass(frozen=True)
class Finding:
    """Something that is said of wrong code: a misconception, or a fact about its answers."""

    key: str
    sentence: str


class Apart(BaseException):
    """A change gives an answer that speaks against it: no check may swallow it."""


class Bearing(enum.Enum):
    """What one answer of a change says of the student's at the same place."""

    NONE = enum.auto()
    FOR = enum.auto()
    AGAINST = enum.auto()


class Students:
    """A student's events, each where it stands in the check."""

    def __init__(self, log: Log, behavior: bool = False) -> None:
        self.events: Sequence[Event] = log.events
        self.behavior = behavior
        self._parts: dict[int, list[Event]] = {}
        for event in log.events:
            self._parts.setdefault(event.part, []).append(event)
        self.last = max(self._parts, default=0)

    @functools.cached_property
    def failing(self) -> list[Event]:
        """What is to be explained."""
        return [event for event in self.events if event.failed and not event.free]

    @functools.cached_property
    def places(self) -> frozenset[Place]:
        return frozenset(event.place for event in self.failing)

    def at(self, place: Place) -> Event | None:
        """The event there; where an error cut it off, the error."""
        part = self._parts.get(place[0], [])
        if place[1] < len(part):
            return part[place[1]]
        return part[-1] if part and part[-1].kind == "raised" else None

    def bearing(self, mine: Event) -> Bearing:
        """What a change's answer says of the student's at that place."""
        theirs = self.at(mine.place)
        if theirs is None:
            ended = mine.part > self.last or not mine.failed
            return Bearing.NONE if ended else Bearing.AGAINST
        if theirs.place != mine.place or theirs.free or mine.free and mine.kind == theirs.kind:
            return Bearing.NONE  # cut off by an error, or anything goes
        if not mine.failed:
            return Bearing.NONE
        if not theirs.failed:
            return Bearing.AGAINST
        return Bearing.FOR if same_answer(mine, theirs, self.behavior) else Bearing.AGAINST


def same_answer(mine: Event, students: Event, behavior: bool = False) -> bool:
    """Whether the check could not tell the two answers apart.

    Where behavior is graded the numbers are each solution's own: there it is what holds, and why
    it does not.
    """
    if mine.kind != students.kind:
        return False
    if students.free:
        return True
    if behavior and mine.kind not in ("asked", "raised"):
        return (mine.reason, mine.fields) == (students.reason, students.fields)
    if mine.kind not in ("value", "gradient"):
        return mine.got == students.got
    if mine.kind == "gradient":
        if mine.got is None or students.got is None:
            return mine.free or mine.got is students.got
        if not finite(students.got):
            return not finite(mine.got)  # which NaN it is, no contract says
    if not (mine.failed or students.failed):
        return True  # both are right
    try:
        return agree(
            mine.got, students.got, students.rtol, students.atol, students.dtype, nan_equal=True
        )
    except Exception:  # a number too large for a float, a tensor that torch cannot compare
        return False


class _Following(Log):
    """The run of a change, which ends at the first answer that speaks against it."""

    def __init__(self, students: Students) -> None:
        super().__init__()
        self._students = students

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart if it speaks against the change."""
        super().note(kind, got, **details)
        if self._students.bearing(self.events[-1]) is Bearing.AGAINST:
            raise Apart


@dataclass(frozen=True)
class Match:
    """What a consistent change explains."""

    candidate: "Candidate"
    explained: tuple[Event, ...]  # the student's
    mine: tuple[Event, ...]  # the change's, at the same places

    @functools.cached_property
    def places(self) -> frozenset[Place]:
        return frozenset(event.place for event in self.explained)

    @property
    def telling(self) -> bool:
        """Whether it explains more than that some error is raised, of which many raise one."""
        return any(
            theirs.kind != "raised" or _says(own) == _says(theirs)
            for own, theirs in zip(self.mine, self.explained, strict=True)
        )


def _says(event: Event) -> str:
    """What an error says, with the sizes that it names: these tell where it arose."""
    return str(event.fields.get("message", ""))


@dataclass
class Candidate:
    """A changed reference that may be what the student wrote, and what is to be said of it."""

    findings: tuple[Finding, ...]
    make: Callable[[], Any]
    root: Definition | None = None
    changes: tuple[Change, ...] = ()
    events: list[Event] = field(default_factory=list)  # of its run, as far as it is known
    complete: bool = False
    cost: int = 0  # of the last look at it, in events: the same whatever is known already

    def match(self, students: Students, run: Rerun) -> Match | None:
        """What it explains, or None if some answer speaks against it or it explains nothing."""
        against = self._against(students)
        if against is None and not self.complete:
            log = _Following(students)
            complete = True
            try:
                run(self.make(), log)
            except Apart:
                complete = False
            except Exception:  # it makes no code, now: nothing is kept of that
                self.events, self.complete = [], False
                self.cost = self.price(len(log.events) + 1)
                return None
            self.events, self.complete = log.events, complete  # not where it was interrupted
            against = self._against(students)
        self.cost = self.price(len(self.events) if against is None else against + 1)
        if against is not None:
            return None
        pairs = [
            (mine, theirs)
            for mine in self.events
            if students.bearing(mine) is Bearing.FOR
            and (theirs := students.at(mine.place)) is not None
        ]
        if not pairs:
            return None
        return Match(self, tuple(theirs for _, theirs in pairs), tuple(mine for mine, _ in pairs))

    def price(self, events: int) -> int:
        """What it costs to try it until so many events have come."""
        return events + TO_MAKE * (len(self.root.whole) if self.root else 1)

    def _against(self, students: Students) -> int | None:
        """The number of the first event, of those that are known, that speaks against it."""
        bearings = enumerate(map(students.bearing, self.events))
        return next((number for number, one in bearings if one is Bearing.AGAINST), None)

    def first_wrong(self, students: Students) -> Bearing:
        """What it says of the student's first wrong answer, if it was right or alike before."""
        place = students.failing[0].place
        for event in self.events:
            bearing = students.bearing(event)
            if event.place == place and event.failed:
                return bearing
            if bearing is Bearing.AGAINST:
                return Bearing.NONE
        return Bearing.NONE

    def reach(self, students: Students) -> int:
        """How many events there are before one that speaks against it."""
        against = self._against(students)
        return len(self.events) if against is None else against


class _Comparing(Log):
    """The run of a misconception, which ends where the first wrong number is another one."""

    def __init__(self, students: Students, first: Place) -> None:
        super().__init__()
        self._students = students
        self._first = first

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart if it is the first wrong number, and another one."""
        super().note(kind, got, **details)
        mine = self.events[-1]
        if mine.place == self._first and self._students.bearing(mine) is not Bearing.FOR:
            raise Apart


@dataclass(frozen=True)
class Share:
    """What a misconception explains of an answer that also differs from it."""

    places: frozenset[Place]
    differing: int  # answers that are right, or wrong otherwise


def share(one: Candidate, students: Students, run: Rerun) -> Share | None:
    """What a misconception explains if it gives most of the wrong numbers, to the last digit.

    The same numbers are no chance: the rest of the code differs from the reference, too, or mends
    the misconception where it would show. None if it explains less than half, or nothing of
    numbers.
    """
    numbers = (event for event in students.failing if event.kind == "value" and not event.variant)
    first = next(numbers, None)
    if first is None:
        return None
    log = _Comparing(students, first.place)
    try:
        run(one.make(), log)
    except Apart:
        return None
    except Exception:  # a change that makes no code
        return None
    finally:
        one.cost = one.price(len(log.events))
    bearings = [(event, students.bearing(event)) for event in log.events]
    alike_at = frozenset(event.place for event, bearing in bearings if bearing is Bearing.FOR)
    differing = sum(bearing is Bearing.AGAINST for _, bearing in bearings)
    telling = [event for event in students.failing if event.place in alike_at and _telling(event)]
    few = 2 * len(alike_at) < len(students.failing) or differing > len(alike_at)
    return None if few or len(telling) < 3 else Share(alike_at, differing)


def _telling(event: Event) -> bool:
    """Whether an answer is wrong by its numbers, and these are not all zero or not finite."""
    if event.kind != "value" or not isinstance(event.got, Tensor | tuple | list | float):
        return False
    found = [one for _, one in tensors(event.got)] or [torch.tensor(event.got)]
    try:
        if agree(event.got, event.want, dtype=False, nan_equal=True):
            return False
    except Exception:  # answers of any kind, which cannot be compared
        return False
    return any(bool((one.isfinite() & (one != 0)).any()) for one in found)


def covering(students: Students, matches: Sequence[Match], most: int = 3) -> list[Match]:
    """Few of them that together explain as much as can be: the widest first, then the earlier."""
    left = set(students.places)
    chosen: list[Match] = []
    telling = [match for match in matches if match.telling]
    while left and telling and len(chosen) < most:
        best = max(telling, key=lambda match: len(match.places & left))
        if not best.places & left:
            break
        chosen.append(best)
        left -= best.places
    return _needed(chosen)


def _needed(chosen: list[Match]) -> list[Match]:
    """Without those whose answers the others explain."""
    for one in chosen:
        others = [match.places for match in chosen if match is not one]
        if one.places <= frozenset().union(*others):
            return _needed([match for match in chosen if match is not one])
    return chosen


class Kept:
    """Candidates that are made as they are needed, and kept."""

    def __init__(self, made: Iterator[Candidate]) -> None:
        self._made = made
        self._known: list[Candidate] = []

    def __iter__(self) -> Iterator[Candidate]:
        number = 0
        while True:
            if number == len(self._known):
                new = next(self._made, None)
                if new is None:
                    return
                self._known.append(new)
            yield self._known[number]
            number += 1
