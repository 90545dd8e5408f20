"""Answers in words: the book's example and its rubric make place for the student's own."""

from autograder.nbgrader_course import YOUR_ANSWER
from autograder.release.chapter import ChapterNotebook
from autograder.release.chapter_cells import kind


def empty_answers(chapter: ChapterNotebook) -> None:
    """Leave a place to write in each cell that is graded by hand."""
    for cell in chapter.notebook.cells:
        if kind(cell) == "answer":
            cell.source = YOUR_ANSWER
            cell.metadata.pop("rubric", None)
