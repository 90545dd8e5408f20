"""Questions before a demo: content, written beside the exercises.

    prediction(
        "row-sums",
        chapter="02-softmax",
        question="What does each row of `softmax(scores)` sum to?",
        right=1.0,
        options={1.0: "Each exponential is divided by the sum of all.", 0.0: "..."},
    )

The type of `right` says what is asked for: a tuple is a shape, a number a number, a text one of the
options.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.checking.registry import exercises

Guess = tuple[int, ...] | float | int | str


@dataclass(frozen=True)
class Prediction:
    """A question before a demo, the right answer, and what to say to each answer."""

    name: str
    chapter: str
    question: str
    right: Guess
    options: Mapping[Guess, str]

    @property
    def letters(self) -> dict[str, Guess]:
        """The options under a, b, c, ..."""
        return {chr(ord("a") + index): option for index, option in enumerate(self.options)}


_predictions: dict[str, Prediction] = {}


def prediction(
    name: str, *, chapter: str, question: str, right: Guess, options: Mapping[Guess, str]
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
    _predictions[name] = Prediction(name, chapter, question, right, dict(options))


def predictions() -> dict[str, Prediction]:
    """Every prediction by name."""
    exercises()  # the modules that register them
    return _predictions


def kind(value: Any) -> str:
    """What is asked for by a right answer of that type."""
    if isinstance(value, tuple):
        return "shape"
    return "choice" if isinstance(value, str) else "number"
