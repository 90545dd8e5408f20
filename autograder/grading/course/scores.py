"""What the gradebook says, with all that a teacher entered: read only."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from autograder.errors import GradebookError
from autograder.queries import Query, moment, queries, span

STUDENTS = """
    SELECT id, first_name, last_name, email, lms_user_id FROM student
    ORDER BY last_name, first_name, id
"""
CHAPTERS = """
    SELECT assignment.name, assignment.duedate, SUM(graded.max_score)
    FROM assignment
    LEFT JOIN notebook ON notebook.assignment_id = assignment.id
    LEFT JOIN base_cell ON base_cell.notebook_id = notebook.id
    LEFT JOIN (
        SELECT id, max_score FROM grade_cells UNION ALL SELECT id, max_score FROM task_cells
    ) AS graded ON graded.id = base_cell.id
    GROUP BY assignment.id, assignment.name, assignment.duedate
    ORDER BY assignment.name
"""
# A cell's points: those entered by hand before the check's own, and the extra credit.
SCORES = """
    SELECT submitted.student_id, assignment.name, assignment.duedate, submitted.timestamp,
        submitted.extension, SUM(notebook.late_submission_penalty), SUM(earned.points)
    FROM submitted_assignment AS submitted
    JOIN assignment ON assignment.id = submitted.assignment_id
    JOIN submitted_notebook AS notebook ON notebook.assignment_id = submitted.id
    LEFT JOIN (
        SELECT notebook_id, SUM(
            COALESCE(manual_score, auto_score) + COALESCE(extra_credit, 0)
        ) AS points FROM grade GROUP BY notebook_id
    ) AS earned ON earned.notebook_id = notebook.id
    GROUP BY submitted.id, submitted.student_id, submitted.timestamp, submitted.extension,
        assignment.name, assignment.duedate
"""


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


@contextmanager
def reading(db_url: str) -> Iterator[Query]:
    """What answers queries. Raises GradebookError where there is no gradebook at that address."""
    try:
        with queries(db_url) as query:
            query("SELECT id FROM submitted_assignment LIMIT 1")
    except GradebookError:
        from autograder.grading.course.gradebook import open_gradebook

        open_gradebook(db_url).close()  # nbgrader makes the tables, or says what is wrong
    with queries(db_url) as query:
        yield query


def read_scores(query: Query) -> Scores:
    """Everything at once, in a few statements whatever the size of the class."""
    people = [Person(*(value or "" for value in row)) for row in query(STUDENTS)]
    chapters = [
        ChapterScores(name, float(points or 0), moment(due))
        for name, due, points in query(CHAPTERS)
    ]
    found = {}
    for student, name, due, handed_in, extension, penalty, points in query(SCORES):
        came, ends, late = moment(handed_in), moment(due), 0.0
        if came and ends:
            late = max(0.0, (came - ends - span(extension)).total_seconds())
        found[student, name] = Score(float(points or 0), float(penalty or 0), came, late)
    return Scores(people, chapters, found)
