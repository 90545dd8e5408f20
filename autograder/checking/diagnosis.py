"""Which mistake gives the student's answers: every one of them, or at least every wrong one.

Where none does, none is named.
"""

import functools
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.changes import Change, StaleMistake, applied, composed, stacked, stacked_on
from autograder.checking.comparing import agree, finite
from autograder.checking.events import Event, Log
from autograder.checking.registry import Exercise, Mistake, exercises
from autograder.checking.searching import LEFT_OUT, slips
from autograder.checking.set_aside import SetAside, set_aside
from autograder.checking.sources import Definition, NoSource, definition

Run = Callable[[Any, Log], None]  # run the check with a changed reference, and note its events


SEEDS_KEPT = 8  # as many as a class has draws (`grading.course.journal.DRAWS`)
AT_LEAST = 2.0  # seconds for the known mistakes, however quick the check is


class Apart(BaseException):
    """A mistake gives another answer than the student's code: no check may swallow it."""


class _Timed(Log):
    """The run of a mistake, which ends when the time for the search does."""

    def __init__(self, end: float) -> None:
        super().__init__()
        self._end = end

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart when the time is over."""
        super().note(kind, got, **details)
        # Some systems are slow to tell a thread's time.
        if len(self.events) % 8 == 0 and time.thread_time() > self._end:
            raise Apart


class _Following(_Timed):
    """The run of a mistake, which ends at the first event that is not the student's."""

    def __init__(self, students: Log, behavior: bool, end: float) -> None:
        super().__init__(end)
        self._students = students.events
        self._behavior = behavior

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart if it is another one than the student's."""
        super().note(kind, got, **details)
        number = len(self.events) - 1
        if number >= len(self._students) or not alike(
            self.events[number], self._students[number], self._behavior
        ):
            raise Apart


class _InPart(_Timed):
    """The run of a mistake, which ends where the student's answer is wrong and another one.

    Where the student's code ends in an error, it has no answer: the run goes on with what comes
    after.
    """

    def __init__(self, students: Log, end: float) -> None:
        super().__init__(end)
        self._groups: dict[int, list[Event]] = {}
        for event in students.events:
            self._groups.setdefault(event.part, []).append(event)
        self._last = max(self._groups, default=0)
        self._counts: Counter[int] = Counter()
        self.pairs: list[tuple[Event, Event]] = []
        self.errors: list[Event] = []  # the student's, where the mistake has an answer

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event. Raises Apart if it is another one than the student's."""
        super().note(kind, got, **details)
        mine = self.events[-1]
        number = self._counts[mine.part]
        self._counts[mine.part] += 1
        students = self._groups.get(min(mine.part, self._last), [])
        answered = mine.part <= self._last and number < len(students)
        if answered and students[number].kind == mine.kind:
            self.pairs.append((mine, students[number]))
            if not _fits_in_part(mine, students[number]):
                raise Apart
            return
        # Else an error stands in the place of the student's answer, or ended the check.
        if not students or students[-1].kind != "raised":
            raise Apart
        if mine.part == self._last and number < len(students) - 1:
            raise Apart
        self.errors.append(students[-1])


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
    elif all(isinstance(one, Tensor) for one in (mine, students, want)) and (
        mine.shape == students.shape == want.shape
    ):
        one, other = students.double(), want.double()
        right = torch.isclose(one, other, rtol=1e-4, atol=1e-5, equal_nan=True)
        return torch.where(right, students.to(mine.dtype), mine)
    return mine


