"""`predict("row-sums")` before a demo: a question, a guess, and at once what is so and why.

What can be guessed and what there is to say to it is content (`checking/predictions.py`). In the
notebook a shape or a number is asked for openly; the page offers the options.
"""

import difflib
import html
import re
from typing import Any

from autograder.checking.predictions import Guess, Prediction, as_text, kind, predictions
from autograder.notebook.reviewing import note_prediction

NEAR = 0.02  # how far a guess may be off what was measured, as a share of it


class Card:
    """What is shown: a question, or what there is to say to a guess."""

    def __init__(
        self, sign: str, headline: str, lines: list[str], right: bool | None = None
    ) -> None:
        self._sign, self._headline, self._lines = sign, headline, lines
        self.right = right  # None where nothing was guessed

    def text(self) -> str:
        """Plain text, for a terminal."""
        return "\n".join([f"{self._sign} {self._headline}", *(f"  {line}" for line in self._lines)])

    def html(self) -> str:
        """A card that reads on light and dark pages; every text is escaped."""
        rows = [f"<strong>{self._sign} {_inline(self._headline)}</strong>"]
        rows += [f"<div>{_inline(line)}</div>" for line in self._lines]
        style = "border-left: 4px solid #6e7781; padding: 0.4em 0.8em; margin: 0.3em 0"
        return f'<div class="prediction" style="{style}">{"".join(rows)}</div>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": self.text(), "text/html": self.html()}


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def answered(asked: Prediction, guess: Any = None) -> Card:
    """The card for a guess; without one, the question."""
    if guess is None or guess is ...:
        return _question(asked)
    choice: Guess | None
    match kind(asked.right):
        case "shape":
            choice = _as_shape(guess)
        case "number":
            choice = _as_number(guess)
        case _:
            choice = _as_choice(asked, guess)
    if choice is None:
        return Card("?", f"{guess!r} is no answer to this question.", [_how(asked)])
    if _agrees(choice, asked.right):
        yes = f"Yes: {_ended(asked.right)}"
        return Card("\N{CHECK MARK}", yes, [asked.options[asked.right]], right=True)
    explanations = [why for option, why in asked.options.items() if _agrees(choice, option)]
    lines = [*explanations, f"It is {_ended(asked.right)} {asked.options[asked.right]}"]
    return Card("\N{BALLOT X}", f"Not {_ended(choice)}", lines, right=False)


def _ended(answer: Guess) -> str:
    """An answer that ends a sentence; some choices are sentences themselves."""
    text = as_text(answer)
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _question(asked: Prediction) -> Card:
    options = [f"{letter}) {option}" for letter, option in asked.letters.items()]
    offered = options if kind(asked.right) == "choice" else []
    return Card("?", asked.question, [*offered, _how(asked)])


def _how(asked: Prediction) -> str:
    example = {"shape": "(2, 3)", "number": "0.5", "choice": '"a"'}[kind(asked.right)]
    if isinstance(asked.right, int):
        example = "12"
    wanted = {"shape": "a shape", "number": "a number", "choice": "a letter"}[kind(asked.right)]
    return f'Guess before you read on, with {wanted}: `predict("{asked.name}", {example})`'


def _as_shape(guess: Any) -> tuple[int, ...] | None:
    if isinstance(guess, int) and not isinstance(guess, bool):
        return (guess,)
    whole = isinstance(guess, tuple | list) and all(type(size) is int for size in guess)
    return tuple(guess) if whole else None


def _as_number(guess: Any) -> float | None:
    try:
        return None if isinstance(guess, str | bool) else float(guess)
    except (TypeError, ValueError, RuntimeError):
        return None


def _as_choice(asked: Prediction, guess: Any) -> Guess | None:
    if not isinstance(guess, str):
        return None
    plain = guess.strip().strip(")").casefold()
    by_text = {str(option).casefold(): option for option in asked.options}
    return asked.letters.get(plain) or by_text.get(plain)


def _agrees(guess: Any, option: Any) -> bool:
    if isinstance(option, tuple | str):
        return guess == option
    near = 0.0 if isinstance(option, int) else NEAR  # what is counted has no decimals
    return abs(guess - option) <= near * abs(option)


def predict(name: str, guess: Any = None) -> None:
    """Ask the question `name`, or say what there is to say to your guess. It counts no points."""
    registered = predictions()
    if name not in registered:
        near = difflib.get_close_matches(str(name), registered, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        card = Card("?", f"There is no question named {name!r}.{hint}", [])
    else:
        card = answered(registered[name], guess)
        if card.right is not None:
            note_prediction(name, card.right)
    from autograder.notebook.check import display  # which imports the whole of checking

    display(card)
