"""A chapter that breaks the agreement stops the release with one sentence."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.errors import ReleaseError
from autograder.release.book import Book
from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe.check_contract import UNWRITTEN, check_contract
from autograder.release.references import References
from autograder.release.set_points import set_points
from tests.release.miniature import (
    answer_cell,
    chapter_cells,
    check_cell,
    exercise_cell,
    provided_cell,
    setup_cell,
    write_chapter,
)

BROKEN = {
    "'check-mean' checks mean, but no exercise cell comes before it": [check_cell("mean")],
    "exercise mean has no check cell": [exercise_cell("mean")],
    "'check-Scale' checks Scale, but mean comes before it": [
        exercise_cell("mean"),
        check_cell("Scale"),
    ],
    "2 cells have the grade_id 'provided-total'": [
        provided_cell("total", "earlier"),
        provided_cell("ones_like", "earlier", grade_id="provided-total"),
    ],
    "the exercise cell 'mean' imports total": [
        exercise_cell("total", "earlier", grade_id="mean"),
        check_cell("mean"),
    ],
    "the check cell of mean gives no points": [exercise_cell("mean"), check_cell("mean", 0)],
    "the check cell of mean is not locked": [
        exercise_cell("mean"),
        check_cell("mean", locked=False),
    ],
    "imports from solutions, which students do not have": [
        new_code_cell("from solutions.tiny import mean", id="demo")
    ],
    "its grade_id must begin with 'find-out-'": [answer_cell(grade_id="why")],
    "find-out-why gives no points": [answer_cell(points=0)],
    "cell 'odd' is not Python": [new_code_cell("1 +", id="odd")],
}


def held(root, cells) -> None:
    path = write_chapter(root, [setup_cell(), *cells])
    check_contract(ChapterNotebook.read(path, References(root / "solutions"), Book.of(root)))


@pytest.mark.parametrize("sentence", BROKEN)
def test_what_breaks_the_contract_is_said_in_one_sentence(tiny, sentence):
    with pytest.raises(ReleaseError) as caught:
        held(tiny, BROKEN[sentence])
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("03-tiny: ")


@pytest.mark.parametrize(
    "line", ["import math", "mean = 3", "from solutions.tiny import mean as m"]
)
def test_an_exercise_cell_holds_one_import_and_nothing_else(tiny, line):
    cell = exercise_cell("mean")
    cell.source = line
    with pytest.raises(ReleaseError, match="may hold nothing but"):
        held(tiny, [cell, check_cell("mean")])


@pytest.mark.parametrize("text", UNWRITTEN)
def test_a_task_that_is_not_written_yet_is_refused_with_the_words_to_replace(tiny, text):
    cell = new_markdown_cell(f"## A task\n\n{text}\n\nAnd more.", id="task")
    with pytest.raises(ReleaseError, match="'task' is not written yet: replace") as caught:
        held(tiny, [cell])
    assert text in str(caught.value)


@pytest.mark.parametrize("rubric", [None, [], "one point", [1]])
def test_an_answer_in_words_has_a_rubric(tiny, rubric):
    cell = answer_cell()
    cell.metadata.rubric = rubric
    with pytest.raises(ReleaseError, match="find-out-why has no rubric for whoever grades it"):
        held(tiny, [cell])


def test_a_heading_that_says_other_points_is_refused_with_the_command_that_mends_it(tiny):
    cells = [
        new_markdown_cell("````{exercise} A mean, 3 points\n````", id="mean-task"),
        exercise_cell("mean"),
        check_cell("mean", 2),
    ]
    with pytest.raises(
        ReleaseError, match="'mean-task' says 3 points, and its check gives 2; `pyt"
    ):
        held(tiny, cells)
    assert set_points(new_notebook(cells=cells), {"mean": 2.0}) == ["mean"]
    assert "A mean, 2 points" in cells[0].source
    held(tiny, cells)
    assert set_points(new_notebook(cells=cells), {"mean": 1.0}) == ["mean"]
    assert cells[2].metadata.nbgrader.points == 1
    assert "A mean, 1 point\n" in cells[0].source
    assert set_points(new_notebook(cells=cells), {"mean": 1.0}) == []


def test_a_whole_chapter_is_held_to_it(tiny):
    held(tiny, chapter_cells()[2:])
