"""Every number of a stage as a table: each can be checked by hand from those to its left.

`_static/stage-table.js` fills in the same cells for whoever asks then.
"""

import html
import math
from collections.abc import Sequence
from typing import Any

from lab.stage_rows import Row, number

LARGE = 9  # scores above have exponentials that nobody wants to read
POWER, SHIFTED = "e<sup>score</sup>", "e<sup>score − largest</sup>"


def table(data: dict[str, Any], found: Row, asks: int) -> str:
    heads = "".join(f'<th scope="col">{name}</th>' for name in columns(data))
    *lines, foot = cells(data, found, asks)
    body = "".join(
        line(html.escape(item), row) for item, row in zip(data["items"], lines, strict=True)
    )
    return (
        f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
        f"<tfoot>{line('sum', foot)}</tfoot></table>"
    )


def columns(data: dict[str, Any]) -> list[str]:
    names = [html.escape(data["noun"])]
    if near(data):
        names += ["key", "distance", "nearness"]
    elif data["mode"] == "keys":
        names += ["query · key", "score", POWER]
    elif data.get("queries"):
        names += ["query · key", "score: ÷ √2", POWER]
    elif data["mode"] == "dial":
        names += ["score", "e<sup>dial × score − largest</sup>"]
    else:
        names += ["score", SHIFTED if shifts(data) else POWER]
    names.append("weight")
    return names + (["value", "weight × value"] if data.get("values") else [])


def explained(data: dict[str, Any]) -> str:
    """What a score and a weight are, for whoever opens the table before chapter 2."""
    if near(data) or data["mode"] == "dial":
        return ""  # the caption, and what is said above, speak of these
    noun, power = html.escape(data["noun"]), SHIFTED if shifts(data) else POWER
    return (
        f"<p>A score says how well a {noun} fits the question. A weight is {power}, divided by "
        "the sum of its column; chapter 2 shows why.</p>"
    )


def near(data: dict[str, Any]) -> bool:
    return data["mode"] == "keys" and data["bandwidth"] is not None


def shifts(data: dict[str, Any]) -> bool:
    rows = (row for head in data.get("heads") or [] for row in head["scores"])
    return any(max(known(row)) > LARGE for row in rows)


def known(scores: Sequence[float | None]) -> list[float]:
    return [score for score in scores if score is not None]


def exponentials(data: dict[str, Any], scores: Sequence[float | None]) -> list[float]:
    """What softmax divides by its sum; the dial stands in the middle, where it changes nothing."""
    shift = max(known(scores)) if data["mode"] == "dial" or shifts(data) else 0.0
    return [0.0 if score is None else math.exp(score - shift) for score in scores]


def cells(data: dict[str, Any], found: Row, asks: int) -> list[list[str]]:
    """The cells of every row after its name, and of the row of sums."""
    powers = exponentials(data, found.scores)
    values = data.get("values") or []
    rows = []
    for j in range(len(data["items"])):
        cells = [*before(data, found, asks, j), number(powers[j]), number(found.weights[j])]
        if values:
            cells += [vector(values[j]), vector([found.weights[j] * part for part in values[j]])]
        rows.append(cells)
    foot = ["" for _ in before(data, found, asks, 0)]
    foot += [number(sum(powers)), number(sum(found.weights))]
    return [*rows, foot + (["", vector(found.output)] if values else [])]


def before(data: dict[str, Any], found: Row, asks: int, j: int) -> list[str]:
    """What a score is made of, and the score."""
    score = found.scores[j]
    if near(data):
        return [vector(data["keys"][j]), number(math.dist(data["query"], data["keys"][j]))]
    if data["mode"] == "keys":
        return [product(data["query"], data["keys"][j]), number(score)]
    if data.get("queries"):
        return [product(data["queries"][asks], data["keys"][j]), number(score)]
    return [number(score)]


def product(query: Sequence[float], key: Sequence[float]) -> str:
    return " + ".join(f"{number(q)} × {number(k)}" for q, k in zip(query, key, strict=True))


def vector(values: Sequence[float]) -> str:
    numbers = ", ".join(number(value) for value in values)
    return numbers if len(values) == 1 else f"({numbers})"


def line(name: str, cells: Sequence[str]) -> str:
    tail = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{name}</th>{tail}</tr>'
