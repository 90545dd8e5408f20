"""`predict("row-sums")` on the page: the question that a notebook asks, as a quiz.

A notebook asks openly for a shape or a number; the page, which has no kernel, offers the answers
that there is something to say to.
"""

import ast
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from quiz import known_by, quiz, quiz_choice, quiz_label, quiz_question
from typography import typeset

from autograder.checking.predictions import Prediction
from autograder.notebook.predicting import as_text

CODE = re.compile(r"`([^`]+)`")


def asked(source: str) -> str | None:
    """The name of the question, if that is all that a cell asks."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a line that only IPython knows
        return None
    match body:
        case [ast.Expr(ast.Call(ast.Name("predict"), [ast.Constant(name), *_]))]:
            return name
    return None


def prediction_of(name: str, solutions: Path) -> Prediction:
    """A question as it is registered: read, since the page needs none of what checks import.

    Raises LookupError where there is none, or where it is not written out.
    """
    for path in sorted(solutions.glob("*/check.py")):
        if name in (found := _written(path)):
            return found[name]
    raise LookupError(f"no prediction {name!r} is written out in {solutions.name}/")


def as_quiz(question: Prediction) -> quiz:
    """The question as the page asks it; where order gives nothing away, in the order of size."""
    options = list(question.options)
    if not isinstance(question.right, str):
        options.sort()
    choices = [
        quiz_choice(
            "",
            quiz_label("", "", *_inline(as_text(option))),
            nodes.paragraph("", "", *_inline(question.options[option])),
            right=option == question.right,
        )
        for option in options
    ]
    words = quiz_question("", nodes.paragraph("", "", *_inline(question.question)))
    known = known_by(question.question, *map(as_text, options))
    return quiz("", words, *choices, known=known, before=True)


@cache
def _written(path: Path) -> dict[str, Prediction]:
    options = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Expr(ast.Call(ast.Name("prediction"), [ast.Constant(name)], keywords)):
                try:
                    words = {item.arg: ast.literal_eval(item.value) for item in keywords}
                except ValueError:
                    continue
                options[name] = Prediction(name, **words)
    return options


def _inline(text: str) -> list[nodes.Node]:
    """Words, and code between backticks, as the notebook shows them."""
    parts = CODE.split(text)
    return [
        nodes.literal(part, part) if index % 2 else nodes.Text(typeset(part))
        for index, part in enumerate(parts)
    ]
