"""Pictures of boxes in rows with arrows between them, as SVG that follows the page's colors."""

import html
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# In the picture's own units; it is as wide as the page, on a phone about as many pixels.
WIDTH, BOX, HEIGHT, GAP, LINE = 380, 116, 62, 34, 14
LETTERS, LINES = 17, 4  # that fit into a box


@dataclass(frozen=True)
class Box:
    """A box: its name in the arrows, what stands in it, and where it leads if it is a link."""

    name: str
    words: str
    address: str = ""


def centers(boxes: int) -> list[float]:
    """Where the middles of a row's boxes are."""
    return [WIDTH * (2 * i + 1) / (2 * boxes) for i in range(boxes)]


def picture(
    rows: Sequence[Sequence[Box]], arrows: Iterable[tuple[str, str]], description: str
) -> str:
    """The boxes, and arrows from the first to the second of each pair, downward."""
    at = {
        box.name: (x, y * (HEIGHT + GAP) + HEIGHT / 2 + 1)
        for y, row in enumerate(rows)
        for box, x in zip(row, centers(len(row)), strict=True)
    }
    lines = "".join(_arrow(at[start], at[end]) for start, end in arrows)
    boxes = "".join(_box(box, *at[box.name]) for row in rows for box in row)
    height = len(rows) * (HEIGHT + GAP) - GAP + 2
    role = "group" if any(box.address for row in rows for box in row) else "img"
    return (
        f'<svg class="boxes" viewBox="0 0 {WIDTH} {height}" role="{role}" '
        f'aria-label="{html.escape(description)}"><defs><marker id="arrow-head" '
        'viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z"/></marker></defs><g class="arrows">{lines}</g>{boxes}</svg>'
    )


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    top, bottom = start[1] + HEIGHT / 2, end[1] - HEIGHT / 2 - 6
    middle = (top + bottom) / 2
    return (
        f'<path d="M{start[0]:.0f} {top:.0f}C{start[0]:.0f} {middle:.0f} '
        f'{end[0]:.0f} {middle:.0f} {end[0]:.0f} {bottom:.0f}" marker-end="url(#arrow-head)"/>'
    )


def _box(box: Box, x: float, y: float) -> str:
    words = textwrap.wrap(box.words, LETTERS)[:LINES]
    first = y - LINE * (len(words) - 1) / 2 + 4
    text = "".join(
        f'<tspan x="{x:.0f}" y="{first + i * LINE:.0f}">{html.escape(line)} </tspan>'
        for i, line in enumerate(words)
    )
    drawn = (
        f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX}" height="{HEIGHT}" '
        f'rx="6"/><text>{text}</text>'
    )
    return f'<a href="{html.escape(box.address)}">{drawn}</a>' if box.address else drawn
