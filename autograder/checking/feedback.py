"""A verdict as a learner sees it: plain text in a terminal, a small card in a notebook."""

import html
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
    """What to say below the headline: the mistake by name first, then what was seen."""
    if verdict.passed or verdict.status == "not started":
        return []
    return [text for text in (verdict.misconception, verdict.message) if text]


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
        lines += [f"  {self.note}"] * bool(self.note)
        if self.printed:
            lines += ["  Your code printed:", *(f"    {row}" for row in self.printed.splitlines())]
        return "\n".join(lines)

    def html(self) -> str:
        """A card that reads on light and dark pages; every text is escaped."""
        color = _SIGNS.get(self.verdict.status, _SIGNS["failed"])[1]
        rows = [f"<strong>{html.escape(headline(self.verdict))}</strong>"]
        rows += [f"<div>{html.escape(line)}</div>" for line in details(self.verdict)]
        rows += [f"<div>{html.escape(self.note)}</div>"] * bool(self.note)
        if self.printed:
            rows.append(f"<pre>Your code printed:\n{html.escape(self.printed)}</pre>")
        style = f"border-left: 4px solid {color}; padding: 0.4em 0.8em; margin: 0.3em 0"
        return f'<div class="check-feedback" style="{style}">{"".join(rows)}</div>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": self.text(), "text/html": self.html(), MIME: self.verdict.as_dict()}
