"""Grading one submission in a container that is thrown away afterwards, as Gradescope's are.

Such containers allow no further sandbox. What keeps a submission from writing its own score there
is that it runs as a user without rights, in a process that has nothing of the course but the
worker's own modules; the references are readable by root alone, and so are the results.
"""

import contextlib
import ctypes
import os
import pwd
import shutil
import sys
import tempfile
from pathlib import Path

import psutil

from autograder.sandbox.child import ChildSession
from autograder.sandbox.layout import COURSE, staged
from autograder.sandbox.session import Session

USER = "nobody"


def possible() -> str | None:
    """None where this process can give up rights for another; else the reason."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root of a container can run a submission as another user"
    return None


class ContainerSession(ChildSession):
    """A session whose process belongs to a user without rights."""

    def __init__(self, course: Path) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="submission-"))
        shutil.chown(self._home, USER)
        super().__init__(
            "-s",
            cwd=self._home,
            user=USER,
            group=pwd.getpwnam(USER).pw_gid,
            extra_groups=[],
            env={"PYTHONPATH": str(course), "HOME": str(self._home), "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )

    def _end(self, grace: float = 0.2) -> None:
        if self.usage:
            return
        super()._end(grace)
        _end_descendants()
        shutil.rmtree(self._home, ignore_errors=True)


class ContainerProcess:
    """A fork server that keeps what its sessions are given, and nothing loaded."""

    alive = True

    def __init__(self, **_: int) -> None:
        _adopt_orphans()
        self._course = Path(tempfile.mkdtemp(prefix="course-"))
        self._course.chmod(0o755)
        for name, content in staged():
            path = self._course / Path(name).relative_to(COURSE)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def session(self) -> Session:
        """A fresh process for one submission."""
        return ContainerSession(self._course)

    def close(self) -> None:
        """Remove what the sessions were given."""
        shutil.rmtree(self._course, ignore_errors=True)


def _adopt_orphans() -> None:
    """Become the parent of all that a session's process leaves behind, to be able to end it."""
    subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(subreaper, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "this process cannot adopt orphans")


def _end_descendants() -> None:
    """End every process that descends from this one: all are the submission's."""
    for _ in range(50):
        if not (descendants := psutil.Process().children(recursive=True)):
            return
        for process in descendants:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(descendants, timeout=0.01)
