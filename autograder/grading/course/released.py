"""What is graded in a chapter: the release's word, never the submission's."""

from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

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
