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
