"""Cells that nobody reads, such as those that count what the prose says: not for students."""

from autograder.cells import grade_id, tags
from autograder.errors import ReleaseError
from autograder.release.chapter import ChapterNotebook

HIDDEN = "remove-cell"  # the book's own name for it


def drop_hidden_cells(chapter: ChapterNotebook) -> None:
    """Drop the cells with the tag. Raises ReleaseError if one of them belongs to an exercise."""
    cells = []
    for cell in chapter.notebook.cells:
        if HIDDEN not in tags(cell):
            cells.append(cell)
        elif name := grade_id(cell):
            raise ReleaseError(
                f"{chapter.name}: the cell {name!r} has the tag {HIDDEN}, and students need it."
            )
    chapter.notebook.cells = cells
