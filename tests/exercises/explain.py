"""Where a mistake and other code part: `explain("softmax", wrong, "are not divided")`."""

from typing import Any

from autograder.checking import PUBLIC_SEED, exercises
from autograder.checking.diagnosis import Apart, _Following, candidates
from autograder.checking.events import Log
from autograder.checking.judge import _imitate, _Remembered
from autograder.checking.recording import live


def explain(name: str, thing: Any, beginning: str, seed: int = PUBLIC_SEED) -> str:
    """The first event at which the mistake gives another answer than the code."""
    task = exercises()[name]
    log, reference = Log(), _Remembered(live(task))
    _imitate(task, reference, seed, thing, log)
    (known,) = [one for one in candidates(task, seed).mistakes if beginning in one.sentence]
    following = _Following(log, task.behavior)
    try:
        _imitate(task, reference, seed, known.make(), following)
    except Apart:
        number = len(following.events) - 1
        students = log.events[number] if number < len(log.events) else None
        return f"event {number}:\nthe mistake's {following.events[number]}\nthe code's {students}"
    return f"{len(following.events)} events of {len(log.events)} are the same"
