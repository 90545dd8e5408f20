"""Is a slip told with the step, the argument or the axis that it is about?"""

import pytest

from autograder.checking import find
from autograder.diagnosis.clauses import beside, clause
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home
from autograder.source.mutations import mutants
from solutions.self_attention import SelfAttention
from solutions.softmax import cosine_scores

CONTRACT = ["x", "y", "dim"]
SLIPS = [
    ("x * y", "x / y", "`/` stood where `*` belongs"),
    ("x - y", "y - x", "the two sides of `-` were exchanged"),
    ("x < y", "x <= y", "`<=` stood where `<` belongs"),
    ("x.sum(dim=-1)", "x.mean(dim=-1)", "`mean` stood where `sum` belongs"),
    ("x.sum(dim=-1)", "x.sum()", "`sum` ran over all axes at once"),
    ("x.sum(dim=-1)", "x.sum(dim=1)", "`sum` ran along the second axis, where the last"),
    (
        "x.sum(dim=dim)",
        "x.sum(dim=1)",
        "`sum` did not run along `dim`, but always along the second",
    ),
    ("x.transpose(1, 2)", "x.transpose(1, 3)", "3 stood where 2 belongs, in a call of `transpose`"),
    ("x[0]", "x[1]", "an index or the end of a slice were 1, where 0 belongs"),
    ("x + y", "x", "a term of a sum were left out"),
    ("x.exp()", "x", "the step `exp` were left out"),
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


def test_names_of_the_reference_s_own_are_told_by_what_they_are_made_of():
    code = "def f(x, y):\n    inner = y.exp()\n    hidden = inner + 1\n    return x * hidden\n"
    wrong = next(one for one in mutants(code) if "x / hidden" in one.source)
    assert beside(wrong, ["y"], code) == ["y"]


def test_what_is_made_of_a_mask_first_is_told():
    class Wrong(SelfAttention):
        def forward(self, x, mask=None):
            if mask is not None:
                mask = mask | ~mask.any(dim=-1, keepdim=True)
            return super().forward(x, mask)

    found = judge("SelfAttention", Home({"SelfAttention": Wrong}), live(find("SelfAttention")))
    assert found.key == "slip.mask"
    assert "a row of `mask` in which nothing is allowed allowed everything" in found.misconception


def test_a_slip_in_one_of_two_results_is_told_of_it():
    class Wrong(SelfAttention):
        def forward(self, x, mask=None):
            rows = None if mask is None else mask.any(dim=-1, keepdim=True).expand_as(mask)
            return super().forward(x, mask)[0], super().forward(x, rows)[1]

    found = judge("SelfAttention", Home({"SelfAttention": Wrong}), live(find("SelfAttention")))
    assert found.key == "slip.mask"
    assert found.misconception.startswith("In `weights` alone of what is returned")


def test_a_slip_that_another_answer_has_by_chance_is_not_told():
    """Right but for queries of more than two axes, of which the check has few."""

    def wrong(query, key):
        right = cosine_scores(query, key)
        return right if query.dim() < 3 else right + query.mean()

    found = judge("cosine_scores", Home({"cosine_scores": wrong}), live(find("cosine_scores")))
    assert not found.key.startswith("slip.")
