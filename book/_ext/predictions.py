"""`predict("row-sums")` on the page: the question that a notebook asks, as a quiz.

A notebook asks openly for a shape or a number; the page, which has no kernel, offers the answers
that there is something to say to.
"""

import re

from docutils import nodes
from quiz import quiz, quiz_choice, quiz_label, quiz_question
from typography import typeset

from autograder.checking.predictions import Prediction
from autograder.release.questions import of_prediction

CODE = re.compile(r"`([^`]+)`")


def as_quiz(question: Prediction) -> quiz:
    """The question as the page asks it."""
    said = of_prediction(question)
    choices = [
        quiz_choice(
            "",
            quiz_label("", "", *_inline(one["text"])),
            nodes.paragraph("", "", *_inline(one["why"])),
            right=one["right"],
        )
        for one in said["choices"]
    ]
    words = quiz_question("", nodes.paragraph("", "", *_inline(said["text"])))
    return quiz("", words, *choices, question=said["id"], before=True)


def _inline(text: str) -> list[nodes.Node]:
    """Words, and code between backticks, as the notebook shows them."""
    parts = CODE.split(text)
    return [
        nodes.literal(part, part) if index % 2 else nodes.Text(typeset(part))
        for index, part in enumerate(parts)
    ]
