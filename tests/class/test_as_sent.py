"""Is work that comes in every shape scored fairly, with the right sentences, and twice alike?"""

import html
import importlib
import shutil

import pytest

from autograder.cli import main
from autograder.grading.course.folder import Course
from autograder.grading.run import workers
from autograder.grading.run.runner import grade_class
from autograder.sandbox.limits import Limits
from tests.sandboxed import needs_sandbox

as_sent = importlib.import_module("tests.class.as_sent")

pytestmark = [pytest.mark.slow, needs_sandbox]
# When a submission came and which of several files it is: grading's own list says it.
FOR_THE_LIST = ("timestamp.txt", " is graded, and not ")
LIMITS = Limits(as_sent.LIMIT_SECONDS)


@pytest.fixture(scope="module")
def term(released, tmp_path_factory):
    """A released course and all that was handed in to it."""
    root = tmp_path_factory.mktemp("as-sent") / "course"
    shutil.copytree(released.root, root)
    return as_sent.Term(Course(root))


@pytest.fixture(scope="module")
def sent(term):
    """What every submission must get."""
    made = list(term.everybody())
    submitted = term.course.root / "submitted"
    for one in made:
        one.hand_in(submitted / one.student)
    for stray in term.strays():
        stray.hand_in(submitted)
    return made


@pytest.fixture(scope="module")
def graded(term, sent):
    """The records of one run over the chapters that were worked on."""
    return grade_class(term.course, term.chapters, workers=2, limits=LIMITS)


def disagreements(sent, records) -> list[str]:
    """Every way in which a record is not what its submission must get."""
    found = {(record["student"], record["chapter"]): record for record in records}
    wrong = []
    for one in sent:
        record = found[one.student, one.chapter]
        told = tuple(record["notes"])
        if (record["status"], told) != (one.status, one.notes):
            wrong.append(f"{one.student}: {record['status']}, {told}, not {one.notes}")
        for exercise in record["exercises"]:
            status, words = one.lost.get(exercise["name"], ("passed", ""))
            said = f"{exercise['misconception']} {exercise['message']}"
            points = exercise["max_points"] if status == "passed" else 0.0
            if (exercise["status"], exercise["points"]) != (status, points) or words not in said:
                name, got = exercise["name"], exercise["status"]
                wrong.append(f"{one.student}: {name} {got}, not {status}: {said}")
    return wrong


def test_there_are_at_least_60(sent):
    assert len(sent) >= 60


def test_every_score_and_sentence_is_as_it_must_be(sent, graded):
    assert disagreements(sent, graded) == []


def test_nobody_else_is_graded_and_what_is_nobodys_is_named(term, sent, graded):
    handed_in = {(one.student, one.chapter) for one in sent}
    others = [r for r in graded if (r["student"], r["chapter"]) not in handed_in]
    assert [r for r in others if r["status"] != "missing" or r["score"]] == []
    assert sorted(term.course.strays()) == sorted(stray.sentence for stray in term.strays())


def test_the_students_pages_say_it_too(term, sent, graded):
    pages = term.course.root / "feedback"
    for one in sent:
        page = (pages / one.student / one.chapter / f"{one.chapter}.html").read_text("utf-8")
        assert "<script" not in page
        for note in one.notes:
            assert (note in html.unescape(page)) != any(map(note.__contains__, FOR_THE_LIST))
        for name, (status, _) in one.lost.items():
            assert f"{name}: {'failed' if status == 'failed' else status}" in page


def test_the_report_names_everybody_to_look_at(term, sent, graded, capsys):
    assert main(["report", *term.chapters, "--course", str(term.course.root)]) == 0
    page = html.unescape((term.course.root / "report.html").read_text(encoding="utf-8"))
    for one in sent:
        if one.status == "missing":  # is in a list of names
            continue
        for note in one.notes:
            assert note in page or any(map(note.__contains__, FOR_THE_LIST)), one.student


def test_a_second_time_nothing_is_graded_anew(term, graded, monkeypatch):
    def grade(job):
        raise AssertionError(f"{job.student} is graded again")

    monkeypatch.setattr(workers, "work_on", grade)
    assert grade_class(term.course, term.chapters, workers=1, limits=LIMITS) == graded


@pytest.mark.exhaustive
def test_with_other_inputs_everybody_gets_the_same(term, sent, graded):
    shutil.rmtree(term.course.state)  # with the secret from which inputs are drawn
    again = grade_class(term.course, term.chapters, workers=2, limits=LIMITS)
    assert disagreements(sent, again) == []
    assert [record["score"] for record in again] == [record["score"] for record in graded]
