"""A course folder: what the release says is graded, and what the students handed in."""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder import manifest
from autograder.errors import CourseError, Invalid
from autograder.files import sha256_of_content
from autograder.grading.course.arrival import LATE_BY_NAME, Arrival, arrival
from autograder.grading.course.arrival import NAME as TIME_STAMP
from autograder.grading.course.fingerprint import chapters_with_exercises
from autograder.grading.course.handed_in import NOTEBOOK, Found, Piece, found_in
from autograder.grading.course.reading import read
from autograder.manifest import ListedChapter
from autograder.settings import NAME as SETTINGS
from autograder.settings import Settings, read_settings

if TYPE_CHECKING:
    from autograder.grading.course.released import ReleasedChapter

LATE_IN_A_NAME = re.compile(r"(?:^|_)LATE_")  # as Canvas names downloads
STUDENT_ID = re.compile(r"[^\x00-\x1f/\\\ud800-\udfff]{1,128}")


@dataclass(frozen=True)
class Submission:
    """Where one student's notebook of one chapter should be."""

    student: str
    chapter: str
    folder: Path  # where the notebook is, and its time stamp
    piece: Piece | None = None  # the notebook, where it was found under another name
    problem: str = ""  # why none can be graded
    note: str = ""

    @property
    def came(self) -> Arrival:
        """When it was handed in."""
        came = arrival(self.folder)
        named_late = self.piece is not None and LATE_IN_A_NAME.search(self.piece.file_name)
        return Arrival(problem=LATE_BY_NAME) if came == Arrival() and named_late else came

    @property
    def sha256(self) -> str:
        """Of what is graded; the record of a result has it too."""
        try:
            return sha256_of_content(self.read() or b"")
        except (Invalid, OSError):
            return sha256_of_content(b"")

    def read(self) -> bytes | None:
        """The notebook's bytes without its outputs; None if there is none.

        Raises Invalid, and OSError where it cannot be read.
        """
        if self.problem:
            raise Invalid(self.problem)
        if self.folder.is_symlink() or self.folder.parent.is_symlink():
            raise Invalid("the folder is a symbolic link; a submission must be a plain folder")
        if self.piece is not None:
            return self.piece.read()
        notebook = self.folder / f"{self.chapter}.ipynb"
        return read(notebook) if notebook.is_symlink() or notebook.exists() else None


