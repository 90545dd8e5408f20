"""The attention machine: one row of real attention, drawn with a part of it lit.

The row is what "get" does in "Please go to the store and get some milk": the second head of the
third layer of all-MiniLM-L6-v2, the model that the course's last chapters run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib import pyplot as plt

from lab import plots
from lab.milk import milk as milk
from lab.stage import stage as stage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYER, HEAD, ASKING = 2, 1, 7  # counted from zero: the third layer, the second head, "get"
WIDTH = 32  # the D of this head
SENTENCE = "Please go to the store and get some milk"
TOKENS = ["[CLS]", *SENTENCE.lower().split(), "[SEP]"]
# The first two of 32 numbers of the query, of each key and value, and of the output.
QUERY = [-0.25, 0.68]
KEYS = [
    *([0.71, -0.54], [-1.76, 0.0], [-1.84, -0.27], [-0.01, 1.77], [-1.16, 0.69], [-1.31, 0.34]),
    *([-1.11, 0.09], [-1.08, -0.85], [-2.46, -0.57], [-2.29, -0.09], [-1.07, 0.78]),
]
VALUES = [
    *([0.01, 0.0], [0.32, -0.13], [0.22, 1.11], [0.92, 0.57], [0.18, 0.0], [1.42, 0.85]),
    *([0.43, 1.78], [1.5, 0.99], [-0.15, 0.6], [0.34, 1.54], [0.39, -0.54]),
]
OUTPUT = [0.41, 0.97]
SCORES = [10.92, -17.01, -12.69, 0.99, -5.18, 13.4, -8.95, 4.07, 15.48, 18.49, -8.39]
WEIGHTS = [0.108, 0.001, 0.002, 0.019, 0.006, 0.168, 0.003, 0.032, 0.243, 0.414, 0.004]

OTHER = plots.SERIES[0]  # what is neither query, key, value nor weight
TOP, STEP, BOTTOM = 39, 4.6, 89.6  # of the table with a row for each token


@dataclass(frozen=True)
class Part:
    """A part of the drawing: what it is called, its color when lit, its place."""

    words: str
    color: str
    box: tuple[float, float, float, float]  # left, top, right, bottom


PARTS = {
    "asking": Part("asks: get", plots.QUERY, (0, 0, 28, 6)),
    "asked": Part("are asked: all eleven tokens", plots.KEY, (32, 0, 100, 6)),
    "positions": Part("+ positions: where each one stands", OTHER, (0, 8, 100, 13)),
    "projections": Part("", OTHER, (0, 15, 100, 22)),
    "query": Part("query", plots.QUERY, (0, 24, 46, 30)),
    "keys": Part("keys", plots.KEY, (14, 32, 34, BOTTOM)),
    "scores": Part("q · k", OTHER, (35, 32, 46, BOTTOM)),
    "scale": Part("÷ √32", OTHER, (47, 32, 56.5, BOTTOM)),
    "mask": Part("mask", OTHER, (57.5, 32, 66.5, BOTTOM)),
    "weights": Part("weights", plots.WEIGHT, (67.5, 32, 82, BOTTOM)),
    "softmax": Part("softmax", plots.WEIGHT, (47, 24, 82, 30)),
    "values": Part("values", plots.VALUE, (83, 32, 100, BOTTOM)),
    "sum": Part("sum of weight × value", plots.VALUE, (0, 92, 48, 98)),
    "output": Part("output", plots.VALUE, (52, 92, 100, 98)),
    "heads": Part("one of twelve heads", OTHER, (0, 100, 48, 106)),
    "block": Part("+ input, norm, feed-forward", OTHER, (52, 100, 100, 106)),
}


def machine(
    *lit: str,
    labels: Mapping[str, str] | None = None,
    caption: str = "",
    name: str = "machine",
) -> None:
    """Show the attention machine with the parts `lit` in color, all others in gray.

    Parts are the names in `PARTS`. `labels` says what a chapter has in the place of a part, such as
    {"asked": "are asked: the encoder's memory"}; the row, which is always the same one, keeps its
    own words. Raises ValueError for a part that does not exist.
    """
    labels = dict(labels or {})
    if unknown := [part for part in (*lit, *labels) if part not in PARTS]:
        raise ValueError(f"machine: there is no part {unknown[0]!r}; there are {', '.join(PARTS)}.")
    fig, ax = plt.subplots(figsize=(5.4, 5.9))
    ax.set(xlim=(-0.6, 100.6), ylim=(106.6, -0.6))
    ax.axis("off")
    for part, what in PARTS.items():
        _box(ax, what, part in lit)
        if part != "projections":
            _words(ax, part, what.words + _here(part, labels, "\n"), part in lit)
    _projections(ax, "projections" in lit)
    _rows(ax, lit)
    plots.show(fig, alt=_described(lit, labels), name=name, caption=caption)


def _box(ax: "Axes", part: Part, lit: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    left, top, right, bottom = part.box
    style = "round,pad=0,rounding_size=1.2"
    shape = FancyBboxPatch((left, top), right - left, bottom - top, boxstyle=style, linewidth=0)
    if lit:
        shape.set(facecolor=part.color, alpha=0.2)
    else:
        shape.set(facecolor="none")
    ax.add_patch(shape)
    edge = FancyBboxPatch((left, top), right - left, bottom - top, boxstyle=style, fill=False)
    edge.set(edgecolor=part.color if lit else "#D9DEE4", linewidth=2 if lit else 1)
    ax.add_patch(edge)


def _words(ax: "Axes", part: str, words: str, lit: bool) -> None:
    left, top, right, bottom = PARTS[part].box
    if part in ("query", "output"):
        words = f"{words} {_vector(QUERY if part == 'query' else OUTPUT)}"
    if part == "softmax":
        words = f"{words}: the sum is 1"
    column = bottom == BOTTOM
    y = top + 3.2 if column else (top + bottom) / 2
    _write(ax, (left + right) / 2, y, words, lit, weight="bold" if lit else "normal")


def _here(part: str, labels: Mapping[str, str], before: str) -> str:
    """What stands in a part's place in the chapter: "are asked: the patches" as "(here: ...)"."""
    return f"{before}(here: {labels[part].rpartition(': ')[2]})" if part in labels else ""


