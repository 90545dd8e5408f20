"""The attention machine on its stage: who asks whom, and what comes of it.

A chapter's first cell calls `stage(mode, items, ...)` with its own data. In a notebook it draws a
still; the page takes the data from the output's metadata and lets a reader work it
(`book/_ext/machine_stage.py`, `book/_static/stage*.js`).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.stage_drawn import draw
from lab.stage_rows import in_words

MODES = ("sentence", "causal", "heads", "keys", "dial")
DIGITS = 2  # of numbers that are stored: more would differ from processor to processor
SPACE = "␣"  # what is seen of a space
WIDE = 2.2  # the plane of the keys: its width by its height
Numbers = Sequence[Any]  # lists of numbers, or a tensor


def stage(
    mode: str,
    items: Sequence[str],
    *,
    scores: Numbers | None = None,
    weights: Numbers | None = None,
    queries: Numbers | None = None,
    keys: Numbers | None = None,
    values: Numbers | None = None,
    heads: Mapping[str, Numbers] | None = None,
    leaking: Numbers | None = None,
    askers: Sequence[str] | None = None,
    asks: int | str = 0,
    query: Numbers | None = None,
    bandwidth: float | None = None,
    pictures: Numbers | None = None,
    noun: str = "word",
    about: str = "",
    note: str = "",
    alt: str = "",
    name: str = "machine",
    caption: str = "",
) -> None:
    """Show who takes how much from whom; the last line of a chapter's first cell.

    Modes: "sentence" (every item asks all), "causal" (none looks at later ones, and a switch shows
    the scores of a model that does, where they are given as `leaking`), "heads" (several, each with
    its scores), "keys" (a query that is dragged among keys), "dial" (one row of scores,
    and a dial from the average to the lookup).

    `items` are those that are asked, S of them; `askers` those that ask, L of them, where they are
    others. Scores (L, S) are given as `scores`; or as `weights`, whose logarithms are scores; or as
    `queries` (L, 2) and `keys` (S, 2), whose products can then be checked by hand; or, for "heads",
    as a name and scores for each. `asks` is who asks at first: a place, or the item itself.
    `values` (S, 1) or (S, 2) are drawn with their average. "keys" takes `keys` (S, 1) or (S, 2), a
    `query` of as many numbers to begin with, and the `bandwidth` of a Gaussian that says how near a
    key is; without it, the score is the dot product. "dial" takes one row of scores (S).

    `pictures` (S, H, W), from 0 for paper to 1 for ink, are seen in the place of the items' names.

    `noun` is what an item is ("word"), `about` whose numbers these are, `note` what the drawing of
    the values leaves out. Raises ValueError for what does not fit.
    """
    data = described(
        mode,
        items,
        scores=scores,
        weights=weights,
        queries=queries,
        keys=keys,
        values=values,
        heads=heads,
        leaking=leaking,
        askers=askers,
        asks=asks,
        query=query,
        bandwidth=bandwidth,
        pictures=pictures,
        noun=noun,
        about=about,
        note=note,
    )
    draw(data, alt or in_words(data), name, caption)


def described(
    mode: str,
    items: Sequence[str],
    *,
    noun: str = "word",
    about: str = "",
    note: str = "",
    **given: Any,
) -> dict[str, Any]:
    """The data of a stage, given as `stage` takes them, as JSON can hold them."""
    if mode not in MODES:
        raise ValueError(f"stage: there is no mode {mode!r}; there are {', '.join(MODES)}.")
    items = _seen(items)
    data: dict[str, Any] = {"mode": mode, "items": items, "noun": noun, "about": about}
    data["note"] = note
    if (values := given.get("values")) is not None:
        data["values"] = [_listed(row) for row in rounded(values, len(items), "values")]
    if given.get("pictures") is not None:
        data["pictures"] = _pixels(given["pictures"], len(items))
    if mode == "keys":
        return data | _among_keys(items, given)
    if mode == "dial":
        row = rounded(given.get("scores"), len(items), "scores")
        return data | {"askers": ["the query"], "asks": 0, "heads": [{"name": "", "scores": [row]}]}
    askers = _seen(given.get("askers") or [])
    data |= {"askers": askers} if askers else {}
    data |= {"causal": True} if mode == "causal" else {}
    data["asks"] = _place(given.get("asks", 0), askers or items)
    return data | _scored(len(askers or items), len(items), given)


def _scored(rows: int, columns: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """The scores of all that ask, of one head or of several, and what they are made of."""
    if heads := given.get("heads"):
        by_name = {
            name: matrix(rows_of, rows, columns, "scores") for name, rows_of in heads.items()
        }
        return {"heads": [{"name": name, "scores": scores} for name, scores in by_name.items()]}
    products = {}
    if given.get("queries") is not None and given.get("keys") is not None:
        queries = matrix(given["queries"], rows, 2, "queries")
        keys = matrix(given["keys"], columns, 2, "keys")
        products = {"queries": queries, "keys": keys}
        scores = [
            [round((q[0] * k[0] + q[1] * k[1]) / math.sqrt(2), DIGITS) for k in keys]
            for q in queries
        ]
    elif given.get("weights") is not None:
        exact = matrix(given["weights"], rows, columns, "weights", digits=None)
        scores = [[_score(weight) for weight in row] for row in exact]
    elif given.get("scores") is not None:
        scores = matrix(given["scores"], rows, columns, "scores")
    else:
        raise ValueError("stage: give scores, weights, heads, or queries and keys.")
    found = [{"name": "", "scores": scores}]
    if given.get("leaking") is not None:
        leaking = matrix(given["leaking"], rows, columns, "leaking")
        found.append({"name": "leak", "scores": leaking})
    return {"heads": found, **products}


def _among_keys(items: list[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys, the query among them, and how much room they need."""
    keys = [_listed(row) for row in rounded(given.get("keys"), len(items), "keys")]
    query = given.get("query")
    query = rounded(query if hasattr(query, "__len__") else [query], len(keys[0]), "query")
    sides = [[*(key[axis] for key in keys), query[axis]] for axis in range(len(query))]
    middles = [(min(side) + max(side)) / 2 for side in sides]
    reaches = [1.4 * (max(side) - min(side)) for side in sides]
    if len(sides) == 2:  # one unit is as long in both directions
        reaches[0] = max(reaches[0], WIDE * reaches[1]) or 1.0
        reaches[1] = reaches[0] / WIDE
    bounds = [
        [round(middle - reach / 2, DIGITS), round(middle + reach / 2, DIGITS)]
        for middle, reach in zip(middles, reaches, strict=True)
    ]
    return {"keys": keys, "query": query, "bandwidth": given.get("bandwidth"), "bounds": bounds}


