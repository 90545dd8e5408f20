"""Exercises and their known misconceptions, discovered in the chapters that were handed in."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from autograder.source.changes import Change, StaleMisconception, changes_of
from autograder.source.content import CHECK, chapter_of, modules
from autograder.source.sources import Definition, NoSource, definition


@dataclass(frozen=True)
class Misconception:
    """What people really write in place of something in the reference, and what to tell them.

    The key is what it is known by; the sentence may be worded anew.
    """

    exercise: str
    key: str
    sentence: str
    changes: Mapping[str, str]
    within: str = ""
    style: str = ""

    def located(self, root: Definition) -> tuple[Definition, tuple[Change, ...]]:
        """What it changes in a reference. Raises StaleMisconception if that is not there."""
        where = self.within or self.exercise
        if where not in root.whole:
            raise StaleMisconception(f"{self.exercise} does not use {where!r}.")
        return root, changes_of(root.whole[where].code, self.changes, where)


@dataclass
class Exercise:
    """What must hold of one exercise, and what is commonly got wrong about it."""

    name: str
    chapter: str
    points: float
    module: str
    forbidden: tuple[str, ...]
    check: Callable
    behavior: bool = False
    misconceptions: list[Misconception] = field(default_factory=list)
    mend: str = ""  # the key of the misconception that the student's cell comes with
    reference: str = ""  # its name in the solutions, which is its own unless it stands beside
    candidates: dict[int, Any] = field(default_factory=dict, repr=False)  # by seed

    def __post_init__(self) -> None:
        self.reference = self.reference or self.name

    @property
    def planted(self) -> Misconception | None:
        """The misconception that the student's cell comes with; None if it is a stub."""
        return next(
            (one for one in self.misconceptions if self.mend and one.key == self.mend), None
        )

    @functools.cached_property
    def parameters(self) -> list[str]:
        """The names of the arguments; for a class, of those that make an instance."""
        try:
            return definition(self.module, self.reference).signature
        except NoSource:
            return []

    @functools.cached_property
    def forward_parameters(self) -> list[str]:
        """For a class: the names of the arguments of `forward`."""
        try:
            return definition(self.module, self.reference).method("forward")
        except NoSource:
            return []

    @functools.cached_property
    def defaults(self) -> dict[str, Any]:
        """What the arguments are that are left out."""
        try:
            return definition(self.module, self.reference).defaults
        except NoSource:
            return {}


KEY_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_exercises: dict[str, Exercise] = {}
_early: dict[str, list[Misconception]] = {}  # registered before their exercise


def exercise(
    name: str,
    *,
    chapter: str,
    points: float,
    forbidden: tuple[str, ...] = (),
    behavior: bool = False,
    mend: str = "",
) -> Callable[[Callable], Callable]:
    """Register a check: `def _(student, reference, draw)`.

    With `behavior`, the names inside a class are free, so two implementations never give the same
    numbers: a misconception is known by the property that it breaks, not by its answers.
    With `mend`, a misconception's key, the student is given the code with that misconception, not a
    stub.
    """

    def register(check: Callable) -> Callable:
        if name in _exercises:
            raise ValueError(f"Two checks are registered for the exercise {name}.")
        module = chapter_of(check.__module__)
        early = _early.pop(name, [])
        _exercises[name] = Exercise(
            name, chapter, float(points), module, forbidden, check, behavior, early, mend
        )
        return check

    return register


def mend(exercise: str, key: str, *, points: float) -> None:
    """Register `mend_<exercise>` beside the exercise: its code, with the misconception of that key.

    Check and misconceptions are those of the exercise, which must be registered above.

    >>> @exercise("third", chapter="00-start-here", points=2)
    ... def _(student, reference, draw): ...
    >>> misconceptions["third"] = {"tripled": ("It triples.", {"x / 3": "x * 3"})}
    >>> mend("third", "tripled", points=1)
    >>> _exercises["mend_third"].planted.sentence
    'It triples.'
    """
    if exercise not in _exercises:
        raise ValueError(f"There is no exercise {exercise} above its mend(...).")
    name = f"mend_{exercise}"
    if name in _exercises:
        raise ValueError(f"Two checks are registered for the exercise {name}.")
    written = _exercises[exercise]
    _exercises[name] = replace(
        written, name=name, points=float(points), mend=key, reference=exercise, candidates={}
    )


@dataclass(frozen=True)
class By:
    """A change that does not stand in the reference itself.

    It may stand in a function or class that the reference uses, which `within` names, or in an
    alternative, whose style `style` names.

    >>> by({"x / 2": "x"}, within="halve").within
    'halve'
    """

    changes: Mapping[str, str]
    _: KW_ONLY
    within: str = ""
    style: str = ""


by = By  # as it reads among misconceptions


Ways = tuple[str | Mapping[str, str] | By, ...]  # a sentence, then one change or several


class Misconceptions:
    """Where what goes wrong is registered: `misconceptions["halve"] = {key: (sentence, change)}`.

    A change is what stands in the reference -> what is written instead. Each piece must stand there
    exactly once, in whole words of Python; how it is set does not count. Where there are several
    ways to make one misconception, each is a change of its own, one after the other.

    >>> misconceptions["halve"] = {"doubled": ("The numbers are doubled.", {"x / 2": "x * 2"})}
    >>> misconceptions["halve"] = {"Doubled!": ("The numbers are doubled.", {"x / 2": "x * 2"})}
    Traceback (most recent call last):
    ValueError: The key 'Doubled!' of a misconception in halve: lowercase letters, digits and
    hyphens.
    """

    def __setitem__(self, exercise: str, ways_by_key: Mapping[str, Ways]) -> None:
        of_exercise = _exercises.get(exercise)
        there = of_exercise.misconceptions if of_exercise else _early.setdefault(exercise, [])
        taken = {one.key for one in there}
        for key, (sentence, *ways) in ways_by_key.items():
            if not set(key) <= KEY_LETTERS or not key:
                raise ValueError(
                    f"The key {key!r} of a misconception in {exercise}: lowercase letters, digits "
                    "and hyphens."
                )
            if key in taken:
                raise ValueError(f"Two misconceptions in {exercise} have the key {key!r}.")
            if not ways or not isinstance(sentence, str):
                raise ValueError(
                    f"The misconception {key!r} in {exercise}: a sentence, then a change."
                )
            there.extend(Misconception(exercise, key, sentence, **vars(_by(way))) for way in ways)


def _by(way: str | Mapping[str, str] | By) -> By:
    if isinstance(way, str):
        raise TypeError(f"A change is no text: {way!r}.")
    return way if isinstance(way, By) else By(way)


misconceptions = Misconceptions()


@functools.cache
def _discover() -> None:
    list(modules(CHECK))


def exercises() -> dict[str, Exercise]:
    """Every exercise by name."""
    _discover()
    return _exercises


def find(name: str) -> Exercise:
    """The exercise of that name; KeyError with the names that come close."""
    import difflib

    registered = exercises()
    if name not in registered:
        near = difflib.get_close_matches(name, registered, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise KeyError(f"There is no exercise named {name!r}.{hint}")
    return registered[name]
