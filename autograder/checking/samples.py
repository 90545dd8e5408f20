"""Correct solutions in other styles than the references': every check must let them pass.

A module per chapter. Each solution is a function or class named `_`, registered by its exercise
and its style; like a reference it may use math, torch, Tensor, nn, F, the exercises that its
notebook has, and what it imports inside.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

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
def _discover() -> None:
    for found in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{found.name}")


def styles(exercise: str) -> dict[str, Any]:
    """The alternatives of an exercise by style."""
    _discover()
    return dict(_styles.get(exercise, {}))


def alternatives(exercise: str) -> list[Any]:
    """The alternatives of an exercise: functions or classes."""
    return list(styles(exercise).values())
