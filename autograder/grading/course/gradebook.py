"""The only writer of nbgrader's gradebook: one transaction a submission."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, cast

from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import CursorResult, Insert, bindparam, insert, or_, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from autograder.errors import CourseError
from autograder.grading.course.late import settle
from autograder.nbgrader_course import scripts_on_path
from autograder.queries import unusable
from autograder.settings import Settings

_SCORE = (
    update(Grade)
    .where(Grade.notebook_id == bindparam("its_notebook"), Grade.cell_id == bindparam("its_cell"))
    .values(
        auto_score=bindparam("points"),
        needs_manual_grade=or_(bindparam("waits"), Grade.manual_score.is_not(None)),
    )
)
_COMMENT = (
    update(Comment)
    .where(
        Comment.notebook_id == bindparam("its_notebook"), Comment.cell_id == bindparam("its_cell")
    )
    .values(auto_comment=bindparam("text"))
)


def open_gradebook(db_url: str) -> Gradebook:
    """The gradebook, open. Raises GradebookError where there is none at that address."""
    with _usable(db_url), scripts_on_path():
        return Gradebook(db_url)


@contextlib.contextmanager
def _usable(db_url: str) -> Iterator[None]:
    """What keeps the gradebook from being used is raised as GradebookError."""
    try:
        yield
    except (SQLAlchemyError, ImportError) as error:
        raise unusable(db_url, error) from error


@dataclass(frozen=True)
class _Released:
    """A chapter as the gradebook knows it: its id, its notebook's, and the ids of its cells."""

    assignment: str
    notebook: str
    graded: dict[str, str]  # by name
    commented: dict[str, str]


class Writer(contextlib.AbstractContextManager["Writer"]):
    """Holds one connection to the gradebook for a whole run.

    nbgrader's own calls make an object for every cell and commit one by one, which takes most of
    the time of grading a small notebook; the same rows are written here by statements.
    """

    def __init__(self, db_url: str) -> None:
        self._gradebook, self._db_url = open_gradebook(db_url), db_url
        self._released: dict[str, _Released] = {}
        self._arrivals: dict[str, dict[str, datetime]] = {}  # by chapter and student

    def __exit__(self, *error: Any) -> None:
        self._gradebook.close()

    def write(
        self,
        student: str,
        chapter: str,
        scores: dict[str, float],
        when: datetime | None,
        untouched: set[str],
        answered: Mapping[str, bool] = MappingProxyType({}),
    ) -> None:
        """Record the scores of one submission by the grade ids of its check cells.

        `answered`: for each cell that is graded by hand, whether it holds an answer. A score or
        comment that a teacher entered by hand stays, and asks for another look.
        """
        with _usable(self._db_url):
            released, database = self._chapter(chapter), self._gradebook.db()
            try:
                notebook = _submission(database, student, released, when)
                _enter(database, released, notebook, scores, untouched, answered)
                database.commit()
            except BaseException:
                database.rollback()
                raise

    def note_arrival(self, student: str, chapter: str, when: datetime) -> None:
        """Enter when a submission came that the gradebook has already."""
        with _usable(self._db_url):
            released, database = self._chapter(chapter), self._gradebook.db()
            of_chapter = SubmittedAssignment.assignment_id == released.assignment
            if chapter not in self._arrivals:
                rows = select(SubmittedAssignment.student_id, SubmittedAssignment.timestamp)
                self._arrivals[chapter] = {
                    row.student_id: row.timestamp
                    for row in database.execute(rows.where(of_chapter))
                }
            if self._arrivals[chapter].get(student) != when:
                place = of_chapter, SubmittedAssignment.student_id == student
                database.execute(update(SubmittedAssignment).where(*place).values(timestamp=when))
                database.commit()

    def settle(self, settings: Settings, chapters: Iterable[str]) -> None:
        """Bring due dates and late penalties to what the settings say."""
        with _usable(self._db_url):
            settle(self._gradebook, settings, chapters)

    def _chapter(self, name: str) -> _Released:
        if name not in self._released:
            try:
                assignment = self._gradebook.find_assignment(name)
            except MissingEntry:
                raise CourseError(
                    f"The gradebook has no {name}: build the release again (autograder release)."
                ) from None
            (notebook,) = assignment.notebooks
            self._released[name] = _Released(
                assignment.id,
                notebook.id,
                {cell.name: cell.id for cell in notebook.grade_cells},
                {cell.name: cell.id for cell in notebook.solution_cells},
            )
        return self._released[name]


def _inserted(database: Session, row: Insert) -> str:
    """Insert a row; its id."""
    key = cast(CursorResult, database.execute(row)).inserted_primary_key
    assert key is not None
    return key[0]


def _enter(
    database: Session,
    released: _Released,
    notebook: str,
    scores: Mapping[str, float],
    untouched: set[str],
    answered: Mapping[str, bool],
) -> None:
    """Put the scores of a submission that has its rows into them.

    What is graded by hand and was not answered has its zero; what was answered waits for a teacher.
    """
    waiting = {name for name, written in answered.items() if written}
    points = [
        {
            "its_notebook": notebook,
            "its_cell": cell,
            "points": None if name in waiting else float(scores.get(name, 0.0)),
            "waits": name in waiting,
        }
        for name, cell in released.graded.items()
    ]
    untouched = untouched | answered.keys() - waiting
    remarks = [
        {
            "its_notebook": notebook,
            "its_cell": cell,
            "text": "No response." if name in untouched else None,
        }
        for name, cell in released.commented.items()
    ]
    connection = database.connection()
    for statement, rows in ((_SCORE, points), (_COMMENT, remarks)):
        if rows:
            connection.execute(statement, rows)


def _submission(database: Session, student: str, released: _Released, when: datetime | None) -> str:
    """The id of the student's notebook in the gradebook, with all its rows."""
    if database.scalar(select(Student.id).where(Student.id == student)) is None:
        database.execute(insert(Student).values(id=student))
    place = (
        SubmittedAssignment.assignment_id == released.assignment,
        SubmittedAssignment.student_id == student,
    )
    number = database.scalar(
        select(SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .where(*place, SubmittedNotebook.notebook_id == released.notebook)
    )
    if number is not None:
        if when is not None:
            database.execute(update(SubmittedAssignment).where(*place).values(timestamp=when))
        return number
    handed_in = _inserted(
        database,
        insert(SubmittedAssignment).values(
            assignment_id=released.assignment, student_id=student, timestamp=when
        ),
    )
    notebook = _inserted(
        database,
        insert(SubmittedNotebook).values(assignment_id=handed_in, notebook_id=released.notebook),
    )
    for table, cells in ((Grade, released.graded), (Comment, released.commented)):
        if cells:
            rows = [{"notebook_id": notebook, "cell_id": cell} for cell in cells.values()]
            database.connection().execute(insert(table), rows)
    return notebook
