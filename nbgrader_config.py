"""nbgrader's settings for the course in build/course, for its own commands run from here."""

from pathlib import Path

from autograder.nbgrader_settings import configure

c = get_config()  # noqa: F821  nbgrader defines it
configure(c, Path(__file__).resolve().parent / "build" / "course")
