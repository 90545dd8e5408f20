"""What late work costs: the policy of `course.toml`, through nbgrader's own kind of plugin."""

from collections.abc import Iterable
from pathlib import Path

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import LateSubmissionPlugin
from sqlalchemy import or_, select

from autograder.settings import Settings, penalty, read_settings


class LateDays(LateSubmissionPlugin):
    """Takes a share of the score for each day begun; without a policy, nothing."""

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """The points to take off; nbgrader's `AssignLatePenalties` calls this."""
        policy = read_settings(self._root()).late
        return penalty(policy, score, total_seconds_late)

    def _root(self) -> Path:
        return Path(CourseDirectory(parent=self).root)


def settle(gradebook: Gradebook, settings: Settings, chapters: Iterable[str]) -> None:
    """Enter the due dates, and bring every late penalty up to date; harmless to repeat.

    Due dates that `course.toml` does not name, and every student's extension, are the
    gradebook's own, as set in the formgrader. Scores count with what was entered by hand.
    """
    database = gradebook.db
    for name in chapters:
        assignment = gradebook.find_assignment(name)
        if name in settings.due:
            assignment.duedate = settings.due[name]
            database.flush()
        punished = SubmittedNotebook.late_submission_penalty.is_not(None)
        concerned = or_(
            SubmittedAssignment.timestamp > Assignment.duedate,
            SubmittedAssignment.notebooks.any(punished),
        )
        for submission in database.scalars(
            select(SubmittedAssignment).join(Assignment).where(Assignment.name == name, concerned)
        ):
            for notebook in submission.notebooks:
                late = submission.total_seconds_late
                points = penalty(settings.late, notebook.score, late)
                if notebook.late_submission_penalty != points:
                    notebook.late_submission_penalty = points
    database.commit()
