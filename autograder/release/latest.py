"""Whether there is anything to release: told by hashes, in a fraction of a second.

Everything that a release is made from is hashed, and what of it the course has: while both are as
the last whole release left them, a new one would change nothing.
"""

import contextlib
import json
from importlib.metadata import version
from pathlib import Path

from autograder import manifest
from autograder.errors import GradebookError
from autograder.files import files_in, sha256, sha256_of_files
from autograder.queries import queries
from autograder.settings import read_settings
from autograder.source.content import content

FILES = ("pyproject.toml", "LICENSE", "LICENSE-text", "_config.yml")
MADE_WITH = ("nbgrader", "torch")
STAMP = "latest.sha256"


class Latest:
    """What the last whole release was made from and what it made, as one hash."""

    def __init__(self, course: Path, state: Path, root: Path) -> None:
        self._course, self._state, self._root = course, state, root
        self._stamp = state / STAMP

    def stands(self) -> bool:
        """Whether nothing has changed since."""
        with contextlib.suppress(OSError):
            return self._stamp.read_text(encoding="ascii") == self._now()
        return False

    def note(self) -> None:
        """A whole release has come to its end."""
        self._stamp.write_text(self._now(), encoding="ascii")

    def forget(self) -> None:
        """A release begins."""
        self._stamp.unlink(missing_ok=True)

    def _now(self) -> str:
        folders = (Path("autograder"), Path("book"), content().folder)
        inputs = [path for folder in folders for path in files_in(self._root / folder)]
        inputs += [path for name in FILES if (path := self._root / name).exists()]
        course = [self._course / manifest.NAME, *files_in(self._course / manifest.RECORDINGS)]
        course += sorted((self._course / "release").glob("*/*.ipynb"))
        return sha256(
            sha256_of_files(inputs, self._root),
            sha256_of_files(course, self._course),
            *(version(name) for name in MADE_WITH),
            json.dumps([self._there(), sorted(chapters_entered(self._course))]),
        )

    def _there(self) -> list[str]:
        """Which of the release's own files are still there."""
        own_files = json.loads((self._state / "files.json").read_text(encoding="utf-8"))
        return [name for name in sorted(own_files) if (self._course / name).exists()]


def chapters_entered(course: Path) -> set[str]:
    """The names of the chapters that the course's gradebook has; none where it has no tables."""
    with contextlib.suppress(GradebookError), queries(read_settings(course).gradebook) as query:
        return {name for (name,) in query("SELECT name FROM assignment")}
    return set()
