"""The feedback page of one submission: one file, nothing in it runs or loads."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import nbformat
from jinja2 import Environment, PackageLoader, select_autoescape

from autograder.checking import Verdict
from autograder.checking.feedback import details, headline, points_text
from autograder.grading.notebook import grade_id

# Control characters, and those that reorder text: they could make a page say another thing.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SOURCE_AT_MOST = 20_000


def visible(text: str) -> str:
    """The text without characters that a reader cannot see; they are shown by their code."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


@functools.cache
def _template() -> Any:
    loader = PackageLoader("autograder.grading", "templates")
    return Environment(loader=loader, autoescape=select_autoescape()).get_template("feedback.html")


@dataclass(frozen=True)
class Entered:
    """What a teacher entered by hand for one exercise."""

    points: float | None = None
    comment: str = ""


def feedback_page(
    record: dict[str, Any],
    verdicts: list[Verdict],
    notebook: nbformat.NotebookNode,
    by_hand: Mapping[str, Entered] = MappingProxyType({}),
) -> str:
    """The page as HTML; every text from the submission is escaped."""
    sources = {grade_id(cell): cell.source for cell in notebook.cells if cell.cell_type == "code"}
    cards = [
        {
            "status": verdict.status.replace(" ", "-"),
            "headline": visible(headline(verdict)),
            "details": [visible(line) for line in details(verdict)],
            "by_hand": by_hand.get(verdict.name),
            "max_points": points_text(verdict.max_points),
            "source": visible(sources.get(verdict.name, "")[:SOURCE_AT_MOST]),
        }
        for verdict in verdicts
    ]
    notes = [visible(note) for note in record["notes"]]
    return _template().render(record=record, cards=cards, notes=notes)
