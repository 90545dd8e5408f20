"""Which of a student's answers a changed reference gives, and whether it gives none that they lack.

A change explains an answer that is wrong if it gives the same one. It is consistent with the rest
if it is right wherever it does not: what it gets wrong and the student's code does not, or gets
wrong otherwise, speaks against it.
"""

import enum
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.checking.comparing import Closeness, finite
from autograder.checking.events import Event, Log
from autograder.diagnosis.errors import is_written
from autograder.diagnosis.patterns import Pattern, Place, Wrong
from autograder.remote.calling import tensors
from autograder.remote.requests import Reply
from autograder.source.changes import Change, composed, stacked
from autograder.source.sources import Definition

Rerun = Callable[[Any, Log], None]  # run the check with a changed reference, and note its events
LIKELY = 0.9  # of all places where a pattern or the student's code is wrong, those of both
TO_MAKE = 8  # what it costs to make a changed reference, in events


@dataclass(frozen=True)
class Finding:
    """Something that is said of wrong code: a misconception, or a fact about its answers.

    The words may be made when they are asked for: of most slips they never are.
    """

    key: str
    words: str | Callable[[], str]

    @functools.cached_property
    def sentence(self) -> str:
        """The words."""
        return self.words if isinstance(self.words, str) else self.words()

    @property
    def inherited(self) -> bool:
        """Whether it is a mistake of an earlier exercise, which is used inside."""
        return "." in self.key and not self.key.startswith(("slip.", "fact.", "fault."))

    @property
    def part(self) -> str:
        """The earlier exercise that it is a mistake of."""
        return self.key.split(".")[0] if self.inherited else ""


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

    @functools.cached_property
    def told_by_values(self) -> bool:
        """Whether all that is wrong is wrong in calls whose values are."""
        wrong = {event.part for event in self.failing if event.beside is None}
        return bool(wrong) and all(event.beside in wrong | {None} for event in self.failing)

    def at(self, place: Place) -> Event | None:
        """The event there; where an error cut it off, the error."""
        part = self._parts.get(place[0], [])
        if place[1] < len(part):
            return part[place[1]]
        return part[-1] if part and part[-1].kind == "raised" else None

    def bearing(self, mine: Event) -> Bearing:
        """What a change's answer says of the student's at that place."""
        if not mine.failed:
            return Bearing.NONE
        theirs = self.at(mine.place)
        if theirs is not None and mine.free and mine.kind == theirs.kind:
            return Bearing.NONE  # anything goes
        possible = self.bearing_at(mine.place, mine.kind)
        if possible is not Bearing.FOR or theirs is None:
            return possible
        return possible if same_answer(mine, theirs, self.behavior) else Bearing.AGAINST

    def speaks_against(self, mine: Event, whole: bool) -> bool:
        """Whether a change's answer speaks against it.

        One that is to explain the whole must not be right where the student's code is wrong.
        """
        bearing = self.bearing(mine)
        missed = whole and bearing is Bearing.NONE and mine.place in self.places
        return missed or bearing is Bearing.AGAINST

    def bearing_at(self, place: Place, kind: str) -> Bearing:
        """The same of an answer of which nothing is known but that it is wrong, at its best."""
        theirs = self.at(place)
        if theirs is None:
            return Bearing.NONE if place[0] > self.last else Bearing.AGAINST
        if theirs.place != place or theirs.free:
            return Bearing.NONE  # cut off by an error, or anything goes
        return Bearing.FOR if theirs.failed and theirs.kind == kind else Bearing.AGAINST

    def telling(self, pattern: Pattern) -> Wrong:
        """What of a pattern tells of the student's answers."""
        return pattern.values if self.told_by_values else pattern.whole

    def admits(self, pattern: Pattern, sure: bool) -> bool:
        """Whether such a change may explain something, and nothing speaks against it.

        If it is not of this very check, few of its places are others here: at most half of them.
        """
        against = sum(self.bearing_at(*one) is Bearing.AGAINST for one in pattern.whole)
        if against > (0 if sure else len(pattern.whole) / 2):
            return False
        return any(self.bearing_at(*one) is Bearing.FOR for one in self.telling(pattern))


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
        how = mine.fields.get("how") == students.fields.get("how")
        return mine.got == students.got and (how or not students.failed)
    if mine.kind == "gradient":
        if mine.got is None or students.got is None:
            return mine.free or mine.got is students.got
        if not finite(mine.got):
            return True  # it has no slope there: which NaN or number comes of that, nobody says
        if not finite(students.got):
            return False
    if not (mine.failed or students.failed):
        return True  # both are right
    within = Closeness(students.rtol, students.atol, students.dtype, nan_equal=True)
    return within.surely_agree(mine.got, students.got)


