"""The feedback page of one submission: one file, nothing in it runs or loads."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, Template, select_autoescape

from autograder.cells import grade_id
from autograder.checking.feedback import details, example_lines, headline, points_text
from autograder.checking.verdict import Verdict
from autograder.grading.text import one_line, visible

SOURCE_AT_MOST = 20_000


@functools.cache
def template(name: str) -> Template:
    """A page to be filled in; every text that goes into it is escaped."""
    loader = PackageLoader("autograder.grading.report", "templates")
    environment = Environment(loader=loader, autoescape=select_autoescape())
    environment.filters["visible"] = visible
    return environment.get_template(name)


@dataclass(frozen=True)
class Entered:
    """What a teacher entered by hand for one exercise."""

    points: float | None = None
    comment: str = ""


def feedback_page(
    record: dict[str, Any],
    verdicts: list[Verdict],
    notebook: Mapping[str, Any],
    by_hand: Mapping[str, Entered] = MappingProxyType({}),
) -> str:
    """The page as HTML; every text from the submission is escaped."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sources = {grade_id(cell): cell["source"] for cell in code}
    cards = [
        {
            "status": verdict.status.replace(" ", "-"),
            "headline": visible(headline(verdict)),
            "details": [visible(line) for line in details(verdict)],
            "example": "\n".join(map(visible, example_lines(verdict.more or {}))),
            "by_hand": by_hand.get(verdict.name),
            "max_points": points_text(verdict.max_points),
            "source": visible(sources.get(verdict.name, "")[:SOURCE_AT_MOST]),
        }
        for verdict in verdicts
    ]
    cards += [
        {
            "status": "not-started",
            "headline": f"{one['name']}: "
            + ("graded by your teacher" if one["answered"] else "not answered"),
            "by_hand": by_hand.get(one["name"]),
            "max_points": points_text(one["max_points"]),
        }
        for one in record.get("by_hand", [])
    ]
    visible_record = record | {"student": one_line(record["student"])}
    return template("feedback.html").render(
        record=visible_record, cards=cards, notes=record["notes"]
    )
