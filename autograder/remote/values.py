"""The arguments and results of a call that are not plain data."""

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
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


def pairs(one: Any, other: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any, Any]]:
    """The leaves of two trees side by side, each with its path.

    Where the forms of the trees differ, the branches there. A function is a branch: what is bound
    to it may be tensors.
    """
    keys = _keys(one, other)
    if keys is None:
        yield path, one, other
    elif isinstance(one, Function):
        yield from pairs(vars(one), vars(other), path)
    else:
        for key in keys:
            yield from pairs(one[key], other[key], (*path, key))


def _keys(one: Any, other: Any) -> Iterable[Any] | None:
    """What two branches of one form have in common; None of leaves and of other forms."""
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        alike = isinstance(one, tuple) == isinstance(other, tuple) and len(one) == len(other)
        return range(len(one)) if alike else None
    if isinstance(one, dict) and isinstance(other, dict):
        return other if one.keys() == other.keys() else None
    return () if isinstance(one, Function) and isinstance(other, Function) else None
