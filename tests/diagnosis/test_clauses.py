"""Is a slip told with the step, the argument or the axis that it is about?"""

import pytest
import torch

from autograder.checking import find
from autograder.diagnosis import diagnose
from autograder.diagnosis.candidates import _slips
from autograder.diagnosis.clauses import beside, clause
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home
from autograder.source.mutations import mutants
from solutions.lookup import kernel_regression
from solutions.self_attention import SelfAttention
from solutions.softmax import cosine_scores

CONTRACT = ["x", "y", "dim"]
SLIPS = [
    ("x * y", "x / y", "`/` stood where `*` belongs"),
    ("x - y", "y - x", "the two sides of `-` were exchanged"),
    ("x < y", "x <= y", "`<=` stood where `<` belongs"),
    ("x.sum(dim=-1)", "x.mean(dim=-1)", "`mean` stood where `sum` belongs"),
    ("x.sum(dim=-1)", "x.sum()", "`sum` ran over all axes at once"),
    (
        "x.unbind(dim=1)",
        "x.unbind()",
        "`unbind` ran along the first axis, where another",
    ),
    ("x.sum(dim=-1)", "x.sum(dim=1)", "`sum` ran along the second axis, where the last"),
    (
        "x.sum(dim=dim)",
        "x.sum(dim=1)",
        "`sum` did not run along `dim`, but always along the second",
    ),
    ("x.transpose(1, 2)", "x.transpose(1, 3)", "3 stood where 2 belongs, in a call of `transpose`"),
    ("x[0]", "x[1]", "an index or the end of a slice were 1, where 0 belongs"),
    ("x + y", "x", "`y`, a term of a sum, were left out"),
    ("x / y.exp()", "x / (y.exp() + 1e-08)", "1e-8 were added to the divisor of `x`"),
    ("y.tanh()", "y.tanh().relu()", "a relu were taken of what `tanh` gives"),
    ("x.exp()", "x", "`exp` were not applied to `x`"),
    ("x + y", "x + x", "`x` stood where `y` belongs"),
    ("x ** 0.5", "x ** (-0.5)", "the exponent of a power had the other sign"),
    ("x[:, None]", "x[:]", "a new axis were missing"),
]


@pytest.mark.parametrize(("right", "wrong", "said"), SLIPS)
def test_a_slip_is_told_with_what_it_is_about(right, wrong, said):
    code = "def f(x, y, dim):\n    return {}\n"
    told = [
        clause(mutant, CONTRACT)
        for mutant in mutants(code.format(right), searched=True)
        if mutant.source.split("return ")[-1].strip() in (wrong, wrong.replace("x[:]", "x[:,]"))
    ]
    assert any(one.startswith(said) for one in told), told


@pytest.mark.parametrize(
    ("over", "cut", "said"),
    [
        ("x", "[1:]", "a loop left out the first of `x`"),
        ("reversed(x)", "[1:]", "a loop left out the last of `x`"),
        ("x[::-1]", "[:-1]", "a loop left out the first of `x`"),
        ("range(y)", "[:-1]", "a loop left out the last of what it should run over"),
        ("x", "[::-1]", "a loop took what it runs over in the opposite order"),
    ],
)
def test_which_end_of_a_sequence_a_loop_leaves_out_is_told_whichever_way_it_runs(over, cut, said):
    code = f"def f(x, y, dim):\n    for one in {over}:\n        y = y * one\n    return y\n"
    told = [
        clause(each, CONTRACT)
        for each in mutants(code, searched=True)
        if f"list({over}){cut}:" in each.source
    ]
    assert told == [said]


def test_names_of_the_reference_s_own_are_told_by_what_they_are_made_of():
    code = "def f(x, y):\n    inner = y.exp()\n    hidden = inner + 1\n    return x * hidden\n"
    wrong = next(one for one in mutants(code) if "x / hidden" in one.source)
    assert beside(wrong, ["y"], code) == ["y"]


def found_by(monkeypatch, strategy, name, thing):
    """What a strategy finds alone, whatever stands in the list."""
    alone = [one for one in diagnose.STRATEGIES if one.find.__name__ == strategy]
    monkeypatch.setattr(diagnose, "STRATEGIES", tuple(alone))
    return judge(name, Home({name: thing}), live(find(name)))


