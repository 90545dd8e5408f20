"""What the checks say of wrong answers: `python -m tests.content.judge_wrong [--write] [exercise]`.

Prints each whose key is another than the one that stands beside it, with what is said, so that a
reader can judge: does it name what was changed? `--write` puts the keys that were said into the
chapters' `wrong.py`.
"""

import argparse
import ast
import functools
from pathlib import Path

import torch

from autograder.checking import exercises
from autograder.checking.samples import WrongAnswer, wrong_answers
from autograder.checking.verdict import Verdict
from autograder.diagnosis.judge import PUBLIC_SEED, judge
from autograder.remote.calling import Home
from autograder.source.changes import applied, changes_of
from autograder.source.sources import definition
from tests.content.answers import reference

SOLUTIONS = Path(__file__).parents[2] / "solutions"


def verdict_of(answer: WrongAnswer) -> Verdict:
    """What the check of its exercise finds in a wrong answer."""
    name = answer.exercise
    root = definition(exercises()[name].module, name, answer.style)
    changes = changes_of(root.code, answer.changes, answer.style)
    home = Home({name: root.built({name: applied(root.code, changes)})})
    torch.default_generator.manual_seed(0)  # for the weights of what draws its own
    return judge(name, home, reference(name), PUBLIC_SEED)


def key_said(answer: WrongAnswer) -> str | None:
    """The key of what is said; that of the misconception where nothing was mended."""
    verdict = verdict_of(answer)
    return exercises()[answer.exercise].mend if verdict.status == "not mended" else verdict.key


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def write(keys: dict[tuple[str, int], str | None]) -> None:
    """Put keys, by exercise and place in its list, where they belong."""
    for path in sorted(SOLUTIONS.glob("*/wrong.py")):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        places = []
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Dict):
                for name, entries in zip(node.keys, node.values, strict=True):
                    if isinstance(name, ast.Constant) and isinstance(entries, ast.List):
                        places += [
                            (entry.elts[2], keys[name.value, number])
                            for number, entry in enumerate(entries.elts)
                            if isinstance(entry, ast.Tuple) and (name.value, number) in keys
                        ]
        for node, key in sorted(places, key=lambda place: -place[0].lineno):
            line = lines[node.lineno - 1]
            text = "None" if key is None else f'"{key}"'
            lines[node.lineno - 1] = line[: node.col_offset] + text + line[node.end_col_offset :]
        path.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Judge the wrong answers of some exercises, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    keys: dict[tuple[str, int], str | None] = {}
    for name, answers in wrong_answers().items():
        for number, answer in enumerate(answers):
            if given.exercises and name not in given.exercises:
                continue
            key = key_said(answer)
            if key != answer.key:
                keys[name, number] = key
                print(f"{name}, {answer.style}: {answer.changes}", flush=True)
                print(f"  {answer.key} -> {key}: {verdict_of(answer).misconception}", flush=True)
    if given.write:
        write(keys)


if __name__ == "__main__":
    main()
