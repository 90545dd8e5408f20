"""A verdict as a learner sees it: plain text in a terminal, a small card in a notebook."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.checking.verdict import UNTOUCHED, Verdict

MIME = "application/vnd.attention-course.verdict+json"

_SIGNS = {
    "passed": ("\N{CHECK MARK}", "#1a7f37"),
    "failed": ("\N{BALLOT X}", "#cf222e"),
    "not started": ("\N{WHITE CIRCLE}", "#6e7781"),
    "not mended": ("\N{WHITE CIRCLE}", "#6e7781"),
}


def points_text(points: float) -> str:
    """`1 point`, `2 points`, `1.5 points`."""
    return f"{points:g} point" + ("" if points == 1 else "s")


def headline(verdict: Verdict) -> str:
    """One line: the sign, the exercise, the outcome, the points."""
    sign = _SIGNS.get(verdict.status, _SIGNS["failed"])[0]
    if verdict.status in UNTOUCHED:
        outcome = f"{verdict.status} yet ({points_text(verdict.max_points)})"
    elif verdict.passed:
        outcome = f"passed, {points_text(verdict.points)}"
    else:
        outcome = f"{verdict.status}, {verdict.points:g} of {points_text(verdict.max_points)}"
    return f"{sign} {verdict.name}: {outcome}"


def details(verdict: Verdict) -> list[str]:
    """What to say below the headline: the misconception by name first, then what was seen."""
    if verdict.passed or verdict.status == "not started":
        return []
    named, seen = verdict.misconception or "", verdict.message
    return [text for text in (named, "" if seen in named else seen) if text]


STEPS = "What your code set its variables to on the way, one after another:"
MARK = "*"  # beside what differs, where there is no color


def example_lines(more: Mapping[str, Any]) -> list[str]:
    """A small example in plain text: what was given, what came, what should have come."""
    if not more:
        return []
    given = ", ".join(f"{name} = {value}" for name, value in more["given"])
    lines = [f"A small input that shows it: {more['call']} with {given}."]
    part = f" ({more['result']})" if more["result"] else ""
    if more["error"]:
        lines.append(f"What came: {more['error']}")
    else:
        lines += [f"What came{part}:", *_aligned(more["got"], more["wrong"])]
    lines += [f"What should have come{part}:", *_aligned(more["want"], [])]
    if steps := more.get("steps"):
        lines += [STEPS, *(f"    {name} = {value}" for name, value in steps)]
    return [*lines, f"To read again: {more['read']}."]


def _aligned(rows: Sequence[Sequence[str]], wrong: Sequence[Sequence[bool]]) -> list[str]:
    """A table in columns of one width."""
    flags = wrong or [[False] * len(row) for row in rows]
    marked = [
        [f"{text}{MARK if flag else ' '}" for text, flag in zip(*pair, strict=True)]
        for pair in zip(rows, flags, strict=True)
    ]
    width = max((len(text) for row in marked for text in row), default=0)
    return ["    " + " ".join(text.rjust(width) for text in row) for row in marked]


def example_html(more: Mapping[str, Any]) -> str:
    """The same as two small tables, in which the cells that differ are marked."""
    given = ", ".join(f"{name} = {value}" for name, value in more["given"])
    part = f" ({more['result']})" if more["result"] else ""
    came = _table(f"What came{part}", more["got"], more["wrong"])
    if more["error"]:
        came = f"<div>What came: {html.escape(more['error'])}</div>"
    wanted = _table(f"What should have come{part}", more["want"], [])
    steps = "\n".join(f"{name} = {value}" for name, value in more.get("steps", ()))
    on_the_way = f"<div>{STEPS}</div><pre>{html.escape(steps)}</pre>" if steps else ""
    return (
        f"<div>A small input that shows it: {html.escape(more['call'])} with "
        f"{html.escape(given)}.</div>"
        f'<div style="display: flex; flex-wrap: wrap; gap: 1em">{came}{wanted}</div>'
        f"{on_the_way}"
        f"<div>To read again: {html.escape(more['read'])}.</div>"
    )


def _table(caption: str, rows: Sequence[Sequence[str]], wrong: Sequence[Sequence[bool]]) -> str:
    flags = wrong or [[False] * len(row) for row in rows]
    body = "".join(
        f"<tr>{''.join(map(_cell, row, marks))}</tr>"
        for row, marks in zip(rows, flags, strict=True)
    )
    style = "text-align: left; font-weight: normal"
    return f'<table><caption style="{style}">{html.escape(caption)}</caption>{body}</table>'


def _cell(text: str, wrong: bool) -> str:
    style = "padding: 0 0.5em; text-align: right"
    if wrong:
        return f'<td style="{style}; outline: 2px solid #cf222e"><b>{html.escape(text)}</b></td>'
    return f'<td style="{style}">{html.escape(text)}</td>'


class Feedback:
    """Displays a verdict in whatever the front end can show."""

    def __init__(self, verdict: Verdict, printed: str = "", note: str = "") -> None:
        """With what the code `printed`, and a `note` on the notebook as a whole."""
        self.verdict = verdict
        self.printed = printed
        self.note = note

    def text(self) -> str:
        """Plain text, for a terminal."""
        lines = [headline(self.verdict), *(f"  {line}" for line in details(self.verdict))]
        if self.verdict.more:
            lines += [f"  {line}" for line in example_lines(self.verdict.more)]
        lines += [f"  {self.note}"] * bool(self.note)
        if self.printed:
            lines += ["  Your code printed:", *(f"    {row}" for row in self.printed.splitlines())]
        return "\n".join(lines)

    def html(self) -> str:
        """A card that reads on light and dark pages; every text is escaped."""
        color = _SIGNS.get(self.verdict.status, _SIGNS["failed"])[1]
        rows = [f"<strong>{html.escape(headline(self.verdict))}</strong>"]
        rows += [f"<div>{html.escape(line)}</div>" for line in details(self.verdict)]
        if self.verdict.more:
            rows.append(example_html(self.verdict.more))
        rows += [f"<div>{html.escape(self.note)}</div>"] * bool(self.note)
        if self.printed:
            rows.append(f"<pre>Your code printed:\n{html.escape(self.printed)}</pre>")
        style = f"border-left: 4px solid {color}; padding: 0.4em 0.8em; margin: 0.3em 0"
        return f'<div class="check-feedback" style="{style}">{"".join(rows)}</div>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": self.text(), "text/html": self.html(), MIME: self.verdict.as_dict()}
