"""When a session's time is up: by what it computes and sleeps, not by what its neighbors take.

A machine that is busy with others lets a process wait for a core. That time is not the session's,
up to some patience, nor is what this process computes between two questions. What all its threads
compute together is, so that many of them end sooner.
"""

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

PATIENCE = 3  # times as long as it may take: so much longer it may take because others compute
LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Scheduled:
    """Seconds that a process has computed in all threads, and waited for a core in its first."""

    computed: float = 0.0
    waited: float = 0.0


def scheduled(process: int | None) -> Scheduled:
    """How the kernel has treated a process so far; nothing where that cannot be known."""
    if process is None:
        return Scheduled()
    computed = waited = 0.0
    with contextlib.suppress(OSError, IndexError):
        computed = time.clock_gettime(~process << 3 | 2)  # on Linux, as `clock_getcpuclockid` says
        with open(f"/proc/{process}/schedstat") as file:  # some kernels do not count it
            waited = int(file.read().split()[1]) / 1e9
    return Scheduled(computed, waited)


def with_the_graders(process: int | None) -> Scheduled:
    """A session's, and what this process has waited: the two take turns."""
    times = scheduled(process)
    return Scheduled(times.computed, times.waited + scheduled(os.getpid()).waited)


class Deadline:
    """Counts from when it is made; `look` says how the session has been scheduled by now.

    It ends early where for more than `idle` seconds nobody computed, nor waited for a core.
    """

    def __init__(
        self, seconds: float, look: Callable[[], Scheduled], idle: float = float("inf")
    ) -> None:
        self._waited = 0.0  # seconds that did not count because others computed
        self.idle = 0.0  # seconds in which neither the session nor this process had work
        self.idled = False  # whether these have ended it
        self._most_idle = idle
        self._cpu = time.process_time()
        self._seconds = self._computing = seconds
        self._look = look
        self._start = self._looked = time.monotonic()
        self._begun = look()

    @property
    def spared(self) -> float:
        """Seconds that did not count."""
        return self._waited + self._computed_here()

    def _computed_here(self) -> float:
        return time.process_time() - self._cpu

    def left(self) -> float:
        """Seconds that are left; none if what is negative."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS or self._left(now) <= 0:
            self._looked = now
            times = self._look()
            waited = times.waited - self._begun.waited
            self._waited = max(self._waited, min(waited, PATIENCE * self._computing))
            self._note_idle(now, times)
            if self.idle > self._most_idle:
                self.idled = True
                self._seconds = float("-inf")
            if times.computed - self._begun.computed > self._computing:
                self._seconds = float("-inf")
        return self._left(now)

    def end(self) -> None:
        """Look once more at how long nobody had work; a process that is gone tells nothing."""
        self._note_idle(time.monotonic(), self._look())

    def _note_idle(self, now: float, found: Scheduled) -> None:
        if not found.computed or found.computed < self._begun.computed:
            return  # nothing is known
        busy = found.computed - self._begun.computed + found.waited - self._begun.waited
        self.idle = max(self.idle, now - self._start - busy - self._computed_here())

    def hurry(self) -> None:
        """Allow no more than a second from here on, and twice what it took so far."""
        elapsed = time.monotonic() - self._start - self.spared
        self._seconds = min(self._seconds, 1.0 + 3 * elapsed)

    def _left(self, now: float) -> float:
        return self._seconds + self.spared - (now - self._start)