def _is_of_no_slope(pair: tuple[Event, Event]) -> bool:
    """Whether a change has no slope there, and the student's code another one than is right.

    A misconception that is one of slopes alone is not told by that.
    """
    mine, students = pair
    if mine.kind != "gradient" or mine.got is None or finite(mine.got):
        return False
    return students.got is not None and finite(students.got)


class _Following(Log):
    """The run of a change, which ends at the first answer that speaks against it."""

    def __init__(self, students: Students, brief: bool, whole: bool) -> None:
        super().__init__(brief)
        self._students = students
        self._whole = whole

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart if it speaks against the change."""
        super().note(kind, got, **details)
        if self._students.speaks_against(self.events[-1], self._whole):
            raise Apart


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


class _Entrywise(Log):
    """The run of a misconception, which ends where some wrong number of the student's is no other.

    What the student's code gets right may be wrong in it: somebody has mended that case alone.
    """

    def __init__(self, students: Students) -> None:
        super().__init__()
        self._students = students

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart if it does not have the student's wrong numbers."""
        super().note(kind, got, **details)
        mine = self.events[-1]
        theirs = self._students.at(mine.place)
        if theirs is None or not theirs.failed or theirs.free:
            return
        if not (theirs.place == mine.place and has_the_wrong_numbers(mine, theirs)):
            raise Apart


def has_the_wrong_numbers(mine: Event, students: Event) -> bool:
    """Whether wherever a student's number is wrong, a change's answer has the same one."""
    if mine.kind != "value" or students.kind != "value":
        return same_answer(mine, students)
    return entries_alike(mine.got, students.got, students.want, students.rtol, students.atol)


def entries_alike(
    mine: Any, students: Any, want: Any, rtol: float = 1e-4, atol: float = 1e-5
) -> bool:
    """Whether two answers are the same wherever the second is not what is wanted.

    True and False, or whole numbers, are so by chance: a mask can be wrong in one way only.
    """
    ours, right = dict(tensors(mine)), dict(tensors(want))
    theirs = dict(tensors(students))
    if not theirs or not theirs.keys() == ours.keys() == right.keys():
        return False
    for path, got in theirs.items():
        if not got.shape == ours[path].shape == right[path].shape:
            return False
        if not got.is_floating_point():
            return False
        one, other, wanted = (each[path].double() for each in (theirs, ours, right))
        wrong = ~torch.isclose(one, wanted, rtol, atol, equal_nan=True)
        if not bool(torch.isclose(other[wrong], one[wrong], rtol, atol, equal_nan=True).all()):
            return False
    return True


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
        """Whether it explains more than that some error is raised, of which many raise one.

        What goes wrong inside of an earlier exercise may even say the same by chance. Who refuses
        what is allowed says it in words of their own.
        """
        if any(theirs.kind != "raised" for theirs in self.explained):
            return True
        if self.inherited:
            return False
        return any(
            _says(mine) == _says(theirs) or (_refuses(mine) and _refuses(theirs))
            for mine, theirs in zip(self.mine, self.explained, strict=True)
        )

    @property
    def says_the_same(self) -> bool:
        """Whether all errors have the same words, with the same sizes."""
        pairs = zip(self.mine, self.explained, strict=True)
        return all(_says(one) == _says(other) for one, other in pairs if one.kind == "raised")

    @property
    def inherited(self) -> bool:
        """Whether it is, or has, a mistake of an earlier exercise."""
        return any(finding.inherited for finding in self.candidate.findings)

    @property
    def is_vague(self) -> bool:
        """Whether it is a mistake of an earlier exercise, and no number tells of it.

        Zeros and NaN come from many places there.
        """
        return self.inherited and not any(map(of_numbers, self.explained))

    def is_one_of(self, matches: Iterable["Match"]) -> bool:
        """Whether others of the same earlier exercise would do as well, or one beside another."""
        finding, *second = self.candidate.findings
        return bool(second) or any(
            other.places >= self.places
            and other.candidate.findings[0].part == finding.part
            and other.candidate.findings[0].key != finding.key
            for other in matches
        )


