"""nbgrader's settings for a course folder: for its own commands and the formgrader."""

from pathlib import Path

from traitlets.config import Config

from autograder.grading.hosts.nbgrader.configuration import configure_grading
from autograder.release.configuration import configure_release


def configure(config: Config, course: Path) -> None:
    """Set what a course of this kind needs, whichever of nbgrader's commands is started."""
    configure_release(config, course)
    configure_grading(config, course)
