"""The arguments and results of a call that are not plain data."""

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from torch import Tensor


@dataclass(frozen=True)
class Ref:
    """An object that stays where the code runs: an instance of a student's class."""

    number: int


@dataclass(frozen=True)
class Function:
    """A function that travels as source text, with the values bound to its last parameters.

    With `build`, the argument is what the function returns where the code runs.
    """

    source: str
    name: str
    bound: dict[str, Any] = field(default_factory=dict)
    build: bool = False


@functools.cache  # it takes long to find, and a check makes the same functions each time
def _source(code: CodeType) -> str:
    return textwrap.dedent(inspect.getsource(code))


def _travelling(function: Callable, bound: dict[str, Any], build: bool) -> Function:
    source = _source(function.__code__)
    if not source.startswith("def "):
        raise TypeError(f"{function!r} must be a plain `def` function to travel as source text.")
    return Function(source, function.__name__, bound, build)


def portable(function: Callable, **bound: Any) -> Function:
    """An argument that is a function; it may use math, torch, nn, F and its bound values only."""
    return _travelling(function, bound, build=False)


def built(function: Callable, **bound: Any) -> Function:
    """An argument that is what `function(**bound)` returns where the student's code runs."""
    return _travelling(function, bound, build=True)


def tensors(value: Any, path: str = "") -> Iterator[tuple[str, Tensor]]:
    """Every tensor in a tree of tuples, lists and dicts, with its path."""
    if issubclass(type(value), Tensor):  # not isinstance: an object's `__class__` may lie
        yield path, value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from tensors(item, f"{path}.{index}" if path else str(index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from tensors(item, f"{path}.{key}" if path else str(key))