def _says(event: Event) -> str:
    """What an error says, with the sizes that it names: these tell where it arose."""
    return str(event.fields.get("message", ""))


def _refuses(event: Event) -> bool:
    return event.kind == "raised" and is_written(event.got, _says(event))


@dataclass
class Run:
    """The events of a change, as far as they are known."""

    events: list[Event] = field(default_factory=list)
    complete: bool = False

    def against(self, students: Students, whole: bool) -> int | None:
        """The number of the first event that speaks against it."""
        events = enumerate(self.events)
        return next((number for number, one in events if students.speaks_against(one, whole)), None)

    def apart_at(self, place: Place, students: Students) -> int | None:
        """The number of the event there, if it is known and another one than the student's."""
        for number, event in enumerate(self.events):
            if event.place == place:
                return None if students.bearing(event) is Bearing.FOR else number
        return None


@dataclass
class Candidate:
    """A changed reference that may be what the student wrote, and what is to be said of it.

    It is run for the values alone where these tell enough: most changes explain none. Its pattern
    tells where it goes wrong, without a run, in this very check if it is `sure`.
    """

    findings: tuple[Finding, ...]
    make: Callable[[], Any]
    root: Definition | None = None
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, str] | None = None  # of a slip, the definitions that change
    pattern: Pattern | None = None
    sure: bool = False
    whole: Run = field(default_factory=Run)
    values: Run = field(default_factory=Run)
    answers: dict[bytes, Reply | None] = field(default_factory=dict)  # to single calls
    cost: int = 0  # of the last look at it, in events: the same whatever is known already

    def is_silent(self, students: Students) -> bool:
        """Whether nothing is wrong for it in this check, of what tells of the student's answers."""
        if self.pattern and self.sure:
            return not students.telling(self.pattern)
        run = self._values() if students.told_by_values else self.whole
        return run.complete and not any(event.failed for event in run.events)

    def likelihood(self, students: Students) -> float:
        """How far its pattern, where it has one, is wrong where the student's code is.

        With other numbers a misconception may be right by chance in a case, or wrong in another.
        """
        if self.pattern is None:
            return 1.0
        places = {place for place, _ in self.pattern.whole}
        return len(places & students.places) / len(places | students.places)

    def may_be_mended(self, students: Students) -> bool:
        """Whether its pattern leaves open that it has all wrong numbers, and few others."""
        if not (self.pattern and self.sure):
            return True
        values = {event.place for event in students.failing if event.kind == "value"}
        beside = (students.at(place) for place, _ in self.pattern.values)
        mended = [one for one in beside if one and one.kind == "value" and not one.failed]
        wrong = {place for place, _ in self.pattern.whole}
        return values <= wrong and len(mended) <= len(values)

    def match(self, students: Students, run: Rerun, whole: bool = False) -> Match | None:
        """What it explains, or None if some answer speaks against it or it explains nothing.

        Where only one that explains the `whole` is looked for, it ends where something is missing.
        """
        self.cost = 0
        if self.pattern and not students.admits(self.pattern, self.sure):
            return None
        # One that is likely is run once, and not for its values before.
        likely = whole and self.pattern is not None and self.likelihood(students) >= LIKELY
        if (
            students.told_by_values
            and not likely
            and not self._explained(self._values(), students, run, True, whole)
        ):
            return None
        pairs = self._explained(self.whole, students, run, False, whole)
        if not pairs or all(map(_is_of_no_slope, pairs)):
            return None
        return Match(self, tuple(theirs for _, theirs in pairs), tuple(mine for mine, _ in pairs))

    def _followed(self, students: Students, run: Rerun) -> list[Event]:
        """Its events as far as nothing speaks against it, of what tells of the student's answers.

        The same ones whoever was judged before.
        """
        known = self._values() if students.told_by_values else self.whole
        self._explained(known, students, run, students.told_by_values, False)
        return known.events

    def _values(self) -> Run:
        """The run for values alone, which is known where the whole is."""
        if self.whole.complete and not self.values.complete:
            told = [event for event in self.whole.events if event.beside is None]
            self.values = Run(told, complete=True)
        return self.values

    def _explained(
        self, known: Run, students: Students, run: Rerun, brief: bool, whole: bool
    ) -> list[tuple[Event, Event]]:
        """What it explains of the student's answers; nothing if one speaks against it."""
        against = known.against(students, whole)
        if against is None and not known.complete:
            log = _Following(students, brief, whole)
            known.complete = True
            try:
                run(self.make(), log)
            except Apart:
                known.complete = False
            except BaseException as error:  # it makes no code: nothing is kept of that
                known.events, known.complete = [], False
                self.cost += self.price(len(log.events) + 1)
                if isinstance(error, Exception):
                    return []
                raise  # it was interrupted
            known.events = log.events
            against = known.against(students, whole)
        self.cost += self.price(len(known.events) if against is None else against + 1)
        if against is not None:
            return []
        return [
            (mine, theirs)
            for mine in known.events
            if students.bearing(mine) is Bearing.FOR
            and (theirs := students.at(mine.place)) is not None
        ]

    def excludes(self, other: "Candidate") -> bool:
        """Whether both write one place anew, and no code does so as either of them.

        Each may give some of the answers, as `always` and `never` do: of one code both are not
        true.
        """
        if self.root is None or self.root is not other.root:
            return False
        codes = {name: item.code for name, item in self.root.whole.items()}
        one, two = self.changes, other.changes
        return not any(
            make(codes, *pair) for make in (composed, stacked) for pair in ((one, two), (two, one))
        )

    def until(self, place: Place, students: Students, run: Rerun) -> list[Event] | None:
        """All of its events if it gives the student's answer at a place; None if it does not."""
        known, self.cost = self.whole, 0
        if self.is_silent(students):
            return None
        if self._is_right_at(place, students):
            before = (event for event in students.events if event.place <= place)
            self.cost = self.price(sum(1 for _ in before))
            return None
        apart = known.apart_at(place, students)
        if apart is None and not known.complete:
            log = _Comparing(students, place)
            try:
                run(self.make(), log)
                known.complete = True
            except Apart:
                pass
            except Exception:  # a change that makes no code
                self.cost = self.price(len(log.events))
                return None
            known.events = log.events
            apart = known.apart_at(place, students)
        self.cost = self.price(len(known.events) if apart is None else apart + 1)
        return known.events if apart is None else None

    def mended(self, students: Students, run: Rerun) -> list[Event] | None:
        """What it gets wrong and the student right, if it has all of the student's wrong numbers.

        None if it has not, or if these are more than what it explains.
        """
        events = self._entrywise(students, run)
        self.cost = self.price(len(events))
        places = {event.place: event for event in events}
        for event in students.failing:
            mine = places.get(event.place)
            if mine is None or not has_the_wrong_numbers(mine, event):
                return None
        values = [one for one in students.failing if one.kind == "value" and not one.variant]
        told = [one for one in values if of_numbers(one) or not self.findings[0].inherited]
        others = (students.at(one.place) for one in events if one.failed and not one.variant)
        mended = [one for one in others if one and one.kind == "value" and not one.failed]
        several = len(told) > 2 or not mended  # few numbers are alike by chance
        return mended if told and several and len(mended) <= len(told) else None

    def _entrywise(self, students: Students, run: Rerun) -> list[Event]:
        """All of its events, or those until a wrong number is another one."""
        if not self.whole.complete:
            log = _Entrywise(students)
            try:
                run(self.make(), log)
            except (Apart, Exception):  # the change may make no code
                return log.events
            self.whole.events, self.whole.complete = log.events, True
        return self.whole.events

    def price(self, events: int) -> int:
        """What it costs to try it until so many events have come."""
        return events + TO_MAKE

    def _is_right_at(self, place: Place, students: Students) -> bool:
        """Whether its pattern tells that it is right there."""
        wrong = students.telling(self.pattern) if self.pattern and self.sure else None
        return wrong is not None and all(other != place for other, _ in wrong)

    def is_wrong_before(self, place: Place, students: Students, run: Rerun) -> bool:
        """Whether it gives another answer than the reference before that place."""
        if self.pattern and self.sure:
            return any(wrong < place for wrong, _ in students.telling(self.pattern))
        events = self._followed(students, run)
        return any(event.failed for event in events if event.place < place)

    def first_wrong(self, students: Students, run: Rerun) -> Bearing:
        """What it says of the student's first wrong answer, if it was right or alike before."""
        place = students.failing[0].place
        if self._is_right_at(place, students):
            return Bearing.NONE
        for event in self._followed(students, run):
            bearing = students.bearing(event)
            if event.place == place and event.failed:
                return bearing
            if bearing is Bearing.AGAINST:
                return Bearing.NONE
        return Bearing.NONE

    def reach(self, students: Students, run: Rerun) -> int:
        """How many events there are before one that speaks against it."""
        bearings = map(students.bearing, self._followed(students, run))
        return sum(1 for _ in itertools.takewhile(lambda one: one is not Bearing.AGAINST, bearings))


