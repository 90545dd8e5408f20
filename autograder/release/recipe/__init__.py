"""A chapter of the book to nbgrader's source of the assignment: the recipe."""

import nbformat

from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe.ask_inventory import ask_inventory
from autograder.release.recipe.ask_openings import ask_openings
from autograder.release.recipe.check_contract import check_contract
from autograder.release.recipe.clear_outputs import clear_outputs
from autograder.release.recipe.cut_stubs import cut_stubs
from autograder.release.recipe.drop_hidden_cells import drop_hidden_cells
from autograder.release.recipe.empty_answers import empty_answers
from autograder.release.recipe.inline_provided import inline_provided
from autograder.release.recipe.link_book_only import link_book_only
from autograder.release.recipe.simplify_markdown import simplify_markdown

RECIPE = (
    check_contract,
    drop_hidden_cells,
    ask_openings,
    ask_inventory,
    link_book_only,  # before the Markdown: its sentence is plain already, headings are still whole
    inline_provided,  # before the stubs: it says which names the notebook has
    cut_stubs,
    empty_answers,
    simplify_markdown,
    clear_outputs,
)


def make_source(chapter: ChapterNotebook) -> str:
    """The source notebook, as text."""
    for transform in RECIPE:
        transform(chapter)
    return nbformat.writes(chapter.notebook, version=4) + "\n"
