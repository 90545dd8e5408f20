"""nbgrader's own commands on a course of this kind: no link is followed, no other file passed on.

They copy all that lies beside a submission into `autograded/` and on into `feedback/`, and follow
symbolic links, of notebooks and folders too: what a link leads to would be handed back. There is
no setting for that, so three of nbgrader's methods are replaced where its configuration is read.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.errors import Invalid
from autograder.grading.course import side_files
from autograder.grading.course.arrival import arrival
from autograder.grading.course.journal import Journal
from autograder.grading.course.reading import read
from autograder.grading.submission.parse import parse

_copy_all = BaseConverter.init_assignment


def guard() -> None:
    """Replace them; harmless to repeat."""
    BaseConverter.init_assignment = _init_assignment
    CourseDirectory.get_existing_timestamp = _existing_timestamp
    NbGraderAPI.get_submitted_timestamp = _submitted_timestamp


def _init_assignment(self: BaseConverter, assignment_id: str, student_id: str) -> None:
    """Check what a student handed in, and copy of the files beside it only what nbgrader needs."""
    source = Path(self._format_source(assignment_id, student_id))
    target = Path(self._format_dest(assignment_id, student_id))
    if isinstance(self, Autograde):
        _refuse_links_and_broken_files(source, self.notebooks)
        side_files.put(target, side_files.sent_with(source, arrival(source)))
    elif isinstance(self, GenerateFeedback):
        journal = Journal(Path(self.coursedir.root) / ".grading")
        sent = side_files.sent_with(source, arrival(source))
        side_files.put(target, side_files.for_feedback(sent, journal, student_id, assignment_id))
    else:
        _copy_all(self, assignment_id, student_id)


def _refuse_links_and_broken_files(folder: Path, notebooks: list[str]) -> None:
    try:
        if folder.is_symlink() or folder.parent.is_symlink():
            raise Invalid("the folder is a symbolic link; a submission must be a plain folder")
        for notebook in notebooks:
            parse(read(Path(notebook)))
    except Invalid as invalid:
        raise NbGraderException(f"{folder}: {invalid}") from None


def _existing_timestamp(self: CourseDirectory, dest_path: Any) -> datetime | None:
    """When a submission came, as `autograder grade` reads it: what is not plain is not guessed."""
    came = arrival(Path(dest_path))
    if came.problem and (Path(dest_path) / "timestamp.txt").stat().st_size:
        self.log.warning("%s: %s", dest_path, came.problem)
    return came.when


def _submitted_timestamp(self: NbGraderAPI, assignment_id: str, student_id: str) -> datetime | None:
    """The same, for the formgrader's lists."""
    place = self.coursedir.submitted_directory
    return arrival(Path(self.coursedir.format_path(place, student_id, assignment_id))).when