def mostly_explained(one: Candidate, students: Students, run: Rerun) -> frozenset[Place] | None:
    """What a misconception explains if it gives most of the wrong numbers, to the last digit.

    The rest of the code differs from the reference, too, or mends the misconception in some case.
    None if it explains less than half or nothing of numbers, or if it is as often, or nearly, wrong
    where the student is right: that one has made a smaller mistake, or another.
    """
    numbers = (event for event in students.failing if event.kind == "value" and not event.variant)
    first = next(numbers, None)
    events = one.until(first.place, students, run) if first else None
    if events is None:
        return None
    bearings = [(event.place, students.bearing(event)) for event in events]
    alike = frozenset(place for place, bearing in bearings if bearing is Bearing.FOR)
    differing = [place for place, bearing in bearings if bearing is Bearing.AGAINST]
    mended = [place for place in differing if (at := students.at(place)) and not at.failed]
    told = [event for event in students.failing if event.place in alike and of_numbers(event)]
    few = 2 * len(alike) < len(students.failing) or len(differing) > len(alike) or len(told) < 3
    return None if few or 2 * len(mended) >= len(alike) else alike


def of_numbers(event: Event) -> bool:
    """Whether an answer is wrong by its numbers, and these are not all zero or not finite."""
    if event.kind != "value":
        return False
    if isinstance(event.got, float):
        return math.isfinite(event.got) and event.got != 0
    right = dict(tensors(event.want))
    for path, one in tensors(event.got):
        if getattr(one, "is_meta", False):
            continue  # it has no memory, and so no numbers
        other = right.get(path, one.new_empty(()))
        wrong = one.isfinite() & (one != 0)
        if other.shape == one.shape:
            wrong &= ~torch.isclose(one.double(), other.double(), rtol=1e-4, atol=1e-5)
        if bool(wrong.any()):
            return True
    return False


def covering(students: Students, matches: Sequence[Match], most: int = 3) -> list[Match]:
    """Few of them that together explain as much as can be: the widest first, then the earlier."""
    left = set(students.places)
    chosen: list[Match] = []
    possible = [match for match in matches if match.telling]
    while left and possible and len(chosen) < most:
        best = max(possible, key=lambda match: len(match.places & left))
        if not best.places & left:
            break
        possible = [match for match in possible if not match.candidate.excludes(best.candidate)]
        chosen.append(best)
        left -= best.places
    return _sure(_needed(chosen))


def _sure(chosen: list[Match]) -> list[Match]:
    """Of several, those that are told by something which others would not give as well.

    Rounding has many causes, and zeros or NaN come from many places of an earlier exercise.
    """
    if len(chosen) < 2:
        return chosen
    sure = []
    for one in chosen:
        others = frozenset[Place]().union(*(match.places for match in chosen if match is not one))
        alone = [event for event in one.explained if event.place not in others]
        inherited = any(finding.inherited for finding in one.candidate.findings)
        rounded = all(event.variant == "float64" for event in alone)
        if not rounded and (not inherited or any(map(of_numbers, alone))):
            sure.append(one)
    return sure


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
