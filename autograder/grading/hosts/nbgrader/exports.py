"""The tables of `autograder export`, each a plugin of nbgrader's own `export`.

autograder export canvas
nbgrader export --exporter=autograder.grading.hosts.nbgrader.exports.CanvasExport --to grades.csv
"""

from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin

from autograder.grading.course.scores import read_scores
from autograder.grading.report.columns import write_scores
from autograder.queries import query_of


class PlainExport(ExportPlugin):
    """One row for each student and chapter."""

    kind, default_name = "csv", "grades.csv"

    def export(self, gradebook: Gradebook) -> None:
        """Write the table; nbgrader calls this."""
        path = Path(self.to or self.default_name)
        scores = read_scores(query_of(gradebook.db()))
        count = write_scores(scores, self.kind, path, self.assignment, self.student)
        self.log.info("Exported %s students to %s", count, path)


class CanvasExport(PlainExport):
    """For Canvas."""

    kind, default_name = "canvas", "grades-canvas.csv"


class MoodleExport(PlainExport):
    """For Moodle."""

    kind, default_name = "moodle", "grades-moodle.csv"


class GradescopeExport(PlainExport):
    """As Gradescope's own download."""

    kind, default_name = "gradescope", "grades-gradescope.csv"
