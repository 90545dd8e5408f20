"""What a chapter's cells must be before anything is made of them."""

import ast
import re
from collections import Counter

from nbformat import NotebookNode

from autograder.cells import grade_id, tags
from autograder.errors import ReleaseError
from autograder.release.chapter import ChapterNotebook
from autograder.release.chapter_cells import imports_from_solutions, kind, named, parsed
from autograder.source.content import content
from autograder.source.syntax import imported

BOOK_ONLY = "book-only"
FIND_OUT = "find-out-"
POINTS = re.compile(r"\b\d+(?:\.\d+)? points?\b")
# What add_exercise writes for an author to replace: the task, and its three hints.
UNWRITTEN = (
    "What to write, and all that must hold of it.",
    "What to look at.",
    "Which operation, or which fact.",
    "How the pieces go together, without the line itself.",
)


def check_contract(chapter: ChapterNotebook) -> None:
    """Stop at the first cell that breaks the agreement of the three places."""
    where, cells = chapter.name, chapter.notebook.cells
    for name, count in Counter(filter(None, map(grade_id, cells))).items():
        if count > 1:
            raise ReleaseError(f"{where}: {count} cells have the grade_id {name!r}.")
    for cell_id, count in Counter(cell.get("id") for cell in cells).items():
        if cell_id is None:
            raise ReleaseError(f"{where}: a cell has no id; save the notebook in format 4.5.")
        if count > 1:
            raise ReleaseError(f"{where}: {count} cells have the id {cell_id!r}.")

    for index, cell in enumerate(cells):
        if kind(cell) == "check":
            _points(where, cells, index)
    waiting: str | None = None  # the exercise whose check cell has not come yet
    for cell in cells:
        for text in UNWRITTEN if cell.cell_type == "markdown" else ():
            if text in cell.source.split("\n"):
                raise ReleaseError(
                    f"{where}: the task in the cell {cell.id!r} is not written yet: "
                    f"replace {text!r}."
                )
        match kind(cell):
            case "exercise":
                if waiting:
                    raise ReleaseError(f"{where}: exercise {waiting} has no check cell.")
                waiting = grade_id(cell)
                _exercise(where, cell)
            case "check":
                _check(where, cell, waiting)
                waiting = None
            case "answer":
                _answer(where, cell)
            case "provided":
                imports_from_solutions(cell, where)
            case "demo" if BOOK_ONLY not in tags(cell):
                _demo(where, cell)
    if waiting:
        raise ReleaseError(f"{where}: exercise {waiting} has no check cell.")


def task_of(cells: list[NotebookNode], check: int) -> NotebookNode | None:
    """The text before an exercise, given the place of its check, if it says how many points."""
    before = [cell for cell in cells[:check] if cell.cell_type == "markdown"]
    return before[-1] if before and POINTS.search(before[-1].source) else None


def _points(where: str, cells: list[NotebookNode], index: int) -> None:
    task, points = task_of(cells, index), cells[index].metadata.nbgrader.get("points")
    match = POINTS.search(task.source) if task else None
    if task is None or match is None or not points:
        return
    stated = match[0]
    if float(stated.split()[0]) != points:
        raise ReleaseError(
            f"{where}: the task in the cell {task.id!r} says {stated}, and its check gives "
            f"{points:g}; `python -m autograder.release.set_points` brings both to what the "
            "exercise's check says."
        )


def _exercise(where: str, cell: NotebookNode) -> None:
    wanted = [item.bound for item in imports_from_solutions(cell, where)]
    if wanted != [grade_id(cell)]:
        raise ReleaseError(
            f"{where}: the exercise cell {grade_id(cell)!r} imports {', '.join(wanted)}; "
            f"it must import {grade_id(cell)} alone."
        )


def _check(where: str, cell: NotebookNode, exercise: str | None) -> None:
    name = named(cell).removeprefix("check-")
    if exercise != name:
        missing = f"{exercise} comes before it" if exercise else "no exercise cell comes before it"
        raise ReleaseError(
            f"{where}: the check cell {grade_id(cell)!r} checks {name}, but {missing}."
        )
    calls = [ast.unparse(statement) for statement in parsed(cell, where).body]
    if grade_id(cell) != f"check-{name}" or calls != [f"check({name!r})"]:
        raise ReleaseError(
            f'{where}: the check cell of {name} must be `check("{name}")`, with the grade_id '
            f"'check-{name}'."
        )
    if not cell.metadata.nbgrader.get("points", 0) > 0:
        raise ReleaseError(f"{where}: the check cell of {name} gives no points.")
    if not cell.metadata.nbgrader.get("locked"):
        raise ReleaseError(f"{where}: the check cell of {name} is not locked.")


def _answer(where: str, cell: NotebookNode) -> None:
    name = named(cell)
    if not name.startswith(FIND_OUT):
        raise ReleaseError(
            f"{where}: {name!r} is a text that is graded by hand; its grade_id must begin with "
            f"{FIND_OUT!r}."
        )
    if not cell.metadata.nbgrader.get("points", 0) > 0:
        raise ReleaseError(f"{where}: {name} gives no points.")
    rubric = cell.metadata.get("rubric")
    if not (isinstance(rubric, list) and rubric and all(isinstance(row, str) for row in rubric)):
        raise ReleaseError(
            f"{where}: {name} has no rubric for whoever grades it; write it into the cell's "
            f'metadata, as "rubric": ["1 point: ...", ...].'
        )
    if not cell.source.strip():
        raise ReleaseError(f"{where}: {name} has no example answer.")


def _demo(where: str, cell: NotebookNode) -> None:
    package = content().solutions
    if any(f"{module}.".startswith(f"{package}.") for module in imported(parsed(cell, where))):
        raise ReleaseError(
            f"{where}: cell {cell.id!r} imports from {package}, which students do not have; "
            "mark it as an exercise or as provided."
        )
