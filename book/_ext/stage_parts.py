"""A stage of the attention machine as it stands at its end: true and complete without scripts.

`_static/stage-line.js` draws the same for any moment and anyone who asks; places are shares of the
drawing's width and height, which the style sheet turns to the page's own.
"""

import html
from collections.abc import Iterable, Sequence
from typing import Any

from lab.stage_rows import number, ranked

BAND = 0.75  # of a column: how wide all strands of one that asks are together
PEAK = (0.34, 0.58)  # how high a strand rises: to the nearest, and how much more to the farthest
STUB = 0.2  # what an item keeps for itself
NAMED = 0.05  # a share whose value has its name
THIN = 0.002  # a share whose ribbon nobody sees
SIDE, MARGIN = 160, 18  # of the drawing of values in the plane
RING = 5.5  # the answer's, from its middle
LETTER = 6.5  # as wide as a letter of a name there, about
LINE, FEW = 320, 5  # the length of the drawing of values on a line; items whose names fit there


def strands(data: dict[str, Any], asks: int, weights: Sequence[float]) -> list[str]:
    """The path of each strand, from the one that asks to item j; empty where it may not look."""
    n, m = len(data["items"]), len(data.get("askers") or data["items"])
    crossing = bool(data.get("askers"))
    order = range(n) if crossing else fanned(n, asks)
    paths, passed = [""] * n, 0.0
    for j in order:
        share = weights[j]
        start = (asks + 0.5 + (passed + share / 2 - 0.5) * BAND) / m
        passed += share
        paths[j] = strand(start, (j + 0.5) / n, crossing, j == asks, abs(j - asks) / max(1, n - 1))
    return paths


def fanned(n: int, asks: int) -> list[int]:
    """In which order strands leave, so that none crosses another."""
    return [*range(asks - 1, -1, -1), asks, *range(n - 1, asks, -1)]


def strand(start: float, end: float, crossing: bool, itself: bool, far: float) -> str:
    if crossing:
        points = [(start, 0.0), (start, 0.5), (end, 0.5), (end, 1.0)]
    elif itself:
        points = [(start, 1.0), (start, 1 - STUB / 3), (start, 1 - STUB / 1.5), (start, 1 - STUB)]
    else:
        height = 1 - (PEAK[0] + PEAK[1] * far) / 0.75
        points = [(start, 1.0), (start, height), (end, height), (end, 1.0)]
    return curve(points)


def curve(points: Iterable[tuple[float, float]]) -> str:
    """A cubic; thousandths, for browsers flatten coarsely where a drawing is one unit wide."""
    first, *others = (f"{thousandths(x)} {thousandths(y)}" for x, y in points)
    return f"M{first}C{' '.join(others)}"


def thousandths(share: float) -> str:
    return f"{1000 * share:.1f}"


def bars(scores: Sequence[float | None], weights: Sequence[float]) -> list[str]:
    """What the style sheet needs of each item: its score's length, its share, where it begins."""
    numbers = [score for score in scores if score is not None]
    unit = max([0.01, *numbers, *(-score / 0.57 for score in numbers)])
    found, passed = [], 0.0
    for score, weight in zip(scores, weights, strict=True):
        length = 0.0 if score is None else score / unit
        found.append(f"--s:{length:.4f};--w:{weight:.4f};--b:{passed:.4f}")
        passed += weight
    return found


def plane(data: dict[str, Any], weights: Sequence[float]) -> str:
    """The values as places, and the way to their average: each value shortened to its share."""
    values = data.get("values") or []
    width = len(values[0]) if values else 0
    if width == 2:
        return in_the_plane(data["items"], values, weights)
    if width == 1:
        return on_a_line(data["items"], [value[0] for value in values], weights)
    return ""


def in_the_plane(items: list[str], values: list[list[float]], weights: Sequence[float]) -> str:
    lows = [min(0, *(value[axis] for value in values)) for axis in (0, 1)]
    highs = [max(0, *(value[axis] for value in values)) for axis in (0, 1)]
    scale = (SIDE - 2 * MARGIN) / (max(h - low for low, h in zip(lows, highs, strict=True)) or 1)
    middle = [(low + h) / 2 for low, h in zip(lows, highs, strict=True)]

    def at(x: float, y: float) -> str:
        return f"{SIDE / 2 + (x - middle[0]) * scale:.2f} {SIDE / 2 - (y - middle[1]) * scale:.2f}"

    way, x, y = [at(0, 0)], 0.0, 0.0
    for j in ranked(weights):
        x, y = x + weights[j] * values[j][0], y + weights[j] * values[j][1]
        way.append(at(x, y))
    left, top = way[0].split()
    marks = [f'<path class="stage-axes" d="M0 {top}H{SIDE}M{left} 0V{SIDE}"/>']
    named = [j for j in ranked(weights)[:3] if weights[j] >= NAMED]
    marks += [
        f'<path class="stage-value"{"" if j in named else " data-faint"} d="M{at(*value)}h0"/>'
        for j, value in enumerate(values)
    ]
    marks.append(f'<path class="stage-way" d="M{"L".join(way)}"/>')
    across, down = way[-1].split()
    places = [tuple(map(float, at(*values[j]).split())) for j in named]
    names = beside(places, [items[j] for j in named], (float(across), float(down)))
    for j, (x, y, anchor) in zip(named, names, strict=True):
        marks.append(
            f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}">{html.escape(items[j])}</text>'
        )
    marks.append(f'<circle class="stage-output" cx="{across}" cy="{down}" r="5"/>')
    return drawing("stage-plane", f"0 0 {SIDE} {SIDE}", marks)


