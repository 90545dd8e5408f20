"""What there is to grade, as plain data: who hands it on needs neither PyTorch nor a sandbox."""

from dataclasses import dataclass, field
from typing import Any

from autograder.checking.verdict import Verdict
from autograder.grading.course.released import ReleasedChapter
from autograder.sandbox.limits import Limits

TRIES = 3  # for what may be no fault of the submission


@dataclass(frozen=True)
class Job:
    """One submission to grade."""

    student: str
    chapter: ReleasedChapter
    content: bytes | None
    problem: str
    seed: int
    limits: Limits
    key: str = ""  # of the result, in the journal
    basis: str = ""
    known: dict[str, Verdict] = field(default_factory=dict)

    def unfinished(self, status: str, text: str) -> dict[str, Any]:
        """The result of a submission that could not be graded, and why."""
        from autograder.grading.run.grade import GradedNotebook, result_of

        return result_of(self, GradedNotebook({}, status, [text]), None)

    def given_up(self, text: str) -> dict[str, Any]:
        """The result where the grader itself did not get through: for this time, not to be kept."""
        return self.unfinished("crashed", text) | {"passing": True}
