"""The references' answers, computed once: as in grading, a check of any object gets the same."""

import functools
from typing import Any

from autograder.checking import exercises
from autograder.diagnosis.judge import PUBLIC_SEED, judge
from autograder.diagnosis.recording import Recorder, Recording, live


def reference(name: str, seed: int = PUBLIC_SEED) -> Recording:
    """Answers as the live reference does, from the first question on."""
    return Recording(_answers(name, seed))


@functools.lru_cache(maxsize=4)
def _answers(name: str, seed: int) -> list[dict[str, Any]]:
    exercise = exercises()[name]
    recorder = Recorder(live(exercise))
    assert judge(name, live(exercise), recorder, seed).passed
    return recorder.replies