def beside(
    places: Sequence[tuple[float, float]], names: Sequence[str], ring: tuple[float, float]
) -> list[tuple[float, float, str]]:
    """Where names stand beside their points: none on another or on the ring, if that can be."""
    # Left, right and line of each; the ring takes the room of a letter.
    taken = [(ring[0] - RING, ring[0] + RING, ring[1] + 4)]
    positions = []
    for (x, y), name in zip(places, names, strict=True):
        wide = LETTER * len(name)
        for right, down in ((True, -5), (False, -5), (True, 13), (False, 13)):
            left = x + 6 if right else x - 6 - wide
            free = all(
                left > other_right or left + wide < other_left or abs(y + down - line) > 11
                for other_left, other_right, line in taken
            )
            if free and left > 0 and left + wide < SIDE:
                break
        else:
            right, down, left = True, -5, x + 6
        taken.append((left, left + wide, y + down))
        positions.append((x + 6 if right else x - 6, y + down, "start" if right else "end"))
    return positions


def on_a_line(items: list[str], values: list[float], weights: Sequence[float]) -> str:
    low, high = min(values), max(values)
    span = (high - low) or 1

    def at(value: float) -> float:
        return MARGIN + (LINE - 2 * MARGIN) * (value - low) / span

    marks = [f'<path class="stage-axes" d="M{MARGIN // 2} 30H{LINE - MARGIN // 2}"/>']
    for value, weight in zip(values, weights, strict=True):
        marks.append(
            f'<path class="stage-value" style="--w:{weight:.4f}" d="M{at(value):.2f} 30h0"/>'
        )
    for value in sorted(set(values)):
        of = [item for item, its in zip(items, values, strict=True) if its == value]
        words = f"{', '.join(of)} {short(value)}" if len(items) <= FEW else short(value)
        marks.append(
            f'<text x="{at(value):.2f}" y="58" text-anchor="middle">{html.escape(words)}</text>'
        )
    output = sum(weight * value for weight, value in zip(weights, values, strict=True))
    marks.append(f'<path class="stage-pointer" d="M{at(output):.2f} 22l-6 -10h12z"/>')
    marks.append(
        f'<text class="stage-output-words" x="{at(output):.2f}" y="9" text-anchor="middle">'
        f"{number(output, 1)}</text>"
    )
    return drawing("stage-plane stage-on-a-line", f"0 0 {LINE} 64", marks)


def drawing(name: str, box: str, marks: Iterable[str]) -> str:
    return f'<svg class="{name}" viewBox="{box}" aria-hidden="true">{"".join(marks)}</svg>'


def stretched(name: str, marks: Iterable[str]) -> str:
    """A drawing whose places are shares of its width and height, whatever these are."""
    return (
        f'<svg class="{name}" viewBox="0 0 1000 1000" preserveAspectRatio="none" '
        f'aria-hidden="true"><g>{"".join(marks)}</g></svg>'
    )


def short(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def ribbons(weights: Sequence[float]) -> list[str]:
    """From each item's column to its piece of the strip."""
    n, passed, drawn = len(weights), 0.0, []
    for j, weight in enumerate(weights):
        if weight < THIN:
            passed += weight
            continue
        left, right = (thousandths((j + 0.5 + side * BAND / 2) / n) for side in (-1, 1))
        begin, end = thousandths(passed), thousandths(passed + weight)
        drawn.append(
            f'<path class="stage-ribbon" d="M{left} 0C{left} 500 {begin} 500 {begin} 1000'
            f'L{end} 1000C{end} 500 {right} 500 {right} 0Z"/>'
        )
        passed += weight
    return drawn


def woven(data: dict[str, Any], asks: int, weights: Sequence[float]) -> list[str]:
    """The strands of one that asks, each as thick as its weight."""
    return [
        f'<path class="stage-strand" style="--w:{weight:.4f}" d="{path}"/>'
        for path, weight in zip(strands(data, asks, weights), weights, strict=True)
        if path and weight
    ]
