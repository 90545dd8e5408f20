"""Wrong answers fail, and of each is said what its chapter's `wrong.py` has beside it."""

import pytest

from autograder.checking import exercises
from autograder.checking.samples import WrongAnswer, styles, wrong_answers
from tests.content.judge_wrong import key_said, verdict_of
from tests.content.published import by_module, first_of_each_module
from tests.content.test_checks import TRIVIAL

SEARCHED = ("slip.", "plain.")  # for long: found by none of the list's misconceptions


def is_named(answer: WrongAnswer) -> bool:
    """Whether a misconception of the list says what was changed."""
    return answer.key is not None and not answer.key.startswith(SEARCHED) and "+" not in answer.key


@pytest.mark.parametrize("name", first_of_each_module())
def test_misconceptions_are_named_in_other_styles(name):
    known = [answer for answer in wrong_answers().get(name, []) if is_named(answer)]
    assert len(known) >= (2 if name in TRIVIAL else 4)
    assert [(one.style, one.changes) for one in known if key_said(one) != one.key] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", by_module())
def test_what_is_no_misconception_of_the_list_is_told_as_judged(name):
    others = [answer for answer in wrong_answers().get(name, []) if not is_named(answer)]
    assert [(one.style, one.changes) for one in others if key_said(one) != one.key] == []
    assert [one.changes for one in others if verdict_of(one).passed] == []


@pytest.mark.parametrize("name", by_module())
def test_every_wrong_answer_changes_an_alternative(name):
    assert {answer.style for answer in wrong_answers().get(name, [])} <= set(styles(name))


def test_every_wrong_answer_is_of_an_exercise():
    assert set(wrong_answers()) <= set(exercises())
