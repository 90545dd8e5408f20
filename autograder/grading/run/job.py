"""What there is to grade, as plain data: who hands it on needs neither PyTorch nor a sandbox."""

from dataclasses import dataclass, field

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
    standing: dict[str, Verdict] = field(default_factory=dict)
    others_wait: bool = False  # then one that sleeps is left for later
