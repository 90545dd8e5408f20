"""A released notebook as the manifest lists it: its cells in order, and its exercises."""

from nbformat import NotebookNode

from autograder.cells import grade_id, tags
from autograder.files import sha256
from autograder.manifest import ListedCell, ListedChapter, ListedExercise
from autograder.release.chapter_cells import kind, named
from autograder.release.debugging_exercises import PREFIX


def listed(name: str, notebook: NotebookNode, modules: dict[str, str]) -> ListedChapter:
    """One chapter. `modules`: reference -> module."""
    cells, exercises = [], []
    stub = notebook.cells[0]
    for cell in notebook.cells:
        cells.append(
            ListedCell(grade_id(cell), sha256(cell.source), cell.id, kind(cell), tags(cell))
        )
        if kind(cell) == "exercise":
            stub = cell
        elif kind(cell) == "check":
            exercise = named(stub)
            reference = exercise if exercise in modules else exercise.removeprefix(PREFIX)
            exercises.append(
                ListedExercise(
                    name=exercise,
                    module=modules[reference],
                    reference=reference,
                    points=float(cell.metadata.nbgrader.points),
                    cell=stub.id,
                    check_grade_id=named(cell),
                )
            )
    return ListedChapter(name, tuple(exercises), tuple(cells))
