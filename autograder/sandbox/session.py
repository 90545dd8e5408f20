"""One submission's process, as the trusted side talks to it."""

import contextlib
import functools
import json
import math
import select
import signal
import socket
from collections.abc import Iterator
from typing import Any

from autograder.checking import wire
from autograder.checking.wire import WireError
from autograder.sandbox.deadline import LOOK_SECONDS, Deadline, with_the_graders
from autograder.sandbox.errors import (
    SandboxCrashed,
    SandboxError,
    SandboxMemory,
    SandboxTimeout,
    SandboxUnavailable,
)
from autograder.sandbox.isolation import Allowance

# Replies are data of one call: far below what the trusted side may send.
REPLIES = wire.FrameLimits(frame_bytes=64 * 2**20, functions=False)
TOO_LATE = "The code did not finish in time."


def many(requests: list[Any]) -> bytes:
    """The frame of `Session.ask_all`: it can be sent to any number of sessions."""
    return wire.encode((0, {"op": "all", "requests": requests}))


def opened(number: int, frame: bytes, limits: wire.FrameLimits) -> Any:
    """What an answer says. Raises WireError if it cannot be read, or bears another number."""
    reply = wire.decode(frame, limits)
    ours = isinstance(reply, tuple) and len(reply) == 2 and type(reply[0]) is int
    if not ours or reply[0] != number:
        raise WireError("The submission's process answered another question.")
    return reply[1]


