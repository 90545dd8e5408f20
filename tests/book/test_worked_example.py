"""Chapter 11's block by hand: does its answer hang on both attentions, and on the month?"""

import math
import re
from pathlib import Path

import nbformat
import pytest
import torch
from torch import nn

from solutions.encoder_decoder import DecoderBlock

CHAPTER = Path(__file__).parents[2] / "book" / "11-encoder-decoder.ipynb"


@pytest.fixture(scope="module")
def cells() -> dict[str, str]:
    return {cell.id: cell.source for cell in nbformat.read(CHAPTER, as_version=4).cells}


@pytest.fixture(scope="module")
def columns(cells) -> dict[str, dict[str, float]]:
    names = {"torch": torch, "nn": nn, "DecoderBlock": DecoderBlock}
    exec(cells["third-by-hand-controls"], names)
    return names["columns"]


def softmax(scores: list[float]) -> list[float]:
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def rounded(numbers: list[float]) -> list[float]:
    return [round(number, 2) for number in numbers]


def arithmetic(month: float, own: bool = True, cross: bool = True) -> list[float]:
    """The probabilities of 0, 1, 2, 5, in plain numbers; `month` is the content of its vector."""
    asks = 1 + own * sum(
        w * about for w, about in zip(softmax([0, 2, 0.5]), (0, 4, 1), strict=True)
    )
    day, found, year = softmax([0, 2 * asks / 2, 0])
    first, second = cross * found * month, cross * (3 * day - 3 * year) - 2
    return softmax([-first, first, second, -second])


def test_each_column_is_what_arithmetic_says(columns):
    wanted = {
        "as it is": arithmetic(3),
        "no cross": arithmetic(3, cross=False),
        "juin": arithmetic(-3),
        "no self": arithmetic(3, own=False),
    }
    for name, chances in wanted.items():
        got = [columns[name][f"probability of {symbol}"] for symbol in "0125"]
        assert got == pytest.approx(chances, abs=1e-5), name


def test_the_answer_changes_without_each_attention_and_with_another_month(columns):
    best = {
        name: max("0125", key=lambda symbol: numbers[f"probability of {symbol}"])
        for name, numbers in columns.items()
    }
    assert best == {"as it is": "1", "no cross": "5", "juin": "0", "no self": "5"}


def test_the_steps_in_the_text_have_these_numbers(cells, columns):
    steps = re.findall(r"^\d\. \*\*.*$", cells["third-by-hand"], re.MULTILINE)
    asked, found, decided = (
        [[float(n) for n in re.findall(r"-?[\d.]+", row)] for row in re.findall(r"\$(.*?)\$", step)]
        for step in steps
    )
    whole = columns["as it is"]
    asks = whole["asks for the month"]
    first, second = whole["content, first"], whole["content, second"]
    assert rounded(softmax([0, 2, 0.5])) in asked
    assert rounded([asks - 1, 0, 0, 0]) in asked
    assert rounded([asks, 0, 0, -2]) in asked
    assert rounded([0, asks, 0]) in found
    assert rounded(softmax([0, asks, 0])) in found
    assert rounded([0, 0, first, 0]) in found
    assert rounded([asks, 0, first, second]) in found
    assert rounded([-first, first, second, -second]) in decided
    assert rounded([whole[f"probability of {symbol}"] for symbol in "0125"]) in decided
