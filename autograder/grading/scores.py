"""What the gradebook says, with all that a teacher entered: read only."""

from dataclasses import dataclass
from datetime import datetime

from nbgrader.api import Assignment, Gradebook, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import func, select


@dataclass(frozen=True)
class Person:
    """A student of the gradebook."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""


@dataclass(frozen=True)
class Chapter:
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
    chapters: list[Chapter]
    found: dict[tuple[str, str], Score]


def read_scores(gradebook: Gradebook) -> Scores:
    """Everything at once, in a few statements whatever the size of the class."""
    database = gradebook.db()
    people = [
        Person(*(value or "" for value in row))
        for row in database.execute(
            select(
                Student.id,
                Student.first_name,
                Student.last_name,
                Student.email,
                Student.lms_user_id,
            ).order_by(Student.last_name, Student.first_name, Student.id)
        )
    ]
    chapters = [
        Chapter(row.name, float(row.max_score or 0), row.duedate)
        for row in database.execute(
            select(Assignment.name, Assignment.max_score, Assignment.duedate).order_by(
                Assignment.name
            )
        )
    ]
    found = {}
    for row in database.execute(
        select(
            SubmittedAssignment.student_id,
            Assignment.name,
            Assignment.duedate,
            SubmittedAssignment.timestamp,
            SubmittedAssignment.extension,
            func.sum(SubmittedNotebook.score).label("score"),
            func.sum(func.coalesce(SubmittedNotebook.late_submission_penalty, 0)).label("penalty"),
        )
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .group_by(SubmittedAssignment.id, Assignment.id)
    ):
        late = 0.0
        if row.timestamp and row.duedate:
            due = row.duedate + row.extension if row.extension else row.duedate
            late = max(0.0, (row.timestamp - due).total_seconds())
        found[row.student_id, row.name] = Score(
            float(row.score or 0), float(row.penalty or 0), row.timestamp, late
        )
    return Scores(people, chapters, found)
