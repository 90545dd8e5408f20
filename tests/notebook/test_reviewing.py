"""`review()` in a notebook: what is due, asked one by one, and kept in a file beside it."""

import json
from datetime import date, timedelta

import pytest

from autograder.notebook import reviewing
from autograder.notebook.predicting import predict
from autograder.notebook.reviewing import Memory, review

START = date(2026, 3, 2)
RIGHT = {"text": "Yes", "why": "So it is.", "right": True}
WRONG = {"text": "No", "why": "It is not.", "right": False}


def question(sign: str, chapter: str, kind: str = "quiz", **more) -> dict:
    return {
        "id": sign + "0" * 9,
        "chapter": chapter,
        "kind": kind,
        "text": f"Is {sign} asked?",
        "choices": [WRONG, RIGHT],
    } | more


BANK = [
    question("aaa", "01-lookup", "prediction", name="misspelled"),
    *(question(f"b{n:02}", "02-softmax", "opening") for n in range(3)),
    *(question(f"c{n:02}", "02-softmax") for n in range(12)),
    question("ddd", "03-bahdanau", variants=[{"text": "Is 5 asked?", "choices": [RIGHT, WRONG]}]),
]


@pytest.fixture
def day(monkeypatch, tmp_path):
    """Moves the clock; the questions are BANK's."""
    kept = tmp_path / "questions.json"
    titles = {"01-lookup": "1 · Lookup", "02-softmax": "2 · Weights", "03-bahdanau": "3 · Align"}
    kept.write_text(json.dumps({"chapters": titles, "questions": BANK}))
    monkeypatch.setattr(reviewing, "QUESTIONS", kept)
    reviewing.read_questions.cache_clear()
    reviewing._open.clear()
    monkeypatch.chdir(tmp_path)

    def move(days: int) -> None:
        moved = START + timedelta(days=days)
        monkeypatch.setattr(reviewing, "today", moved.isoformat)

    move(0)
    yield move
    reviewing.read_questions.cache_clear()


def run(chapter: str) -> None:
    """The notebook as it is when somebody has run it and saved it."""
    with open(f"{chapter}.ipynb", "w") as file:
        json.dump({"cells": [{"cell_type": "code", "execution_count": 1}]}, file)


def asked() -> list[str]:
    return [one["id"][:3] for one in reviewing._open]


def test_asks_what_opens_a_chapter_and_asks_it_again_when_it_is_due(day, capsys):
    review(begin="02-softmax")
    assert "Is b00 asked?" in capsys.readouterr().out
    review("b00", "b")
    review("b01", "a")
    said = capsys.readouterr().out
    assert "**Right.** So it is." in said and "**Not this one.** It is not." in said
    assert "**Right is:** Yes" in said
    day(1)
    review()
    assert asked() == ["b01"]  # it was missed
    day(2)
    review()
    assert asked() == ["b01", "b00"]


def test_is_a_cell_that_is_run_again_no_answer_to_another_question(day, capsys):
    review(begin="02-softmax")
    review("b00", "b")
    review("b00", "b")
    assert "The question 'b00' is not the one that is asked now." in capsys.readouterr().out
    assert asked() == ["b01", "b02"]
    review("b01", "no letter")
    assert "'no letter' is none of the letters." in capsys.readouterr().out
    assert len(Memory.here().log) == 1


def test_are_ten_a_day_asked_of_what_was_run_and_saved(day, capsys):
    review()
    assert "Nothing is due yet" in capsys.readouterr().out
    run("02-softmax")
    review()
    assert len(asked()) == 10 and not {"aaa", "ddd"} & set(asked())
    while asked():
        review(asked()[0], "b")
    review()
    assert "Ten questions a day are enough." in capsys.readouterr().out
    day(1)
    review()
    assert len(asked()) == 5  # what was not asked yet


def test_comes_a_guess_before_a_demo_back_with_other_numbers(day, capsys):
    run("03-bahdanau")
    review()
    review("ddd", "b")
    capsys.readouterr()
    day(9)
    review()
    assert "Is 5 asked?" in capsys.readouterr().out
    review("ddd", "a")
    assert "**Right.**" in capsys.readouterr().out


def test_feeds_a_guess_in_the_notebook_the_review(day, capsys):
    predict("misspelled")
    assert Memory.here().log == {}
    predict("misspelled", "Both the same.")
    assert Memory.here().log == {"aaa000000000": {START.isoformat(): False}}
    day(1)
    review()
    assert asked() == ["aaa"]


def test_adds_what_the_page_has_saved_and_takes_nothing_away(day, tmp_path, capsys):
    saved = {
        "format": reviewing.FORMAT,
        "log": {"ddd000000000": {"2026-01-01": True}, "b00000000000": {"2026-03-02": True}},
    }
    (tmp_path / "saved.json").write_text(json.dumps(saved))
    review(begin="02-softmax")
    review("b00", "a")
    review(add="saved.json")
    assert Memory.here().log["b00000000000"] == {"2026-03-02": False}
    assert asked()[0] == "ddd"


@pytest.mark.parametrize("text", ["", "[]", '{"log": 5}', '{"log": {"a": {"today": true}}}'])
def test_does_a_file_that_is_no_memory_stay_as_it_is(day, tmp_path, capsys, text):
    (tmp_path / "review.json").write_text(text)
    review()
    assert "review.json is no file that review()" in capsys.readouterr().out
    assert (tmp_path / "review.json").read_text() == text


def test_does_it_say_what_is_missing(day, monkeypatch, capsys):
    import sys

    monkeypatch.setitem(sys.modules, "fsrs", None)
    review(begin="02-softmax")
    for sign in asked():
        review(sign, "b")
    assert "%pip install fsrs" in capsys.readouterr().out
    assert len(Memory.here().log) == 3
    monkeypatch.setattr(reviewing, "QUESTIONS", Memory)  # as in the repository
    reviewing.read_questions.cache_clear()
    monkeypatch.setattr(reviewing, "bank", list)
    review()
    assert "not installed here" in capsys.readouterr().out
