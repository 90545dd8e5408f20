"""Figures to play with in the page: an Altair chart becomes a figure that the book brings alive.

The page's own scripts draw it (book/_static/play.js, with Vega served from the book itself), so
nothing is asked of another host and no kernel is needed. Where scripts are off, a still picture
stands in its place. Altair is needed to make a chart, never to import this module.
"""

import html
import json
from collections.abc import Mapping
from typing import Any

from lab.plots import INK, KEY, NEUTRAL, QUERY, VALUE, WEIGHT

COLORS = [QUERY, KEY, VALUE, WEIGHT, NEUTRAL]


class Play:
    """A chart as a notebook output: HTML with the chart's specification, and its description."""

    def __init__(
        self,
        spec: dict[str, Any],
        alt: str,
        name: str,
        caption: str = "",
        yours: Mapping[str, str] | None = None,
    ):
        if not alt.strip():
            raise ValueError("play: a figure needs a description; alt is empty")
        if not name.replace("-", "").isalnum():
            raise ValueError(f"play: a name is made of letters, digits and hyphens, not {name!r}")
        self.spec, self.alt, self.name, self.caption = spec, alt, name, caption or alt
        self.yours = yours

    def __repr__(self) -> str:
        return f"Figure to play with: {self.alt}"

    def _repr_html_(self) -> str:
        spec = json.dumps(self.spec, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        spec = html.escape(spec, quote=False).replace("'", "&#x27;")
        yours = f' data-yours="{html.escape(json.dumps(self.yours))}"' if self.yours else ""
        return (
            f'<figure class="play" id="play-{self.name}"{yours} data-name="{self.name}" '
            f"data-spec='{spec}'>"
            f'<p class="play-still">This figure moves on the published page.</p>'
            f"<figcaption>{html.escape(self.caption)}</figcaption></figure>"
        )


def play(
    chart: Any, alt: str, name: str, caption: str = "", yours: Mapping[str, str] | None = None
) -> Play:
    """Make an Altair chart the page's figure to play with; the last value of a cell.

    `alt` says what can be moved and what is seen then, to whoever hears it; `caption` says to
    whoever sees it what it is, and gives no result away (without one, `alt` stands there). `name`
    is short and unique in its page.
    A chart without a width (and not made of several side by side) takes the page's width.
    Bind parameters with `alt.binding_range(..., name="What it is: ")`, so that a slider has a
    name that can be read aloud. Raises ValueError without a description.
    `yours` says how a function that the reader wrote computes the chart's numbers: "exercise" is
    its name, "expression" a list to compute, in Python, with the bound parameters as names; a row's
    number, at its place "at" (in Vega's words), stands in for the calculated field "as".
    """
    spec = chart.to_dict()
    spec.setdefault("description", alt)
    spec.pop("usermeta", None)
    # The major version alone: another Altair must not change the stored output.
    base, _, version = spec["$schema"].rpartition("/v")
    spec["$schema"] = f"{base}/v{version.partition('.')[0]}.json"
    several = {"hconcat", "vconcat", "concat", "facet", "repeat"} & spec.keys()
    view = spec.get("config", {}).pop("view", {})
    if not several:
        spec.setdefault("width", "container")
        spec.setdefault("height", view.get("continuousHeight", 300))
        spec.setdefault("autosize", {"type": "fit-x", "contains": "padding"})
    spec.setdefault("config", {}).setdefault("range", {"category": COLORS})
    if not spec["config"]:
        del spec["config"]
    return Play(spec, alt, name, caption, yours)


def theme() -> dict[str, Any]:
    """Vega's configuration in the course's look, on a light page."""
    return {
        "background": "transparent",
        "font": "DejaVu Sans, Verdana, sans-serif",
        "view": {"stroke": None},
        "title": {"color": INK, "anchor": "start", "fontSize": 15},
        "axis": {
            "labelColor": INK,
            "titleColor": INK,
            "domainColor": NEUTRAL,
            "tickColor": NEUTRAL,
            "gridColor": "#D9DEE4",
            "labelFontSize": 13,
            "titleFontSize": 13,
            "titleFontWeight": "normal",
        },
        "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13},
        "header": {"labelColor": INK, "titleColor": INK},
        "text": {"color": INK, "fontSize": 13},
        "rule": {"color": NEUTRAL},
        "range": {"category": COLORS},
    }
