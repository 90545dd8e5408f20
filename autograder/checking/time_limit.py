"""A limit on the time that a piece of code in this process may take."""

import _thread
import os
import signal
import threading
from types import TracebackType

TRIES = 5
STDERR = 2  # whatever has been put in the place of `sys.stderr`


class TimeLimit:
    """Interrupts what runs in its `with` block after so many seconds, as Ctrl-C does.

    Works on every system, in the main thread alone. Code that catches the interrupt is interrupted
    again; what goes on after that ends the process, with `last_words`.
    """

    def __init__(self, seconds: float, last_words: str) -> None:
        self.reached = False
        self._seconds = seconds
        self._last_words = last_words
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
        os.write(STDERR, f"{self._last_words}\n".encode())
        os._exit(1)

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
        return self.reached and kind is KeyboardInterrupt