def _pixels(pictures: Numbers, length: int) -> dict[str, Any]:
    """Pictures in 16 shades: as wide as they are, and a hexadecimal digit for each pixel."""
    pixels = rounded(pictures, length, "pictures", digits=None)
    shades = [
        "".join(f"{round(15 * min(1, max(0, pixel))):x}" for line in picture for pixel in line)
        for picture in pixels
    ]
    return {"width": len(pixels[0][0]), "shades": shades}


def _seen(words: Sequence[str]) -> list[str]:
    return [SPACE if word == " " else word for word in words]


def _listed(row: Any) -> list[Any]:
    return row if isinstance(row, list) else [row]


def _score(weight: float) -> float | None:
    return round(math.log(weight), DIGITS) if weight > 1e-6 else None


def _place(asks: int | str, askers: list[str]) -> int:
    place = askers.index(asks) if isinstance(asks, str) else asks
    if not 0 <= place < len(askers):
        raise ValueError(f"stage: asks is {asks}, but {len(askers)} ask.")
    return place


def rounded(numbers: Any, length: int, name: str, digits: int | None = DIGITS) -> list[Any]:
    """Numbers, or rows of them, as a list of this length."""
    if numbers is None:
        raise ValueError(f"stage: {name} are needed here.")
    values = numbers.tolist() if hasattr(numbers, "tolist") else list(numbers)
    if len(values) != length:
        raise ValueError(f"stage: {len(values)} {name} for {length} items.")

    def short(one: Any) -> Any:
        if isinstance(one, list | tuple):
            return [short(part) for part in one]
        if one is None or one == -math.inf:
            return None
        return float(one) if digits is None else round(float(one), digits) + 0.0

    return [short(one) for one in values]


def matrix(
    numbers: Any, rows: int, columns: int, name: str, digits: int | None = DIGITS
) -> list[list[Any]]:
    values = rounded(numbers, rows, name, digits)
    for row in values:
        if len(row) != columns:
            raise ValueError(f"stage: a row of {name} has {len(row)} numbers, not {columns}.")
    return values