@dataclass
class Candidate:
    """A changed reference that may be what the student wrote, and what is to be said of it."""

    sentence: str
    make: Callable[[], Any]
    root: Definition | None = None
    changes: tuple[Change, ...] = ()
    events: list[Event] = field(default_factory=list)  # of its run, as far as it is known
    complete: bool = False

    def explains(
        self, students: Log, behavior: bool, run: Run, end: float, surely: bool = True
    ) -> bool:
        """Whether it gives the same answer at every event.

        Many things raise an error of one type: where nothing else has failed, the errors must also
        say the same, `surely` if even though right answers came before.
        """
        if not self._agrees(students, behavior):
            return False
        if not self.complete and len(self.events) <= len(students.events):
            log = _Following(students, behavior, end)
            self.complete = True
            try:
                run(self.make(), log)
            except Apart:
                self.complete = False
            except Exception:  # a change that makes no code
                log.events.append(Event("broken"))
            self.events = log.events
        if not self.complete or len(self.events) != len(students.events):
            return False
        both = zip(self.events, students.events, strict=True)
        return self._agrees(students, behavior) and (
            _is_evident(students, surely) or all(one.words == other.words for one, other in both)
        )

    def explains_failures(self, students: Log, run: Run, end: float) -> list[Event] | None:
        """Whether it gives every wrong answer, and few more: some of its cases may be right.

        Returns the student's errors that it does not explain, or None if it does not fit.
        """
        until_an_error = itertools.takewhile(
            lambda pair: "raised" not in (pair[0].kind, pair[1].kind),
            zip(self.events, students.events, strict=False),
        )
        if not all(itertools.starmap(_fits_in_part, until_an_error)):
            return None
        log = _InPart(students, end)
        try:
            run(self.make(), log)
        except Apart:
            return None
        except Exception:  # a change that makes no code
            return None
        answered = [event for event in students.events if event.kind != "raised"]
        if len([pair for pair in log.pairs if pair[1].kind != "raised"]) != len(answered):
            return None
        mine = [one for one in log.pairs if one[0].failed]
        both = [one for one in mine if one[1].failed and not one[1].free]
        evident = any(_wrong_numbers(theirs) for _, theirs in both)
        return log.errors if evident and len(mine) <= 2 * len(both) else None

    def agreed(self, students: Log) -> int:
        """How many events from the first on are the student's, as far as it was run."""
        both = zip(self.events, students.events, strict=False)
        apart = (n for n, (mine, theirs) in enumerate(both) if not alike(mine, theirs))
        return next(apart, min(len(self.events), len(students.events)))

    def _agrees(self, students: Log, behavior: bool) -> bool:
        both = list(zip(self.events, students.events, strict=False))
        both.sort(key=lambda pair: not pair[1].failed)  # where they are wrong, most differ
        return all(alike(mine, theirs, behavior) for mine, theirs in both)


def _is_evident(students: Log, surely: bool) -> bool:
    """Whether something else than an error of some type tells the mistake."""
    failed = {event.kind for event in students.events if event.failed}
    held = any(event.kind == "value" and not event.failed for event in students.events)
    return failed != {"raised"} or (held and not surely)


def alike(mine: Event, students: Event, behavior: bool = False) -> bool:
    """Whether the check could not tell the two apart.

    Where behavior is graded the numbers are each solution's own: there it is what holds, and in
    which words it does not.
    """
    if mine.kind != students.kind:
        return False
    if students.free:
        return True
    if behavior and mine.kind not in ("asked", "raised"):
        return mine.words == students.words
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


def diagnose(
    task: Exercise,
    students: Log,
    run: Run,
    seed: int,
    seconds: float,
    finding: Callable[[], str | None],
) -> str | None:
    """The sentence of what explains every event of the student's code, if something does.

    All of it ends after so many seconds, and the known mistakes have two seconds at least. Beyond
    them come two at once, one beside faults that speak for themselves, one that gives the wrong
    answers alone, then what can be found without explaining numbers, then two beside such faults,
    then a small slip of any kind.
    Where behavior is graded, the events say too little to search.
    """
    known = candidates(task, seed)
    end = time.thread_time() + max(seconds, AT_LEAST)
    for candidate in known.mistakes:
        if candidate.explains(students, task.behavior, run, end, surely=False):
            return candidate.sentence
        if time.thread_time() > end:
            break
    if task.behavior:
        return finding()
    search = _Search(known, students, run, time.thread_time(), end)
    return (
        search.first(search.pairs(), 0.5 * seconds)
        or search.beside()
        or search.in_part(0.7 * seconds)
        or finding()
        or search.pairs_beside(0.8 * seconds)
        or search.first(search.slips(), seconds)
        or search.certain()
    )


def still_planted(task: Exercise, students: Log, run: Run, seed: int) -> bool:
    """Whether the student's code answers as the code that was given to be mended."""
    end = time.thread_time() + AT_LEAST
    return task.planted is not None and any(
        candidate.explains(students, task.behavior, run, end, surely=False)
        for candidate in candidates(task, seed).mistakes
        if candidate.sentence == task.planted
    )


