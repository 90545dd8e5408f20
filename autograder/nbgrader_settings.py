"""nbgrader's settings for a course folder: for its own commands, the formgrader, and ours."""

from importlib import import_module
from pathlib import Path

from traitlets.config import Config

from autograder.settings import default_gradebook, read_settings

NAME = "nbgrader_config.py"
YOUR_ANSWER = "*Your answer, in place of this line.*"
FOR_A_COURSE = '''\
"""nbgrader's settings for this course, made by `autograder release`; yours can follow below."""

from pathlib import Path

from autograder.nbgrader_settings import configure

c = get_config()
configure(c, Path(__file__).resolve().parent)
'''


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
    # By name, as the classes above: grading knows the settings, and not the other way round.
    import_module("autograder.grading.hosts.nbgrader.guard").guard()


def at(config: Config, course: Path) -> None:
    """Set where a course is, and its gradebook."""
    told = read_settings(course)
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.course_id = told.course_id
    if told.gradebook != default_gradebook(course):  # else it follows `--CourseDirectory.root`
        config.CourseDirectory.db_url = told.gradebook


def write_settings(course: Path) -> None:
    """Give a course folder its own settings, so that nbgrader works from within it."""
    path = course / NAME
    if not path.exists():
        path.write_text(FOR_A_COURSE, encoding="utf-8")
