"""A course folder as nbgrader knows it: where it is, its gradebook, its own configuration."""

import contextlib
import os
import sys
from collections.abc import Iterator
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


@contextlib.contextmanager
def scripts_on_path() -> Iterator[None]:
    """nbgrader runs `alembic` by name, which is found only where the environment is activated."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join(filter(None, [str(Path(sys.executable).parent), before]))
    try:
        yield
    finally:
        os.environ["PATH"] = before
