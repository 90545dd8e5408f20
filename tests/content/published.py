"""The exercises of the chapters that are in the book: the ones that must be complete.

Those that are to be mended beside another have its check and its misconceptions, and tests of their
own.
"""

from functools import cache
from pathlib import Path

import pytest

from autograder.checking import exercises
from autograder.checking.registry import Exercise

BOOK = Path(__file__).parents[2] / "book"


@cache
def published() -> dict[str, Exercise]:
    """By name. Checks that are written ahead of their chapter join when it does."""
    return {
        name: exercise
        for name, exercise in exercises().items()
        if (BOOK / f"{exercise.chapter}.ipynb").exists() and exercise.reference == name
    }


@cache
def by_module() -> list:
    """The names as test parameters: `-k "softmax."` chooses those of one module."""
    return [
        pytest.param(name, id=f"{exercise.module}.{name}") for name, exercise in published().items()
    ]


@cache
def first_of_each_module(rest: str = "slow") -> list:
    """The same for what computes for long: all but each module's first have that mark."""
    modules = [exercise.module for exercise in published().values()]
    first = [module not in modules[:place] for place, module in enumerate(modules)]
    return [
        pytest.param(*each.values, id=each.id, marks=() if quick else getattr(pytest.mark, rest))
        for each, quick in zip(by_module(), first, strict=True)
    ]
