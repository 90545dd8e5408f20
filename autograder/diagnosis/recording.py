"""The reference as a live function, or as a recording of its answers for the public seed."""

from collections.abc import Sequence
from pathlib import Path

from autograder.checking.registry import Exercise, find
from autograder.diagnosis.judge import PUBLIC_SEED, first_failure, patterns_of
from autograder.diagnosis.patterns import Pattern, read, written
from autograder.remote.calling import Home
from autograder.remote.requests import Performer, Reply, Request
from autograder.source.content import references
from autograder.source.sources import ANSWERS, PATTERNS, RECORDINGS


class Recorder(Performer):
    """Performs requests and keeps the answers."""

    def __init__(self, home: Performer) -> None:
        self._home = home
        self.replies: list[Reply] = []

    def rewind(self) -> None:
        """Start a new recording."""
        self.replies.clear()

    def answer(self, request: Request) -> Reply:
        """Answer a request and note the answer."""
        reply = self._home.answer(request)
        self.replies.append(reply)
        return reply


class Recording(Performer):
    """Answers the requests of one check, in their order, from a recording.

    With it come the patterns of misconceptions, where they are known.
    """

    def __init__(self, replies: list[Reply], patterns: Sequence[Pattern | None] = ()) -> None:
        self._replies = replies
        self.patterns = patterns
        self._next = 0

    def rewind(self) -> None:
        """Start again at the first answer."""
        self._next = 0

    def answer(self, request: Request) -> Reply:
        """The next recorded answer."""
        reply = self._replies[self._next]
        self._next += 1
        return reply


def live(exercise: Exercise) -> Home:
    """A home of the reference itself."""
    return Home({exercise.name: getattr(references(exercise.module), exercise.reference)})


def record(name: str) -> list[Reply]:
    """The reference's answers to its own check for the public seed."""
    exercise = find(name)
    recorder = Recorder(live(exercise))
    if wrong := first_failure(name, live(exercise), recorder, PUBLIC_SEED):
        raise ValueError(f"The reference of {name} does not pass its own check: {wrong}")
    return recorder.replies


def save(name: str, folder: Path) -> None:
    """Write a recording, as answers travel between two processes."""
    from autograder.remote.wire import encode

    folder.mkdir(parents=True, exist_ok=True)
    replies = [reply.message() for reply in record(name)]
    (folder / f"{name}{ANSWERS}").write_bytes(encode(replies))
    patterns = written(patterns_of(name, live(find(name))))
    (folder / f"{name}{PATTERNS}").write_bytes(patterns)


def load(name: str, folder: Path = RECORDINGS) -> Recording:
    """Read a recording."""
    from autograder.remote.wire import decode

    replies = decode((folder / f"{name}{ANSWERS}").read_bytes())
    return Recording([Reply.of(reply) for reply in replies], patterns_in(name, folder))


def patterns_in(name: str, folder: Path = RECORDINGS) -> Sequence[Pattern | None]:
    """The patterns of an exercise's misconceptions; none where nothing was recorded.

    Without them, more is run: what is said is the same.
    """
    path = folder / f"{name}{PATTERNS}"
    return read(path.read_bytes()) if path.exists() else ()


def reference_for(exercise: Exercise) -> Performer:
    """The recording, where this installation carries one; else the live reference."""
    if (RECORDINGS / f"{exercise.name}{ANSWERS}").exists():
        return load(exercise.name)
    return live(exercise)
