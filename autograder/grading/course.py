"""A course folder: what the release says is graded, and what the students handed in."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from autograder.settings import NAME as SETTINGS
from autograder.settings import Settings, read_settings

if TYPE_CHECKING:
    from autograder.grading.notebook import Chapter

MANIFEST = "manifest.json"
STUDENT_ID = re.compile(r"[^\x00-\x1f/\\\ud800-\udfff]{1,128}")


class CourseError(Exception):
    """The course folder cannot be graded as it is; the text says what to do."""


@dataclass(frozen=True)
class Submission:
    """Where one student's notebook of one chapter should be."""

    student: str
    chapter: str
    folder: Path

    @property
    def notebook(self) -> Path:
        return self.folder / f"{self.chapter}.ipynb"


class ListedExercise(NamedTuple):
    """An exercise, as the manifest has it."""

    name: str
    points: float
    check_id: str


@dataclass(frozen=True)
class ListedChapter:
    """A released chapter, as the manifest has it: all that a report needs, read at once."""

    name: str
    exercises: tuple[ListedExercise, ...]

    @property
    def max_points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)


@dataclass(frozen=True)
class Course:
    """A standard nbgrader course folder with the release's manifest in it."""

    root: Path

    @property
    def db_url(self) -> str:
        return self.settings.gradebook

    @property
    def settings(self) -> Settings:
        """What the teacher set in `course.toml`."""
        return read_settings(self.root)

    @property
    def state(self) -> Path:
        """What grading remembers between runs."""
        return self.root / ".grading"

    def chapters(self, names: Sequence[str] = ()) -> dict[str, "Chapter"]:
        """The released chapters by name, with all that grading needs: the named ones, or all."""
        return {name: self._chapter(name, entry) for name, entry in self._chosen(names).items()}

    def listed(self, names: Sequence[str] = ()) -> dict[str, ListedChapter]:
        """The released chapters by name, as the manifest has them: the named ones, or all."""
        return {
            name: ListedChapter(
                name,
                tuple(
                    ListedExercise(one["name"], float(one["points"]), one["check_grade_id"])
                    for one in entry["exercises"]
                ),
            )
            for name, entry in self._chosen(names).items()
        }

    def _chosen(self, names: Sequence[str]) -> dict[str, dict]:
        released = self._released()
        unknown = sorted(set(names) - set(released))
        if unknown:
            raise CourseError(
                f"There is no released chapter {unknown[0]}; there are: {', '.join(released)}."
            )
        return {k: entry for k, entry in sorted(released.items()) if not names or k in names}

    def _released(self) -> dict[str, dict]:
        path = self.root / MANIFEST
        if not path.exists():
            raise CourseError(
                f"{self.root} holds no {MANIFEST}: build the release first (autograder release)."
            )
        return json.loads(path.read_text(encoding="utf-8"))["chapters"]

    def see_due_dates(self) -> None:
        """Raise CourseError where a due date names no chapter: a slip there would cost nobody.

        A chapter that is not released yet may have its date.
        """
        from autograder.checking.registry import exercises

        known = {one.chapter for one in exercises().values()} | set(self._released())
        if unknown := sorted(set(self.settings.due) - known):
            there_are = ", ".join(sorted(known))
            raise CourseError(
                f"{self.root / SETTINGS}: [due] {unknown[0]} is no chapter; there are: {there_are}."
            )

    def _chapter(self, name: str, entry: dict) -> "Chapter":
        # Here, since reading a class's scores needs no notebook.
        import nbformat

        from autograder.grading import fingerprint
        from autograder.grading.needed import is_ungraded
        from autograder.grading.notebook import Chapter, Task, grade_id

        path = self.root / "release" / name / f"{name}.ipynb"
        if not path.exists():
            raise CourseError(
                f"{path} is missing: build the release again (autograder release {name})."
            )
        notebook = nbformat.read(path, as_version=4)
        demos = [cell for cell in notebook.cells if not grade_id(cell)]
        cells = {grade_id(cell): cell for cell in notebook.cells if grade_id(cell)}
        tasks = tuple(
            Task(
                exercise["name"],
                float(exercise["points"]),
                exercise["check_grade_id"],
                cells[exercise["check_grade_id"]].source,
                fingerprint.of_exercise(exercise["name"], exercise["module"]),
            )
            for exercise in entry["exercises"]
        )
        return Chapter(
            name,
            tasks,
            {key: cell.source for key, cell in cells.items() if cell.metadata.nbgrader.locked},
            fingerprint.of_grader(path),
            {key: dict(cell.metadata.nbgrader) for key, cell in cells.items()},
            frozenset(cell.source for cell in demos),
            frozenset(cell.source for cell in demos if is_ungraded(cell)),
            {key: cell.source for key, cell in cells.items() if cell.cell_type == "markdown"},
        )

    def submission(self, student: str, chapter: str) -> Submission:
        """Where one student's work of one chapter is, or should be."""
        return Submission(student, chapter, self.root / "submitted" / student / chapter)

    def submissions(self, chapters: Sequence[str]) -> list[Submission]:
        """Every student's folder of each chapter, in order."""
        submitted = self.root / "submitted"
        if not submitted.is_dir():
            raise CourseError(
                f"{submitted} is missing: put submissions there, one folder a student."
            )
        found = []
        for student in sorted(submitted.iterdir(), key=lambda path: path.name):
            if student.name.startswith(".") or not student.is_dir():
                continue
            for chapter in chapters:
                one = self.submission(student.name, chapter)
                if _may_be_there(one.folder):
                    found.append(one)
        return found


def _may_be_there(folder: Path) -> bool:
    try:
        return folder.is_symlink() or folder.exists()
    except OSError:  # the folder above cannot be looked into: that is for whoever reads it to say
        return True
