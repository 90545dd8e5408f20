"""Do the changes that are searched for do what their names say? Each is run on a number."""

import contextlib
import math

import pytest
import torch

from autograder.source.entrances import altered
from autograder.source.mutations import mutants

SHAPE = "def f(x):\n    return x[:, None, :].shape"
CASES = [
    ("given", "def f(x):\n    x = x + 1\n    return 2 * x", 3, 6),
    ("given", "def f(x):\n    x = x + 1\n    return x * x", 3, 12),
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
    ("more", "def f(x):\n    y = x + 1\n    return y", torch.tensor(3), 16),
    ("more", "def f(x):\n    return math.fabs(x)", torch.tensor(0.25), 0.1875),
    ("more", "def f(x):\n    return math.fabs(x)", 16, 4),
    ("small", "def f(x):\n    return x / (x - x)", 1e-6, 1),
    ("small", "def f(x):\n    return 1 / x", torch.tensor(0.0), 1e6),
    ("small", "def f(x):\n    return 1 / x + 2 / x", torch.tensor(0.0), 3e6),
    ("root", "def f(x):\n    return math.sqrt(x + 7)", 9, 10),
    ("root", "def f(x):\n    return (x + 7) ** -0.5", 9, 0.1),
    ("missing", "def f(x):\n    return 1 if x is None else 2", 0, 1),
    ("missing", "def f(x):\n    return 1 if x is not None else 2", 0, 2),
    ("count", "def f(x):\n    return sum(range(x))", 4, 10),
    ("count", "def f(x):\n    return sum(range(2, x))", 4, 7),
    ("count", "def f(x):\n    return sum(range(2, x))", 4, 6),
    ("slice", "def f(x):\n    return x[:len(x) - 2]", [1, 2, 3], [1, 2]),
    ("slice", "def f(x):\n    return x[:1]", [1, 2, 3], [2, 3]),
    (
        "method order",
        "def f(x):\n    return x.t().flatten().tolist()",
        torch.tensor([[1, 2], [3, 4]]),
        [1, 2, 3, 4],
    ),
    ("parentheses", "def f(x):\n    return (x + 4) / 2", 2, 4),
    ("parentheses", "def f(x):\n    return 8 / (x * 2)", 2, 8),
    ("size", "def f(x):\n    return x.shape[-1]", torch.zeros(2, 3, 4), 3),
    ("size", "def f(x):\n    return x.shape[-1]", torch.zeros(2, 3, 4), 2),
    ("fill", "def f(x):\n    return x.masked_fill(x > 1, -math.inf)", torch.tensor(2.0), -1e9),
    ("fill", "def f(x):\n    return x.masked_fill(x > 1, -math.inf)", torch.tensor(2.0), 0),
    ("rounding", "def f(x):\n    return round(x)", 1.75, 1),
    ("division", "def f(x):\n    return x / 2", 5, 2),
    ("loop", "def f(x):\n    for i in [1, 2, 3]:\n        x += i\n    return x", 0, 3),
    ("carried", "def f(x):\n    for i in [1, 2, 3]:\n        x = x + i\n    return x", 0, 3),
    ("sum", "def f(x):\n    for i in [1, 2, 3]:\n        x += i\n    return x", 9, 3),
    ("made of it", "def f(x):\n    return x + math.sqrt(x)", 16, 8),
    (
        "nearly equal",
        "def f(x):\n    return x == x + 1e-9",
        torch.tensor(1.0, dtype=torch.float64),
        True,
    ),
    (
        "counted",
        "def f(x):\n    y = x > 1\n    return y.tolist()",
        torch.tensor([2, 0, 2]),
        [True, False, False],
    ),
    (
        "counted",
        "def f(x):\n    y = x > 1\n    return y.tolist()",
        torch.tensor([0, 2, 2]),
        [True, True, False],
    ),
    ("one of many", "def f(x):\n    return x[:, 0].tolist()", torch.tensor([[1.0, 3.0]]), [2]),
    ("one of many", "def f(x):\n    return x.mean(dim=0).tolist()", torch.tensor([1.0, 3.0]), 3),
    ("one of many", "def f(x):\n    return torch.exp2(x[:, 0])", torch.tensor([[1.0, 3.0]]), 5),
    ("residual", "def f(x):\n    y = 2 * x\n    x = x + abs(y)\n    return x + abs(y)", 1, 4),
    ("residual", "def f(x):\n    y = 2 * x\n    x = x + abs(y)\n    return x + abs(y)", 2, 8),
    ("index", "def f(x, y=0):\n    return x[y]", [1, 2], 2),
    (
        "exchanged sizes",
        "def f(x):\n    return x.permute(0, 2, 1).shape",
        torch.zeros(2, 3, 4),
        (2, 3, 4),
    ),
    (
        "from the front",
        "def f(x):\n    return x.transpose(-2, -1).shape",
        torch.zeros(2, 3, 4),
        (3, 2, 4),
    ),
    ("wiped", "def f(x):\n    return x / x.clamp(min=1)", torch.tensor(0.0), 0),
    ("no slope", "def f(x):\n    return x * 1", 4, 4),
    ("early", "def f(x):\n    y = x + 1\n    return 10 * y + y", 3, 34),
    ("other step", "def f(x):\n    y = x + 1\n    return 10 * y + x", 3, 44),
    ("transposed", "def f(x):\n    return (x @ x)[0, 0]", torch.tensor([[1, 2], [3, 4]]), 5),
    (
        "by hand",
        "def f(x):\n    return x.softmax(dim=-1).isnan().any()",
        torch.full((2,), 1e3),
        True,
    ),
]


