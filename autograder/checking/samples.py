"""Other right ways to write an exercise, and wrong ones: what its check is tried with.

An alternative is a correct solution in another style than the reference's, which every check must
let pass. It is a function or class named `_`; like a reference it may use math, torch, Tensor, nn,
F, the exercises that its notebook has, and what it imports inside. A wrong answer is a change of an
alternative: it must fail, and what is said of it has the key that stands beside it.
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
        styles = _styles.setdefault(exercise, {})
        if style in styles:
            raise ValueError(f"Two alternatives for {exercise} are called {style!r}.")
        styles[style] = solution
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
class WrongAnswer:
    """A right way to write an exercise with something changed, and what is to be said of it."""

    exercise: str
    style: str
    changes: dict[str, str]  # what stands in the alternative once, and what is written instead
    key: str | None  # of the finding, or None where the first wrong number is all that is shown


@functools.cache
def wrong_answers() -> dict[str, list[WrongAnswer]]:
    """Those of each exercise, in the order in which `WRONG` has them in the chapters."""
    return {
        name: [WrongAnswer(name, *entry) for entry in entries]
        for name, entries in _collected("WRONG").items()
    }


def equivalent_mutants() -> dict[tuple[str, str], str]:
    """Mutants of references that compute the same, with the reason: the chapters' `EQUIVALENT`."""
    return _collected("EQUIVALENT")


def _collected(name: str) -> dict[Any, Any]:
    return {key: one for module in modules(WRONG) for key, one in getattr(module, name, {}).items()}
