"""Do the cells that `add_exercise` writes have the form that chapters have?"""

import shutil
from pathlib import Path

import nbformat
import pytest

from autograder.checking.registry import exercises
from autograder.release.add_exercise import add, cells
from autograder.release.recipe.check_contract import UNWRITTEN

ROOT = Path(__file__).resolve().parents[2]
LABELS = {"exercise": "double-exercise", "check": "double-check", "reference": "double-reference"}


@pytest.fixture
def book(tmp_path):
    """A chapter as it is committed, without the cells of `double`."""
    notebook = nbformat.read(ROOT / "book" / "00-start-here.ipynb", as_version=4)
    written = {kind: cell for kind, i in LABELS.items() for cell in notebook.cells if cell.id == i}
    notebook.cells = [cell for cell in notebook.cells if cell not in written.values()]
    notebook.cells = [cell for cell in notebook.cells if not cell.id.startswith("double-")]
    nbformat.write(notebook, tmp_path / "00-start-here.ipynb")
    return tmp_path, written


def test_the_cells_equal_those_of_the_chapter(book):
    folder, written = book
    cells = {cell.id: cell for cell in nbformat.read(add("double", book=folder), 4).cells}
    for kind, label in LABELS.items():
        assert cells[label].source == written[kind].source
        assert cells[label].metadata == written[kind].metadata
        assert cells[label].cell_type == written[kind].cell_type
    order = [i for i in cells if i.startswith("double-")]
    assert order == ["double-task", "double-exercise", "double-check", "double-reference"]


def test_each_part_that_is_left_to_write_is_one_that_a_release_refuses(book):
    folder, _ = book
    cells = {cell.id: cell for cell in nbformat.read(add("double", book=folder), 4).cells}
    lines = cells["double-task"].source.split("\n")
    assert [text for text in UNWRITTEN if text in lines] == list(UNWRITTEN)
    assert sum("Hint" in line for line in lines) == len(UNWRITTEN) - 1


def test_a_debugging_exercise_has_its_task_and_says_afterward_what_was_wrong():
    mend = next(one for one in exercises().values() if one.mend and one.reference != one.name)
    task, _, _, reference = cells(mend)
    assert "There is one mistake in this code." in task.source
    assert not {"{sentence}", "{file}"} & set(task.source.split())
    assert reference.source.startswith(f":::{{dropdown}} What was wrong\n{mend.planted.sentence}\n")


def test_they_come_after_the_cell_that_is_named(book):
    folder, _ = book
    ids = [cell.id for cell in nbformat.read(add("double", "setup", folder), 4).cells]
    assert ids[ids.index("setup") + 1] == "double-task"


def test_what_cannot_be_done_is_said_and_leaves_the_chapter_alone(book):
    folder, _ = book
    path = add("double", book=folder)
    before = path.read_bytes()
    for name, after, words in [
        ("double", None, "already"),
        ("no_such_exercise", None, "No check is registered"),
        ("softmax", None, "no chapter 02-softmax.ipynb"),
    ]:
        with pytest.raises(ValueError, match=words):
            add(name, after, folder)
    assert path.read_bytes() == before
    shutil.copy(ROOT / "book" / "02-softmax.ipynb", folder)
    with pytest.raises(ValueError, match="already"):
        add("softmax", "setup", folder)
