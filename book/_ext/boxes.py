"""Pictures of boxes in rows with arrows between them, as SVG that follows the page's colors."""

import html
import itertools
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# In the picture's own units; it is as wide as the page, on a phone about as many pixels.
WIDTH, BOX, HEIGHT, GAP, LINE = 380, 116, 62, 36, 15
SMALL = 14  # the height of a line of small print
EMBLEM, ABOVE = 24, 5  # the side of a drawing, and the room above it
LETTERS, LINES = 15, 4  # that fit into a box
MARGIN = 18  # above and below what stands in a box, together
ASIDE = 12  # between a box and an arrow that passes it, where there is room


@dataclass(frozen=True)
class Box:
    """A box: its name in the arrows, what stands in it, where it leads if it is a link.

    `small` are lines of small print below the words, `emblem` is a drawing above them, as SVG, and
    `data` are attributes for scripts.
    """

    name: str
    words: str
    address: str = ""
    small: tuple[str, ...] = ()
    emblem: str = ""
    data: str = ""


def centers(boxes: int) -> list[float]:
    """Where the middles of a row's boxes are."""
    return [WIDTH * (2 * i + 1) / (2 * boxes) for i in range(boxes)]


def picture(
    rows: Sequence[Sequence[Box]], arrows: Iterable[tuple[str, str]], description: str
) -> str:
    """The boxes, and arrows from the first to the second of each pair, downward."""
    at = {
        box.name: (x, y)
        for y, row in enumerate(rows)
        for box, x in zip(row, centers(len(row)), strict=True)
    }
    lanes = [lanes_of(len(row)) for row in rows]
    high = max((_needed(box) for row in rows for box in row), default=HEIGHT)
    lines = "".join(_arrow(at[start], at[end], lanes, high) for start, end in arrows)
    boxes = "".join(_box(box, *at[box.name], high) for row in rows for box in row)
    height = len(rows) * (high + GAP) - GAP + 2
    role = "group" if any(box.address for row in rows for box in row) else "img"
    return (
        f'<svg class="boxes" viewBox="0 0 {WIDTH} {height}" role="{role}" '
        f'aria-label="{html.escape(description)}"><defs><marker id="arrow-head" '
        'viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z"/></marker></defs><g class="arrows">{lines}</g>{boxes}</svg>'
    )


def lanes_of(boxes: int) -> list[float]:
    """Where an arrow can pass a row: between its boxes, and beside them."""
    middles = centers(boxes)
    between = [(left + right) / 2 for left, right in itertools.pairwise(middles)]
    aside = min(middles[0] - 1, BOX / 2 + ASIDE)
    return [middles[0] - aside, *between, middles[-1] + aside]


def _top(row: int, high: int) -> float:
    return row * (high + GAP) + 1


def _arrow(
    start: tuple[float, int], end: tuple[float, int], lanes: list[list[float]], high: int
) -> str:
    """From the lower edge of a box to the upper edge of another, past the boxes between."""
    (x, row), (goal, last) = start, end
    path = f"M{x:.0f} {_top(row, high) + high:.0f}"
    for passed in range(row + 1, last):
        straight = x + (goal - x) / (last - passed + 1)
        lane = min(lanes[passed], key=lambda at, straight=straight: abs(at - straight))
        path += _curve(x, _top(passed, high) - GAP, lane, _top(passed, high))
        path += f"V{_top(passed, high) + high:.0f}"
        x = lane
    path += _curve(x, _top(last, high) - GAP, goal, _top(last, high) - 6)
    return f'<path d="{path}" marker-end="url(#arrow-head)"/>'


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (y + to_y) / 2
    return f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"


def _words(box: Box) -> list[str]:
    return textwrap.wrap(box.words, LETTERS, break_long_words=False)[:LINES]


def _needed(box: Box) -> int:
    """The height that a box needs."""
    small = SMALL * len(box.small) + (EMBLEM + ABOVE if box.emblem else 0)
    return max(HEIGHT + small, LINE * len(_words(box)) + small + MARGIN)


def _box(box: Box, x: float, row: int, high: int) -> str:
    lines = [(line, LINE, "") for line in _words(box)]
    for i, line in enumerate(box.small):
        lines.append((line, SMALL + 3 * (i == 0), ' class="small-print"'))
    drawing = EMBLEM + ABOVE if box.emblem else 0
    y = _top(row, high) + (high - sum(step for _, step, _ in lines) - drawing) / 2 - 3
    emblem = box.emblem.replace(
        "<svg ",
        f'<svg x="{x - EMBLEM / 2:.0f}" y="{y + ABOVE:.0f}" width="{EMBLEM}" height="{EMBLEM}" ',
    )
    y += drawing
    text = ""
    for line, step, kind in lines:
        y += step
        text += f'<tspan{kind} x="{x:.0f}" y="{y:.0f}">{html.escape(line)} </tspan>'
    drawn = (
        f'<rect x="{x - BOX / 2:.0f}" y="{_top(row, high):.0f}" width="{BOX}" height="{high}" '
        f'rx="6"/>{emblem}<text>{text}</text>'
    )
    return f'<a href="{html.escape(box.address)}"{box.data}>{drawn}</a>' if box.address else drawn
