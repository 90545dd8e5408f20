"""How to grade answers in words: python -m autograder.release.rubrics [CHAPTER ...]

Prints, for each cell that is graded by hand, its points, its rubric and its example answer.
"""

import argparse
import functools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.errors import ReleaseError
from autograder.files import REPOSITORY
from autograder.notebook.feedback import points_text
from autograder.release.book import Book
from autograder.release.chapter_cells import kind
from autograder.release.recipe.simplify_markdown import Directive, Translation, glued_values
from autograder.release.released import CHAPTERS, PROJECT


def rubrics(notebook: NotebookNode, chapter: str, book: Book) -> Iterator[str]:
    """One text for each answer in words of a chapter, with the numbers that its cells found."""
    glued = glued_values(notebook)
    for cell in notebook.cells:
        if kind(cell) == "answer":
            plain = Translation(book, chapter, glued, f"{chapter}: cell {cell.id!r}")
            plain.directives["dropdown"] = functools.partial(_unfolded, plain)
            points = points_text(cell.metadata.nbgrader.points)
            rows = [f"- {plain(row)}" for row in cell.metadata.rubric]
            text = plain(cell.source)
            yield "\n".join([f"{grade_id(cell)}, {points}", "", *rows, "", text, ""])


def _unfolded(plain: Translation, block: Directive) -> str:
    return f"{plain.prose(block.argument)}:\n\n{plain(block.body)}\n"


def main(chapters: Sequence[str], root: Path = REPOSITORY) -> None:
    """Print what there is of the chapters, or of all."""
    book = Book.of(root)
    paths = [*sorted(book.folder.glob(CHAPTERS)), *book.folder.glob(PROJECT)]
    paths_by_name = {path.stem: path for path in paths}
    if unknown := sorted(set(chapters) - set(paths_by_name)):
        sys.exit(f"There is no chapter {unknown[0]!r}; there are: {', '.join(paths_by_name)}.")
    for name, path in paths_by_name.items():
        if not chapters or name in chapters:
            try:
                for text in rubrics(nbformat.read(path, as_version=4), name, book):
                    print(f"{name}: {text}")
            except ReleaseError as error:
                sys.exit(str(error))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    main(parser.parse_args().chapters)
