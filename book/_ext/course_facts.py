"""`{course-facts}`: where the course begins and how large it is, counted from the notebooks.

`{course-hours}`: a table of what each chapter takes, to read, solve and run, and of its points.
Minutes are said only when every exercise's title has some: less than all would be a wrong sum.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from course import chapters
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WORDS_A_MINUTE = 80
BLOCK = re.compile(  # an exercise, a hint or a question, up to the fence that closes it
    r"^(?P<fence>:{3,}|`{3,})\{(exercise|dropdown|quiz)\}.*?^(?P=fence)[ ]*$",
    re.DOTALL | re.MULTILINE,
)
TITLE = re.compile(r"^ *[:`]{3,}\{exercise\} (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Facts:
    """What a chapter takes: minutes to read and to solve (nothing where not all say it)."""

    reading: int
    solving: int | None
    exercises: int
    points: int

    @property
    def minutes(self) -> str:
        return f"{self.reading} + {self.solving}" if self.solving else f"{self.reading}"


def facts_of(notebook: Path) -> Facts:
    titles = exercise_titles(notebook)
    minutes, points = summed(titles, "minute"), summed(titles, "point")
    return Facts(reading_minutes(notebook), minutes, len(titles), points or 0)


def exercise_titles(notebook: Path) -> list[str]:
    """The titles of a chapter's exercises: name, dots, minutes, points."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [title for cell in cells for title in TITLE.findall("".join(cell["source"]))]


def summed(titles: list[str], unit: str) -> int | None:
    """The sum of what titles say in a unit; nothing where one does not say it."""
    minutes = [re.search(rf"(\d+) {unit}s?\b", title) for title in titles]
    return None if None in minutes else sum(int(one[1]) for one in minutes if one)


def size(titles: list[str], number: int) -> str:
    """How large the course is, in a sentence."""
    sentence = f"{number} chapters and {len(titles)} exercises"
    amounts = []
    if points := summed(titles, "point"):
        amounts.append(f"{points} points")
    if minutes := summed(titles, "minute"):
        amounts.append(f"about {round(minutes / 60)} hours of practice")
    return ": ".join([sentence, ", ".join(amounts)] if amounts else [sentence]) + "."


class CourseFacts(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        book = Path(self.env.srcdir)
        pages = list(chapters(book))
        titles = []
        for page in pages:
            path = book / f"{page}.ipynb"
            self.env.note_dependency(str(path))
            titles += exercise_titles(path)
        words = nodes.inline("", "Start")
        start = addnodes.pending_xref(
            "",
            words,
            refdomain="std",
            reftype="doc",
            reftarget=f"/{pages[0]}",
            refexplicit=True,
            refwarn=True,
        )
        line = nodes.paragraph("", "", start, classes=["course-facts"])
        line += nodes.Text(" ")
        line += nodes.inline("", size(titles, len(pages)))
        return [line]


def reading_minutes(notebook: Path) -> int:
    """To read a chapter's text, without exercises, hints and questions, to five minutes."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    words = sum(len(BLOCK.sub("", text).split()) for text in texts)
    return max(5, 5 * round(words / WORDS_A_MINUTE / 5))


def by_hand(notebook: Path) -> int:
    """The points that a teacher gives."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    marks = [cell["metadata"].get("nbgrader", {}) for cell in cells]
    return sum(int(mark["points"]) for mark in marks if mark.get("grade") and mark.get("solution"))


def running_minutes(notebook: Path) -> str:
    """What all cells of a chapter compute on one core, as `make notebooks` stored it."""
    seconds = json.loads(notebook.read_text(encoding="utf-8"))["metadata"].get("core_seconds")
    if not seconds:
        return ""
    return "< 1" if seconds < 60 else f"{round(seconds / 60)}"


class CourseHours(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        book = Path(self.env.srcdir)
        rows = [["chapter", "minutes to read", "to solve", "to run", "points", "by hand"]]
        for page in chapters(book):
            path = book / f"{page}.ipynb"
            self.env.note_dependency(str(path))
            facts, hand = facts_of(path), by_hand(path)
            rows.append(
                [
                    f"{{doc}}`{page}`",
                    f"{facts.reading}",
                    f"{facts.solving or ''}",
                    running_minutes(path),
                    f"{facts.points}",
                    f"{hand or ''}",
                ]
            )
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|---|--:|--:|--:|--:|--:|")
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> dict:
    app.add_directive("course-facts", CourseFacts)
    app.add_directive("course-hours", CourseHours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
