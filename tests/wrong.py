"""What is known to go wrong in each exercise, as code."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.checking import exercises
from autograder.diagnosis.candidates import changed, rewritten


@dataclass(frozen=True)
class Wrong:
    """A wrong implementation, the key of its misconception and the sentence that explains it."""

    key: str
    sentence: str
    thing: Any
    source: str  # for a notebook that has the earlier exercises
    elsewhere: bool = False  # whether an earlier exercise is what is wrong


def wrongs(name: str) -> list[Wrong]:
    """Every known misconception of an exercise, made."""
    exercise = exercises()[name]
    found = []
    for misconception in exercise.misconceptions:
        if misconception.key == exercise.mend:
            continue  # of which a student is told that it is not mended yet
        root, changes = changed(exercise, misconception)
        texts = rewritten(root, changes)
        elsewhere = set(texts) != {name}
        found.append(
            Wrong(
                misconception.key,
                misconception.sentence,
                root.built(texts),
                root.source(texts),
                elsewhere,
            )
        )
    return found


def source_of(thing: Callable, name: str) -> str:
    """The source of a function or class, without decorators, under another name."""
    if inspect.isclass(thing):  # `inspect` finds a class by its name, and many are named `_`
        methods = [item for item in vars(thing).values() if inspect.isfunction(item)]
        line = methods[0].__code__.co_firstlineno
        file = ast.parse(Path(inspect.getsourcefile(methods[0])).read_text(encoding="utf-8"))
        made = next(
            node
            for node in file.body
            if isinstance(node, ast.ClassDef) and node.lineno <= line <= node.end_lineno
        )
    else:
        made = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    made.decorator_list = []
    made.name = name
    return ast.unparse(made)