def _projections(ax: "Axes", lit: bool) -> None:
    for x, letter in ((14, "q"), (24 + 8, "k"), (91.5, "v")):
        _write(ax, x, 18.5, f"$W_{letter}$", lit, fontsize=12)
    _write(ax, 62, 18.5, "three learned matrices", lit)


def _rows(ax: "Axes", lit: Sequence[str]) -> None:
    longest = max(WEIGHTS)
    for row, token in enumerate(TOKENS):
        y = TOP + STEP * (row + 0.5)
        _write(ax, 0.5, y, token, "asked" in lit, side="left")
        _write(ax, 24, y, _vector(KEYS[row]), "keys" in lit)
        _write(ax, 45, y, _number(SCORES[row], 1), "scores" in lit, side="right")
        scaled = SCORES[row] / WIDTH**0.5
        _write(ax, 55.5, y, _number(scaled, 1), "scale" in lit, side="right")
        _write(ax, 62, y, "yes", "mask" in lit)
        color = plots.WEIGHT if "weights" in lit else "#D9DEE4"
        long = 5 * WEIGHTS[row] / longest
        ax.barh(y, long, left=76.5, height=2.6, color=color, zorder=0)
        _write(ax, 75.5, y, _number(WEIGHTS[row], 2), "weights" in lit, side="right")
        _write(ax, 91.5, y, _vector(VALUES[row]), "values" in lit)


def _write(
    ax: "Axes", x: float, y: float, words: str, lit: bool, side: str = "center", **font: Any
) -> None:
    color = plots.INK if lit else plots.NEUTRAL
    ax.text(x, y, words, ha=side, va="center", color=color, **({"fontsize": 9.5} | font))


def _number(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-0.0", "0.0").replace("-", "−")


def _vector(numbers: Sequence[float]) -> str:
    return " ".join(_number(number, 1) for number in numbers) + " …"


def _described(lit: Sequence[str], labels: Mapping[str, str]) -> str:
    order = sorted(range(len(TOKENS)), key=lambda row: -WEIGHTS[row])
    largest = ", ".join(f"{TOKENS[row]} {WEIGHTS[row]:.2f}" for row in order[:4])
    names = [(PARTS[part].words or part) + _here(part, labels, " ") for part in lit]
    shown = f" Lit: {', '.join(names)}." if lit else ""
    return (
        "The attention machine, from top to bottom: who asks and who is asked, positions, three "
        "matrices, a query, and for each token its key, score, scaled score, mask, weight and "
        f"value; then the sum, the output, the heads and the block. The word get weighs {largest}."
        f"{shown}"
    )
