"""What is graded in a chapter: the release's word, never the submission's."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.grading.course import fingerprint
from autograder.grading.errors import CourseError
from autograder.manifest import ListedChapter

UNGRADED = "ungraded"  # the tag of cells that grading need not run


@dataclass(frozen=True)
class ReleasedExercise:
    """One exercise of a chapter, as the release has it."""

    name: str
    points: float
    check_id: str
    check_source: str
    digest: str = ""  # of its check and its reference


@dataclass(frozen=True)
class ReleasedChapter:
    """What is graded in a chapter, in order: the release's word, never the submission's."""

    name: str
    tasks: tuple[ReleasedExercise, ...]
    locked: dict[str, str]
    digest: str  # of the release and the grader
    cell_metadata: dict[str, dict[str, Any]]
    demos: frozenset[str]
    ungraded: frozenset[str] = frozenset()  # of the demos: those that grading need not run
    # What is answered in words and graded by hand: the released text by grade id.
    answers: dict[str, str] = field(default_factory=dict)
    # By grade id the points and the sources' hashes of earlier releases.
    former: dict[str, frozenset] = field(default_factory=dict)

    @property
    def max_points(self) -> float:
        return sum(task.points for task in self.tasks)


def grade_id(cell: NotebookNode) -> str | None:
    """The nbgrader id of a cell, if it has a usable one."""
    marks = cell.metadata.get("nbgrader")
    name = marks.get("grade_id") if isinstance(marks, dict) else None
    return name if isinstance(name, str) else None


def is_ungraded(cell: NotebookNode) -> bool:
    """Whether the cell has the tag that says so."""
    tags = cell.metadata.get("tags")
    return isinstance(tags, list) and UNGRADED in tags


def read_chapter(course: Path, listed: ListedChapter) -> ReleasedChapter:
    """What the manifest lists, with the texts of the released notebook."""
    name = listed.name
    path = course / "release" / name / f"{name}.ipynb"
    if not path.exists():
        raise CourseError(
            f"{path} is missing: build the release again (autograder release {name})."
        )
    notebook = nbformat.read(path, as_version=4)
    demos = [cell for cell in notebook.cells if not grade_id(cell)]
    cells = {key: cell for cell in notebook.cells if (key := grade_id(cell))}
    tasks = tuple(
        ReleasedExercise(
            name=exercise.name,
            points=float(exercise.points),
            check_id=exercise.check_grade_id,
            check_source=cells[exercise.check_grade_id].source,
            digest=fingerprint.of_exercise(exercise.name, exercise.module),
        )
        for exercise in listed.exercises
    )
    return ReleasedChapter(
        name=name,
        tasks=tasks,
        locked={key: one.source for key, one in cells.items() if one.metadata.nbgrader.locked},
        digest=fingerprint.of_grader(path),
        cell_metadata={key: dict(one.metadata.nbgrader) for key, one in cells.items()},
        demos=frozenset(cell.source for cell in demos),
        ungraded=frozenset(cell.source for cell in demos if is_ungraded(cell)),
        answers={key: one.source for key, one in cells.items() if one.cell_type == "markdown"},
        former={key: frozenset(kept) for key, kept in listed.former.items()},
    )
