"""Other right ways to write an exercise, and wrong ones: what its check is tried with.

An alternative is a correct solution in another style than the reference's, which every check must
let pass; a wrong one is written as people write it, and must fail. Each is a function or class
named `_`; like a reference it may use math, torch, Tensor, nn, F, the exercises that its notebook
has, and what it imports inside.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.source.content import ALTERNATIVES, WRONG, modules

_styles: dict[str, dict[str, Any]] = {}


def alternative(exercise: str, style: str) -> Callable[[Any], Any]:
    """Register a correct implementation of an exercise."""

    def register(solution: Any) -> Any:
        known = _styles.setdefault(exercise, {})
        if style in known:
            raise ValueError(f"Two alternatives for {exercise} are called {style!r}.")
        known[style] = solution
        return solution

    return register


@functools.cache
def _alternatives() -> dict[str, dict[str, Any]]:
    list(modules(ALTERNATIVES))
    return _styles


def styles(exercise: str) -> dict[str, Any]:
    """The alternatives of an exercise by style."""
    return dict(_alternatives().get(exercise, {}))


def alternatives(exercise: str) -> list[Any]:
    """The alternatives of an exercise: functions or classes."""
    return list(styles(exercise).values())


@dataclass(frozen=True)
class Wrong:
    """A wrong solution of an exercise, and the mistakes that were made in it."""

    exercise: str
    about: tuple[str, ...]
    code: Callable

    @property
    def title(self) -> str:
        """What it is called in lists and in the names of tests."""
        return f"{self.exercise}: {'; '.join(self.about)}"


_wrong: list[Wrong] = []


def wrong(exercise: str, *, about: str | tuple[str, ...]) -> Callable[[Any], Any]:
    """Register a wrong solution; `about` is its mistake, or a tuple of its mistakes."""

    def register(code: Any) -> Any:
        misconceptions = (about,) if isinstance(about, str) else about
        _wrong.append(Wrong(exercise, misconceptions, code))
        return code

    return register


@functools.cache
def wrong_solutions() -> dict[str, Wrong]:
    """All of them, by title, in the order in which they are written."""
    list(modules(WRONG))
    titles = {solution.title: solution for solution in _wrong}
    if len(titles) != len(_wrong):
        raise ValueError("Two wrong solutions of an exercise say the same of their mistake.")
    return titles


Restyled = tuple[str, dict[str, str], str]  # a style, changes of that alternative, a mistake's key


def restyled() -> dict[str, list[Restyled]]:
    """By exercise, known mistakes made in alternatives: what `RESTYLED` has in the chapters."""
    return _collected("RESTYLED")


def equivalent_mutants() -> dict[tuple[str, str], str]:
    """Mutants of references that compute the same, with the reason: the chapters' `EQUIVALENT`."""
    return _collected("EQUIVALENT")


def _collected(name: str) -> dict[Any, Any]:
    return {key: one for module in modules(WRONG) for key, one in getattr(module, name, {}).items()}
