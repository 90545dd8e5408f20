"""A notebook begins with a still of what its page shows on the first screen."""

import nbformat
import pytest
from lab.opening import FOLDER

from make import openings

CHAPTERS = openings.chapters()
FEW = 80  # words: the figure comes first


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_still_is_of_the_figure_that_the_notebook_stores(path):
    wanted = openings.digest(openings.figure_of(path))
    assert openings.drawn_from(FOLDER / f"{path.stem}.png") == wanted, "run make/openings.py"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_few_words_stand_above_what_is_shown_first(path):
    words = 0
    for cell in nbformat.read(path, as_version=4).cells:
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            break
        words += len(cell.source.split()) if cell.cell_type == "markdown" else 0
    assert words <= FEW


def test_every_still_belongs_to_a_notebook():
    assert {path.stem for path in FOLDER.glob("*.png")} == {path.stem for path in CHAPTERS}


def test_the_conversation_that_chapter_14_opens_with_is_the_one_below():
    path = openings.BOOK / "14-real-writer.ipynb"
    cells = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}
    opened = cells["opening"].source.split("```text\n")[1].split("```")[0].split()
    answered = cells["chat-code"].outputs[0]["text"].split()
    assert opened == answered[: len(opened)]
