"""`predict` asks before a demo runs, says at once what is so and why, and counts nothing."""

import pytest
import torch

from autograder.checking.predictions import Prediction, prediction, predictions
from autograder.notebook.predicting import answered, predict

SHAPE = Prediction(
    "shape",
    "02-softmax",
    "What is the shape of `weights`?",
    (2, 3),
    {(2, 3): "A row for each query.", (3, 2): "That is the other way round."},
)
NUMBER = Prediction(
    "number",
    "02-softmax",
    "What do they sum to?",
    1.0,
    {0.0: "Nothing is below zero.", 1.0: "They were divided by their sum."},
)
CHOICE = Prediction(
    "choice",
    "02-softmax",
    "Which row is flattest?",
    "the first",
    {"the last": "Its scores differ most.", "the first": "Its scores differ least."},
)


@pytest.mark.parametrize(
    ("asked", "guess"),
    [
        (SHAPE, (2, 3)),
        (SHAPE, [2, 3]),
        (SHAPE, torch.ones(2, 3).shape),
        (NUMBER, 1),
        (NUMBER, 1.01),
        (NUMBER, torch.tensor(0.99)),
        (CHOICE, "b"),
        (CHOICE, "B)"),
        (CHOICE, "The first"),
    ],
)
def test_a_right_guess_is_told_so_with_the_reason(asked, guess):
    text = answered(asked, guess).text()
    assert text.startswith("\N{CHECK MARK} Yes: ")
    assert asked.options[asked.right] in text


def test_a_choice_that_is_a_sentence_has_one_full_stop():
    tenth, half = "About a tenth.", "About half."
    told = {tenth: "It is small.", half: "It is not."}
    asked = Prediction("how-much", "02-softmax", "How much?", tenth, told)
    assert answered(asked, tenth).text().split("\n")[0] == f"\N{CHECK MARK} Yes: {tenth}"
    assert answered(asked, half).text().split("\n")[0] == f"\N{BALLOT X} Not {half}"


@pytest.mark.parametrize(
    ("asked", "guess", "why"),
    [
        (SHAPE, (3, 2), "That is the other way round."),
        (NUMBER, 0, "Nothing is below zero."),
        (CHOICE, "a", "Its scores differ most."),
    ],
)
def test_a_known_wrong_guess_is_told_why_and_then_what_is_right(asked, guess, why):
    sign, first, second = answered(asked, guess).text().split("\n")
    assert sign.startswith("\N{BALLOT X} Not ")
    assert first.strip() == why
    assert second.strip().startswith("It is ") and asked.options[asked.right] in second


def test_a_count_is_right_to_the_last_one():
    options = {8256: "1 + 2 + ... + 128.", 128: "That is one for each."}
    asked = Prediction("count", "02-softmax", "How many positions?", 8256, options)
    assert answered(asked, 8256).right
    assert answered(asked, 8256.0).right
    assert "It is 8,256." in answered(asked, 128).text()
    assert not answered(asked, 8128).right  # 1 + 2 + ... + 127
    assert '`predict("count", 12)`' in answered(asked).text()


def test_any_other_guess_is_told_what_is_right():
    text = answered(NUMBER, 17.5).text()
    assert text == "\N{BALLOT X} Not 17.5.\n  It is 1. They were divided by their sum."


@pytest.mark.parametrize(
    ("asked", "guess", "wanted"),
    [
        (SHAPE, "two by three", "with a shape"),
        (SHAPE, (2.0, 3), "with a shape"),
        (NUMBER, "one", "with a number"),
        (NUMBER, torch.ones(2), "with a number"),
        (NUMBER, True, "with a number"),
        (CHOICE, "c", "with a letter"),
        (CHOICE, 1, "with a letter"),
    ],
)
def test_what_is_no_answer_is_told_what_is_wanted(asked, guess, wanted):
    text = answered(asked, guess).text()
    assert "is no answer to this question" in text and wanted in text


@pytest.mark.parametrize("asked", [SHAPE, NUMBER, CHOICE])
def test_the_question_does_not_give_the_answer_away(asked):
    text = answered(asked).text()
    assert text == answered(asked, ...).text()
    assert asked.question in text and f'predict("{asked.name}", ' in text
    assert not any(why in text for why in asked.options.values())
    assert ("a) the last" in text) == (asked is CHOICE)


def test_the_card_escapes_what_a_guess_holds():
    assert "<b>" not in answered(CHOICE, "<b>").html()
    assert "<code>weights</code>" in answered(SHAPE).html()


def test_an_unknown_name_is_a_sentence(capsys):
    assert predict("no such question") is None
    assert capsys.readouterr().out == "? There is no question named 'no such question'.\n"


@pytest.mark.parametrize(
    ("right", "options"),
    [(1.0, {1.0: "alone"}), (1.0, {2.0: "a", 3.0: "b"}), (1.0, {1.0: "a", (1,): "b"})],
)
def test_a_prediction_that_cannot_be_asked_is_refused(right, options):
    with pytest.raises(ValueError, match="refused: the options must"):
        prediction("refused", chapter="02-softmax", question="?", right=right, options=options)
    assert "refused" not in predictions()
