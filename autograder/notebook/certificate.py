"""`autograder certificate`: all notebooks judged again from nothing, and a page of what was solved.

The page (`certificate_page.py`, and as a PDF `certificate_pdf.py`) holds no date, no name and no
path: whoever has the same notebooks and the same course gets it again, byte for byte. The notebooks
run as their owner, without a sandbox, as in `check`.
"""

import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.checking.registry import Exercise, exercises
from autograder.files import (
    JUDGING,
    files_in,
    sha256,
    sha256_of_content,
    sha256_of_files,
)
from autograder.source.content import CHECK
from autograder.source.sources import text_of

ENGINE = Path(__file__).resolve().parents[1]
TITLE = "Certificate of solved exercises"
SAID = (
    "Each notebook was run from nothing and its exercises were checked anew. The points are those "
    "of the exercises that are checked by themselves; answers in words are not among them.",
    "The notebooks ran without a sandbox, as on their owner's computer, where code that wants to "
    "cheat can. Who has to rely on the result grades them in the sandbox (`autograder grade`).",
    "To see whether this page is right, run `autograder certificate` in a folder with the same "
    "notebooks and the same course: page and hashes (SHA-256) must come out the same.",
)


@dataclass(frozen=True)
class Judged:
    """A chapter's notebook: its hash, that of the chapter's checks, and what passed."""

    chapter: str
    notebook: str  # empty where there is none
    checks: str
    passed: dict[str, bool]
    points: float
    max_points: float

    @property
    def solved(self) -> list[str]:
        """The names of the exercises that passed."""
        return [name for name, passed in self.passed.items() if passed]

    @property
    def open(self) -> list[str]:
        """The names of those that did not."""
        return [name for name, passed in self.passed.items() if not passed]


@dataclass(frozen=True)
class Certificate:
    """What all chapters together say."""

    chapters: list[Judged]
    course: str  # the hash of all checks and of what judges by them

    @property
    def points(self) -> str:
        """How many, of how many."""
        earned, possible = (
            sum(getattr(one, name) for one in self.chapters) for name in ("points", "max_points")
        )
        return f"{earned:g} of {possible:g} points"

    @property
    def exercises(self) -> str:
        """How many, of how many."""
        solved = sum(len(one.solved) for one in self.chapters)
        return f"{solved} of {sum(len(one.passed) for one in self.chapters)} exercises"


def judged(folder: Path, check: Sequence[str]) -> Iterator[Judged]:
    """Judge the chapters' notebooks in a folder, in it or in folders of their names, one by one.

    `check` is the command that checks one of them, in a process of its own.
    """
    by_chapter = itertools.groupby(
        sorted(exercises().values(), key=lambda one: one.chapter), key=lambda one: one.chapter
    )
    for chapter, group in by_chapter:
        asked = list(group)
        places = (folder / f"{chapter}.ipynb", folder / chapter / f"{chapter}.ipynb")
        notebook = next(filter(Path.is_file, places), None)
        found = _checked(notebook, check) if notebook else {}
        yield Judged(
            chapter,
            sha256_of_content(notebook.read_bytes()) if notebook else "",
            _checks(asked[0]),
            {one.name: bool(found.get(one.name)) for one in asked},
            sum(found.get(one.name, 0.0) for one in asked),
            sum(one.points for one in asked),
        )


def _checked(notebook: Path, check: Sequence[str]) -> dict[str, float]:
    """The points of each exercise that passed."""
    with tempfile.TemporaryDirectory() as place:
        written = Path(place) / "verdicts.json"
        command = [*check, str(notebook.resolve()), "--json", str(written)]
        subprocess.run(command, capture_output=True)
        if not written.exists():  # no notebook, or one without checks
            return {}
        verdicts = map(json.loads, written.read_text(encoding="utf-8").splitlines())
        return {one["name"]: one["points"] for one in verdicts if one["passed"]}


def _checks(exercise: Exercise) -> str:
    """The hash of a chapter's references and checks."""
    return sha256(text_of(exercise.module), text_of(f"{exercise.module}.{CHECK}"))


def course_hash(chapters: list[Judged]) -> str:
    """One hash of all checks and of what judges by them, which every installation has."""
    engine = [one for room in JUDGING for one in files_in(ENGINE / room) if one.suffix == ".py"]
    return sha256(sha256_of_files(engine, ENGINE), *(one.checks for one in chapters))
