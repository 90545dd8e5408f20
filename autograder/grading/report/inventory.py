"""What a class gained: its answers to the inventory, before the course and after it.

The answers are read from the cells of the notebook that was handed in; nothing of it is run.
"""

import ast
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from autograder.errors import Invalid
from autograder.grading.course.folder import Submission
from autograder.source.syntax import UNREADABLE

RESAMPLES = 10_000
LETTERS = "abcdefghij"
Answers = dict[int, tuple[str, str]]  # by a question's number, before and after


@dataclass
class AskedTwice:
    """One question: how many of those who answered twice were right, and what most chose else."""

    number: int
    text: str
    before: int
    after: int
    wrong_choice: str = ""  # the commonest of them, the second time
    times: int = 0


@dataclass
class InventorySurvey:
    """A class's answers. Only who answered both times counts."""

    questions: list[AskedTwice] = field(default_factory=list)
    scores: list[tuple[int, int]] = field(default_factory=list)  # right before and after
    once: int = 0  # who answered the first time alone

    @property
    def before(self) -> float:
        """The mean share of right answers the first time."""
        return mean(one for one, _ in self.scores) / len(self.questions)

    @property
    def after(self) -> float:
        """The mean share of right answers the second time."""
        return mean(one for _, one in self.scores) / len(self.questions)

    @property
    def gain(self) -> float | None:
        """Hake's normalized gain: which share of what the class lacked it has gained.

        None where nothing was lacking.
        """
        return normalized_gain(self.scores, len(self.questions))

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the gain of such a class lies in 95 of 100 cases; None for less than two students.

        By the bootstrap: the students are drawn again and again, with replacement.
        """
        chance, size = random.Random(0), len(self.scores)
        if size < 2:
            return None
        draws = (chance.choices(self.scores, k=size) for _ in range(RESAMPLES))
        gains = (normalized_gain(one, len(self.questions)) for one in draws)
        found = sorted(gain for gain in gains if gain is not None)
        if len(found) < RESAMPLES / 2:
            return None
        return found[int(0.025 * len(found))], found[int(0.975 * len(found))]


def normalized_gain(scores: Sequence[tuple[int, int]], questions: int) -> float | None:
    """(after - before) / (all - before), of the class's means."""
    before, after = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    return (after - before) / (questions - before) if before < questions else None


def survey_inventory(
    asked: Sequence[dict[str, Any]], submissions: Iterable[Submission]
) -> InventorySurvey:
    """Count a class's answers."""
    rights = [_right(one) for one in asked]
    found = InventorySurvey(
        [AskedTwice(n, one["text"], 0, 0) for n, one in enumerate(asked, start=1)]
    )
    wrong: dict[int, Counter[str]] = {one.number: Counter() for one in found.questions}
    for submission in submissions:
        answers = _answers(submission)
        if not any(after for _, after in answers.values()):
            found.once += any(before for before, _ in answers.values())
            continue
        score = [0, 0]
        for one, right in zip(found.questions, rights, strict=True):
            before, after = answers.get(one.number, ("", ""))
            one.before += before == right
            one.after += after == right
            score[0] += before == right
            score[1] += after == right
            if after and after != right:
                wrong[one.number][after] += 1
        found.scores.append((score[0], score[1]))
    for one, each in zip(found.questions, asked, strict=True):
        texts = dict(zip(LETTERS, (choice["text"] for choice in each["choices"]), strict=False))
        wrong_choices = [(count, letter) for letter, count in wrong[one.number].items()]
        wrong_choices = [(count, letter) for count, letter in wrong_choices if letter in texts]
        if wrong_choices:
            one.times, letter = max(wrong_choices, key=lambda pair: (pair[0], pair[1]))
            one.wrong_choice = texts[letter]
    return found


def _right(question: dict[str, Any]) -> str:
    return LETTERS[[choice["right"] for choice in question["choices"]].index(True)]


def _answers(submission: Submission) -> Answers:
    try:
        notebook = json.loads(submission.read() or b"{}")
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    except (Invalid, OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {number: both for source in sources for number, both in _noted(source)}


def _noted(source: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """`inventory(3, before="b", after="")` in a cell, as it was written."""
    try:
        body = ast.parse(source).body
    except UNREADABLE:
        return
    for statement in body:
        match statement:
            case ast.Expr(
                ast.Call(ast.Name("inventory"), [ast.Constant(int(number)), *rest], keywords)
            ):
                said = dict(zip(("before", "after"), rest, strict=False))
                said |= {str(one.arg): one.value for one in keywords}
                yield number, (_letter(said.get("before")), _letter(said.get("after")))


def _letter(node: ast.expr | None) -> str:
    value = node.value if isinstance(node, ast.Constant) else ""
    return value.strip().casefold() if isinstance(value, str) else ""