@pytest.mark.parametrize(("slip", "code", "given", "wanted"), CASES)
def test_a_searched_change_gives_what_the_slip_gives(slip, code, given, wanted):
    results = []
    for mutant in mutants(code, searched=True):
        if mutant.slip == slip:
            names = {"math": math, "torch": torch}
            exec(mutant.source, names)
            with contextlib.suppress(Exception):
                results.append(names["f"](given))
    assert wanted in results


def test_what_was_taken_for_what_is_known_without_the_rest_of_the_line():
    code = "def f(x, y):\n    return 10 * x + y"
    words = {mutant.words for mutant in mutants(code, searched=True) if mutant.slip == "mixed up"}
    assert words == {("x", "y"), ("y", "x")}


MASKED = """
def f(x: Tensor, mask: Tensor | None = None, count: int = 2, ahead: bool = False):
    if mask is not None:
        x = x.masked_fill(~mask, 0.0)
    return x.roll(1, 0) if ahead else x * count
"""


@pytest.mark.parametrize(
    ("clause", "more", "wanted"),
    [
        ("a row of `mask` in which nothing is allowed allowed everything", {}, [[2, 4], [6, 0]]),
        ("True and False in `mask` were exchanged", {}, [[2, 4], [0, 8]]),
        ("`count` were one more than it is", {}, [[0, 0], [9, 0]]),
        ("`ahead` were taken the other way around", {}, [[3, 0], [0, 0]]),
        ("what is negative in `x` were set to zero first", {"count": -1}, [[0, 0], [-3, 0]]),
        ("the result went through a relu at the end", {"count": -1}, [[0, 0], [0, 0]]),
        ("`x` were added to the result", {}, [[0, 0], [9, 0]]),
        ("`x` came in reverse order along the first axis", {}, [[0, 0], [2, 0]]),
    ],
)
def test_an_opening_is_what_its_clause_says(clause, more, wanted):
    (found,) = (one for one in altered(MASKED) if one.clause == clause)
    names = {"torch": torch, "Tensor": torch.Tensor}
    exec(found.source, names)
    mask = torch.tensor([[False, False], [True, False]])
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert names["f"](x, mask, **more).tolist() == wanted


def test_a_mask_that_is_left_out_stays_so():
    for found in altered(MASKED):
        if found.kind == "mask":
            names = {"torch": torch, "Tensor": torch.Tensor}
            exec(found.source, names)
            assert names["f"](torch.ones(2, 2)).tolist() == [[2, 2], [2, 2]]


ENTRIES = "def f(x: Tensor, parts: int = 2):\n    return x\n"
ORDERS = [
    ("first one of every `parts`", [0, 2, 4, 1, 3, 5]),
    ("the first of each of `parts` pieces", [0, 3, 1, 4, 2, 5]),
]


@pytest.mark.parametrize(("clause", "wanted"), ORDERS)
def test_features_come_in_another_order(clause, wanted):
    sources = [one.source for one in altered(ENTRIES) if clause in one.clause]
    results = []
    for source in sources:
        names = {"torch": torch, "Tensor": torch.Tensor}
        exec(source, names)
        with contextlib.suppress(RuntimeError):  # it has no two last axes
            results.append(names["f"](torch.arange(6)).tolist())
    assert wanted in results


def test_each_row_of_a_batch_gets_a_result_of_its_own():
    code = "def f(x: Tensor, mask: Tensor | None = None):\n    return x[x > 0].mean()\n"
    (rows,) = (one.source for one in altered(code) if one.kind == "rows")
    names = {"torch": torch, "Tensor": torch.Tensor}
    exec(rows, names)
    assert names["f"](torch.tensor([[2.0, 0.0], [4.0, 6.0]])) == 3.5


def test_a_mask_that_nobody_gave_forbids_something():
    clause = "no place were allowed to see itself where no `mask` is given"
    (found,) = (one for one in altered(MASKED) if one.clause == clause)
    names = {"torch": torch, "Tensor": torch.Tensor}
    exec(found.source, names)
    assert names["f"](torch.ones(2, 2)).tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    ("field", "value", "result"),
    [
        ("clause", "`x` stood where `y` belongs", 2 * 3 - 3),
        ("kind", "both ways", ((2 * 3 - 1) + (2 * 1 - 3)) / 2),
    ],
)
def test_one_input_stands_for_another_or_both_are_exchanged_in_one_of_two(field, value, result):
    code = "def f(x: Tensor, y: Tensor):\n    return 2 * x - y\n"
    (found,) = (one for one in altered(code) if getattr(one, field) == value)
    names = {"Tensor": torch.Tensor}
    exec(found.source, names)
    assert names["f"](3, 1) == result


def test_an_attention_that_is_given_a_whole_tuple_has_slips_too():
    code = (
        "class A(nn.Module):\n    def forward(self, x):\n        wide = x, x\n"
        "        return scaled_dot_product_attention(*wide, x)\n"
    )
    assert list(mutants(code, searched=True))


def test_no_slip_lets_a_text_or_a_number_grow_without_end():
    code = (
        "def f(x):\n    text, number, made = 'a', 2, {}\n    for round in range(40):\n"
        "        text = str(text)\n        number = number + 1\n"
        "        made[f'{number}'] = x\n    return text, number, made"
    )
    for mutant in mutants(code, searched=True):
        names = {"torch": torch, "math": math}
        exec(mutant.source, names)
        with contextlib.suppress(Exception):
            text, number, made = names["f"](1)
            assert len(str(text)) < 100 and abs(number) < 10**20
            assert max(map(len, made), default=0) < 100
