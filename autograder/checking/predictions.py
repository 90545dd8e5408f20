"""Questions before a demo: content, written beside the exercises.

    prediction(
        "row-sums",
        chapter="02-softmax",
        question="What does each row of `softmax(scores)` sum to?",
        right=1.0,
        options={1.0: "Each exponential is divided by the sum of all.", 0.0: "..."},
    )

The type of `right` says what is asked for: a tuple is a shape, a number a number, a text one of the
options. `again` asks the same with other numbers, whenever it is reviewed: what each may be, and
question, right answer and options with the numbers in braces (answers are expressions).

    again={
        "numbers": {"B": (2, 3), "S": (4, 7)},
        "question": "`scores` is ({B}, {S}). What is the shape of `softmax(scores)`?",
        "right": "(B, S)",
        "options": {"(B, S)": "One weight for each of {B * S} scores.", "(B,)": "..."},
    },
"""

import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.checking.registry import exercises

Guess = tuple[int, ...] | float | int | str
VARIANTS = 8  # how many there are of a question with other numbers


@dataclass(frozen=True)
class Prediction:
    """A question before a demo, the right answer, and what to say to each answer."""

    name: str
    chapter: str
    question: str
    right: Guess
    options: Mapping[Guess, str]
    again: Mapping[str, Any] = field(default_factory=dict)

    def variants(self) -> list["Prediction"]:
        """The question with other numbers, the same ones every time."""
        names = self.again.get("numbers", {})
        drawn = list(itertools.product(*names.values())) if names else []
        random.Random(self.name).shuffle(drawn)
        found = (self._with(dict(zip(names, values, strict=True))) for values in drawn)
        # Where two answers come to the same, the question has no right one.
        whole = (one for one in found if len(one.options) == len(self.again["options"]))
        return list(itertools.islice(whole, VARIANTS))

    def _with(self, numbers: dict[str, Any]) -> "Prediction":
        def value(expression: str) -> Any:
            return eval(expression, {"math": math}, numbers)

        def text(words: str) -> str:
            return value(f"f{words!r}")

        options = {value(one): text(why) for one, why in self.again["options"].items()}
        question, right = text(self.again["question"]), value(self.again["right"])
        return Prediction(self.name, self.chapter, question, right, options)

    @property
    def letters(self) -> dict[str, Guess]:
        """The options under a, b, c, ..."""
        return {chr(ord("a") + index): option for index, option in enumerate(self.options)}


_predictions: dict[str, Prediction] = {}


def prediction(
    name: str,
    *,
    chapter: str,
    question: str,
    right: Guess,
    options: Mapping[Guess, str],
    again: Mapping[str, Any] | None = None,
) -> None:
    """Register a question that is asked before a demo. `options` says something to each answer.

    >>> options = {1.5: "Half of three.", 6.0: "That is twice three."}
    >>> prediction("half", chapter="00-start-here", question="?", right=1.5, options=options)
    >>> _predictions["half"].letters
    {'a': 1.5, 'b': 6.0}
    """
    if name in _predictions:
        raise ValueError(f"Two predictions are registered with the name {name}.")
    if right not in options or len(options) < 2:
        raise ValueError(f"{name}: the options must be the right answer and at least one other.")
    kinds = {kind(option) for option in options}
    if len(kinds) != 1:
        raise ValueError(f"{name}: the options must all be shapes, all numbers or all texts.")
    _predictions[name] = Prediction(name, chapter, question, right, dict(options), again or {})


def predictions() -> dict[str, Prediction]:
    """Every prediction by name."""
    exercises()  # the modules that register them
    return _predictions


def kind(value: Any) -> str:
    """What is asked for by a right answer of that type."""
    if isinstance(value, tuple):
        return "shape"
    return "choice" if isinstance(value, str) else "number"


def as_text(value: Any) -> str:
    """An answer in words."""
    return f"{value:,g}" if isinstance(value, float | int) else str(value)
