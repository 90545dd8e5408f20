"""`inventory(...)` in a notebook: no reasons before every question has a second answer."""

import json

import pytest

from autograder.notebook import inventory as room
from autograder.notebook import reviewing
from autograder.notebook.inventory import inventory

YES = {"text": "Yes", "why": "So it is.", "right": True}
NO = {"text": "No", "why": "It is not.", "right": False}
ASKED = [{"text": "One?", "choices": [YES, NO]}, {"text": "Two?", "choices": [NO, YES]}]


@pytest.fixture(autouse=True)
def questions(monkeypatch, tmp_path):
    (tmp_path / "questions.json").write_text(json.dumps({"inventory": ASKED}))
    monkeypatch.setattr(reviewing, "QUESTIONS", tmp_path / "questions.json")
    reviewing.read_questions.cache_clear()
    room._answers.clear()
    yield
    reviewing.read_questions.cache_clear()


def test_are_both_answers_and_the_reasons_shown_after_the_second_time_alone(capsys):
    inventory(1, before="b", after="")
    inventory(2, before="b", after="a")
    inventory()
    said = capsys.readouterr().out
    assert "the first time: 2 of 2; the second time: 1." in said
    assert YES["why"] not in said and NO["why"] not in said and "right" not in said.lower()
    inventory(1, before="b", after="a")
    inventory()
    said = capsys.readouterr().out
    assert "Right before: 1 of 2. Right after: 1." in said
    assert "a) Yes (*right, after*) So it is." in said and "b) No (*before*) It is not." in said
    assert "a) No (*after*) It is not." in said and "b) Yes (*right, before*) So it is." in said


@pytest.mark.parametrize(
    ("call", "wrong"),
    [((3, "a"), "There is no question 3"), ((1, "c"), "'c' is none of the letters a to b.")],
)
def test_is_a_slip_told_in_a_sentence(call, wrong, capsys):
    inventory(*call)
    assert wrong in capsys.readouterr().out
    assert room._answers == {}
