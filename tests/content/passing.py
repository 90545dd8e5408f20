"""Does a check let something pass? Asked for much wrong code, so no longer than until it fails."""

import contextlib
import signal
from collections.abc import Iterator

import torch

from autograder.diagnosis import judge
from autograder.remote.calling import Home
from tests.content.answers import reference

PROCESSOR_SECONDS = 3  # whatever else the machine does


class Slow(BaseException):
    """The mutant does not end."""


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """Raise Slow in the body after a while."""

    def stop(*_):
        raise Slow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, PROCESSOR_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def passes(name: str, thing: object) -> bool:
    """Does the check let it pass within the time limit?"""
    torch.default_generator.manual_seed(0)
    try:
        with time_limit():
            return judge.passes(name, Home({name: thing}), reference(name))
    except Slow:
        return False
