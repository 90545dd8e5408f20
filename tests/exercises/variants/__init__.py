"""Wrong solutions as learners write them: from the docstrings alone, not from the list of mistakes.

They ask whether the diagnosis knows a mistake in code that was not written to match it.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Variant:
    """A wrong solution of an exercise, and the mistakes that were made in it."""

    exercise: str
    about: tuple[str, ...]
    code: Callable

    @property
    def title(self) -> str:
        """What it is called in lists and in the names of tests."""
        return f"{self.exercise}: {'; '.join(self.about)}"


_variants: list[Variant] = []


def variant(exercise: str, *, about: str | tuple[str, ...]) -> Callable[[Any], Any]:
    """Register a wrong solution; `about` is its mistake, or a tuple of its mistakes."""

    def register(code: Any) -> Any:
        mistakes = (about,) if isinstance(about, str) else about
        _variants.append(Variant(exercise, mistakes, code))
        return code

    return register


@functools.cache
def variants() -> dict[str, Variant]:
    """All of them, by title, in the order in which they are written."""
    for found in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(found.name)
    titles = {entry.title: entry for entry in _variants}
    if len(titles) != len(_variants):
        raise ValueError("Two variants of an exercise say the same of their mistake.")
    return titles
