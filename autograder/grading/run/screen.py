"""What a teacher sees in the terminal while a class is graded, and after."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder.grading.course.folder import Course
from autograder.grading.text import one_line


@contextlib.contextmanager
def progress_bar(
    course: Course, chapters: Sequence[str]
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A bar that a call with each record moves on."""
    total = len(course.submissions(list(course.listed(chapters))))
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, transient=True) as bar:
        row = bar.add_task("", total=total)
        yield lambda record: bar.update(row, advance=1, description=escape(_name(record)))


def _name(record: dict[str, Any]) -> str:
    return one_line(f"{record['student']}, {record['chapter']}")


def summary(records: list[dict[str, Any]], course: Course) -> None:
    """The chapters in one table, then one line for each submission to look at.

    The points are the checks' own: late penalties and a teacher's points are in the report.
    """
    console = Console()
    table = Table("chapter", "submissions", "mean of checks", "of", "all right", "to look at")
    for chapter in sorted({record["chapter"] for record in records}):
        rows = [record for record in records if record["chapter"] == chapter]
        scores = [row["score"] for row in rows]
        table.add_row(
            chapter,
            str(len(rows)),
            f"{sum(scores) / len(rows):.1f}",
            f"{rows[0]['max_score']:g}",
            str(sum(row["score"] == row["max_score"] for row in rows)),
            str(sum(_remarkable(row) for row in rows)),
        )
    console.print(table)
    for record in filter(_remarkable, records):
        notes = "; ".join(record["notes"][:3])
        status_and_notes = f"{record['status']}{': ' if notes else ''}{notes}"
        line = escape(one_line(f"{_name(record)}: {status_and_notes}"))
        console.print(line, highlight=False, soft_wrap=True)
    for stray in course.strays():
        console.print(escape(one_line(f"not graded: {stray}")), highlight=False, soft_wrap=True)
    counts = Counter(record["status"] for record in records)
    counted = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    noun = "submission" if len(records) == 1 else "submissions"
    console.print(f"{len(records)} {noun}: {counted or 'none'}.", highlight=False)
    where = course.root.resolve()
    console.print(f"gradebook, autograded/ and feedback/ are in {where}", highlight=False)


def _remarkable(record: dict[str, Any]) -> bool:
    return record["status"] != "graded" or bool(record["notes"])
