"""What the gradebook says, with all that a teacher entered: read only."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from autograder.grading.course.schema import (
    ASSIGNMENT,
    GRADE,
    POINTS,
    STUDENT,
    SUBMITTED,
    SUBMITTED_NOTEBOOK,
    max_scores,
)

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class Person:
    """A student of the gradebook."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""


@dataclass(frozen=True)
class ChapterScores:
    """A chapter of the gradebook."""

    name: str
    max_score: float
    due: datetime | None  # UTC, without a zone, as nbgrader keeps times


@dataclass(frozen=True)
class Score:
    """What one student has for one chapter."""

    raw: float
    penalty: float
    handed_in: datetime | None
    late_seconds: float

    @property
    def final(self) -> float:
        """The points after the late penalty."""
        return max(0.0, self.raw - self.penalty)


@dataclass(frozen=True)
class Scores:
    """The class's scores by (student id, chapter); who handed nothing in has none."""

    people: list[Person]
    chapters: list[ChapterScores]
    found: dict[tuple[str, str], Score]


def read_scores(database: "Connection | Session") -> Scores:
    """Everything at once, in a few statements whatever the size of the class."""
    columns = (STUDENT.c.id, STUDENT.c.first_name, STUDENT.c.last_name, STUDENT.c.email)
    order = (STUDENT.c.last_name, STUDENT.c.first_name, STUDENT.c.id)
    people = [
        Person(*(value or "" for value in row))
        for row in database.execute(select(*columns, STUDENT.c.lms_user_id).order_by(*order))
    ]
    points = max_scores(database)
    chapters = [
        ChapterScores(row.name, points.get(row.id, 0.0), row.duedate)
        for row in database.execute(select(ASSIGNMENT).order_by(ASSIGNMENT.c.name))
    ]
    earned = dict(
        database.execute(
            select(SUBMITTED_NOTEBOOK.c.assignment_id, func.sum(POINTS))
            .join(GRADE, GRADE.c.notebook_id == SUBMITTED_NOTEBOOK.c.id)
            .group_by(SUBMITTED_NOTEBOOK.c.assignment_id)
        ).all()
    )
    found = {}
    for row in database.execute(
        select(
            SUBMITTED,
            ASSIGNMENT.c.name,
            ASSIGNMENT.c.duedate,
            func.sum(SUBMITTED_NOTEBOOK.c.late_submission_penalty).label("penalty"),
        )
        .join(ASSIGNMENT, ASSIGNMENT.c.id == SUBMITTED.c.assignment_id)
        .join(SUBMITTED_NOTEBOOK, SUBMITTED_NOTEBOOK.c.assignment_id == SUBMITTED.c.id)
        .group_by(*SUBMITTED.c, ASSIGNMENT.c.name, ASSIGNMENT.c.duedate)
    ):
        late = 0.0
        if row.timestamp and row.duedate:
            due = row.duedate + row.extension if row.extension else row.duedate
            late = max(0.0, (row.timestamp - due).total_seconds())
        found[row.student_id, row.name] = Score(
            float(earned.get(row.id) or 0), float(row.penalty or 0), row.timestamp, late
        )
    return Scores(people, chapters, found)
