"""What a notebook asks before a demo runs is a quiz on the page, which has no kernel."""

import json
import re
from pathlib import Path

import pytest

from autograder.checking.predictions import Prediction, predictions
from autograder.notebook.predicting import as_text
from tests.book.parsed import SITE, needs_book, parsed

ROOT = Path(__file__).parents[2]
SHAPE = Prediction(
    "shape",
    "02-softmax",
    "What is the shape of `weights`?",
    (3, 2),
    {(3, 2): "A row for each query.", (2, 3): "That is `weights.T`."},
)


@pytest.fixture
def module(extension):
    return extension("predictions")


def test_does_the_order_of_shapes_give_nothing_away(module):
    asked, *choices = module.as_quiz(SHAPE).children
    assert asked.astext() == "What is the shape of weights?"
    assert [(one[0].astext(), one["right"]) for one in choices] == [
        ("(2, 3)", False),
        ("(3, 2)", True),
    ]
    assert choices[0][1].astext() == "That is weights.T."


def questions() -> list[tuple[str, str]]:
    """The page and the name of each question that a chapter asks."""
    found = []
    for path in sorted((ROOT / "book").glob("[0-9][0-9]-*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and source.startswith("predict("):
                found.append((path.stem, source.split('"')[1]))
    return found


def plain(words: str) -> str:
    """Words without marks that the page prints in another form, or not at all."""
    return re.sub("[\"'“”‘’`]", "", words).replace("−", "-")


@needs_book
@pytest.mark.parametrize(("page", "name"), questions())
def test_is_the_question_a_quiz_on_its_page(page, name):
    soup = parsed(SITE / f"{page}.html")
    asked = predictions()[name]
    (quiz,) = [
        one
        for one in soup.select("fieldset.quiz")
        if "before you read on" in one.select_one(".quiz-number").get_text()
        and plain(asked.question) in plain(one.select_one("legend").get_text())
    ]
    offered = {plain(one.summary.get_text()): one for one in quiz.select("details")}
    assert set(offered) == {plain(as_text(option)) for option in asked.options}
    right = [words for words, one in offered.items() if one.has_attr("data-right")]
    assert right == [plain(as_text(asked.right))]
    assert f'predict("{name}"' not in soup.select_one("article").get_text()
