"""Which of a student's answers a changed reference gives, and whether it gives none that they lack.

A change explains an answer that is wrong if it gives the same one. It is consistent with the rest
if it is right wherever it does not: what it gets wrong and the student's code does not, or gets
wrong otherwise, speaks against it.
"""

import enum
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.changes import Change
from autograder.checking.comparing import agree, finite
from autograder.checking.events import Event, Log
from autograder.checking.sources import Definition

Place = tuple[int, int]
Run = Callable[[Any, Log], None]  # run the check with a changed reference, and note its events
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
        return Bearing.FOR if alike(mine, theirs, self.behavior) else Bearing.AGAINST


def alike(mine: Event, students: Event, behavior: bool = False) -> bool:
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

    def match(self, students: Students, run: Run) -> Match | None:
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


class _InPart(Log):
    """The run of a mistake, which ends where the student's answer is wrong and another one.

    Where the student's code ends in an error, it has no answer: the run goes on with what comes
    after.
    """

    def __init__(self, students: Students) -> None:
        super().__init__()
        self._students = students
        self.pairs: list[tuple[Event, Event]] = []
        self.errors: list[Event] = []  # the student's, where the mistake has an answer

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart if it is another one than the student's."""
        super().note(kind, got, **details)
        mine = self.events[-1]
        theirs = self._students.at(mine.place)
        if theirs is not None and theirs.place == mine.place and theirs.kind == mine.kind:
            self.pairs.append((mine, theirs))
            if not _fits_in_part(mine, theirs):
                raise Apart
        elif theirs is not None and theirs.kind == "raised":
            self.errors.append(theirs)
        elif theirs is not None or mine.part <= self._students.last:
            raise Apart


def explains_when_mended(one: Candidate, students: Students, run: Run) -> list[Event] | None:
    """Whether it gives every wrong answer, and few more: some of its cases may be right.

    Returns the student's errors that it does not explain, or None if it does not fit.
    """
    log = _InPart(students)
    try:
        run(one.make(), log)
    except Apart:
        return None
    except Exception:  # a change that makes no code
        return None
    finally:
        one.cost = one.price(len(log.events))
    answered = [event for event in students.events if event.kind != "raised"]
    if len([pair for pair in log.pairs if pair[1].kind != "raised"]) != len(answered):
        return None
    mine = [pair for pair in log.pairs if pair[0].failed]
    both = [pair for pair in mine if pair[1].failed and not pair[1].free]
    evident = any(_wrong_numbers(theirs) for _, theirs in both)
    return log.errors if evident and len(mine) <= 2 * len(both) else None


def _fits_in_part(mine: Event, students: Event) -> bool:
    """Whether the student's answer is right, or that of the mistake where it is wrong."""
    if not students.failed or students.kind == "raised":
        return mine.kind == students.kind
    if mine.kind == "value":
        mine = replace(mine, got=_where_wrong(mine.got, students.got, students.want))
    return alike(mine, students)


def _wrong_numbers(event: Event) -> bool:
    """Whether an answer is wrong by more than its dtype."""
    if event.kind != "value":
        return False
    try:
        return not agree(event.got, event.want, dtype=False, nan_equal=True)
    except Exception:  # answers of any kind, which cannot be compared
        return False


def _where_wrong(mine: Any, students: Any, want: Any) -> Any:
    """The answer of a mistake, with the student's numbers in its place where they are right."""
    if isinstance(want, tuple | list) and isinstance(mine, tuple | list):
        if len(mine) == len(want) and isinstance(students, tuple | list):
            return type(mine)(map(_where_wrong, mine, students, want))
    elif all(isinstance(one, Tensor) and one.is_floating_point() for one in (mine, students, want)):
        # What is true or false is the same wherever it is wrong, whatever made it.
        if not mine.shape == students.shape == want.shape:
            return mine
        one, other = students.double(), want.double()
        right = torch.isclose(one, other, rtol=1e-4, atol=1e-5, equal_nan=True)
        return torch.where(right, students.to(mine.dtype), mine)
    return mine


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
