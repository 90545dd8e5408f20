"""`inventory(3, before="b", after="")`: the questions that are asked before and after the course.

Both answers and the reasons are shown when all questions have been answered a second time. They
are read from the notebook's cells where it is handed in, and count nothing.
"""

from collections.abc import Iterator
from typing import Any

from autograder.notebook.reviewing import NO_QUESTIONS, Said, read_questions

LETTERS = "abcdefghij"

_answers: dict[int, tuple[str, str]] = {}  # by a question's number, before and after


def inventory(number: int | None = None, before: str = "", after: str = "") -> None:
    """Note both answers to a question; without a number, show all of them side by side."""
    from autograder.notebook.check import display  # which imports the whole of checking

    asked = read_questions().get("inventory", [])
    if not asked:
        display(Said([NO_QUESTIONS]))
    elif number is None:
        display(Said(list(_both(asked))))
    else:
        display(Said([_noted(asked, number, before, after)]))


def _noted(asked: list[dict[str, Any]], number: int, before: str, after: str) -> str:
    if number not in range(1, len(asked) + 1):
        return f"There is no question {number!r}: they have the numbers 1 to {len(asked)}."
    letters = LETTERS[: len(asked[number - 1]["choices"])]
    for answer in (before, after):
        if answer not in ("", *letters):
            return f"{answer!r} is none of the letters {letters[0]} to {letters[-1]}."
    _answers[number] = before, after
    said = [f"{when}: {one}" for when, one in (("before", before), ("after", after)) if one]
    return f"Question {number}. " + ("; ".join(said) or "Not answered yet.")


def _both(asked: list[dict[str, Any]]) -> Iterator[str]:
    first, second = ([one for one in times if one] for times in _columns(asked))
    if len(second) < len(asked):
        yield (
            f"Answered the first time: {len(first)} of {len(asked)}; the second time: "
            f"{len(second)}. The reasons come when all have a second answer."
        )
        return
    rights = [LETTERS[[one["right"] for one in each["choices"]].index(True)] for each in asked]
    scores = [sum(map(str.__eq__, rights, times)) for times in _columns(asked)]
    yield f"**Right before: {scores[0]} of {len(asked)}. Right after: {scores[1]}.**"
    rows = zip(asked, rights, *_columns(asked), strict=True)
    for number, (each, right, before, after) in enumerate(rows, start=1):
        yield f"**Question {number}.** {each['text']}"
        for letter, choice in zip(LETTERS, each["choices"], strict=False):
            marks = ((right, "right"), (before, "before"), (after, "after"))
            named = ", ".join(word for whose, word in marks if whose == letter)
            if named:
                yield f"{letter}) {choice['text']} (*{named}*) {choice['why']}"


def _columns(asked: list[dict[str, Any]]) -> Iterator[list[str]]:
    """All answers of the first time, then all of the second."""
    for time in (0, 1):
        yield [_answers.get(number, ("", ""))[time] for number in range(1, len(asked) + 1)]
