"""What is asked again: every question of the pages, and code with one wrong line."""

import ast
import math
import re

import pytest

from autograder.checking.predictions import Prediction, predictions
from autograder.release.questions import asked, prediction_of, questions
from autograder.release.references import References
from tests.release.miniature import REPOSITORY

SITE = REPOSITORY / "build" / "book" / "_build" / "html"
IT_SHOULD_BE = re.compile(r"It should be `(.+)`\.$")


@pytest.fixture(scope="module")
def bank():
    return questions(REPOSITORY)["questions"]


def test_is_every_question_of_the_pages_there_under_the_name_that_pages_know(bank):
    pages = sorted(SITE.glob("[0-9][0-9]-*.html"))
    if not pages:
        pytest.skip("the book is not built: make book")
    known = {
        (page.stem, name)
        for page in pages
        for name in re.findall(r'data-question="(\w+)"', page.read_text(encoding="utf-8"))
    }
    assert {(one["chapter"], one["id"]) for one in bank if one["kind"] != "line"} == known
    assert len({one["id"] for one in bank}) == len(bank)


def test_has_every_question_one_right_answer_and_a_word_to_each(bank):
    for one in bank:
        for form in (one, *one.get("variants", ())):
            choices = form["choices"]
            assert sum(choice["right"] for choice in choices) == 1, form["text"]
            assert len({choice["text"] for choice in choices}) == len(choices) > 1, form["text"]
            assert all(choice["why"] for choice in choices), form["text"]


def code_of(text: str) -> str:
    return re.search(r"```python\n(.*?)\n```", text, re.DOTALL)[1]


def bare(code: str) -> str:
    """A definition without its contract."""
    (definition,) = ast.parse(code).body
    definition.body = definition.body[1:]
    return ast.unparse(definition)


def test_is_the_wrong_line_all_that_is_wrong(bank):
    references = References(REPOSITORY / "solutions")
    known = {
        name: (path.parent.name, name)
        for path in (REPOSITORY / "solutions").glob("*/reference.py")
        for name in re.findall(r"^(?:def|class) (\w+)", path.read_text(), re.MULTILINE)
    }
    lines = [one for one in bank if one["kind"] == "line"]
    assert len(lines) > 15
    for one in lines:
        code, right = code_of(one["text"]), next(c for c in one["choices"] if c["right"])
        wrong = ast.unparse(ast.parse(code)).count(right["text"].strip("`"))
        assert wrong == 1, one["text"]
        mended = ast.unparse(ast.parse(code)).replace(
            right["text"].strip("`"), IT_SHOULD_BE.search(right["why"])[1]
        )
        name = ast.parse(code).body[0].name
        reference = references.find(*known[name]).source
        assert bare(mended) == bare(reference) != bare(code)


def test_is_no_line_asked_that_a_chapter_gives_to_mend(bank):
    texts = " ".join(
        choice["why"] for one in bank if one["kind"] == "line" for choice in one["choices"]
    )
    from autograder.checking.registry import exercises

    planted = [one.planted for one in exercises().values() if one.planted]
    assert planted and not [one.sentence for one in planted if one.sentence in texts]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ('predict("row-sums")', "row-sums"),
        ('predict("row-sums", 1.0)', "row-sums"),
        ('x = predict("row-sums")', None),
        ('predict("row-sums")\nprint(1)', None),
        ("%pip install x", None),
        ("", None),
    ],
)
def test_is_a_cell_that_only_asks_known(source, name):
    assert asked(source) == name


def test_is_every_question_read_as_it_is_registered():
    for name, registered in predictions().items():
        assert prediction_of(name, REPOSITORY / "solutions") == registered
    with pytest.raises(LookupError, match="no prediction 'no-such' is written out"):
        prediction_of("no-such", REPOSITORY / "solutions")


def test_is_the_answer_reckoned_from_the_numbers():
    two = Prediction(
        "of-two",
        "02-softmax",
        "?",
        1,
        {1: "", 0: ""},
        {
            "numbers": {"a": (1, 2), "b": (3,)},
            "question": "The root of {a * b}?",
            "right": "math.sqrt(a * b)",
            "options": {"math.sqrt(a * b)": "It is {math.sqrt(a * b):.2f}.", "a + b - 4.0": "No."},
        },
    )
    found = {one.question: (one.right, *one.options.values()) for one in two.variants()}
    assert found == {
        "The root of 3?": (math.sqrt(3), "It is 1.73.", "No."),
        "The root of 6?": (math.sqrt(6), "It is 2.45.", "No."),
    }


def test_are_two_answers_never_the_same_with_other_numbers():
    """Of every question that the chapters ask with other numbers there are four at least."""
    varied = {name: one.variants() for name, one in predictions().items() if one.again}
    assert len(varied) > 10
    for name, variants in varied.items():
        assert 4 <= len({one.question for one in variants}) == len(variants), name
        assert all(one.right in one.options for one in variants), name
