"""What the checks say of wrong answers in files: `python -m tests.content.judge_answers FOLDER`.

A file is an answer as a notebook has it, of the exercise that its name or its folder begins with;
the comments at its top say what is wrong. Writes one block for each to a file, so that a reader can
judge: does the sentence name the mistake, and does the case that is shown show it?
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import torch

from autograder.checking import exercises
from autograder.checking.verdict import Verdict
from autograder.diagnosis.judge import PUBLIC_SEED, judge
from autograder.remote.calling import Home
from tests.content.answers import reference
from tests.content.test_checks import lifted, order


def exercise_of(path: Path) -> str:
    """The exercise whose name a file, or else its folder, begins with."""
    for text in (path.stem, path.parent.name):
        if names := [name for name in exercises() if text.startswith(name)]:
            return max(names, key=len)
    raise ValueError(f"Of which exercise is {path}?")


def verdict_of(path: Path) -> Verdict:
    """What the check says of the answer.

    It may use what a later chapter has: who writes answers from docstrings knows no order.
    """
    name = exercise_of(path)
    made = lifted(name, path.read_text(encoding="utf-8"), order()[-1])
    torch.default_generator.manual_seed(PUBLIC_SEED)
    return judge(name, Home({name: made}), reference(name), PUBLIC_SEED)


def account(path: Path) -> Iterator[str]:
    """The lines on one answer."""
    yield f"== {path.parent.name}/{path.name}"
    yield from (row for row in path.read_text(encoding="utf-8").splitlines() if row.startswith("#"))
    start = time.perf_counter()
    try:
        verdict = verdict_of(path)
    except Exception as error:
        yield f"  NO VERDICT {type(error).__name__}: {error}"
        return
    yield f"  {verdict.status}, {verdict.key}, {time.perf_counter() - start:.1f} s"
    yield f"  SENTENCE {verdict.misconception}"
    yield f"  SHOWN {verdict.message}"


def main() -> None:
    """Judge every answer of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/answers.txt"))
    parser.add_argument("--only", default="", help="what a path must have in it")
    given = parser.parse_args()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    paths = [path for path in sorted(given.folder.rglob("*.py")) if given.only in str(path)]
    with given.out.open("w", encoding="utf-8") as out:
        for path in paths:
            print(*account(path), sep="\n", end="\n\n", file=out, flush=True)


if __name__ == "__main__":
    main()