class Session(contextlib.AbstractContextManager["Session"]):
    """One submission's process: it answers requests until it is closed, ends or breaks a rule."""

    def __init__(
        self,
        connection: socket.socket,
        status: socket.socket,
        allowance: Allowance,
        process: int | None = None,
    ) -> None:
        self.allowance = allowance
        self.usage: dict[str, Any] = {}
        self._connection = connection
        self._came = bytearray()  # what was received and not yet asked for
        self._status = status
        self._scheduled = functools.partial(with_the_graders, process)
        self._number = 0
        self._asked = self._pending = 0
        self._limited = False
        self._ended: SandboxError | WireError | None = None
        self.replies = REPLIES  # what the next ones may be
        connection.setblocking(False)

    def deadline(self, seconds: float, idle: float = math.inf) -> Deadline:
        """So many seconds of its own time from here on, and so many in which it has no work."""
        return Deadline(seconds, self._scheduled, idle)

    def _until(self, seconds: float | Deadline) -> Deadline:
        return seconds if isinstance(seconds, Deadline) else self.deadline(seconds)

    def request(self, value: Any, seconds: float | Deadline) -> Any:
        """The answer to `value`. Whatever it raises but a WireError of its own ends the session."""
        self._number += 1
        frame = wire.encode((self._number, value))
        with self._ending():
            deadline = self._until(seconds)
            self._be_silent(deadline)
            self._send(frame, deadline)
            return opened(self._number, self._frame(deadline), self.replies)

    def ask_all(self, frame: bytes, count: int, seconds: float | Deadline) -> None:
        """Send many requests in one frame (see `many`); the answers come one by one, to `next`."""
        with self._ending():
            deadline = self._until(seconds)
            self._be_silent(deadline)
            self._send(frame, deadline)
            self._pending = self._asked = count

    def next(self, seconds: float | Deadline) -> Any:
        """The answer to the next of the requests that were asked all at once."""
        with self._ending():
            return opened(*self.frame(seconds), self.replies)

    def frame(self, seconds: float | Deadline) -> tuple[int, bytes]:
        """The same for `opened`: the number that it has to bear, and the answer as it came."""
        with self._ending():
            frame = self._frame(self._until(seconds))
            self._pending -= 1
            return self._pending - self._asked, frame

    def stop(self, seconds: float) -> None:
        """Let the rest of the requests that were asked all at once go unanswered."""
        if self._ended is not None or not self._pending:
            return
        self.replies = REPLIES
        with self._ending():
            deadline = self._until(seconds)
            self._number += 1
            self._send(wire.encode((self._number, {"op": "stop"})), deadline)
            for _ in range(self._pending + 1):
                frame = self._frame(deadline)
                with contextlib.suppress(WireError):
                    opened(self._number, frame, REPLIES)
                    self._pending = 0
                    return
            raise WireError("The submission's process did not stop.")

    def limit_memory(self, room: int | None) -> None:
        """Let the next calls hold so many bytes more than now, from outside; None lifts that."""
        if self._ended is not None or (room is None and not self._limited):
            return
        with self._ending():
            self._limit(room)
            self._limited = room is not None

    def _limit(self, room: int | None) -> None:
        self._status.settimeout(10)
        try:
            self._status.sendall(json.dumps({"room": room}).encode())
            answer = json.loads(self._status.recv(4096).splitlines()[0])
        except (OSError, ValueError, IndexError):
            answer = {}
        if "limited" not in answer:
            self.usage = answer
            raise self._reason()

    @contextlib.contextmanager
    def _ending(self) -> Iterator[None]:
        """Whatever is raised inside ends the session; one that has ended raises that again."""
        if self._ended is not None:
            raise self._ended
        try:
            yield
        except (SandboxError, WireError) as error:
            self._ended = error
            self.close()
            raise
        except BaseException:
            self.close()
            raise

    def _be_silent(self, deadline: Deadline) -> None:
        early = select.poll()  # not select, which takes no descriptor over 1023
        early.register(self._connection, select.POLLIN)
        if self._came or early.poll(0):
            self._receive(1, deadline)  # raises if the process has ended
            raise WireError("The submission's process spoke without being asked.")

    def _frame(self, deadline: Deadline) -> bytes:
        prefix = self._receive(wire.PREFIX.size, deadline)
        return prefix + self._receive(sum(wire.sizes(prefix, self.replies)), deadline)

    def _wait(self, readable: bool, deadline: Deadline) -> None:
        ready = select.poll()
        ready.register(self._connection, select.POLLIN if readable else select.POLLOUT)
        while (left := deadline.left()) > 0:
            if ready.poll(math.ceil(min(left, LOOK_SECONDS) * 1000)):
                return
        raise SandboxTimeout(TOO_LATE)

    def _send(self, frame: bytes, deadline: Deadline) -> None:
        view = memoryview(frame)
        while view:
            self._wait(False, deadline)
            try:
                view = view[self._connection.send(view) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._reason() from None

    def _receive(self, size: int, deadline: Deadline) -> bytes:
        while len(self._came) < size:
            if deadline.left() <= 0:
                raise SandboxTimeout(TOO_LATE)
            try:
                # Small answers come several at a time.
                piece = self._connection.recv(min(max(size - len(self._came), 2**16), 2**20))
            except BlockingIOError:
                self._wait(True, deadline)
                continue
            except OSError:
                piece = b""
            if not piece:
                raise self._reason() from None
            self._came += piece
        data = bytes(self._came[:size])
        del self._came[:size]
        return data

    def _reason(self) -> SandboxError:
        """Why the connection ended."""
        self._end()
        if "failed" in self.usage:
            return SandboxUnavailable(self.usage["failed"])
        code = self.usage.get("code")
        if code is None:
            return SandboxCrashed("The sandbox was ended from outside.")
        if self.usage.get("killed"):
            return SandboxCrashed("The code closed its connection.")
        if code == -signal.SIGKILL:
            return SandboxMemory("The code ran out of memory.")
        if code < 0:
            name = signal.strsignal(-code) or f"signal {-code}"
            return SandboxCrashed(f"The process crashed: {name}.")
        return SandboxCrashed(f"The process ended itself with exit code {code}.")

    def _end(self, grace: float = 0.2) -> None:
        """Have the process reaped, killing it if it does not end by itself within `grace`."""
        if self.usage or self._status.fileno() < 0:
            return
        waiting = select.poll()
        waiting.register(self._status, select.POLLIN)
        if not waiting.poll(grace * 1000):
            with contextlib.suppress(OSError):
                self._status.shutdown(socket.SHUT_WR)  # tells the supervisor to kill
        self._status.settimeout(10)
        with contextlib.suppress(OSError, ValueError):
            data = self._status.recv(4096)
            self.usage = json.loads(data.splitlines()[0]) if data else {"gone": True}

    def close(self) -> None:
        """Kill what is left of the session, and wait until it is gone."""
        self._end(grace=0)
        self._connection.close()
        self._status.close()
        if self._ended is None:
            self._ended = SandboxCrashed("The session is closed.")

    def __exit__(self, *_: object) -> None:
        self.close()
