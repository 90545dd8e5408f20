"""The still of a figure in which a model works, for notebooks and for pages without scripts."""

import base64
import html
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from lab import plots
from lab.stored import look


def still(name: str) -> str:
    """A look's picture as HTML: from left to right the panels for which it has numbers.

    `picture` (height, width) is ink from 0 to 1; `weights` have their `rows` and `columns` by name;
    `likely` says how likely each sign is.
    """
    seen = look(name)
    panels = [panel for panel in PANELS if panel in seen]
    widths = [min(2, len(seen["columns"]) / 6) if panel == "weights" else 1 for panel in panels]
    with mpl.rc_context():
        plots.use_style()
        fig, _ = plt.subplots(1, len(panels), figsize=(7.4, 3.6), width_ratios=widths)
        for ax, panel in zip(fig.axes, panels, strict=True):
            PANELS[panel](ax, seen)
        png = base64.b64encode(plots.as_png(fig)).decode()
    plt.close(fig)
    titles = [seen[key] for key in ("title", "likely_title") if key in seen]
    alt = html.escape(f"A still: {'; '.join(titles)}.")
    source = f"data:image/png;base64,{png}"
    return f'<img src="{source}" alt="{alt}" width="740" height="360" loading="lazy">'


def _picture(ax: Any, seen: dict[str, Any]) -> None:
    ax.imshow(seen["picture"], cmap="Greys", vmin=0, vmax=1)
    ax.set(xticks=[], yticks=[], title="drawn")


def _weights(ax: Any, seen: dict[str, Any]) -> None:
    rows, columns = (
        [name.replace(" ", "␣").replace("$", r"\$") for name in seen[side]]
        for side in ("rows", "columns")
    )
    plots.heatmap(ax, seen["weights"], rows, columns, form=None, title=seen["title"])
    ax.set(ylabel=seen.get("row_label", ""), xlabel=seen.get("column_label", ""))
    if len(rows) > 12:
        ax.tick_params(labelsize=8)


def _likely(ax: Any, seen: dict[str, Any]) -> None:
    signs, chances = zip(*seen["likely"].items(), strict=True)
    ax.barh(range(len(signs)), chances, color=plots.NEUTRAL)
    ax.set_yticks(range(len(signs)), [sign.replace(" ", "␣") for sign in signs])
    ax.invert_yaxis()
    ax.set(title=seen["likely_title"], xlim=(0, None))


PANELS = {"picture": _picture, "weights": _weights, "likely": _likely}
