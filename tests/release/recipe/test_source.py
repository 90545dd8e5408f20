"""The recipe as a whole, on the chapter in miniature."""

import re

import nbformat
import pytest

from autograder.cells import tags
from autograder.files import REPOSITORY
from autograder.nbgrader_course import YOUR_ANSWER
from autograder.release.book import Book
from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe import make_source
from autograder.release.recipe.link_book_only import link_book_only
from autograder.release.references import References


@pytest.fixture
def cells(tiny) -> dict:
    path = tiny / "book" / "03-tiny.ipynb"
    text = make_source(ChapterNotebook.read(path, References(tiny / "solutions"), Book.of(tiny)))
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    return {cell.id: cell for cell in notebook.cells}


def test_no_cell_keeps_an_output(cells):
    assert not any(cell.get("outputs") for cell in cells.values())


def test_the_folded_reference_is_left_out(cells):
    assert "folded" not in cells


def test_a_number_in_prose_is_the_stored_one(cells):
    assert cells["talk"].source == "The share is 0.25."


def test_a_hidden_cell_is_left_out(cells):
    assert "hidden" not in cells


def test_a_cell_for_notebooks_alone_is_kept(cells):
    assert cells["still"].source == "print('A still.')"


def test_the_figure_to_play_with_is_a_link(cells):
    assert cells["play"].cell_type == "markdown"
    assert cells["play"].source == (
        "**A figure to play with.** Drag the query. "
        "[Play with it on this chapter's page of the book]"
        "(https://example.org/book/03-tiny.html#play-drag)."
    )


CHAPTERS = sorted((REPOSITORY / "book").glob("[0-9][0-9]-*.ipynb"))
DRAWN = re.compile(r'<figure class="(?:play|live \w+)" id="([\w-]+)"')


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_figure_to_play_with_is_linked_where_it_stood(path):
    """The page's own places are in the outputs that it is made from.

    Where a notebook begins with a still of its page's first figure, the link is below the still.
    """
    book = Book(REPOSITORY / "book", "https://example.org/book")
    chapter = ChapterNotebook.read(path, References(REPOSITORY / "solutions"), book)
    link_book_only(chapter)
    cells = chapter.original.cells
    if any("notebook-only" in tags(cell) for cell in cells):
        cells = sorted(cells, key=lambda cell: "first-screen" not in tags(cell))
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    drawn = [
        id for one in outputs for id in DRAWN.findall(one.get("data", {}).get("text/html", ""))
    ]
    text = "\n".join(cell.source for cell in chapter.notebook.cells)
    page = f"https://example.org/book/{path.stem}.html#"
    assert re.findall(rf"\({re.escape(page)}((?:play|live)-[\w-]+)\)", text) == drawn


FIRST = {
    "08-masked": "08-masked.html",  # a still of the attention machine
    "10-writer": "10-writer.html#live-writing",
}


@pytest.mark.parametrize("name", FIRST)
def test_below_the_first_figures_still_is_a_link_to_the_figure(name):
    path = REPOSITORY / "book" / f"{name}.ipynb"
    book = Book(REPOSITORY / "book", "https://example.org/book")
    chapter = ChapterNotebook.read(path, References(REPOSITORY / "solutions"), book)
    link_book_only(chapter)
    still, below = chapter.notebook.cells[1:3]
    assert "first-screen" in still.metadata.tags
    words = "This figure is a still. [Play with it on this chapter's page of the book]"
    assert below.source == f"{words}(https://example.org/book/{FIRST[name]})."


def test_without_an_address_it_is_said_where_the_figure_is(tiny):
    path = tiny / "book" / "03-tiny.ipynb"
    chapter = ChapterNotebook.read(path, References(tiny / "solutions"), Book(tiny / "book", ""))
    link_book_only(chapter)
    (text,) = (cell.source for cell in chapter.notebook.cells if cell.id == "play")
    said = "**A figure to play with.** Drag the query. Play with it on this chapter's page"
    assert text == f"{said} of the book."


def test_plotting_code_is_folded_in_jupyter_too(cells):
    assert cells["number"].metadata.jupyter.source_hidden


def test_nothing_asks_for_the_references(cells):
    assert not any("solutions" in cell.source for cell in cells.values())


def test_exercise_and_check_keep_their_metadata(cells):
    assert cells["mean-exercise"].metadata.nbgrader.grade_id == "mean"
    assert cells["mean-check"].source == 'check("mean")'
    assert cells["mean-check"].metadata.nbgrader.points == 2


def test_an_answer_in_words_is_left_to_the_student_and_its_rubric_to_the_teacher(cells):
    assert cells["why"].source == YOUR_ANSWER
    assert cells["why"].metadata.nbgrader.points == 2
    assert "rubric" not in cells["why"].metadata
