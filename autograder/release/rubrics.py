"""How to grade answers in words: python -m autograder.release.rubrics [CHAPTER ...]

Prints, for each cell that is graded by hand, its points, its rubric and its example answer.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.checking.feedback import points_text
from autograder.files import REPOSITORY
from autograder.release.build import CHAPTERS
from autograder.release.chapter_cells import kind


def rubrics(notebook: NotebookNode) -> Iterator[str]:
    """One text for each answer in words of a chapter."""
    for cell in notebook.cells:
        if kind(cell) == "answer":
            points = points_text(cell.metadata.nbgrader.points)
            rows = [f"- {row}" for row in cell.metadata.rubric]
            yield "\n".join([f"{grade_id(cell)}, {points}", "", *rows, "", cell.source, ""])


def main(chapters: Sequence[str], book: Path = REPOSITORY / "book") -> None:
    """Print what there is of the chapters, or of all."""
    known = {path.stem: path for path in sorted(book.glob(CHAPTERS))}
    if unknown := sorted(set(chapters) - set(known)):
        sys.exit(f"There is no chapter {unknown[0]!r}; there are: {', '.join(known)}.")
    for name, path in known.items():
        if not chapters or name in chapters:
            for text in rubrics(nbformat.read(path, as_version=4)):
                print(f"{name}: {text}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    main(parser.parse_args().chapters)
