"""A session whose process is an ordinary child of this one, where there is no sandbox to ask."""

import contextlib
import socket
import subprocess
import sys
from typing import Any

from autograder.sandbox.isolation import Allowance, limit_one_call
from autograder.sandbox.session import Session

SERVE = (
    "import socket, sys; from autograder.sandbox.worker import Notebook, serve; "
    "serve(Notebook(), socket.socket(fileno=int(sys.argv[1])))"
)


class ChildSession(Session):
    """A session whose process is started for it, and ended with it."""

    def __init__(self, *arguments: str, **options: Any) -> None:
        """With `arguments` for Python, and `options` for the process, beside what all need."""
        connection, inside = socket.socketpair()
        status, other = socket.socketpair()
        other.close()
        with inside:
            descriptor = inside.fileno()
            self._process = subprocess.Popen(
                [sys.executable, *arguments, "-c", SERVE, str(descriptor)],
                pass_fds=[descriptor],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **options,
            )
        super().__init__(connection, status, Allowance(), self._process.pid)

    def _limit(self, room: int | None) -> None:
        """As in the sandbox, as far as the system lets one process limit another."""
        process = self._process.pid
        with contextlib.suppress(OSError):
            limit_one_call(process, f"/proc/{process}/statm", room, Allowance(memory_bytes=0))

    def _end(self, grace: float = 0.2) -> None:
        if self.usage:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        killed = self._process.poll() is None
        self._process.kill()
        self.usage = {"code": self._process.wait(), "killed": killed}
