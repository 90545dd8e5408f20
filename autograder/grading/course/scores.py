"""What the gradebook says, with all that a teacher entered: read only."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from autograder.errors import GradebookError
from autograder.queries import Query, moment, queries, span
from autograder.settings import Settings, penalty

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
# What a teacher has to look at: an answer in words that has no score yet, or a score given by hand
# to work that was graded again since.
BY_HAND = """
    SELECT submitted.student_id, assignment.name, base_cell.name, grade.auto_score,
        grade.manual_score
    FROM grade
    JOIN base_cell ON base_cell.id = grade.cell_id
    JOIN submitted_notebook AS notebook ON notebook.id = grade.notebook_id
    JOIN submitted_assignment AS submitted ON submitted.id = notebook.assignment_id
    JOIN assignment ON assignment.id = submitted.assignment_id
    WHERE grade.needs_manual_grade
    ORDER BY assignment.name, submitted.student_id, base_cell.name
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
class ForATeacher:
    """A cell that a teacher has to look at in the formgrader."""

    student: str
    chapter: str
    cell: str
    automatic: float | None
    by_hand: float | None

    @property
    def waits(self) -> bool:
        """Whether it has no score yet: the student's is without it."""
        return self.by_hand is None and self.automatic is None

    @property
    def outdated(self) -> bool:
        """Whether its score was given by hand to what was handed in before, and may be another."""
        return self.by_hand is not None and self.by_hand != self.automatic


@dataclass(frozen=True)
class Scores:
    """The class's scores by (student id, chapter); who handed nothing in has none."""

    people: list[Person]
    chapters: list[ChapterScores]
    found: dict[tuple[str, str], Score]
    for_a_teacher: list[ForATeacher]

    def waiting(self, student: str, chapter: str) -> int:
        """How many answers of a student's wait for a score."""
        return sum(
            one.waits and (one.student, one.chapter) == (student, chapter)
            for one in self.for_a_teacher
        )

    def only(self, chapters: Collection[str], students: Collection[str]) -> "Scores":
        """The scores of these chapters and students, or of all where none are named."""
        return Scores(
            [one for one in self.people if not students or one.id in students],
            [one for one in self.chapters if not chapters or one.name in chapters],
            self.found,
            [
                one
                for one in self.for_a_teacher
                if (not students or one.student in students)
                and (not chapters or one.chapter in chapters)
            ],
        )


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


def settled(scores: Scores, settings: Settings, chapters: Iterable[str]) -> bool:
    """Whether due dates and late penalties are what the settings say."""
    due = {one.name: one.due for one in scores.chapters}
    if any(name not in due or due[name] != settings.due.get(name, due[name]) for name in chapters):
        return False
    return all(
        score.penalty == (penalty(settings.late, score.raw, score.late_seconds) or 0.0)
        for (_, name), score in scores.found.items()
        if name in chapters
    )


def read_scores(query: Query) -> Scores:
    """Everything at once, in a few statements whatever the size of the class."""
    people = [Person(*(value or "" for value in row)) for row in query(STUDENTS)]
    chapters = [
        ChapterScores(name, float(points or 0), moment(due))
        for name, due, points in query(CHAPTERS)
    ]
    by_chapter = {}
    for student, name, due, handed_in, extension, taken, points in query(SCORES):
        came, ends, late = moment(handed_in), moment(due), 0.0
        if came and ends:
            late = max(0.0, (came - ends - span(extension)).total_seconds())
        by_chapter[student, name] = Score(float(points or 0), float(taken or 0), came, late)
    return Scores(people, chapters, by_chapter, [ForATeacher(*row) for row in query(BY_HAND)])
