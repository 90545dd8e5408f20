"""A course folder as nbgrader knows it: where it is, its gradebook, its own configuration."""

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.settings import default_gradebook, read_settings

if TYPE_CHECKING:
    from traitlets.config import Config

NAME = "nbgrader_config.py"
YOUR_ANSWER = "*Your answer, in place of this line.*"
FOR_A_COURSE = '''\
"""nbgrader's settings for this course, made by `autograder release`; yours can follow below."""

from pathlib import Path

from autograder.nbgrader_settings import configure

c = get_config()
configure(c, Path(__file__).resolve().parent)
'''


def at(config: "Config", course: Path) -> None:
    """Set where a course is, and its gradebook."""
    settings = read_settings(course)
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.course_id = settings.course_id
    if settings.gradebook != default_gradebook(course):  # else it follows `--CourseDirectory.root`
        config.CourseDirectory.db_url = settings.gradebook


def write_settings(course: Path) -> None:
    """Give a course folder its own settings, so that nbgrader works from within it."""
    path = course / NAME
    if not path.exists():
        path.write_text(FOR_A_COURSE, encoding="utf-8")
