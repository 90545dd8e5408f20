"""Does a check let something pass? Asked for much wrong code, so no longer than until it fails."""

import contextlib
import signal
from collections.abc import Iterator

import pytest
import torch

from autograder.checking import PUBLIC_SEED
from autograder.checking.calling import Home
from autograder.checking.events import Log
from autograder.checking.judge import judge
from tests.exercises.answers import reference

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


class Failed(BaseException):
    """The check has found something: which mistake it is does not matter here."""


class UntilItFails(Log):
    """The events of a check, which ends at the first failure."""

    def __init__(self, home):
        super().__init__()

    def note(self, *args, **details):
        super().note(*args, **details)
        if self.failure is not None:
            raise Failed


def passes(name: str, thing: object) -> bool:
    """Does the check let it pass within the time limit?"""
    torch.default_generator.manual_seed(0)
    try:
        with pytest.MonkeyPatch.context() as patch, time_limit():
            patch.setattr("autograder.checking.judge._Students", UntilItFails)
            home = Home({name: thing})
            return judge(name, home, reference(name), PUBLIC_SEED).passed
    except (Slow, Failed):
        return False
