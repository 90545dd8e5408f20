"""nbgrader's settings for this course, for its own commands and for ours."""

from pathlib import Path

from autograder.settings import read_settings

c = get_config()  # noqa: F821  nbgrader defines it

COURSE = Path(__file__).resolve().parent / "build" / "course"
c.CourseDirectory.root = str(COURSE)
if (COURSE / "course.toml").exists():
    SETTINGS = read_settings(COURSE)
    c.CourseDirectory.db_url, c.CourseDirectory.course_id = SETTINGS.gradebook, SETTINGS.course_id

# What late work costs is said in the course's course.toml.
c.AssignLatePenalties.plugin_class = "autograder.grading.late.LateDays"

# A stub is the signature, the docstring and this line.
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}

# Submissions run in the sandbox, and are judged outside it.
c.Autograde.autograde_preprocessors = [
    "autograder.grading.preprocessor.SandboxExecute",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
