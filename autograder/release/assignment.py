"""nbgrader's own `generate_assignment`, run on a course folder."""

import io
import logging
import re
from pathlib import Path

from traitlets.config import Config

from autograder.errors import ReleaseError
from autograder.nbgrader_course import scripts_on_path
from autograder.release.configuration import configure_release

ENDED_BY_AN_ERROR = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception): .*", re.MULTILINE)


def generate_assignment(chapter: str, course: Path, staged: Path) -> None:
    """Make `release/<chapter>` from `source/<chapter>`, both in a folder of their own.

    The chapter is entered into the course's gradebook.
    """
    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory

    config = Config()
    configure_release(config, course)
    coursedir = CourseDirectory(config=config)
    coursedir.db_url = coursedir.db_url  # the course's, wherever the folders are
    coursedir.root = str(staged)
    coursedir.assignment_id = chapter
    converter = GenerateAssignment(coursedir=coursedir, config=config)
    converter.force = True
    messages = io.StringIO()  # for the one line of it that tells a failure's reason
    converter.log = logging.Logger("generate_assignment", logging.INFO)
    converter.log.addHandler(logging.StreamHandler(messages))
    try:
        with scripts_on_path():
            converter.start()
    except Exception as error:
        reasons = ENDED_BY_AN_ERROR.findall(messages.getvalue())
        reason = str([*reasons, error][0])
        if "submissions associated" in reason:
            reason = (
                f"{reason.rstrip('.')}. An assignment that was handed in keeps its cells: release "
                "the changed chapter into a new course folder (autograder release --course DIR)."
            )
        raise ReleaseError(
            f"{chapter}: nbgrader could not generate the assignment: {reason}"
        ) from error
