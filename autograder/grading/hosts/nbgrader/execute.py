"""`nbgrader autograde` with this course's configuration: the same sandbox, the same verdicts."""

import atexit
import functools
import secrets
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Float, Int

from autograder.grading.course.folder import Course
from autograder.grading.course.journal import DRAWS
from autograder.grading.submission.grade_notebook import grade_notebook
from autograder.grading.submission.overwrite_cells import restored
from autograder.grading.submission.quote_text_cells import quote_text_cells
from autograder.sandbox.fork_server import end, fork_server
from autograder.sandbox.limits import Limits


@functools.cache
def _seeds() -> list[int]:
    """A few for all that this process grades: a check is prepared for each."""
    return [secrets.randbits(56) for _ in range(DRAWS)]


class SandboxExecute(NbGraderPreprocessor):
    """Takes the place of nbgrader's Execute: cells run in the sandbox, checks on this side."""

    seconds = Float(20.0, help="How long one cell or one check may take.").tag(config=True)
    memory = Int(2048, help="How much memory a submission may use, in MiB.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict]:
        """Run a sanitized submission and fill in the outputs of its cells."""
        limits = Limits(self.seconds, self.memory * 2**20)
        names = resources["nbgrader"]
        course = Course(Path(self.parent.parent.coursedir.root))
        chapter = course.chapters([names["assignment"]])[names["assignment"]]
        restored(nb, chapter)
        atexit.register(end, limits)
        graded = grade_notebook(nb, chapter, fork_server(limits), limits, secrets.choice(_seeds()))
        quote_text_cells(nb, chapter)
        if graded.status != "graded":
            self.log.warning("%s: %s", names["student"], graded.status)
        return nb, resources