@dataclass
class _Search:
    """What is tried where no known mistake by itself explains the student's answers."""

    known: "Known"
    students: Log
    run: Run
    begin: float
    end: float

    def first(self, search: Iterator[Candidate], seconds: float) -> str | None:
        """The sentence of the first candidate that explains the student's answers in time."""
        end = min(self.end, self.begin + seconds)
        for candidate in search:
            if time.thread_time() > end:
                return None
            if candidate.explains(self.students, False, self.run, end):
                return candidate.sentence
        return None

    @functools.cached_property
    def _aside(self) -> SetAside:
        return set_aside(self.students, self.known.task.name, alike)

    def beside(self) -> str | None:
        """A known mistake beside faults that speak for themselves, or such faults alone."""
        aside = self._aside
        if not aside.faults:
            return None
        if aside.complete:
            return aside.alone
        for one in self._possible():
            if one.explains(aside.rest, False, self.run, self.end):
                return aside.beside(one.sentence, one.events)
        return None

    def pairs_beside(self, seconds: float) -> str | None:
        """Two known mistakes at once, beside faults that speak for themselves."""
        aside = self._aside
        end = min(self.end, self.begin + seconds)
        rest = _Search(self.known, aside.rest, self.run, self.begin, self.end)
        for one in rest.pairs() if aside.faults else ():
            if time.thread_time() > end:
                return None
            if one.explains(aside.rest, False, self.run, end):
                return aside.beside(one.sentence, one.events)
        return None

    def certain(self) -> str | None:
        """Faults that speak for themselves, beside something that nothing explains."""
        return self._aside.sure

    def in_part(self, seconds: float) -> str | None:
        """A known mistake that gives every wrong answer, where other answers of it are mended."""
        for one in self.known.mistakes:
            if time.thread_time() > min(self.end, self.begin + seconds):
                return None
            errors = one.explains_failures(self._aside.rest, self.run, self.end)
            if errors:
                name = self.known.task.name
                return f"{one.sentence} And: {name} ends in an error elsewhere. {errors[0].text}"
            if errors is not None:
                return one.sentence
        return None

    def pairs(self) -> Iterator[Candidate]:
        """Two mistakes at once, where both can be made and one changes the first wrong answer.

        First comes what explains that answer, as any other may come in later; then two that both
        change it.
        """
        if not self._failed("value", "gradient", "asked"):
            return  # what does not hold says too little
        known = self._possible()
        leading = self._leading(known)
        for one in leading:
            for other in known:
                if other is not one:
                    yield from _both(one, other)
        changing = {id(one) for one in known if self._fails_first(one)}

        def order(pair: tuple[tuple[int, Candidate], ...]) -> tuple[int, int]:
            (place, one), (other_place, other) = pair
            return len({id(one), id(other)} - changing), place + other_place

        # Own mistakes stand before inherited ones; the nearer to the front both stand, the earlier.
        for (_, one), (_, other) in sorted(itertools.combinations(enumerate(known), 2), key=order):
            if changing & {id(one), id(other)} and one not in leading and other not in leading:
                yield from _both(one, other)

    def slips(self) -> Iterator[Candidate]:
        """Small slips, alone and beside the known mistakes that explain the first wrong answers."""
        if not self._failed("value", "gradient"):
            return  # an error, or what does not hold, says too little
        yield from self.known.slips
        for one in self._leading(self._possible())[:2]:
            yield from _slips_beside(one)

    def _failed(self, *kinds: str) -> bool:
        return any(_is_wrong(event) and event.kind in kinds for event in self.students.events)

    @functools.cached_property
    def _wrong_from(self) -> int:
        return next(number for number, event in enumerate(self.students.events) if _is_wrong(event))

    def _possible(self) -> list[Candidate]:
        """Changes of the reference that leave every answer right before the first wrong one."""
        return [
            one
            for one in self.known.mistakes
            if one.root is not None
            and not any(event.failed for event in one.events[: self._wrong_from])
        ]

    def _fails_first(self, one: Candidate) -> bool:
        return any(event.failed for event in one.events[self._wrong_from : self._wrong_from + 1])

    def _leading(self, known: Sequence[Candidate]) -> list[Candidate]:
        """Those that explain the first wrong answer, and the more after it the earlier."""
        reach = {id(one): one.agreed(self.students) for one in known}
        leading = [
            one for one in known if self._fails_first(one) and reach[id(one)] > self._wrong_from
        ]
        return sorted(leading, key=lambda one: -reach[id(one)])


def _is_wrong(event: Event) -> bool:
    """Whether a mistake has to give this answer."""
    return event.failed and not event.free


