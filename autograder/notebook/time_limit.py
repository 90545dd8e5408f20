"""A limit on the time that a piece of code in this process may take."""

import _thread
import os
import signal
import threading
from collections.abc import Callable
from types import TracebackType

from autograder.remote.calling import described

TRIES = 5
STDERR = 2  # whatever has been put in the place of `sys.stderr`


def end_process(last_words: str) -> None:
    """Say these words, and end whatever is running."""
    os.write(STDERR, f"{last_words}\n".encode())
    os._exit(1)


class TimeLimit:
    """Interrupts what runs in its `with` block after so many seconds, as Ctrl-C does.

    Works on every system, in the main thread alone. Code that catches the interrupt is interrupted
    again; of what goes on after that `give_up` is told, with `last_words`, in another thread.
    """

    def __init__(
        self, seconds: float, last_words: str, give_up: Callable[[str], None] = end_process
    ) -> None:
        self.reached = False
        self.stopped = ""  # what was running then, if that is known
        self._seconds = seconds
        self._last_words = last_words
        self._give_up = give_up
        self._lock = threading.Lock()
        self._done = threading.Event()

    def __enter__(self) -> "TimeLimit":
        # A shell that starts a program in the background has it ignore interrupts.
        self._ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        if self._ignored:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Thread(target=self._wait, daemon=True).start()
        return self

    def _wait(self) -> None:
        if self._done.wait(self._seconds):
            return
        for _ in range(TRIES):
            with self._lock:
                if self._done.is_set():
                    return
                self.reached = True
                _thread.interrupt_main()
            if self._done.wait(1.0):
                return
        self._give_up(self._last_words)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        try:
            with self._lock:
                self._done.set()
        except KeyboardInterrupt:  # it came as the block had ended
            self._done.set()
        if self._ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        if isinstance(error, KeyboardInterrupt):
            self.stopped = described(error).where
        return self.reached and kind is KeyboardInterrupt


def too_long(what: str, seconds: float, stopped: str) -> str:
    """What is said of code that was stopped: `double did not end within 60 seconds: ...`."""
    looped = f" It was in {stopped}" if stopped else ""
    return f"{what} did not end within {seconds:g} seconds: an endless loop?{looped}"
