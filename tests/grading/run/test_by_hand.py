"""What a teacher entered by hand, or has to: is it named, with what to do, until it is settled?"""

import html

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.cells import grade_id
from autograder.cli import main
from autograder.grading.course import fingerprint
from autograder.grading.course.scores import read_scores, reading, settled
from autograder.settings import LatePolicy
from tests.sample_class import Class
from tests.sandboxed import needs_sandbox

CHAPTER = "02-softmax"
pytestmark = [pytest.mark.slow, needs_sandbox]


@pytest.fixture
def handed_in(course):
    """Hands in chapter 2, solved but for the sources given, with answers in words or without."""

    def hand_in(student, answers=False, **sources):
        made = Class(course)
        chapter = made.chapters[CHAPTER]
        notebook = made.solved(chapter, **sources)
        for cell in notebook.cells:
            if answers and grade_id(cell) in chapter.answers:
                cell.source = "I measured it."
        folder = course.root / "submitted" / student / CHAPTER
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{CHAPTER}.ipynb")
        return chapter

    return hand_in


def enter(course, student, cell, points):
    """What the formgrader does where a score is entered, or cleared."""
    with Gradebook(course.settings.gradebook) as book:
        grade = book.find_grade(cell, CHAPTER, CHAPTER, student)
        grade.manual_score = points
        grade.needs_manual_grade = points is None and grade.auto_score is None
        book.db.commit()


def told(course, command, capsys, *options):
    """What a command says about the chapter; a report in the terminal and on its page alike."""
    assert main([command, CHAPTER, "--course", str(course.root), *options]) == 0
    said = " ".join(capsys.readouterr().out.split())
    if command == "report":
        page = html.unescape((course.root / "report.html").read_text(encoding="utf-8"))
        for line in ("by hand is of the work before", "wait for a score by hand"):
            assert (line in page) == (line in said)
    return said


def test_a_score_by_hand_that_stands_over_a_newer_one_is_named(course, handed_in, capsys):
    names = [exercise.name for exercise in course.chapters()[CHAPTER].exercises]
    wrong = f"def {names[0]}(*_):\n    return None"
    chapter = handed_in("ada", **{names[0]: wrong})
    handed_in("bob")
    told(course, "grade", capsys)
    enter(course, "ada", f"check-{names[0]}", 0.5)
    for command in ("grade", "report"):
        assert "by hand is of the work before" not in told(course, command, capsys)

    handed_in("ada")
    full = chapter.exercises[0].points
    sentence = (
        f"ada, {CHAPTER}, {names[0]}: your 0.5 by hand is of the work before and still counts, "
        f"where the check gives {full:g} to what was graded since: enter a score again, or clear "
        "yours so that the check's counts, in the formgrader, Manual Grading"
    )
    for command in ("grade", "grade", "report"):
        assert sentence in told(course, command, capsys)
    assert sentence not in told(course, "grade", capsys, "--student", "bob")
    enter(course, "ada", f"check-{names[0]}", None)
    for command in ("grade", "report"):
        assert "by hand is of the work before" not in told(course, command, capsys)


def test_answers_in_words_are_counted_with_their_students_until_they_have_points(
    course, handed_in, capsys
):
    chapter = handed_in("ada", answers=True)
    handed_in("bob", answers=True)
    handed_in("eve")
    count = 2 * len(chapter.answers)
    assert count
    noun = "answer in words waits" if count == 1 else "answers in words wait"
    sentence = f"{CHAPTER}: {count} {noun} for a score by hand"
    for command in ("grade", "report"):
        said = told(course, command, capsys)
        assert sentence in said and "are without them: ada, bob" in said
    for student in ("ada", "bob"):
        for cell in chapter.answers:
            enter(course, student, cell, 1.0)
    for command in ("grade", "report"):
        assert "score by hand" not in told(course, command, capsys)

    # Another answer than the one that has its points.
    handed_in("ada", answers=True, **{chapter.exercises[0].name: "x = 1"})
    said = told(course, "grade", capsys)
    cell = next(iter(chapter.answers))
    before = f"ada, {CHAPTER}, {cell}: your 1 by hand is of the work before, and the answer was"
    assert f"{before} handed in again: look at it in the formgrader" in said


def test_who_keeps_former_points_is_said_where_only_some_are_graded(
    course, handed_in, capsys, monkeypatch
):
    for student in ("ada", "bob", "eve"):
        handed_in(student)
    told(course, "grade", capsys)
    assert "other points or checks" not in told(course, "grade", capsys, "--student", "ada")

    original = fingerprint.of_exercise
    monkeypatch.setattr(fingerprint, "of_exercise", lambda *names: original(*names) + "'")
    sentence = (
        f"{CHAPTER}: 2 other submissions were graded with other points or checks, and those scores "
        f"stay: run autograder grade {CHAPTER} without --student (bob, eve)."
    )
    assert sentence in told(course, "grade", capsys, "--student", "ada")
    told(course, "grade", capsys)
    assert "other points or checks" not in told(course, "grade", capsys, "--student", "ada")


def test_lateness_is_settled_where_nbgrader_would_change_nothing(course, handed_in, capsys):
    """The two ways to ask agree: what is settled by the tables, and what the penalties become."""
    handed_in("ada")
    stamp = course.root / "submitted" / "ada" / CHAPTER / "timestamp.txt"
    stamp.write_text("2026-03-02 12:00:00 UTC")
    policies = [None, LatePolicy(0.1), LatePolicy(0.2), None]
    for number, policy in enumerate(policies):
        days = f'[due]\n"{CHAPTER}" = 2026-03-0{1 + number % 2}T12:00:00+00:00\n'
        late = f"[late]\npenalty_per_day = {policy.penalty_per_day}\n" if policy else ""
        (course.root / "course.toml").write_text(days + late)
        settings = course.settings
        with reading(settings.gradebook) as query:
            assert not settled(read_scores(query), settings, [CHAPTER])
        told(course, "grade", capsys)
        with reading(settings.gradebook) as query:
            scores = read_scores(query)
        assert settled(scores, settings, [CHAPTER])
        score = scores.found["ada", CHAPTER]
        share = policy.share(score.late_seconds) if policy else 0
        assert score.penalty == pytest.approx(score.raw * share)
