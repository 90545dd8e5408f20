"""The questions with which a chapter opens: in a notebook, asked by `review`, which asks again."""

from nbformat.v4 import new_code_cell

from autograder.release.chapter import ChapterNotebook
from autograder.release.chapter_cells import OPENING

WORDS = (
    "**Three questions from earlier chapters.** The cell below asks them one at a time, and says "
    "how to answer. They come back on later days, when `review()` asks what is due."
)
CODE = 'from autograder import review\n\nreview(begin="{}")'


def ask_openings(chapter: ChapterNotebook) -> None:
    """Put a cell that asks them in the place of the questions."""
    for index, cell in enumerate(chapter.notebook.cells):
        if cell.id == OPENING:
            cell.source = WORDS
            asking = new_code_cell(CODE.format(chapter.name), id=f"{OPENING}-asked")
            asking.metadata.tags = ["ungraded"]
            chapter.notebook.cells.insert(index + 1, asking)
            return
