"""What is graded in a chapter: the release's word, never the submission's."""

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.cells import grade_id, tags
from autograder.errors import CourseError
from autograder.grading.course import fingerprint
from autograder.manifest import RECORDINGS, ListedChapter
from autograder.source.sources import PATTERNS

UNGRADED = "ungraded"  # the tag of cells that grading need not run


@dataclass(frozen=True)
class ReleasedExercise:
    """One exercise of a chapter, as the release has it."""

    name: str
    points: float
    check_id: str
    check_source: str
    digest: str = ""  # of its check and its reference
    patterns: bytes = b""  # of its misconceptions, as the release found them: which to try first


@dataclass(frozen=True)
class ReleasedChapter:
    """What is graded in a chapter, in order: the release's word, never the submission's."""

    name: str
    exercises: tuple[ReleasedExercise, ...]
    locked: dict[str, str]
    digest: str  # of the release and the grader
    cell_metadata: dict[str, dict[str, Any]]
    demos: frozenset[str]
    ungraded: frozenset[str] = frozenset()  # of the demos: those that grading need not run
    # What is answered in words and graded by hand: the released text by grade id.
    answers: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)  # by the text above it, the grade id
    # By grade id the points and the sources' hashes of earlier releases.
    former: dict[str, frozenset] = field(default_factory=dict)

    @property
    def max_points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)


def is_ungraded(cell: Mapping[str, Any]) -> bool:
    """Whether the cell has the tag that says so."""
    return UNGRADED in tags(cell)


def read_chapter(course: Path, listed: ListedChapter) -> ReleasedChapter:
    """What the manifest lists, with the texts of the released notebook."""
    name = listed.name
    path = course / "release" / name / f"{name}.ipynb"
    if not path.exists():
        raise CourseError(
            f"{path} is missing: build the release again (autograder release {name})."
        )
    written = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = [cell | {"source": "".join(cell["source"])} for cell in written]
    demos = [cell for cell in sources if not grade_id(cell)]
    cells = {key: cell for cell in sources if (key := grade_id(cell))}
    marks = {key: cell["metadata"]["nbgrader"] for key, cell in cells.items()}
    exercises = tuple(
        ReleasedExercise(
            name=exercise.name,
            points=float(exercise.points),
            check_id=exercise.check_grade_id,
            check_source=cells[exercise.check_grade_id]["source"],
            digest=fingerprint.of_exercise(exercise.name, exercise.module),
            patterns=_patterns(course / RECORDINGS / f"{exercise.name}{PATTERNS}"),
        )
        for exercise in listed.exercises
    )
    return ReleasedChapter(
        name=name,
        exercises=exercises,
        locked={key: one["source"] for key, one in cells.items() if marks[key]["locked"]},
        digest=fingerprint.of_grader(path),
        cell_metadata=marks,
        demos=frozenset(cell["source"] for cell in demos),
        ungraded=frozenset(cell["source"] for cell in demos if is_ungraded(cell)),
        answers={
            key: one["source"] for key, one in cells.items() if one["cell_type"] == "markdown"
        },
        questions={
            above["source"]: key
            for above, one in itertools.pairwise(sources)
            if one["cell_type"] == "markdown" and (key := grade_id(one))
        },
        former={key: frozenset(kept) for key, kept in listed.former.items()},
    )


def _patterns(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
