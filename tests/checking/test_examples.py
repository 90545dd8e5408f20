"""Do the examples run that the authors' language has in its docstrings?"""

import doctest
import math

import pytest
import torch

from autograder.checking import cases, comparing, predictions, registry
from autograder.source import content
from tests.checking.samples import subject


def root(x: float) -> float:
    if x < 0:
        raise ValueError(f"root of {x}")
    return math.sqrt(x)


NUMBERS = torch.arange(100.0)
NAMES = {
    "halve": subject(lambda x: x / 2, name="halve", watch=True),
    "double": subject(lambda x: 2 * x, name="double"),
    "root": subject(root, name="root"),
    "numbers": NUMBERS,
    "torch": torch,
}


@pytest.mark.parametrize("module", [cases, comparing, content, predictions, registry])
def test_does_every_example_give_what_stands_below_it(module, monkeypatch):
    for name in ("_exercises", "_early", "_predictions"):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, {})
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testmod(module, extraglobs=NAMES, optionflags=flags)
    assert result.attempted and not result.failed
