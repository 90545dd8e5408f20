"""nbgrader's settings for this course, for its own commands and for ours."""

from pathlib import Path

c = get_config()  # noqa: F821  nbgrader defines it

c.CourseDirectory.root = str(Path(__file__).resolve().parent / "build" / "course")

# A stub is the signature, the docstring and this line.
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
