"""After a check was mended or a process has died: is only what must be graded graded, once?"""

import functools

import pytest

from autograder.checking import find
from autograder.grading.course import fingerprint
from autograder.grading.run import workers
from autograder.grading.run.job import Job
from autograder.grading.run.result import unfinished
from autograder.grading.run.runner import grade_class
from autograder.grading.submission.judging import Judging
from autograder.sandbox.limits import Limits
from tests.grading.run.deadly import deadly
from tests.sample_class import Class, Expected, write
from tests.sandboxed import needs_sandbox
from tests.wrong import wrongs

CHAPTER = "01-lookup"
pytestmark = [pytest.mark.slow, needs_sandbox]


@pytest.fixture
def handed_in(course):
    """A course to which two students handed in chapter 1: one right, one with a misconception."""
    made = Class(course)
    chapter = made.chapters[CHAPTER]
    first = chapter.exercises[0].name
    wrong = wrongs(first)[0].source
    made.hand_in("ada", chapter, made.solved(chapter), Expected())
    made.hand_in("bob", chapter, made.solved(chapter, **{first: wrong}), Expected())
    write(made.handed, course)
    return course


@pytest.fixture
def judged(monkeypatch):
    """The exercises that were judged, in order."""
    names, asked = [], Judging._asked

    def noting(self, index, exercise, *arguments):
        names.append(exercise.name)
        return asked(self, index, exercise, *arguments)

    monkeypatch.setattr(Judging, "_asked", noting)
    return names


def exercises(records):
    each = ((record["student"], one) for record in records for one in record["exercises"])
    return {(student, one["name"]): one for student, one in each}


def test_a_mended_check_is_the_only_one_that_is_asked_again(handed_in, judged, monkeypatch):
    before = grade_class(handed_in, [CHAPTER], workers=1)
    names = [exercise.name for exercise in handed_in.chapters()[CHAPTER].exercises]
    assert sorted(judged) == sorted(2 * names)
    judged.clear()

    original, mended = fingerprint.of_exercise, names[0]
    monkeypatch.setattr(
        fingerprint,
        "of_exercise",
        lambda name, module: original(name, module) + ("'" if name == mended else ""),
    )
    monkeypatch.setattr(find(mended), "check", lambda student, reference, draw: None)
    after = grade_class(handed_in, [CHAPTER], workers=1)
    assert judged == [mended, mended]
    changed = {key for key, one in exercises(after).items() if one != exercises(before)[key]}
    assert changed == {("bob", mended)}
    assert exercises(after)["bob", mended]["passed"]
    assert len(list((handed_in.state / "results").glob("*.json"))) == 2  # the old ones are gone

    judged.clear()
    assert grade_class(handed_in, [CHAPTER], workers=1) == after
    assert judged == []


def test_a_submission_that_ends_its_process_is_given_up_and_stops_nobody_else(
    handed_in, monkeypatch
):
    limits = Limits(1)
    job = Job("", handed_in.chapters()[CHAPTER], None, "", 0, limits)
    result = unfinished(job, "missing", "not looked at")
    monkeypatch.setattr(workers, "work_on", functools.partial(deadly, result))
    for number in range(4):
        (handed_in.root / "submitted" / f"other-{number}" / CHAPTER).mkdir(parents=True)
    records = grade_class(handed_in, [CHAPTER], workers=2, limits=limits)
    statuses = {record["student"]: record["status"] for record in records}
    assert statuses.pop("bob") == "crashed"
    assert len(statuses) == 5 and set(statuses.values()) == {"missing"}
