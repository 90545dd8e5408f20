"""nbgrader's settings for grading. Classes are named as nbgrader loads them, on first use."""

from pathlib import Path

from traitlets.config import Config

from autograder.grading.hosts.nbgrader.guard import guard
from autograder.nbgrader_course import at


def configure_grading(config: Config, course: Path) -> None:
    """Set what grading needs of nbgrader, and replace three of its methods (`guard.py`)."""
    at(config, course)
    # Submissions run in the sandbox, and are judged outside it.
    config.Autograde.autograde_preprocessors = [
        "autograder.grading.hosts.nbgrader.execute.SandboxExecute",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    # What late work costs is said in the course's course.toml.
    config.AssignLatePenalties.plugin_class = "autograder.grading.course.late.LateDays"

    # What students hand in is copied without links, and found by the names that platforms give it.
    config.ExchangeFactory.collect = "autograder.grading.hosts.nbgrader.collecting.PlainCollect"
    config.ZipCollectApp.collector_plugin = (
        "autograder.grading.hosts.nbgrader.collecting.PlatformNames"
    )
    guard()