def test_what_is_made_of_a_mask_first_is_told(monkeypatch):
    class Wrong(SelfAttention):
        def forward(self, x, mask=None):
            if mask is not None:
                mask = mask | ~mask.any(dim=-1, keepdim=True)
            return super().forward(x, mask)

    found = found_by(monkeypatch, "_slips", "SelfAttention", Wrong)
    assert found.key == "slip.mask"
    assert "a row of `mask` in which nothing is allowed allowed everything" in found.misconception


def test_a_slip_in_one_of_two_results_is_told_of_it(monkeypatch):
    class Wrong(SelfAttention):
        def forward(self, x, mask=None):
            rows = None if mask is None else mask.any(dim=-1, keepdim=True).expand_as(mask)
            return super().forward(x, mask)[0], super().forward(x, rows)[1]

    found = found_by(monkeypatch, "_slips_in_one_result", "SelfAttention", Wrong)
    assert found.key == "slip.mask"
    assert found.misconception.startswith("In `weights` alone of what is returned")


def test_a_slip_that_another_answer_has_by_chance_is_not_told():
    """Right but for queries of more than two axes, of which the check has few."""

    def wrong(query, key):
        right = cosine_scores(query, key)
        return right if query.dim() < 3 else right + query.mean()

    found = judge("cosine_scores", Home({"cosine_scores": wrong}), live(find("cosine_scores")))
    assert not found.key.startswith("slip.")


def test_a_slip_is_told_by_the_errors_that_it_ends_in(monkeypatch):
    def wrong(x, base=10000.0, start=0):
        if x.shape[-1] % 2:
            raise ValueError(f"{x.shape[-1]} is odd")
        places = torch.arange(start, x.shape[-2], dtype=x.dtype)[:, None]
        rates = base ** (-torch.arange(0, x.shape[-1], 2, dtype=x.dtype) / x.shape[-1])
        cos, sin = (places * rates).cos(), (places * rates).sin()
        one, two = x[..., ::2], x[..., 1::2]
        return torch.stack([one * cos - two * sin, one * sin + two * cos], -1).flatten(-2)

    found = found_by(monkeypatch, "_slips_in_errors", "rotate_positions", wrong)
    assert found.key == "slip.left-out"
    assert "`start`, a term of a sum, were left out" in found.misconception


def test_a_slip_is_told_beside_an_error_that_is_missing(monkeypatch):
    def wrong(weights, values):
        return weights @ values / weights.mean()

    found = found_by(monkeypatch, "_slips", "weighted_average", wrong)
    assert found.key == "slip.function + fault.asked"


def test_a_slip_in_one_branch_is_told_with_the_branch(monkeypatch):
    class Wrong(SelfAttention):
        def forward(self, x, mask=None):
            return super().forward(x if mask is None else x.flip(-2), mask)

    found = found_by(monkeypatch, "_slips_in_a_branch", "SelfAttention", Wrong)
    assert found.key.startswith("slip.")
    assert found.misconception.startswith("Where a `mask` is given: ")


@pytest.mark.parametrize("name", ["masked_softmax", "attention_rollout"])
def test_every_slip_can_be_told(name):
    """Few are of two steps that nobody can name."""
    every = [slip.findings[0].sentence for slip in _slips(find(name))]
    told = [one for one in every if one]
    assert len(told) > 200 and len(told) > 0.8 * len(every)
    assert all(one.endswith(".") and "{" not in one for one in told)


def test_a_slip_of_two_steps_that_have_no_name_is_not_told():
    code = (
        "def f(x, y):\n    a = [one for one in x]\n    b = [one for one in y]\n    return g(a, b)\n"
    )
    wrong = [one for one in mutants(code, searched=True) if one.slip == "not handed on"]
    assert [clause(one, CONTRACT) for one in wrong] == [""]


def test_what_stands_in_the_place_of_an_input_that_is_not_used_is_told(monkeypatch):
    def wrong(x, keys, values, bandwidth):
        return kernel_regression(x, keys, keys, bandwidth)

    found = found_by(monkeypatch, "_slips_for_what_is_unused", "kernel_regression", wrong)
    assert "`keys` stood where `values` belongs" in found.misconception


def test_digits_are_not_told_as_lost_beside_a_slip_of_another_size(monkeypatch):
    def wrong(query, key):
        one, other = (x / (x.norm(dim=-1, keepdim=True) + 1e-6) for x in (query, key))
        return one @ other.mT

    found = found_by(monkeypatch, "_slips", "cosine_scores", wrong)
    assert found.key == "slip.small"
    assert "1e-6 were added to every divisor" in found.misconception
