"""The class at a glance: in the terminal, as one page that loads nothing, and as a table."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.grading.report.feedback_page import template
from autograder.grading.report.figures import COLORS, figures
from autograder.grading.report.for_a_teacher import NAMES_AT_MOST
from autograder.grading.report.inventory import InventorySurvey
from autograder.grading.report.survey import ChapterSurvey, Survey
from autograder.grading.report.table import write_table
from autograder.grading.text import listed, visible

COLUMNS = ("student", "chapter", "exercise", "status", "points", "max_points")
SENTENCES_AT_MOST = 3


def write_report(found: Survey, page: Path, kept: Path) -> Path:
    """Write the page, and the table beside it; returns the table's path.

    `kept` is a folder for the figures: those that did not change are not drawn again.
    """
    table = page.with_suffix(".csv")
    write_table(table, _rows(found))
    page.write_text(report_page(found, table.name, kept), encoding="utf-8")
    return table


def _rows(found: Survey) -> Iterator[list[Any]]:
    yield [*COLUMNS, "misconception", "message"]
    for record in found.records:
        for one in record["exercises"]:
            place = [record["student"], record["chapter"], one["name"]]
            yield [
                *place,
                *(one[name] for name in COLUMNS[3:]),
                one["misconception"],
                visible(one["message"]),
            ]


def report_page(found: Survey, table: str, kept: Path) -> str:
    """The page as HTML, with its figures in it."""
    pictures = {one.name: figures(one, kept) for one in found.chapters if one.scores}
    when = f"{datetime.now():%Y-%m-%d %H:%M}"
    return template("overview.html").render(
        survey=found, gained=gained, figures=pictures, colors=COLORS, when=when, table=table
    )


def show_report(results: Survey) -> None:
    """The same, in the terminal."""
    console = Console()
    if results.inventory is not None:
        _show_inventory(results.inventory, console)
    for chapter in results.chapters:
        _show_chapter(chapter, console)


def _show_inventory(found: InventorySurvey, console: Console) -> None:
    console.rule("[bold]before and after the course", align="left")
    if not found.scores:
        console.print(f"{found.once} answered the first time, nobody the second", highlight=False)
        return
    console.print(
        f"{len(found.scores)} answered both times: {found.before:.0%} right before, "
        f"{found.after:.0%} after; {gained(found)}",
        highlight=False,
    )
    for one in sorted(found.questions, key=lambda one: one.after)[:SENTENCES_AT_MOST]:
        share = f"{one.after} of {len(found.scores)}"
        console.print(escape(f"{share} right: {one.number}. {one.text}"), highlight=False)
    console.print()


def gained(found: InventorySurvey) -> str:
    """The gain with its interval, in words."""
    if found.gain is None:
        return "nothing was lacking, so that there is no gain to reckon"
    interval = found.interval
    within = f" (95% interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
    return f"normalized gain {found.gain:.2f}{within}"


def _show_chapter(chapter: ChapterSurvey, console: Console) -> None:
    console.rule(f"[bold]{escape(chapter.name)}", align="left")
    count = len(chapter.scores)
    console.print(
        f"{count} handed in ({chapter.late} late), {len(chapter.absent)} did not; mean "
        f"{chapter.mean:.1f}, median {chapter.median:.1f} of {chapter.max_score:g}; "
        f"{chapter.full} with all points",
        highlight=False,
    )
    table = Table("exercise", "passed", "", "tried", "not started")
    for one in chapter.exercises:
        table.add_row(
            escape(one.name),
            f"{one.passed} of {one.handed_in}",
            f"{100 * one.pass_rate:.0f}%",
            str(one.stuck),
            str(one.untried),
        )
    if count:
        console.print(table)
    for name, sentence, students in chapter.misconceptions[:SENTENCES_AT_MOST]:
        console.print(escape(f"{students} x {name}: {sentence}"), highlight=False)
    for back in chapter.came_back:
        console.print(
            escape(f"came back from {back.chapter}: {back.students} x {back.sentence}")
            + f" ({back.before} had it there, too)",
            highlight=False,
        )
    for one in chapter.reteach:
        console.print(
            f"teach again: {escape(one.name)} ({one.stuck} of {one.handed_in - one.untried} who "
            "tried did not get it right)",
            highlight=False,
        )
    for student, status, note in chapter.troubles:
        console.print(escape(visible(f"{student}: {status}: {note}")), highlight=False)
    for sentence in chapter.for_a_teacher:
        console.print(escape(sentence), highlight=False, soft_wrap=True)
    for what, names in (("not handed in", chapter.absent), ("not graded yet", chapter.ungraded)):
        if names:
            text = f"{what}: {listed(names, NAMES_AT_MOST)}"
            console.print(escape(visible(text)), highlight=False)
    console.print()
