"""Cells that nobody reads, such as those that count what the prose says: not for students."""

from autograder.cells import grade_id, tags
from autograder.errors import ReleaseError
from autograder.release.chapter import ChapterNotebook

HIDDEN = "remove-cell"  # the book's own name for it
KEPT = "notebook-only"  # beside it: the page has no such cell, a student's notebook does


def drop_hidden_cells(chapter: ChapterNotebook) -> None:
    """Drop the cells with the tag, and keep those that are for notebooks alone.

    Raises ReleaseError if one that is dropped belongs to an exercise.
    """
    cells = []
    for cell in chapter.notebook.cells:
        if HIDDEN not in tags(cell) or KEPT in tags(cell):
            cells.append(cell)
        elif name := grade_id(cell):
            raise ReleaseError(
                f"{chapter.name}: the cell {name!r} has the tag {HIDDEN}, and students need it."
            )
    chapter.notebook.cells = cells
