"""Grading without a sandbox, for one's own notebooks where none can be had.

The same worker in a plain process of the user's: it can read and change whatever the user can.
"""

import contextlib
import socket
import subprocess
import sys

from autograder.sandbox.isolation import Allowance, limit_one_call
from autograder.sandbox.session import Session


def limit_child(process: int, room: int | None) -> None:
    """As `isolation.limit_one_call`, as far as the system lets one process limit another."""
    with contextlib.suppress(OSError):
        limit_one_call(process, f"/proc/{process}/statm", room, Allowance(memory_bytes=0))


class UnsafeSession(Session):
    """A session whose process is an ordinary child."""

    def __init__(self) -> None:
        connection, inside = socket.socketpair()
        status, other = socket.socketpair()
        other.close()
        with inside:
            descriptor = inside.fileno()
            command = [sys.executable, "-m", "autograder.sandbox.unsafe", str(descriptor)]
            self._process = subprocess.Popen(
                command,
                pass_fds=[descriptor],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        super().__init__(connection, status, Allowance(), self._process.pid)

    def _limit(self, room: int | None) -> None:
        limit_child(self._process.pid, room)

    def _end(self, grace: float = 0.2) -> None:
        if self.usage:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        killed = self._process.poll() is None
        self._process.kill()
        self.usage = {"code": self._process.wait(), "killed": killed}


class UnsafeProcess:
    """Takes the place of a `WarmProcess`; nothing is kept warm, and nothing is kept out."""

    alive = True

    def __init__(self, **_: int) -> None:
        pass

    def session(self) -> UnsafeSession:
        """A fresh process for one submission."""
        return UnsafeSession()

    def close(self) -> None:
        """Nothing to end: each session ends its own process."""


def main() -> None:
    """Serve one session."""
    from autograder.sandbox.worker import Notebook, serve

    serve(Notebook(), socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    main()
