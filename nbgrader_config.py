"""nbgrader's settings for this course, for its own commands and for ours."""

from pathlib import Path

c = get_config()  # noqa: F821  nbgrader defines it

c.CourseDirectory.root = str(Path(__file__).resolve().parent / "build" / "course")

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
