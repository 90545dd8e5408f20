"""How often is the diagnosis right, on wrong code that was written without the list of mistakes?

What is said of each wrong solution was read beside its code. A chapter's `judged.json` keeps how
the sentence begins, and what it is worth: "named" (of two mistakes both), "one" of two, "plain" (no
name, but what is said leaves no doubt), "silent" (numbers alone) or "wrong".
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from autograder.checking.samples import wrong_solutions
from tests.content.judge_wrong import verdict
from tests.content.published import by_module

AT_THE_LIMIT = {  # of the time to search, so that a slow machine finds nothing
    "MultiHeadAttention: scales by the root of embed_dim; "
    "merges the heads without moving them back",
}
JUDGED = {
    title: judgment
    for path in sorted((Path(__file__).parents[2] / "solutions").glob("*/judged.json"))
    for title, judgment in json.loads(path.read_text(encoding="utf-8")).items()
}


def of(name: str) -> list[str]:
    """The titles of one exercise's wrong solutions."""
    return [title for title, entry in wrong_solutions().items() if entry.exercise == name]


def shares(misconceptions: int) -> dict[str, float]:
    """How many of the solutions with one mistake, or with two, are judged how."""
    worth = [
        JUDGED[title][0]
        for title, one in wrong_solutions().items()
        if len(one.about) == misconceptions
    ]
    return {kind: number / len(worth) for kind, number in Counter(worth).items()}


def as_judged(title: str) -> bool:
    """Whether what was judged is what is said."""
    said = verdict(title).misconception or ""
    beginning = JUDGED[title][1]
    return said.startswith(beginning) if beginning else not said


def test_every_wrong_solution_is_judged():
    assert set(JUDGED) == set(wrong_solutions()), "read what is said of the new ones, and judge it"


def test_one_mistake_is_named_or_told_plainly():
    found = shares(misconceptions=1)
    assert found.get("wrong", 0) == 0
    assert found["named"] >= 0.90  # what is given to be mended is never named
    assert found["named"] + found["plain"] >= 0.97


def test_of_two_mistakes_both_are_named_or_one():
    found = shares(misconceptions=2)
    assert found.get("wrong", 0) == 0
    assert found["named"] >= 0.60
    assert found["named"] + found["one"] >= 0.85


@pytest.mark.parametrize("name", by_module())
def test_the_first_of_each_exercise_are_told_as_judged(name):
    assert [title for title in of(name)[:1] if not as_judged(title)] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", by_module())
def test_all_are_told_as_judged(name):
    told = [title for title in of(name) if title not in AT_THE_LIMIT]
    assert [title for title in told if not as_judged(title)] == []
