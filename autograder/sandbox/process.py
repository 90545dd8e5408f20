"""Processes in which a submission's code can do no harm, seen from the trusted side.

    with SandboxProcess() as warm, warm.session() as session:
        reply = session.request({"op": "run", "source": "x = 1", "bytes": 10_000}, seconds=10)

A fork server is a bubblewrap container: a read-only file system of system libraries, Python and
its packages, without the course's own, and no network. It has torch imported and runs nothing of
a submission's. For each session it forks into fresh namespaces of their own (see worker.py).
"""

import json
import os
import socket
import subprocess
import tempfile
import time
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from autograder.sandbox import cores
from autograder.sandbox.errors import SandboxUnavailable
from autograder.sandbox.isolation import Allowance
from autograder.sandbox.layout import COURSE
from autograder.sandbox.probe import available, bubblewrap, tried_layout

if TYPE_CHECKING:
    from autograder.sandbox.session import Session


class SandboxProcess(AbstractContextManager["SandboxProcess"]):
    """A sandbox with torch imported, from which sessions are forked; one caller at a time."""

    def __init__(self, *, start_seconds: float = 120, **allowance: int) -> None:
        reason = available()
        if reason is not None:
            raise SandboxUnavailable(reason)
        self.allowance = Allowance(**allowance)
        program = str(bubblewrap())
        layout, _ = tried_layout(program)
        assert layout is not None  # else there was a reason
        self._control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(0.2)
        self._ready_until = time.monotonic() + start_seconds
        # Open until it is ready: what keeps it from that is said there.
        self._errors: IO[bytes] | None = tempfile.TemporaryFile()  # noqa: SIM115
        worker = f"{COURSE}/autograder/sandbox/worker.py"
        arguments = [worker, str(inside.fileno()), layout.scratch]
        with inside, layout.command(program, arguments) as (command, descriptors), cores.own():
            self._process = subprocess.Popen(
                command,
                pass_fds=(*descriptors, inside.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
            )

    def _see_it_ready(self) -> None:
        """Wait until it can fork. Raises SandboxUnavailable if it does not come up."""
        if self._errors is None:
            return
        ready = b""
        # One killed early leaves somebody behind who keeps the line open and says nothing.
        while not ready and self.alive and time.monotonic() < self._ready_until:
            with suppress(OSError):
                ready = self._control.recv(100)
        errors, self._errors = self._errors, None
        with errors:
            if not ready:
                self.close()
                errors.seek(0)
                lines = errors.read()[-20_000:].decode(errors="replace").strip().splitlines()
                last = lines[-1] if lines else "it said nothing"
                raise SandboxUnavailable(f"The fork server did not start: {last}")
        self._control.settimeout(10)

    @property
    def alive(self) -> bool:
        """Whether new sessions can be had; if not, close this one and start another."""
        return self._process.poll() is None

    def session(self, **changes: int) -> "Session":
        """A fresh process for one submission, with what it may use changed where named."""
        # Here, since the module needs PyTorch, and this process starts while that is imported.
        from autograder.sandbox.session import Session

        self._see_it_ready()
        allowance = replace(self.allowance, **changes)
        connection, inside = socket.socketpair()
        status, inside_status = socket.socketpair()
        try:
            with inside, inside_status:
                message = json.dumps(asdict(allowance)).encode()
                ends = [inside.fileno(), inside_status.fileno()]
                socket.send_fds(self._control, [message], ends)
                process = self._started()
        except OSError as error:
            connection.close()
            status.close()
            raise SandboxUnavailable(f"The fork server is gone ({error}).") from error
        return Session(connection, status, allowance, process)

    def _started(self) -> int | None:
        """The session's process as it is called out here, by which its time is measured."""
        message, descriptors, _, _ = socket.recv_fds(self._control, 100, 1)
        if not message:
            raise OSError("it ended")
        for descriptor in descriptors:
            lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines()
            os.close(descriptor)
            numbers = [int(line.split()[1]) for line in lines if line.startswith("Pid:")]
            return numbers[0] if numbers and numbers[0] > 0 else None
        return None

    def close(self) -> None:
        """End it and every session of it."""
        self._control.close()
        if self._errors is not None:  # nobody waits for one that is not needed
            self._errors.close()
            self._process.kill()
        try:
            # Ends by itself, in order: each process waits until those below it are gone.
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __exit__(self, *_: object) -> None:
        self.close()
