"""Exercises and their known misconceptions, discovered from `autograder.exercises`."""

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Misconception:
    """A wrong implementation that people really write, and what to tell them."""

    exercise: str
    sentence: str
    wrong: Callable


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

    @functools.cached_property
    def parameters(self) -> list[str]:
        """The names of the arguments, as the misconceptions have them."""
        if not self.misconceptions:
            return []
        wrong = self.misconceptions[0].wrong
        return list(inspect.signature(wrong).parameters)

    @functools.cached_property
    def forward_parameters(self) -> list[str]:
        """For a class: the names of the arguments of `forward`."""
        for known in self.misconceptions:
            forward = vars(known.wrong).get("forward") if inspect.isclass(known.wrong) else None
            if forward:
                return list(inspect.signature(forward).parameters)[1:]
        return []


_exercises: dict[str, Exercise] = {}
_waiting: dict[str, list[Misconception]] = {}


def exercise(
    name: str,
    *,
    chapter: str,
    points: float,
    forbidden: tuple[str, ...] = (),
    behavior: bool = False,
) -> Callable[[Callable], Callable]:
    """Register a check: `def _(student, reference, draw)`.

    With `behavior`, the names inside a class are free, so two implementations never give the same
    numbers: a mistake is known by the property that it breaks, not by its answers.
    """

    def register(check: Callable) -> Callable:
        if name in _exercises:
            raise ValueError(f"Two checks are registered for the exercise {name}.")
        module = check.__module__.rsplit(".", 1)[-1]
        _exercises[name] = Exercise(
            name,
            chapter,
            float(points),
            module,
            forbidden,
            check,
            behavior,
            _waiting.pop(name, []),
        )
        return check

    return register


def misconception(name: str, sentence: str) -> Callable[[Any], Any]:
    """Register a wrong implementation of an exercise with the sentence that explains it."""

    def register(wrong: Any) -> Any:
        known = Misconception(name, sentence, wrong)
        if name in _exercises:
            _exercises[name].misconceptions.append(known)
        else:
            _waiting.setdefault(name, []).append(known)
        return wrong

    return register


@functools.cache
def _discover() -> None:
    package = importlib.import_module("autograder.exercises")
    for found in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{found.name}")


def exercises() -> dict[str, Exercise]:
    """Every exercise by name."""
    _discover()
    return _exercises


def find(name: str) -> Exercise:
    """The exercise of that name; KeyError with the names that come close."""
    import difflib

    known = exercises()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise KeyError(f"There is no exercise named {name!r}.{hint}")
    return known[name]
