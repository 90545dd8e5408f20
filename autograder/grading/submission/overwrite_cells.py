"""A submitted notebook put in order: the release's cells in place of what became of them."""

import itertools
from collections.abc import Iterator

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.cells import grade_id
from autograder.files import sha256
from autograder.grading.course.released import ReleasedChapter
from autograder.grading.submission.names_used import definition_of
from autograder.grading.text import one_line

MOST_STRANGERS = 10
NAMED_AT_MOST = 4


def restored(notebook: NotebookNode, chapter: ReleasedChapter) -> list[str]:
    """Put the release's cells back in place; return, in words, what had been changed.

    Every graded and locked cell gets the release's source and metadata, the last of several
    cells with one id keeps it (as nbgrader does), unknown ids are dropped, and a check cell that
    is missing is added back behind its exercise.
    """
    notes: list[str] = []
    seen: set[str] = set()
    strangers = 0
    for cell in reversed(notebook.cells):
        # Editors and platforms write line ends in their own way; Python reads all alike.
        cell.source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
        name = grade_id(cell)
        if name is None:
            cell.metadata.pop("nbgrader", None)
            continue
        if name in seen:
            notes.append(f"the cell {name} was there more than once; the last one is graded")
            cell.metadata.pop("nbgrader")
            continue
        if name not in chapter.cell_metadata:
            strangers += 1
            if strangers <= MOST_STRANGERS:
                notes.append(f"the cell {one_line(name, 60)} is not one of the release's")
            cell.metadata.pop("nbgrader")
            continue
        seen.add(name)
        notes += _restore(cell, name, chapter)
    if strangers > MOST_STRANGERS:
        notes.append(f"{strangers - MOST_STRANGERS} more cells are not of the release's")
    notes = list(dict.fromkeys(notes))
    if count := _mark_again(notebook, chapter, seen):
        cells = "a cell" if count == 1 else f"{count} cells"
        notes.append(f"the metadata of {cells} was gone and is put back, by what stands there")
    graded = (name for exercise in chapter.exercises for name in (exercise.name, exercise.check_id))
    if missing := [name for name in (*graded, *chapter.answers) if name not in seen]:
        listed, more = " and ".join(missing[:NAMED_AT_MOST]), len(missing) - NAMED_AT_MOST
        listed += f" and {more} more" if more > 0 else ""
        notes.append(
            f"the cell{'s' if len(missing) > 1 else ''} {listed} "
            f"{'are' if len(missing) > 1 else 'is'} missing"
        )
    _add_checks(notebook, chapter, seen)
    return notes


def _mark_again(notebook: NotebookNode, chapter: ReleasedChapter, seen: set[str]) -> int:
    """Give cells without metadata that of the release's cells that they are; how many there were.

    A check is known by its source, an exercise by what the cell defines, and an answer in words by
    the question above it.
    """
    plain = [cell for cell in notebook.cells if grade_id(cell) is None]
    code = [cell for cell in plain if cell.cell_type == "code"]
    cells: dict[str, NotebookNode] = {}
    for exercise in chapter.exercises:
        defines = definition_of(exercise.name)
        own = [cell for cell in code if defines.search(cell.source)]
        if own and own[-1].source not in chapter.demos:
            cells[exercise.name] = own[-1]
        same = [cell for cell in code if cell.source.strip() == exercise.check_source.strip()]
        if len(same) > (exercise.check_source in chapter.demos):  # a demo of it is there too
            cells[exercise.check_id] = same[-1]
    for above, cell in itertools.pairwise(notebook.cells):
        name = chapter.questions.get(above.source)
        answer = cell.cell_type == "markdown" and cell.source not in chapter.demos
        if name and answer and grade_id(cell) is None:
            cells[name] = cell
    count = 0
    for name, cell in cells.items():
        if name not in seen and grade_id(cell) is None:
            cell.metadata.nbgrader = NotebookNode(chapter.cell_metadata[name])
            seen.add(name)
            count += 1
    return count


def _restore(cell: NotebookNode, name: str, chapter: ReleasedChapter) -> Iterator[str]:
    """Give a cell what the release has under its name; what had been changed, in words."""
    release = chapter.cell_metadata[name]
    kind = "markdown" if name in chapter.answers else "code"
    if cell.cell_type != kind:
        yield f"the cell {name} had its type changed"
        _retype(cell, kind)
    former, marks = chapter.former.get(name, frozenset()), cell.metadata.nbgrader
    changed = [key for key in ("points", "grade") if marks.get(key) != release.get(key)]
    if changed and not (changed == ["points"] and marks.get("points") in former):
        yield f"the metadata of the cell {name} was edited"
    cell.metadata.nbgrader = NotebookNode(release)
    if name in chapter.locked and cell.source != chapter.locked[name]:
        if sha256(cell.source) not in former:
            yield f"the locked cell {name} was edited"
        cell.source = chapter.locked[name]


def _retype(cell: NotebookNode, kind: str) -> None:
    cell.cell_type = kind
    for part in ("outputs", "execution_count"):
        cell.pop(part, None)
    if kind == "code":
        cell.update(outputs=[], execution_count=None)


def answered(notebook: NotebookNode, chapter: ReleasedChapter) -> dict[str, bool]:
    """For each cell that is graded by hand, whether something was written there."""
    written = {grade_id(cell): cell.source.strip() for cell in notebook.cells}
    return {
        name: written.get(name, "") not in ("", released.strip())
        for name, released in chapter.answers.items()
    }


def _add_checks(notebook: NotebookNode, chapter: ReleasedChapter, seen: set[str]) -> None:
    for exercise in chapter.exercises:
        if exercise.check_id in seen:
            continue
        cell = new_code_cell(exercise.check_source, id=f"restored-{exercise.check_id}"[:64])
        cell.metadata.nbgrader = NotebookNode(chapter.cell_metadata[exercise.check_id])
        places = [i for i, other in enumerate(notebook.cells) if grade_id(other) == exercise.name]
        notebook.cells.insert(places[0] + 1 if places else len(notebook.cells), cell)