@dataclass(frozen=True)
class Course:
    """A standard nbgrader course folder with the release's manifest in it."""

    root: Path

    @property
    def settings(self) -> Settings:
        """What the teacher set in `course.toml`."""
        return read_settings(self.root)

    @property
    def state(self) -> Path:
        """What grading remembers between runs."""
        return self.root / ".grading"

    def chapters(self, names: Sequence[str] = ()) -> dict[str, "ReleasedChapter"]:
        """The released chapters by name, with all that grading needs: the named ones, or all."""
        # Here, since reading a class's scores needs no notebook.
        from autograder.grading.course.released import read_chapter

        return {name: read_chapter(self.root, one) for name, one in self.listed(names).items()}

    def listed(self, names: Sequence[str] = ()) -> dict[str, ListedChapter]:
        """The released chapters by name, as the manifest has them: the named ones, or all."""
        released = self._released()
        unknown = sorted(set(names) - set(released))
        if unknown:
            raise CourseError(
                f"There is no released chapter {unknown[0]}; there are: {', '.join(released)}."
            )
        return {k: listed for k, listed in sorted(released.items()) if not names or k in names}

    def _released(self) -> dict[str, ListedChapter]:
        released = manifest.read(self.root)
        if released is None:
            raise CourseError(
                f"{self.root} holds no {manifest.NAME}: build the release first "
                "(autograder release)."
            )
        return released

    def see_due_dates(self) -> None:
        """Raise CourseError where a due date names no chapter: a slip there would cost nobody.

        A chapter that is not released yet may have its date.
        """
        chapters = set(self._released())
        if set(self.settings.due) <= chapters:
            return
        chapters |= chapters_with_exercises()
        if unknown := sorted(set(self.settings.due) - chapters):
            there_are = ", ".join(sorted(chapters))
            raise CourseError(
                f"{self.root / SETTINGS}: [due] {unknown[0]} is no chapter; there are: {there_are}."
            )

    def submissions(self, chapters: Sequence[str]) -> list[Submission]:
        """Every student's work on each chapter, in order."""
        ids = self._ids()
        return [one for folder in self._students(ids) for one in _works(folder, chapters, ids)]

    def strays(self) -> list[str]:
        """What lies in `submitted/` and cannot be placed, each in a sentence."""
        submitted, ids, sentences = self.root / "submitted", self._ids(), []
        for path in sorted(submitted.iterdir()):
            if path.is_dir() and path.name in ids:
                text = "has a chapter's name: the folders there are the students'"
                sentences.append(f"submitted/{path.name} {text}")
            elif NOTEBOOK.fullmatch(path.name) or path.suffix.lower() == ".zip":
                sentences.append(f"submitted/{path.name} is in no student's folder")
        for folder in self._students(ids):
            if not _is_plain(folder, ids):
                strays = found_in(folder, ids).strays
                sentences += [f"submitted/{folder.name}/{stray}" for stray in strays]
        return sentences

    def _ids(self) -> dict[str, frozenset[str]]:
        """The ids of each released chapter's check cells, which name the chapter."""
        return {
            name: frozenset(exercise.check_grade_id for exercise in listed.exercises)
            for name, listed in self._released().items()
        }

    def _students(self, chapters: Collection[str]) -> list[Path]:
        submitted = self.root / "submitted"
        if not submitted.is_dir():
            raise CourseError(
                f"{submitted} is missing: put submissions there, one folder a student."
            )
        return [
            path
            for path in sorted(submitted.iterdir(), key=lambda path: path.name)
            if not path.name.startswith(".") and path.name not in chapters and path.is_dir()
        ]


def _works(
    folder: Path, chapters: Sequence[str], ids: Mapping[str, frozenset[str]]
) -> Iterator[Submission]:
    """One student's work on the chapters."""
    handed_in = Found() if _is_plain(folder, ids) else found_in(folder, ids)
    for chapter in chapters:
        own, piece = folder / chapter, handed_in.chosen.get(chapter)
        if piece is not None and piece.path != own / f"{chapter}.ipynb":
            place = _with_time(piece.path.parent, own, folder)
            yield Submission(
                folder.name, chapter, place, piece, note=handed_in.notes.get(chapter, "")
            )
        elif chapter in handed_in.problems or _may_be_there(own):
            problem, note = handed_in.problems.get(chapter, ""), handed_in.notes.get(chapter, "")
            yield Submission(folder.name, chapter, own, problem=problem, note=note)


def _with_time(inner: Path, own: Path, folder: Path) -> Path:
    """The folder with the time stamp of a notebook that was found, or else the notebook's."""
    above = [inner, *(path for path in inner.parents if path.is_relative_to(folder)), own]
    return next((path for path in above if (path / TIME_STAMP).exists()), inner)


def _is_plain(folder: Path, chapters: Collection[str]) -> bool:
    """Whether a student's folder holds chapters' folders alone, each with its one notebook."""
    if folder.is_symlink():
        return True
    try:
        for entry in os.scandir(folder):
            if entry.name.startswith("."):
                continue
            if entry.name not in chapters or not entry.is_dir():
                return False
            if entry.is_symlink():
                continue
            names = {name for name in os.listdir(entry) if NOTEBOOK.fullmatch(name)}
            if names != {f"{entry.name}.ipynb"}:
                return False
    except OSError:  # for whoever reads it to say
        return True
    return True


def _may_be_there(folder: Path) -> bool:
    try:
        return folder.is_symlink() or folder.exists()
    except OSError:  # the folder above cannot be looked into: that is for whoever reads it to say
        return True
