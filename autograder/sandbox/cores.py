"""A core for each worker's sandbox: what a submission computes in many threads stays on its own.

Where there is one core, or the system lets nobody choose, sessions run wherever there is room.
"""

import contextlib
import os
from collections.abc import Iterator

_own: set[int] | None = None  # of this process's sandboxes


def take(number: int) -> None:
    """Give this worker's sandboxes a core by the worker's number."""
    global _own
    with contextlib.suppress(AttributeError, OSError):  # other systems do not tell
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) > 1:
            _own = {cores[number % len(cores)]}


@contextlib.contextmanager
def own() -> Iterator[None]:
    """What this thread starts meanwhile runs on this worker's core, with all that it starts."""
    if _own is None:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, _own)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, before)
