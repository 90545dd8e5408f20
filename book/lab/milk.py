"""One head of a real model at work on one sentence: the data with which the course opens.

The head is the second of the third layer of all-MiniLM-L6-v2, the model of chapter 13, one of its
72; it was chosen because it is easy to read. `milk.json` holds, for each word that asks, the score
of every word (a dot product of 32 numbers, divided by the root of 32), and of every word's value
two numbers: its places along the two directions that hold most of the eleven values' length.
`make/milk.py` computes them anew, where the model's files are.
"""

import json
from pathlib import Path
from typing import TypedDict

SENTENCE = "Please go to the store and get some milk"
LAYER, HEAD, WIDTH = 2, 1, 32  # counted from zero; the numbers in a query, a key and a value
HEADS = 72
ASKING = 7  # "get"
STORED = Path(__file__).with_suffix(".json")
ABOUT = (
    f"Real numbers, from one of the {HEADS} attention heads of a small published model, chosen "
    "because it is easy to read. (A head is one place in a model where this happens.) "
    "[CLS] and [SEP] are marks that the model puts around every text."
)
NOTE = (
    f"Each value is a list of {WIDTH} numbers, and its weight multiplies all of them. The "
    "drawing and the table reduce each list to two numbers, as a shadow flattens a body."
)


class Row(TypedDict):
    """The arguments of `lab.machine.stage` that this sentence gives."""

    items: list[str]
    scores: list[list[float]]
    values: list[list[float]]
    asks: int
    about: str
    note: str


def milk() -> Row:
    """The sentence as `stage("sentence", **milk())` takes it."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    items, scores, values = (stored[name] for name in ("items", "scores", "values"))
    return Row(items=items, scores=scores, values=values, asks=ASKING, about=ABOUT, note=NOTE)
