"""A chapter of the book to nbgrader's source of the assignment: the recipe."""

import nbformat

from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe.answers import empty_answers
from autograder.release.recipe.book_only import link_book_only
from autograder.release.recipe.contract import hold_to_the_contract
from autograder.release.recipe.hidden import leave_out_hidden
from autograder.release.recipe.outputs import clear_outputs
from autograder.release.recipe.plain_markdown import make_markdown_plain
from autograder.release.recipe.provided import write_out_provided
from autograder.release.recipe.stub import cut_stubs

RECIPE = (
    hold_to_the_contract,
    leave_out_hidden,
    link_book_only,  # before the Markdown: its sentence is plain already, headings are still whole
    write_out_provided,  # before the stubs: it says which names the notebook has
    cut_stubs,
    empty_answers,
    make_markdown_plain,
    clear_outputs,
)


def make_source(chapter: ChapterNotebook) -> str:
    """The source notebook, as text."""
    for transform in RECIPE:
        transform(chapter)
    return nbformat.writes(chapter.notebook, version=4) + "\n"
