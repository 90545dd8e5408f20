"""Changed references that may be what a student wrote, and what is to be said of each."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.checking.registry import Exercise, Misconception, exercises
from autograder.diagnosis.explaining import Candidate, Finding, Kept
from autograder.diagnosis.patterns import Pattern
from autograder.diagnosis.searching import LEFT_OUT, Slip, openings, slips
from autograder.source.changes import (
    Change,
    StaleMisconception,
    applied,
    composed,
    stacked,
    stacked_on,
)
from autograder.source.sources import Definition, NoSource, alternatives, branched, definition

SEEDS_KEPT = 8  # as many as a class has draws (`grading.course.journal.DRAWS`)


@dataclass
class Known:
    """What is tried for an exercise; the answers to the check of one seed are kept with it."""

    exercise: Exercise
    patterns: Sequence[Pattern | None] = ()  # of its misconceptions, where they are at hand
    sure: bool = False  # whether they are of the same check, and not of one with another seed

    def __post_init__(self) -> None:
        # Where behavior is graded, many misconceptions break one property: none of those of an
        # exercise that is used inside could be named.
        inherited = iter(()) if self.exercise.behavior else _inherited(self.exercise)
        every = itertools.chain(_own(self.exercise), inherited)
        self.misconceptions = Kept(
            replace(one, pattern=pattern, sure=self.sure)
            for one, pattern in itertools.zip_longest(every, self.patterns)
            if one and not (self.sure and pattern == Pattern())
        )
        self.slips = Kept(_slips(self.exercise))
        self._combined: dict[tuple[Any, ...], Kept] = {}  # what is made, and of which candidates

    def both(self, one: Candidate, other: Candidate) -> Kept:
        """The two at once."""
        return self._kept(_both, one, other)

    def in_one_branch(self, one: Candidate) -> Kept:
        """The misconception where an option is given, and where not."""
        return self._kept(_in_one_branch, one)

    def with_slips(self, one: Candidate) -> Kept:
        """The misconception with a slip beside it."""
        return self._kept(_with_slips, one)

    def _kept(self, make: Callable[..., Iterator[Candidate]], *of: Candidate) -> Kept:
        key = (make, *map(id, of))
        if key not in self._combined:
            self._combined[key] = Kept(make(*of))
        return self._combined[key]


def candidates(
    exercise: Exercise, seed: int, patterns: Sequence[Pattern | None] = (), sure: bool = False
) -> Known:
    """The misconceptions of an exercise, then those of the exercises that its reference uses.

    They are kept for the next student of a class, which has few seeds. Those whose patterns speak
    against them need not be tried: what is said is the same. Patterns of another seed do so where
    most of their wrong places are right in the student's code.
    """
    if seed not in exercise.candidates:
        if len(exercise.candidates) >= SEEDS_KEPT:
            exercise.candidates.clear()
        exercise.candidates[seed] = Known(exercise, patterns, sure)
    return exercise.candidates[seed]


def _own(exercise: Exercise) -> Iterator[Candidate]:
    for misconception in exercise.misconceptions:
        try:
            finding = Finding(misconception.key, misconception.sentence)
            yield candidate((finding,), *changed(exercise, misconception))
        except (NoSource, StaleMisconception):
            continue  # a test tells


def _inherited(exercise: Exercise) -> Iterator[Candidate]:
    try:
        root = definition(exercise.module, exercise.reference)
    except NoSource:
        return
    known = {
        (misconception.within, str(misconception.changes))
        for misconception in exercise.misconceptions
    }
    for name in reversed(root.whole):
        used = exercises().get(name)
        if used is None or name == exercise.reference:
            continue
        for misconception in used.misconceptions:
            place = (misconception.within or name, str(misconception.changes))
            if misconception.style or place in known:
                continue
            known.add(place)
            try:
                _, changes = changed(used, misconception)
            except (NoSource, StaleMisconception):
                continue
            sentence = (
                f"As with a mistake in the {name} inside {exercise.name}, or in how it is used: "
                f"{misconception.sentence}"
            )
            yield candidate((Finding(f"{name}.{misconception.key}", sentence),), root, changes)


def _slips(exercise: Exercise) -> Iterator[Candidate]:
    """In what is to be written, in one way or another; then in the parts that it uses."""
    try:
        root = definition(exercise.module, exercise.reference)
    except NoSource:
        return
    ways = alternatives(exercise.module, exercise.reference)
    parts = [name for name in reversed(root.whole) if name != root.name]
    sources = itertools.chain(
        ((root, slip) for slip in openings(root, [root.name])),
        ((root, slip) for slip in slips(root, [root.name])),
        ((root, slip) for slip in openings(root, [one.name for one in root.uses])),
        ((way, slip) for way in ways for slip in slips(way, [root.name])),
        ((root, slip) for slip in slips(root, parts)),
    )
    for made, slip in sources:
        make = functools.partial(made.built, slip.texts)
        yield Candidate((slip.finding,), make, made, texts=slip.texts)


def candidate(
    findings: tuple[Finding, ...], root: Definition, changes: tuple[Change, ...]
) -> Candidate:
    """A reference with changes."""

    def make() -> Any:
        return root.built(rewritten(root, changes))

    return Candidate(findings, make, root, changes)


def rewritten(root: Definition, changes: Sequence[Change]) -> dict[str, str]:
    """The definitions that change, by name."""
    places = dict.fromkeys(change.where for change in changes)
    return {
        name: applied(root.whole[name].code, [one for one in changes if one.where == name])
        for name in places
    }


def changed(
    exercise: Exercise, misconception: Misconception
) -> tuple[Definition, tuple[Change, ...]]:
    """What a misconception changes. Raises StaleMisconception if that is not there once."""
    return misconception.located(
        definition(exercise.module, exercise.reference, misconception.style)
    )


def _both(one: Candidate, other: Candidate) -> Iterator[Candidate]:
    """The two at once, if they are changes of one reference that do not exclude each other."""
    if one.root is not other.root or one.root is None:
        return
    texts = {name: item.code for name, item in one.root.whole.items()}
    findings = (*one.findings, *other.findings)
    for first, second in ((one, other), (other, one)):
        changes = composed(texts, first.changes, second.changes)
        if changes is not None:
            yield candidate(findings, one.root, changes)
            break
    if changes == (*one.changes, *other.changes):
        return
    for first, second in ((one, other), (other, one)):
        written = stacked(texts, first.changes, second.changes)
        if written is not None:
            yield Candidate(findings, functools.partial(one.root.built, written), one.root)
            return


def _in_one_branch(one: Candidate) -> Iterator[Candidate]:
    """The misconception where an option is given, and where not: many write these two apart."""
    if one.root is None:
        return
    (own,) = one.findings
    written = dict(one.texts or rewritten(one.root, one.changes))
    wrong = written.pop(one.root.name, "")
    if not wrong or written:
        return
    for condition, words in one.root.options:
        try:
            text = branched(one.root.code, wrong, condition)
        except (SyntaxError, LookupError):
            return  # it changes more than what is called
        finding = Finding(own.key, functools.partial(_where, words, own))
        make = functools.partial(one.root.built, {one.root.name: text})
        yield Candidate((finding,), make, one.root)


def _where(words: str, own: Finding) -> str:
    return f"{words}: {own.sentence}"


def _with_slips(one: Candidate) -> Iterator[Candidate]:
    """The misconception, with a slip in what it leaves of the reference.

    Another slip in what the misconception itself writes would be another misconception under its
    name, but for a step that is left out there: it may be one that only its list has.
    """
    if one.root is None:
        return
    written = rewritten(one.root, one.changes)
    for slip in slips(one.root, texts=written):
        if slip.kind == LEFT_OUT:
            yield _with_slip(one, slip, written | slip.texts)
    codes = {name: item.code for name, item in one.root.whole.items()}
    for slip in slips(one.root):
        texts = stacked_on(slip.texts, codes, one.changes)
        if slip.kind != LEFT_OUT and texts is not None:
            yield _with_slip(one, slip, written | texts)


def _with_slip(one: Candidate, slip: Slip, texts: dict[str, str]) -> Candidate:
    assert one.root is not None
    findings = (*one.findings, slip.finding)
    return Candidate(findings, functools.partial(one.root.built, texts), one.root)
