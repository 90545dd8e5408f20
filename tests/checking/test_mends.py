"""Code that was given with a misconception: is it known when nothing was mended?"""

import dataclasses

import pytest

from autograder.checking import find, registry
from autograder.diagnosis.candidates import rewritten
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.notebook.feedback import Feedback
from autograder.remote.calling import Home
from autograder.source.sources import definition

SENTENCE = "The sum is missing."
GIVEN = {"/ total.clamp(min=1)": ""}


@pytest.fixture(autouse=True)
def mended(monkeypatch):
    """`mend_softmax` beside softmax, and `sharpen` in the place of the one to write."""
    softmax, sharpen = find("softmax"), find("sharpen")
    planted = registry.Misconception("softmax", "sum", SENTENCE, GIVEN)
    others = [one for one in softmax.misconceptions if one.changes != GIVEN]
    known = dict(registry.exercises()) | {
        "softmax": dataclasses.replace(softmax, misconceptions=[planted, *others], candidates={}),
    }
    sharpened = dataclasses.replace(sharpen.misconceptions[0], key="first")
    known["sharpen"] = dataclasses.replace(
        sharpen,
        misconceptions=[sharpened, *sharpen.misconceptions[1:]],
        mend="first",
        candidates={},
    )
    monkeypatch.setattr(registry, "_exercises", known)
    registry.mend("softmax", "sum", points=3)


def verdict(thing, name="mend_softmax", seed=2017):
    return judge(name, Home({name: thing}), live(find(name)), seed)


def given():
    reference = definition("softmax", "softmax")
    return reference.code.replace("/ total.clamp(min=1)", "")


@pytest.mark.parametrize("seed", range(5))
def test_as_given_it_is_not_mended(seed):
    found = verdict(definition("softmax", "softmax").built({"softmax": given()}), seed=seed)
    assert (found.status, found.points, found.max_points) == ("not mended", 0.0, 3.0)
    assert found.misconception is None and SENTENCE not in found.message
    lines = Feedback(found).text().splitlines()
    assert lines[0].endswith("mend_softmax: not mended yet (3 points)")
    assert "answers as it did" in lines[1] and "expected" in lines[1]


def test_the_same_misconception_in_other_words_is_not_mended_either():
    def mend_softmax(scores, dim=-1):
        top = scores.max(dim=dim, keepdim=True).values
        return (scores - top.clamp(min=-3e38)).exp()

    assert verdict(mend_softmax).status == "not mended"


def test_the_reference_and_a_function_written_anew_are_right():
    right = definition("softmax", "softmax").built()
    assert verdict(right).points == 3.0


def test_another_misconception_is_told_by_its_name():
    other = next(
        one for one in find("mend_softmax").misconceptions if "whole tensor" in one.sentence
    )
    changed = definition("softmax", "softmax").code
    for old, new in other.changes.items():
        changed = changed.replace(old, new)
    found = verdict(definition("softmax", "softmax").built({"softmax": changed}))
    assert (found.status, found.misconception) == ("failed", other.sentence)


def test_emptied_it_is_not_mended():
    def mend_softmax(scores, dim=-1):
        raise NotImplementedError

    assert verdict(mend_softmax).status == "not mended"


def test_in_the_place_of_the_written_one_it_keeps_the_name():
    exercise = find("sharpen")
    root, changes = exercise.misconceptions[0].located(definition("softmax", "sharpen"))
    found = verdict(root.built(rewritten(root, changes)), "sharpen")
    assert (found.name, found.status) == ("sharpen", "not mended")


def test_what_cannot_be_registered_is_said():
    with pytest.raises(ValueError, match="no exercise softmaxx above"):
        registry.mend("softmaxx", "sum", points=1)
    with pytest.raises(ValueError, match="Two checks are registered for the exercise mend_softmax"):
        registry.mend("softmax", "sum", points=1)
