"""Hidden cells are not for students, and so hold nothing that is."""

import pytest

from autograder.errors import ReleaseError
from autograder.release.book import Book
from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe.drop_hidden_cells import drop_hidden_cells
from autograder.release.references import References
from tests.release.miniature import exercise_cell, write_chapter


def test_an_exercise_that_is_hidden_stops_the_release(tiny):
    cell = exercise_cell("mean")
    cell.metadata.tags = ["remove-cell"]
    path = write_chapter(tiny, [cell])
    with pytest.raises(ReleaseError, match="'mean' has the tag remove-cell, and students need it"):
        drop_hidden_cells(ChapterNotebook.read(path, References(tiny / "solutions"), Book.of(tiny)))
