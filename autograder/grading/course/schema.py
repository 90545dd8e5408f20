"""nbgrader's gradebook, to read without nbgrader: importing that takes longer than most commands.

The tables are nbgrader's, with the columns that are read here. What is written goes through
nbgrader's own, in `gradebook.py`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import (
    Connection,
    DateTime,
    Float,
    Interval,
    String,
    case,
    create_engine,
    func,
    inspect,
    make_url,
    select,
    table,
)
from sqlalchemy import column as named
from sqlalchemy.exc import SQLAlchemyError

from autograder.grading.errors import GradebookError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

ASSIGNMENT = table(
    "assignment", named("id", String), named("name", String), named("duedate", DateTime)
)
NOTEBOOK = table("notebook", named("id", String), named("assignment_id", String))
CELL = table("base_cell", named("id", String), named("name", String), named("notebook_id", String))
GRADE_CELL = table("grade_cells", named("id", String), named("max_score", Float))
TASK_CELL = table("task_cells", named("id", String), named("max_score", Float))
STUDENT = table(
    "student",
    *(named(name, String) for name in ("id", "first_name", "last_name", "email", "lms_user_id")),
)
SUBMITTED = table(
    "submitted_assignment",
    *(named(name, String) for name in ("id", "assignment_id", "student_id")),
    named("timestamp", DateTime),
    named("extension", Interval),
)
SUBMITTED_NOTEBOOK = table(
    "submitted_notebook",
    named("id", String),
    named("assignment_id", String),
    named("late_submission_penalty", Float),
)
GRADE = table(
    "grade",
    *(named(name, String) for name in ("notebook_id", "cell_id")),
    *(named(name, Float) for name in ("auto_score", "manual_score", "extra_credit")),
)
COMMENT = table(
    "comment", *(named(name, String) for name in ("notebook_id", "cell_id", "manual_comment"))
)
TABLES = (
    *(ASSIGNMENT, NOTEBOOK, CELL, GRADE_CELL, TASK_CELL, STUDENT),
    *(SUBMITTED, SUBMITTED_NOTEBOOK, GRADE, COMMENT),
)

# A cell's points: those entered by hand before the check's own, and the extra credit.
_ENTERED = func.coalesce(GRADE.c.manual_score, GRADE.c.auto_score)
POINTS = case((_ENTERED.is_(None), 0.0), else_=_ENTERED + func.coalesce(GRADE.c.extra_credit, 0.0))


def unusable(db_url: str, error: Exception) -> str:
    """What keeps the gradebook from being used, and what to do about it."""
    address = make_url(db_url).render_as_string(hide_password=True)
    reason = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    return (
        f"The gradebook {address} cannot be used ({reason}): "
        "close whatever else has it open, and see that it can be reached and written."
    )


@contextmanager
def reading(db_url: str) -> Iterator[Connection]:
    """A connection to the gradebook. Raises GradebookError where there is none at that address."""
    try:
        engine = create_engine(db_url)
        try:
            if not inspect(engine).has_table(SUBMITTED.name):
                _make(db_url)
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()
    except (SQLAlchemyError, ImportError) as error:
        raise GradebookError(unusable(db_url, error)) from None


def _make(db_url: str) -> None:
    """nbgrader makes the tables of a gradebook that has none."""
    from autograder.grading.course.gradebook import open_gradebook

    open_gradebook(db_url).close()


def max_scores(database: "Connection | Session") -> dict[str, float]:
    """The points of each assignment, by its id."""
    found: dict[str, float] = {}
    for cells in (GRADE_CELL, TASK_CELL):
        rows = database.execute(
            select(NOTEBOOK.c.assignment_id, func.sum(cells.c.max_score))
            .select_from(cells)
            .join(CELL, CELL.c.id == cells.c.id)
            .join(NOTEBOOK, NOTEBOOK.c.id == CELL.c.notebook_id)
            .group_by(NOTEBOOK.c.assignment_id)
        )
        for assignment, points in rows:
            found[assignment] = found.get(assignment, 0.0) + float(points or 0)
    return found
