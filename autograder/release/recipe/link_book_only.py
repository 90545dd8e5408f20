"""Cells for the published page alone, such as the figure to play with: a link to that page.

A chapter's first figure is a still in the notebook, and has such a link below it.
"""

import ast
import itertools
from collections.abc import Iterator

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.cells import tags
from autograder.release.book import link
from autograder.release.chapter import ChapterNotebook
from autograder.release.chapter_cells import parsed
from autograder.release.recipe.check_contract import BOOK_ONLY
from autograder.release.recipe.drop_hidden_cells import KEPT

PLAY = "Play with it on this chapter's page of the book"
STILL = "This figure is a still."
FIRST_SCREEN = "first-screen"  # the book's own name for a chapter's first figure
# What the functions of `lab` that make such figures begin a figure's id with.
PLACES = {
    "play": "play",
    "next_token_figure": "play",
    "writing_figure": "live",
    "translation_figure": "live",
    "digit_figure": "live",
    "encoding_figure": "live",
    "training_figure": "live",
}


def link_book_only(chapter: ChapterNotebook) -> None:
    """Replace each group of book-only cells by sentences that link to where they are shown."""
    cells: list[NotebookNode] = []
    anchor = ""
    for left_out, group in itertools.groupby(
        chapter.notebook.cells, lambda cell: BOOK_ONLY in tags(cell)
    ):
        group_cells = list(group)
        if left_out and any(cell.cell_type == "code" for cell in group_cells):
            first = [cell for cell in group_cells if FIRST_SCREEN in tags(cell)]
            others = [cell for cell in group_cells if cell not in first]
            for cell in first:
                cells.insert(_below_still(cells), _page_of(chapter, cell))
            figures = list(_figures(chapter, others)) or ([] if first else [{}])
            if figures:
                sentences = (_sentence(chapter, figure, anchor) for figure in figures)
                cells.append(new_markdown_cell("\n\n".join(sentences), id=group_cells[0].id))
        elif not left_out:
            for cell in group_cells:
                cells.append(cell)
                if FIRST_SCREEN in tags(cell):
                    cells.append(_page_of(chapter, cell))
        for cell in group_cells:
            if cell.cell_type == "markdown":
                anchor = chapter.book.last_anchor(cell.source) or anchor
    chapter.notebook.cells = cells


def _below_still(cells: list[NotebookNode]) -> int:
    """Where a notebook that begins with a still of its page's first figure links to it."""
    stills = (place + 1 for place, cell in enumerate(cells) if KEPT in tags(cell))
    return next(stills, len(cells))


def _page_of(chapter: ChapterNotebook, cell: NotebookNode) -> NotebookNode:
    """A sentence that leads from a still to the figure: to its place, or to the top of its page."""
    place = next((figure.get("place", "") for figure in _figures(chapter, [cell])), "")
    sentence = f"{STILL} {link(PLAY, chapter.book.address(chapter.name, place))}."
    return new_markdown_cell(sentence, id=f"{cell.id}-page")


def _sentence(chapter: ChapterNotebook, figure: dict[str, str], anchor: str) -> str:
    words = " ".join(filter(None, ["**A figure to play with.**", figure.get("alt")]))
    address = chapter.book.address(chapter.name, figure.get("place", anchor))
    return f"{words} {link(PLAY, address)}."


def _figures(chapter: ChapterNotebook, cells: list[NotebookNode]) -> Iterator[dict[str, str]]:
    """What each call of `lab` says: `alt`, the figure in words, and the `place` it is at."""
    for cell in cells:
        if cell.cell_type != "code":
            continue
        for call in ast.walk(parsed(cell, chapter.name)):
            if not isinstance(call, ast.Call):
                continue
            if kind := PLACES.get(ast.unparse(call.func).split(".")[-1]):
                options = {
                    item.arg: str(item.value.value)
                    for item in call.keywords
                    if item.arg in ("alt", "name") and isinstance(item.value, ast.Constant)
                }
                if name := options.pop("name", ""):
                    options["place"] = f"{kind}-{name}"
                yield options
