"""What a teacher sees in the terminal while a class is graded, and after."""

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder.grading.course.folder import Course
from autograder.grading.course.journal import Journal
from autograder.grading.course.scores import read_scores, reading
from autograder.grading.report.for_a_teacher import NAMES_AT_MOST, sentences
from autograder.grading.text import listed, one_line


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
    for sentence in _for_a_teacher(records, course):
        console.print(escape(sentence), highlight=False, soft_wrap=True)
    counts = Counter(record["status"] for record in records)
    counted = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    noun = "submission" if len(records) == 1 else "submissions"
    console.print(f"{len(records)} {noun}: {counted or 'none'}.", highlight=False)
    where = course.root.resolve()
    console.print(f"gradebook, autograded/ and feedback/ are in {where}", highlight=False)


def _for_a_teacher(records: list[dict[str, Any]], course: Course) -> Iterator[str]:
    """What the gradebook has of these submissions that only a hand can settle."""
    chapters = {record["chapter"] for record in records}
    students = {record["student"] for record in records}
    if not records:
        return
    with reading(course.settings.gradebook) as query:
        cells = read_scores(query).only(chapters, students).for_a_teacher
    yield from sentences(cells, course.listed())


def left_behind(course: Course, chapters: Sequence[str], graded: Collection[str]) -> None:
    """Say whose scores stay with former points or checks, where only some were graded."""
    console, journal = Console(), Journal(course.state)
    for chapter in course.chapters(chapters).values():
        others = [
            submission.student
            for submission in course.submissions([chapter.name])
            if submission.student not in graded
            and (key := journal.shown(submission.student, chapter.name))
            and journal.was_judged_otherwise(key, chapter)
        ]
        if others:
            count, were = len(others), "were" if len(others) > 1 else "was"
            console.print(
                escape(
                    f"{chapter.name}: {count} other submission{'s' if count > 1 else ''} {were} "
                    "graded with other points or checks, and those scores stay: run autograder "
                    f"grade {chapter.name} without --student ({listed(others, NAMES_AT_MOST)})."
                ),
                highlight=False,
                soft_wrap=True,
            )


def _remarkable(record: dict[str, Any]) -> bool:
    return record["status"] != "graded" or bool(record["notes"])
