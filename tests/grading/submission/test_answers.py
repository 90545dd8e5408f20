"""What is answered in words: kept as typed, never run, and graded by hand."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.grading.course.released import ReleasedChapter
from autograder.grading.report.feedback_page import Entered, feedback_page
from autograder.grading.run.job import Job
from autograder.grading.run.result import unfinished
from autograder.grading.submission.overwrite_cells import answered, restored
from autograder.sandbox.limits import Limits

MARKS = {"grade_id": "find-out-why", "grade": True, "solution": True, "points": 2}
CHAPTER = ReleasedChapter(
    "chapter",
    (),
    {},
    "",
    {"find-out-why": MARKS},
    frozenset(),
    frozenset(),
    {"find-out-why": "*Your answer.*"},
)


def handed_in(cell) -> nbformat.NotebookNode:
    return new_notebook(cells=[cell])


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Because it is so.", True),
        ("*Your answer.*", False),
        ("  *Your answer.*\n", False),
        ("", False),
    ],
)
def test_whether_something_was_written(text, holds):
    notebook = handed_in(new_markdown_cell(text, metadata={"nbgrader": dict(MARKS)}))
    assert restored(notebook, CHAPTER) == []
    assert notebook.cells[0].source == text
    assert answered(notebook, CHAPTER) == {"find-out-why": holds}


def test_an_answer_in_a_code_cell_is_taken_as_text_and_said():
    cell = new_code_cell("Because it is so.", metadata={"nbgrader": dict(MARKS)})
    notebook = handed_in(cell)
    assert restored(notebook, CHAPTER) == ["the cell find-out-why had its type changed"]
    assert notebook.cells[0].cell_type == "markdown"
    nbformat.validate(notebook)
    assert answered(notebook, CHAPTER) == {"find-out-why": True}


def test_a_deleted_place_was_not_answered():
    assert answered(new_notebook(), CHAPTER) == {"find-out-why": False}


def test_a_submission_that_cannot_be_read_has_the_place_all_the_same():
    job = Job("ada", CHAPTER, None, "", 1, Limits())
    result = unfinished(job, "missing", "nothing was handed in")
    notebook = nbformat.reads(result["notebook"], as_version=4)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown"]
    assert result["record"]["by_hand"] == [
        {"name": "find-out-why", "max_points": 2.0, "answered": False}
    ]


def test_the_page_says_who_grades_it_and_later_what_came_of_it():
    record = {
        **{"student": "ada", "chapter": "chapter", "score": 0.0, "max_score": 0.0},
        **{"status": "graded", "notes": []},
        "by_hand": [{"name": "find-out-why", "max_points": 2.0, "answered": True}],
    }
    page = feedback_page(record, [], new_notebook())
    assert "find-out-why: graded by your teacher" in page
    page = feedback_page(record, [], new_notebook(), {"find-out-why": Entered(1.5, "Nearly.")})
    assert "From your teacher: 1.5 of 2 points. Nearly." in page
