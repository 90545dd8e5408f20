"""The certificate as a PDF: a table of the chapters, then the hashes. No date is in it."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.notebook.certificate import SAID, TITLE, Certificate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

A4 = (8.27, 11.69)  # inches
LEFT, RIGHT, TOP, BOTTOM = 0.11, 0.89, 0.92, 0.07  # shares of a page
LINE = 0.0145  # of a page, for the small letters
WIDTH = 92  # of them in a line
INK, SOFT, DONE = "#1F2933", "#6B7280", "#007A5A"


def write_pdf(certificate: Certificate, path: Path) -> None:
    """Write the same as the page's."""
    from matplotlib.backends.backend_pdf import PdfPages

    wrapped = [part for line in _files(certificate) for part in _wrapped(line)]
    on_a_page = int((TOP - BOTTOM) / LINE)
    # Neither is the same in all versions of the library.
    about = {"Title": TITLE, "Creator": None, "Producer": None, "CreationDate": None}
    with PdfPages(path, metadata=about) as pdf:
        pdf.savefig(_first_page(certificate))
        for start in range(0, len(wrapped), on_a_page):
            figure = _empty()
            for number, line in enumerate(wrapped[start : start + on_a_page]):
                _write(figure, line, TOP - number * LINE, family="monospace", size=7.5)
            pdf.savefig(figure)


def _first_page(certificate: Certificate) -> "Figure":
    from matplotlib.patches import Rectangle

    figure = _empty()

    def bar(width: float, at: float, **look: Any) -> None:
        place = figure.transFigure
        figure.add_artist(Rectangle((0.42, at), 0.2 * width, 0.011, transform=place, **look))

    figure.add_artist(Rectangle((0, 0.985), 1, 0.015, transform=figure.transFigure, color=DONE))
    _write(figure, TITLE, TOP, family="serif", size=22)
    _write(figure, certificate.points, 0.865, family="serif", size=15, weight="bold")
    _write(figure, certificate.exercises, 0.865, 0.45, family="serif", size=15)
    for word, left in (("Chapter", LEFT), ("Points", 0.66), ("Exercises", 0.79)):
        _write(figure, word, 0.815, left, size=9, color=SOFT)
    at = 0.79
    for one in certificate.chapters:
        _write(figure, one.chapter, at, size=10)
        _write(figure, f"{one.points:g} of {one.max_points:g}", at, 0.66, size=10)
        _write(figure, f"{len(one.solved)} of {len(one.passed)}", at, 0.79, size=10)
        bar(one.points / one.max_points, at - 0.012, facecolor=DONE, edgecolor="none")
        bar(1, at - 0.012, fill=False, edgecolor=SOFT, linewidth=0.5)
        at -= 0.026
    for sentence in SAID:
        at -= 0.012
        for line in textwrap.wrap(sentence.replace("`", ""), 90):
            _write(figure, line, at, size=9)
            at -= 0.0185
    return figure


def _empty() -> "Figure":
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    figure = Figure(figsize=A4)
    FigureCanvasPdf(figure)
    return figure


def _write(figure: "Figure", text: str, at: float, left: float = LEFT, **look: Any) -> None:
    look = {"color": INK, "family": "sans-serif"} | look
    figure.text(left, at, text, va="top", parse_math=False, **look)


def _files(certificate: Certificate) -> Iterator[str]:
    """What it was made from, line by line."""
    yield f"course    {certificate.course}"
    for one in certificate.chapters:
        yield ""
        yield one.chapter
        if one.notebook:
            for word, names in (("solved", one.solved), ("open", one.open)):
                if names:
                    yield f"{word:<8}  {', '.join(names)}"
        yield f"notebook  {one.notebook or 'not there'}"
        yield f"checks    {one.checks}"


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * 10) or [""]
