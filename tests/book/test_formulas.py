"""Formulas are in the page as MathML: nothing is typeset in the browser."""

import re

import pytest
from bs4 import BeautifulSoup

from tests.book.parsed import SITE, parsed

PAGES = sorted(SITE.glob("*.html"))
LATEX = re.compile(r"\\(?:\(|\[|[a-zA-Z]+\b)|\[\d+ex\]")


@pytest.fixture
def formulas(extension):
    return extension("formulas")


def shape(drawn: str) -> str:
    """A formula's MathML in short: names of elements, and what they hold."""

    def told(element) -> str:
        if isinstance(element, str):
            return element.strip()
        if element.get_text() == "\u2061":  # says that a function is applied
            return ""
        inner = " ".join(filter(None, map(told, element.children)))
        if element.name in ("mi", "mn", "mo", "math"):
            return inner
        role = "".join(f".{name}" for name in element.get("class", []))
        return f"{element.name}{role}({inner})"

    return told(BeautifulSoup(drawn, "html.parser").math)


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"\frac{a}{b}", "mfrac(a b)"),
        (r"e^{x}", "msup(e x)"),
        (r"\q{q_i}", "mrow.query(msub(q i))"),
        (r"\k{K}^\top", "msup(mrow.key(K) ⊤)"),
        (r"\v{v}", "mrow.value(v)"),
        (r"\w{\alpha}", "mrow.weight(α)"),
        (r"\R", "ℝ"),
        (r"\softmax x", "mrow(mrow(mspace() softmax) x)"),
    ],
)
def test_is_a_formula_what_it_says(formulas, latex, wanted):
    assert shape(formulas.mathml(latex)) == wanted


def test_do_lines_outside_an_environment_become_rows(formulas):
    drawn = formulas.mathml(formulas.in_lines(r"a \\[1ex] b"), display=True)
    assert drawn.count("<mtr>") == 2
    assert "1ex" not in drawn
    whole = r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"
    assert formulas.in_lines(whole) == whole


def test_is_what_is_no_latex_refused(formulas):
    with pytest.raises(formulas.LatexError):
        formulas.mathml(r"\frac{a")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_is_no_formula_left_for_the_browser(path):
    page = parsed(path)
    assert not page.find("script", src=re.compile("mathjax|katex", re.IGNORECASE))
    drawn = ["".join(formula.find_all(string=True)) for formula in page.find_all("math")]
    assert [text for text in drawn if LATEX.search(text)] == []
    assert [text for text in drawn if not text.strip()] == []
    assert page.select("span.math") == []  # where MathJax would look


def test_are_equations_numbered_and_found(opened):
    seen = opened("notation", scripts=False)
    equation = seen.page.locator("div.math#equation-eq-attention")
    assert equation.locator(".eqno").inner_text().startswith("(1)")
    assert equation.locator("math .weight").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_are_the_four_roles_told_by_color_without_scripts(opened, scheme):
    page = opened("notation", scheme=scheme, scripts=False).page
    color = "symbol => getComputedStyle(symbol.querySelector('mi')).color"
    colors = {
        page.locator(f"math .{role}").first.evaluate(color)
        for role in ("query", "key", "value", "weight")
    }
    assert len(colors) == 4


def test_is_the_font_of_formulas_there_with_the_page(opened):
    page = opened("02-softmax").page
    assert page.evaluate("document.fonts.check('16px \"Course Math\"')")
    families = page.locator("math").first.evaluate("math => getComputedStyle(math).fontFamily")
    assert "Course Math" in families


def test_has_a_root_its_sign(opened):
    root = opened("02-softmax").page.locator("math msqrt").first
    width = "root => root.getBoundingClientRect().width"
    inside = "root => root.firstElementChild.getBoundingClientRect().width"
    assert root.evaluate(width) - root.evaluate(inside) > 4


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_does_no_line_begin_with_the_comma_after_a_formula(path):
    page = parsed(path)
    for formula in page.select("article p math"):
        after = formula.next_sibling
        if isinstance(after, str) and re.match(r"[.,;:!?)]", after):
            assert "nobr" in formula.parent.get("class", []), after[:20]
