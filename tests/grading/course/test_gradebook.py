"""The rows that grading writes, read back and edited by nbgrader's own gradebook."""

import shutil
from datetime import datetime

import pytest
from nbgrader.api import Gradebook

from autograder.grading.course.gradebook import Writer
from autograder.nbgrader_course import scripts_on_path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A gradebook that knows one released chapter of two exercises."""
    path = tmp_path_factory.mktemp("made") / "gradebook.db"
    with scripts_on_path(), Gradebook(f"sqlite:///{path}") as book:
        book.add_assignment("chapter")
        book.add_notebook("chapter", "chapter")
        for name in ("one", "two"):
            where = {"notebook": "chapter", "assignment": "chapter"}
            book.add_grade_cell(f"check-{name}", **where, max_score=3, cell_type="code")
            book.add_solution_cell(name, **where)
    return path


@pytest.fixture
def url(made, tmp_path):
    """A gradebook of one's own."""
    return f"sqlite:///{shutil.copy(made, tmp_path)}"


def write(url, one: float, two: float, untouched=frozenset(), when=None) -> None:
    with Writer(url) as writer:
        writer.write("ada", "chapter", {"check-one": one, "check-two": two}, when, untouched)


def test_nbgrader_reads_the_scores_that_were_written(url):
    write(url, 3.0, 1.5, {"two"}, datetime(2026, 3, 1, 12, 30))
    with Gradebook(url) as book:
        submission = book.find_submission("chapter", "ada")
        assert (submission.score, submission.max_score) == (4.5, 6.0)
        assert submission.timestamp == datetime(2026, 3, 1, 12, 30)
        assert not submission.needs_manual_grade
        comments = {each.name: each.comment for each in submission.notebooks[0].comments}
        assert comments == {"one": None, "two": "No response."}


def test_grading_again_replaces_scores_and_adds_no_rows(url):
    write(url, 3.0, 0.0, {"two"})
    write(url, 0.0, 2.0)
    with Gradebook(url) as book:
        (submission,) = book.assignment_submissions("chapter")
        scores = {each.name: each.score for each in submission.notebooks[0].grades}
        assert scores == {"check-one": 0.0, "check-two": 2.0}
        assert [each.comment for each in submission.notebooks[0].comments] == [None, None]


def test_what_a_teacher_entered_stays_and_asks_for_another_look(url):
    write(url, 0.0, 3.0)
    with Gradebook(url) as book:
        book.find_grade("check-one", "chapter", "chapter", "ada").manual_score = 2.0
        book.find_comment("one", "chapter", "chapter", "ada").manual_comment = "Nearly."
        book.db.commit()
    write(url, 1.0, 3.0)
    with Gradebook(url) as book:
        graded = book.find_grade("check-one", "chapter", "chapter", "ada")
        assert (graded.auto_score, graded.manual_score, graded.score) == (1.0, 2.0, 2.0)
        assert graded.needs_manual_grade
        assert not book.find_grade("check-two", "chapter", "chapter", "ada").needs_manual_grade
        assert book.find_comment("one", "chapter", "chapter", "ada").comment == "Nearly."


def test_a_time_that_is_entered_later_counts(url):
    came = datetime(2026, 3, 1, 12, 30)
    write(url, 3.0, 3.0)
    with Writer(url) as writer:
        writer.note_arrival("ada", "chapter", came)
    with Gradebook(url) as book:
        assert book.find_submission("chapter", "ada").timestamp == came


@pytest.fixture
def with_an_answer(url):
    """The same chapter with a text that a teacher grades."""
    with Gradebook(url) as book:
        where = {"notebook": "chapter", "assignment": "chapter"}
        book.add_grade_cell("find-out-why", **where, max_score=2, cell_type="markdown")
        book.add_solution_cell("find-out-why", **where)
    return url


@pytest.mark.parametrize("written", [True, False])
def test_what_is_answered_in_words_waits_for_a_teacher_and_an_empty_place_has_its_zero(
    with_an_answer, written
):
    with Writer(with_an_answer) as writer:
        scores = {"check-one": 3.0, "check-two": 3.0}
        writer.write("ada", "chapter", scores, None, set(), {"find-out-why": written})
    with Gradebook(with_an_answer) as book:
        submission = book.find_submission("chapter", "ada")
        assert submission.needs_manual_grade == written
        assert (submission.score, submission.max_score) == (6.0, 8.0)
        grade = book.find_grade("find-out-why", "chapter", "chapter", "ada")
        assert grade.auto_score == (None if written else 0.0)
        comment = book.find_comment("find-out-why", "chapter", "chapter", "ada").comment
        assert comment == (None if written else "No response.")


def test_points_for_an_answer_stay_when_it_is_graded_again(with_an_answer):
    for _ in range(2):
        with Writer(with_an_answer) as writer:
            writer.write("ada", "chapter", {}, None, set(), {"find-out-why": True})
        with Gradebook(with_an_answer) as book:
            grade = book.find_grade("find-out-why", "chapter", "chapter", "ada")
            if grade.manual_score is None:
                grade.manual_score = 1.5
                grade.needs_manual_grade = False
                book.db.commit()
    with Gradebook(with_an_answer) as book:
        assert book.find_submission("chapter", "ada").score == 1.5
        assert book.find_submission("chapter", "ada").needs_manual_grade