def _both(one: Candidate, other: Candidate) -> Iterator[Candidate]:
    """The two at once, if they are changes of one reference that do not exclude each other."""
    if one.root is not other.root or one.root is None:
        return
    texts = {name: item.code for name, item in one.root.whole.items()}
    sentence = f"{one.sentence} And: {other.sentence}"
    for first, second in ((one, other), (other, one)):
        changes = composed(texts, first.changes, second.changes)
        if changes is not None:
            yield candidate(sentence, one.root, changes)
            break
    if changes == (*one.changes, *other.changes):
        return
    for first, second in ((one, other), (other, one)):
        written = stacked(texts, first.changes, second.changes)
        if written is not None:
            yield Candidate(sentence, functools.partial(one.root.built, written), one.root)
            return


def _slips_beside(one: Candidate) -> Iterator[Candidate]:
    """The mistake, with a slip in what it leaves of the reference.

    Another slip in what the mistake itself writes would be another mistake under its name, but for
    a step that is left out there: it may be one that only its list has.
    """
    if one.root is None:
        return
    written = rewritten(one.root, one.changes)
    for slip in slips(one.root, written):
        if slip.kind == LEFT_OUT:
            yield _with_slip(one, one.root, slip.sentence, written | slip.texts)
    codes = {name: item.code for name, item in one.root.whole.items()}
    for slip in slips(one.root):
        both = stacked_on(slip.texts, codes, one.changes)
        if slip.kind != LEFT_OUT and both is not None:
            yield _with_slip(one, one.root, slip.sentence, written | both)


def _with_slip(one: Candidate, root: Definition, slip: str, texts: dict[str, str]) -> Candidate:
    return Candidate(f"{one.sentence} And: {slip}", functools.partial(root.built, texts), root)


@dataclass
class Known:
    """What is tried for an exercise; the answers to the check of one seed are kept with it."""

    task: Exercise

    def __post_init__(self) -> None:
        task = self.task
        self.mistakes = _Kept(itertools.chain(_own(task), _inherited(task)))
        self.slips = _Kept(_slips(task))


class _Kept:
    """Candidates that are made as they are needed, and kept."""

    def __init__(self, made: Iterator[Candidate]) -> None:
        self._made = made

    def __iter__(self) -> Iterator[Candidate]:
        self._made, kept = itertools.tee(self._made)
        return kept


def candidates(task: Exercise, seed: int) -> Known:
    """The mistakes of an exercise, then those of the exercises that its reference uses.

    They are kept for the next student of a class, which has few seeds.
    """
    if seed not in task.candidates:
        if len(task.candidates) >= SEEDS_KEPT:
            task.candidates.clear()
        task.candidates[seed] = Known(task)
    return task.candidates[seed]


def _own(task: Exercise) -> Iterator[Candidate]:
    for mistake in task.mistakes:
        try:
            yield candidate(mistake.sentence, *changed(task, mistake))
        except (NoSource, StaleMistake):
            continue  # a test tells


def _inherited(task: Exercise) -> Iterator[Candidate]:
    try:
        root = definition(task.module, task.reference)
    except NoSource:
        return
    known = {(mistake.within, str(mistake.changes)) for mistake in task.mistakes}
    for name in reversed(root.whole):
        used = exercises().get(name)
        if used is None or name == task.reference:
            continue
        for mistake in used.mistakes:
            place = (mistake.within or name, str(mistake.changes))
            if mistake.style or place in known:
                continue
            known.add(place)
            try:
                _, changes = changed(used, mistake)
            except (NoSource, StaleMistake):
                continue
            sentence = f"In the {name} inside {task.name}: {mistake.sentence}"
            yield candidate(sentence, root, changes)


def _slips(task: Exercise) -> Iterator[Candidate]:
    try:
        root = definition(task.module, task.reference)
    except NoSource:
        return
    for slip in slips(root):
        yield Candidate(slip.sentence, functools.partial(root.built, slip.texts), root)


def candidate(sentence: str, root: Definition, changes: tuple[Change, ...]) -> Candidate:
    """A reference with changes."""

    def make() -> Any:
        return root.built(rewritten(root, changes))

    return Candidate(sentence, make, root, changes)


def rewritten(root: Definition, changes: Sequence[Change]) -> dict[str, str]:
    """The definitions that change, by name."""
    places = dict.fromkeys(change.where for change in changes)
    return {
        name: applied(root.whole[name].code, [one for one in changes if one.where == name])
        for name in places
    }


def changed(task: Exercise, mistake: Mistake) -> tuple[Definition, tuple[Change, ...]]:
    """What a mistake changes. Raises StaleMistake where that does not stand there once."""
    return mistake.located(definition(task.module, task.reference, mistake.style))
