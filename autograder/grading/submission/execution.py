"""The cells of one submission, run in sandboxes: sessions, restarts, and the time that is left."""

import contextlib
import time
from collections.abc import Iterable, Iterator
from typing import Any

from nbformat import NotebookNode

from autograder.grading.submission.sandbox_home import Gone, ask
from autograder.sandbox.deadline import Deadline
from autograder.sandbox.fork_server import ForkServer
from autograder.sandbox.limits import Limits
from autograder.sandbox.session import REPLIES, Session

RESTARTS_AT_MOST = 8
OUTPUT_BYTES = 100_000  # of a cell
# How much longer than one cell or check a whole submission may take: many slow cells add up.
WHOLE = 10
# How much longer it may sleep or wait for nothing in all: nobody's work needs that.
IDLE = 3
# In a class it stands back after so much of the limit, until those that compute are done.
IDLE_IN_CLASS = 0.25


class StandsBack(Exception):
    """The submission sleeps: it is to be graded when no other is left."""


class Execution:
    """Runs cells in order, and in a new sandbox when student code brings one down."""

    def __init__(
        self,
        sources: dict[int, str],
        server: ForkServer,
        limits: Limits,
        others_wait: bool = False,
    ) -> None:
        self.sources = sources  # of the cells that are needed, by their places
        self.ended_by: str | None = None  # how the first session ended that was lost
        self.session: Session | None = None
        self._server, self._limits = server, limits
        self._others_wait = others_wait  # then StandsBack is raised where the submission sleeps
        self._idle = 0.0  # seconds in which there was nothing to compute
        self._poisoned: set[int] = set()  # cells that ended a session; they are not run again
        self._restarts = 0
        self._provided: dict[int, list[str]] = {}  # by the place of a cell: what runs before it
        self._end = time.monotonic() + WHOLE * limits.seconds

    def run(self, index: int) -> dict[str, Any]:
        """Run the cell of that place where it stands. Raises Gone."""
        try:
            return self.execute(self.ready(index), self.sources[index])
        except Gone as gone:
            self.lose(gone)
            self._poisoned.add(index)
            raise

    def ready(self, upto: int) -> Session:
        """A live session in which every cell before `upto` has run, but those that broke one."""
        while self.session is None:
            self._seconds()  # or there is no use in another one
            if self._restarts > RESTARTS_AT_MOST:
                status = self.ended_by or "crashed"
                raise Gone(status, "too many cells of this submission broke off")
            self._restarts += 1
            self.session = self._server.session()
            for index, source in self._steps(upto):
                try:
                    self.execute(self.session, source)
                except Gone:
                    self._poisoned.add(index)
                    self.close()
                    break
        return self.session

    @contextlib.contextmanager
    def providing(self, sources: Iterable[tuple[int, str]]) -> Iterator[None]:
        """In the body, sessions run these too, each before the cell of its place."""
        self.begin_again()
        for index, source in sources:
            self._provided.setdefault(index, []).append(source)
        try:
            yield
        finally:
            self._provided = {}
            self.close()

    @contextlib.contextmanager
    def timed(self, session: Session) -> Iterator[Deadline]:
        """The time for the next cell or check; what does not count there does not in the whole."""
        seconds = self._seconds()
        most = self._limits.seconds * (IDLE_IN_CLASS if self._others_wait else IDLE)
        deadline = session.deadline(seconds, most - self._idle)
        try:
            yield deadline
        finally:
            deadline.end()
            self._end += deadline.spared
            self._idle += deadline.idle
            if self._others_wait and self._idle > most:
                raise StandsBack

    def close(self) -> None:
        """End the session; the next one begins from the first cell."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def begin_again(self) -> None:
        """End a session by none of the submission's doing: this costs no restart."""
        self.close()
        self._restarts -= 1

    def lose(self, gone: Gone) -> None:
        """A session has ended before it answered."""
        self.close()
        self.ended_by = self.ended_by or gone.status

    def _steps(self, upto: int) -> Iterator[tuple[int, str]]:
        """What runs before a place: the cells that are needed, and what is provided among them."""
        for index in range(upto):
            for source in self._provided.get(index, ()):
                yield index, source
            if index in self.sources and index not in self._poisoned:
                yield index, self.sources[index]

    def execute(self, session: Session, source: str) -> dict[str, Any]:
        """Run a source in a session. Raises Gone."""
        request = {"op": "run", "source": source, "bytes": OUTPUT_BYTES}
        session.replies = REPLIES
        with self.timed(session) as deadline:
            return ask(session, request, deadline)

    def _seconds(self) -> float:
        """How long the next cell or check may take."""
        left = self._end - time.monotonic()
        if left <= 0:
            whole = WHOLE * self._limits.seconds
            raise Gone("timeout", f"all of the submission took more than {whole:g} seconds")
        if self._idle > IDLE * self._limits.seconds:
            most = f"{IDLE * self._limits.seconds:g} seconds"
            text = f"the submission slept or waited for more than {most} in all"
            raise Gone("timeout", text)
        return min(self._limits.seconds, left)


def sources_of(
    notebook: NotebookNode, needed: set[int], unstubbed: dict[int, str]
) -> dict[int, str]:
    """The text of the needed cells, by place, without the stubs that stand below one's own code."""
    return {
        index: unstubbed.get(index, cell.source)
        for index, cell in enumerate(notebook.cells)
        if index in needed
    }
