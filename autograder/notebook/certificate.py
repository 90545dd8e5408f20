"""`autograder certificate`: all notebooks judged again from nothing, and a page of what was solved.

The page holds no date, no name and no path: whoever has the same notebooks and the same course gets
it again, byte for byte. The notebooks run as their owner, without a sandbox, as in `check`.
"""

import html
import itertools
import json
import subprocess
import tempfile
import textwrap
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
    write_whole,
)
from autograder.source.content import CHECK
from autograder.source.sources import text_of

ENGINE = Path(__file__).resolve().parents[1]
WIDTH = 94  # letters of a line in the PDF
LINES = 62
SAID = (
    "Each notebook was run from nothing and its exercises were checked anew. The points are those "
    "of the exercises that are checked by themselves; answers in words are not among them.",
    "The notebooks ran without a sandbox, as on their owner's computer, where code that wants to "
    "cheat can. Who has to rely on the result grades them in the sandbox (autograder grade).",
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


def lines(chapters: list[Judged]) -> Iterator[str]:
    """What the certificate says, in plain text."""
    points = sum(one.points for one in chapters)
    yield f"{points:g} of {sum(one.max_points for one in chapters):g} points"
    yield f"course  {course_hash(chapters)}"
    for one in chapters:
        yield ""
        yield f"{one.chapter}: {one.points:g} of {one.max_points:g} points"
        yield f"  notebook  {one.notebook or 'not there'}"
        yield f"  checks    {one.checks}"
        for word, wanted in (("solved", True), ("open", False)):
            names = [name for name, passed in one.passed.items() if passed is wanted]
            if names and one.notebook:
                yield f"  {word:<8}  {', '.join(names)}"


def page(chapters: list[Judged], title: str) -> str:
    """The certificate as one page that loads nothing."""
    said = "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in SAID)
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>:root {{ color-scheme: light dark; }} "
        "body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; "
        "padding: 1rem; } pre { overflow-wrap: anywhere; white-space: pre-wrap; }</style></head>\n"
        f"<body><main><h1>{html.escape(title)}</h1>\n"
        f"<pre>{html.escape(chr(10).join(lines(chapters)))}</pre>\n{said}</main></body>\n</html>\n"
    )


def write_pdf(chapters: list[Judged], title: str, path: Path) -> None:
    """The same as a PDF, without a date."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
    from matplotlib.figure import Figure

    text = [title, "", *lines(chapters), *(part for one in SAID for part in ("", one))]
    wrapped = [
        part
        for line in text
        for part in textwrap.wrap(line, WIDTH, subsequent_indent=" " * 12) or [""]
    ]
    with PdfPages(path, metadata={"Title": title, "CreationDate": None}) as pdf:
        for start in range(0, len(wrapped), LINES):
            figure = Figure(figsize=(8.27, 11.69))  # inches: A4
            FigureCanvasPdf(figure)
            shown = "\n".join(wrapped[start : start + LINES])
            figure.text(
                0.07, 0.95, shown, va="top", family="monospace", fontsize=8, parse_math=False
            )
            pdf.savefig(figure)


def certify(folder: Path, check: Sequence[str], target: Path) -> list[Judged]:
    """Judge, and write the page at `target` and the PDF beside it."""
    chapters = list(judged(folder, check))
    title = "Certificate of solved exercises"
    write_whole(target, page(chapters, title).encode())
    write_pdf(chapters, title, target.with_suffix(".pdf"))
    return chapters
