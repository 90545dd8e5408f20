"""Queries, keys, values and weights in formulas have their colors, and no other letter has."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORMULA = re.compile(r"\$\$.+?\$\$|(?<![\\$])\$[^$\n]+\$", re.DOTALL)


@pytest.fixture
def colored(extension):
    return extension("colored_symbols").colored


@pytest.mark.parametrize(
    ("chapter", "formula", "wanted"),
    [
        ("01", r"\alpha(q, k_i)\, v_i", r"\w{\alpha}(\q{q}, \k{k_i})\, \v{v_i}"),
        ("02", r"Q K^\top / \sqrt{D}", r"\q{Q} \k{K}^\top / \sqrt{D}"),
        ("04", r"\overbrace{Q}^{[L, D]}", r"\overbrace{\q{Q}}^{[L, D]}"),
        ("05", r"k_i = W_k x_i", r"\k{k_i} = W_k x_i"),
        ("05", r"q = k = (1, 0)", r"\q{q} = \k{k} = (1, 0)"),
        ("07", r"Q_h = X W_h^Q", r"\q{Q_h} = X W_h^Q"),
        ("09", r"\max(0, x k_i) v_i", r"\max(0, x \k{k_i}) \v{v_i}"),
        ("11", r"Q = x W_q, V = m W_v", r"\q{Q} = x W_q, \v{V} = m W_v"),
        ("12", r"\hat{A}_{12}", r"\hat{\w{A}}_{12}"),
    ],
)
def test_is_each_symbol_wrapped_with_its_index_and_nothing_else(colored, chapter, formula, wanted):
    assert colored(formula, chapter) == wanted


@pytest.mark.parametrize(
    ("chapter", "formula"),
    [
        ("01", r"K(x, x')"),  # a kernel
        ("02", r"\sum_k e^{z_k} + e^{q}"),  # an index, an exponent
        ("03", r"e = v^\top \tanh(W_s s)"),  # Bahdanau's vector
        ("04", r"v^\top \tanh(W_s s)"),
        ("06", r"\text{PE}(p + k) = M_k"),  # a shift
        ("07", r"\text{Q and K}, \operatorname{V}"),  # words
        ("09", r"k \cdot L \cdot E^2"),  # a convolution's neighbors
        ("10", r"V = 97"),  # the size of a vocabulary
        ("11", r"q_v = (1 - \varepsilon) + \varepsilon / V"),  # a distribution
        ("13", r"T : [V, E]"),
    ],
)
def test_do_letters_that_mean_something_else_stay_as_they_are(colored, chapter, formula):
    assert colored(formula, chapter) == formula


def test_are_a_notebooks_formulas_such_as_every_notebook_program_shows(extension):
    """The page's own macros are unknown in JupyterLab and Colab."""
    own = re.compile(r"\\(?:" + "|".join(extension("formulas").MACROS) + r")(?![a-zA-Z])")
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                for formula in FORMULA.findall("".join(cell["source"])):
                    assert not own.search(formula), f"{path.stem}, {cell['id']}: {formula}"
