"""Do the changes that are searched for do what their names say? Each is run on a number."""

import math

import pytest
import torch

from autograder.source.mutations import mutants

SHAPE = "def f(x):\n    return x[:, None, :].shape"
CASES = [
    ("given", "def f(x):\n    x = x + 1\n    return 2 * x", 3, 6),
    ("step order", "def f(x):\n    x = x + 1\n    x = 2 * x\n    return x", 3, 7),
    ("half", "def f(x):\n    return math.sqrt(x)", 16, 8),
    ("half", "def f(x):\n    return x ** 0.5", 16, 8),
    ("half", "def f(x):\n    return x.sqrt()", torch.tensor(16.0), 8),
    ("half", "def f(x):\n    return x ** -0.5", 16, 1 / 32),
    ("exponent", "def f(x):\n    return x ** 0.5", 16, 1 / 4),
    ("exponent", "def f(x):\n    return x ** -0.5", 16, 4),
    ("new axis", SHAPE, torch.zeros(2, 3), (2, 3)),
    ("new axis", SHAPE, torch.zeros(2, 3), (2, 3, 1)),
    ("loop", "def f(x):\n    for i in [1, 2, 3]:\n        x += i\n    return x", 0, 5),
    ("mixed up", "def f(x, y=4):\n    return 10 * x + y", 3, 44),
]


@pytest.mark.parametrize(("slip", "code", "given", "wanted"), CASES)
def test_a_searched_change_gives_what_the_slip_gives(slip, code, given, wanted):
    results = []
    for mutant in mutants(code, searched=True):
        if mutant.slip == slip:
            names = {"math": math}
            exec(mutant.source, names)
            results.append(names["f"](given))
    assert wanted in results


def test_what_was_taken_for_what_is_known_without_the_rest_of_the_line():
    code = "def f(x, y):\n    return 10 * x + y"
    words = {mutant.words for mutant in mutants(code, searched=True) if mutant.slip == "mixed up"}
    assert words == {("x", "y"), ("y", "x")}
