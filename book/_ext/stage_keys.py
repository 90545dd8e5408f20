"""Keys on a line or in a plane and the query among them, which scripts let a reader drag.

`_static/stage-keys.js` draws the same for any query.
"""

import html
from collections.abc import Sequence
from typing import Any

from lab.stage_rows import Row, number, percent
from stage_parts import curve, stretched

HEIGHT = 0.62  # where a line of keys lies in its box
NUMBERS = ("first", "second")
Place = tuple[float, float]  # shares of the box's width and height


def keys_box(data: dict[str, Any], found: Row) -> str:
    """The box with keys and query, and a slider for each of the query's numbers."""
    query, *keys = (placed(data, place) for place in [data["query"], *data["keys"]])
    plane = len(data["bounds"]) == 2
    lines = [
        f'<path class="stage-strand" style="--w:{weight:.4f}" d="{between(query, key, plane)}"/>'
        for key, weight in zip(keys, found.weights, strict=True)
    ]
    marks = "".join(
        f'<span class="stage-key-mark" style="{at(key)}"><b>{html.escape(item)}</b> '
        f'<i class="stage-key-share">{percent(weight)}</i></span>'
        for item, weight, key in zip(data["items"], found.weights, keys, strict=True)
    )
    return (
        f'<div class="stage-keys" style="{shape(data)}">{stretched("stage-curves", lines)}{marks}'
        f'<span class="stage-query" style="{at(query)}"><b>query</b></span></div>'
        f'<div class="stage-sliders">{sliders(data)}</div>'
    )


def placed(data: dict[str, Any], place: Sequence[float]) -> Place:
    (left, right), *above = data["bounds"]
    across = (place[0] - left) / (right - left)
    if not above:
        return across, HEIGHT
    low, high = above[0]
    return across, 1 - (place[1] - low) / (high - low)


def at(place: Place) -> str:
    return f"left:{100 * place[0]:.2f}%;top:{100 * place[1]:.2f}%"


def shape(data: dict[str, Any]) -> str:
    if len(data["bounds"]) == 1:
        return "height:8.5rem"
    width, height = (high - low for low, high in data["bounds"])
    return f"aspect-ratio:{width / height:.3f}"


def between(start: Place, end: Place, plane: bool) -> str:
    """A line from the query to a key; an arc where both lie on one line."""
    if plane:
        return curve([start, start, end, end])
    (x, y), (a, _) = start, end
    top = y - 0.55 - 0.3 * abs(a - x)
    return curve([start, (x, top), (a, top), end])


def sliders(data: dict[str, Any]) -> str:
    labels = []
    for axis, (value, (low, high)) in enumerate(zip(data["query"], data["bounds"], strict=True)):
        name = "query" if len(data["query"]) == 1 else f"query, {NUMBERS[axis]} number"
        labels.append(
            f'<label class="pst-js-only"><span>{name}</span><input type="range" min="{low}" '
            f'max="{high}" step="0.01" value="{value}" disabled><output>{number(value)}</output>'
            "</label>"
        )
    return "".join(labels)
