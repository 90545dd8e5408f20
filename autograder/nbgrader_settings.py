"""nbgrader's settings for a course folder: for its own commands, the formgrader, and ours.

Classes are named as nbgrader loads them, on first use.
"""

from pathlib import Path

from traitlets.config import Config

from autograder.grading.hosts.nbgrader.guard import guard
from autograder.nbgrader_course import YOUR_ANSWER, at


def configure(config: Config, course: Path) -> None:
    """Set what a course of this kind needs, wherever nbgrader is started."""
    at(config, course)

    # A stub is the signature, the docstring and this line.
    config.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
    config.ClearSolutions.text_stub = YOUR_ANSWER
    # nbgrader's own list, with our ClearSolutions, which keeps code that is to be mended.
    config.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.IncludeHeaderFooter",
        "nbgrader.preprocessors.InstantiateTests",
        "nbgrader.preprocessors.LockCells",
        "autograder.release.clear_solutions.ClearSolutions",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.SaveCells",
        "nbgrader.preprocessors.ClearHiddenTests",
        "nbgrader.preprocessors.ClearMarkScheme",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]

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
