"""Run in a process of its own, where `import torch` finds NumPy: verdicts, values of expressions.

`python -m tests.page.on_numpy judge FOLDER KINDS NAME ...` with the recordings in a folder;
`python -m tests.page.on_numpy evaluate` with the expressions on its standard input.
"""

import autograder.page.start  # noqa: F401, I001  (first)

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from autograder.checking import exercises
from autograder.checking.samples import styles, wrong_answers
from autograder.diagnosis.judge import judge
from autograder.page import session
from autograder.remote.calling import Home
from autograder.source.changes import applied, changes_of
from autograder.source.sources import definition
from tests.page.expressions import outcome
from tests.wrong import wrongs

Case = tuple[str, str | None, Callable[[], Any]]  # what it is, the key that it must get, it


def right(name: str) -> Iterator[Case]:
    exercise = exercises()[name]
    yield "the reference", None, definition(exercise.module, exercise.reference).built
    for style, thing in styles(name).items():
        yield f"alternative: {style}", None, lambda thing=thing: thing


def misconceptions(name: str) -> Iterator[Case]:
    for number, wrong in enumerate(wrongs(name)):
        yield f"misconception {number}: {wrong.key}", wrong.key, lambda wrong=wrong: wrong.thing


def wrong(name: str) -> Iterator[Case]:
    for number, answer in enumerate(wrong_answers().get(name, [])):

        def built(answer=answer) -> Any:
            root = definition(exercises()[name].module, name, answer.style)
            changes = changes_of(root.code, answer.changes, answer.style)
            return root.built({name: applied(root.code, changes)})

        yield f"wrong {number}: {answer.style}", answer.key, built


KINDS = {"right": right, "misconceptions": misconceptions, "wrong": wrong}


def judged(folder: Path, kinds: list[str], names: list[str]) -> dict[str, list]:
    """By exercise and case: whether it passes and its key, as they must be and as they are."""
    session.RECORDED = folder
    found = {}
    for name in names:
        for kind in kinds:
            for label, key, built in KINDS[kind](name):
                torch.manual_seed(0)
                verdict = judge(name, Home({name: built()}), session.Recorded(exercises()[name]))
                said = exercises()[name].mend if verdict.status == "not mended" else verdict.key
                wanted = [kind == "right", key]
                found[f"{name}, {label}"] = [wanted, [verdict.passed, said], verdict.message]
    return found


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "judge":
        folder, kinds, *names = rest
        print(json.dumps(judged(Path(folder), kinds.split("+"), names)))
    else:
        print(json.dumps([outcome(one) for one in json.load(sys.stdin)]))
