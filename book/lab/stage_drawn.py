"""A stage's still, for notebooks: who takes how much from whom, and the shares side by side."""

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from lab import plots
from lab.stage_rows import asking, number, percent, row_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAND = 42  # points: how wide all strands of one that asks are together
NAMED = 0.05  # a share of the strip that has room for a name


class Still(plots.Picture):
    """The picture, with what the page makes its figure of in the output's metadata."""

    def __init__(self, png: bytes, alt: str, name: str, caption: str, data: dict[str, Any]):
        super().__init__(png, alt, name, caption)
        self.data = data

    def _repr_mimebundle_(self, include=None, exclude=None):
        data, metadata = super()._repr_mimebundle_(include, exclude)
        metadata["image/png"]["stage"] = self.data
        return data, metadata


def draw(data: dict[str, Any], alt: str, name: str, caption: str) -> None:
    """Display the still of a stage; it looks the same whatever a notebook has set before."""
    from IPython.display import display

    with mpl.rc_context():
        plots.use_style()
        fig = _still(data)
        png = plots.as_png(fig)
    plt.close(fig)
    display(Still(png, alt, name, caption, data))


def _still(data: dict[str, Any]) -> "Figure":
    fig, ax = plt.subplots(figsize=(7.4, 3.3))
    ax.axis("off")
    ax.set(xlim=(0, 1), ylim=(-0.62, 1.02))
    asks = data.get("asks", 0)
    row = row_of(data, asks)
    among = data["mode"] != "keys" and not data.get("askers")
    n = len(data["items"])
    start = (asks + 0.5) / n if among else 0.5
    if not among:
        _word(ax, 0.5, 0.98, asking(data, asks), plots.QUERY)
    for j, (item, weight) in enumerate(zip(data["items"], row.weights, strict=True)):
        end = (j + 0.5) / n
        asked_by_itself = among and j == asks
        _word(ax, end, -0.08, item, plots.QUERY if asked_by_itself else plots.INK)
        if row.scores[j] is None:
            continue
        _word(ax, end, -0.24, percent(weight), plots.WEIGHT, size=9)
        far = 0.3 + 0.65 * abs(j - asks) / max(1, n - 1)
        height = 0.12 if asked_by_itself else far / 0.75
        points = [(start, 0), (start, height), (end, height), (end, 0)]
        if not among:
            points = [(start, 0.9), (start, 0.45), (end, 0.45), (end, 0)]
        _strand(ax, points, weight)
    _strip(ax, data["items"], row.weights)
    if row.output:
        answer = ", ".join(number(value) for value in row.output)
        _word(ax, 0.5, -0.57, f"the average of the values: {answer}", plots.VALUE, size=9.5)
    return fig


def _strand(ax: "Axes", points: list[tuple[float, float]], weight: float) -> None:
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    patch = PathPatch(Path(points, codes), fill=False, edgecolor=plots.WEIGHT)
    patch.set(linewidth=max(0.6, BAND * weight), alpha=0.75, capstyle="butt")
    ax.add_patch(patch)


def _strip(ax: "Axes", items: list[str], weights: list[float]) -> None:
    """All shares side by side: one whole."""
    passed = 0.0
    for item, weight in zip(items, weights, strict=True):
        ax.barh(-0.4, weight, left=passed, height=0.14, color=plots.WEIGHT, edgecolor=plots.PAPER)
        if weight >= NAMED:
            _word(ax, passed + weight / 2, -0.4, item, plots.PAPER, size=9)
        passed += weight


def _word(ax: "Axes", x: float, y: float, word: str, color: str, size: float = 11) -> None:
    # A dollar sign is no formula here.
    text = word.replace("$", r"\$")
    ax.text(x, y, text, color=color, fontsize=size, ha="center", va="center")
