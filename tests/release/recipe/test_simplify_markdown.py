"""MyST to the plain Markdown that Jupyter, VS Code and Colab show."""

import pytest

from autograder.errors import ReleaseError
from autograder.release.book import Book
from autograder.release.recipe.simplify_markdown import Translation

PAGES = """\
# Words

(why-scale)=
## Why divide by `sqrt(d)`?

:::{figure} _static/one.png
:name: fig-one
Look here.
:::

:::{glossary}
soft lookup
    A bit of everything.
:::

$$
a = b
$$ (eq-ab)
"""

TRANSLATIONS = {
    "text stays": ("a *b* `c` $x_{i}$ [d](https://e.org)", "a *b* `c` $x_{i}$ [d](https://e.org)"),
    "a code block stays": ("```python\n{ref}`x`\n```", "```python\n{ref}`x`\n```"),
    "a code span stays": ("write ``{ref}`x` `` so", "write ``{ref}`x` `` so"),
    "a box is a quote": (
        ":::{admonition} Attention is just $a$\n:class: key-idea\nOne.\n\nTwo.\n:::\nAfter.",
        "> **Attention is just $a$**\n>\n> One.\n>\n> Two.\n\nAfter.",
    ),
    "options between lines are gone": (
        ":::{admonition} One\n---\nclass: key-idea\n---\nTwo.\n:::",
        "> **One**\n>\n> Two.",
    ),
    "a note has its name": (":::{note}\nOne.\n:::", "> **Note**\n>\n> One."),
    "a note may begin beside its name": (
        ":::{tip} One.\nTwo.\n:::",
        "> **Tip**\n>\n> One.\n> Two.",
    ),
    "a dropdown is details": (
        ":::{dropdown} 1. Is `a` <b>?\nNo: {glue:text}`half`.\n:::",
        "<details>\n<summary>1. Is <code>a</code> &lt;b&gt;?</summary>\n\nNo: 0.5.\n\n</details>",
    ),
    "the folded reference is gone": (
        "A.\n\n:::{dropdown} One\n```{literalinclude} ../solutions/a.py\n:pyobject: a\n```\n:::",
        "A.",
    ),
    "a question unfolds at each choice": (
        ":::{quiz} Is `a` > $b$?\n- [ ] Yes, `a`\n\n  Tempting:\n\n  - so\n"
        "- [x] No\n\n  It is\n  not.\n:::",
        "**Question 1.** Is `a` > $b$?\n\n"
        "<details>\n<summary>Yes, <code>a</code></summary>\n\n"
        "**Not this one.** Tempting:\n\n- so\n\n</details>\n\n"
        "<details>\n<summary>No</summary>\n\n**Right.** It is\nnot.\n\n</details>",
    ),
    "a long question stands above its choices": (
        ":::{quiz}\nOne.\n\n$$\nx\n$$\n- [x] A\n\n  Why.\n:::\n\n"
        ":::{quiz} Two?\n- [x] B\n\n  So.\n:::",
        "**Question 1.** One.\n\n$$\nx\n$$\n\n"
        "<details>\n<summary>A</summary>\n\n**Right.** Why.\n\n</details>\n\n"
        "**Question 2.** Two?\n\n"
        "<details>\n<summary>B</summary>\n\n**Right.** So.\n\n</details>",
    ),
    "an exercise is a heading": (
        "`````{exercise} Double (1 point)\n:label: ex-double\n\n- x\n```python\n1\n```\n`````",
        "### Exercise: Double (1 point)\n\n- x\n```python\n1\n```",
    ),
    "boxes in boxes": (
        "::::{note}\n:::{dropdown} Why\nSo.\n:::\n::::",
        "> **Note**\n>\n> <details>\n> <summary>Why</summary>\n>\n> So.\n>\n> </details>",
    ),
    "what stands in parentheses in a formula stays": ("$$a$$ b $$(x) = c$$", "$$a$$ b $$(x) = c$$"),
    "a formula's label is gone": ("$$\nx\n$$ (eq-y)\n\nSo.", "$$\nx\n$$\n\nSo."),
    "a formula of another page": (
        "{eq}`eq-ab`",
        "[the equation](https://e.org/words.html#equation-eq-ab)",
    ),
    "a picture": ("![A](_static/one.png)", "![A](https://e.org/_images/one.png)"),
    "a target is gone": ("(here)=\n## Here", "## Here"),
    "ref": (
        "{ref}`why-scale`",
        "[Why divide by sqrt(d)?](https://e.org/words.html#why-scale)",
    ),
    "ref with a text": ("{ref}`so <why-scale>`", "[so](https://e.org/words.html#why-scale)"),
    "ref to a figure": ("{ref}`Look <fig-one>`", "[Look](https://e.org/words.html#fig-one)"),
    "a link to a label": (
        "[](#why-scale)",
        "[Why divide by sqrt(d)?](https://e.org/words.html#why-scale)",
    ),
    "doc": ("{doc}`words`", "[Words](https://e.org/words.html)"),
    "a link to a page": ("[W](words.md#x)", "[W](https://e.org/words.html#x)"),
    "cue": ('{show}`"get" takes most <asks=get; time=3>` of it', '"get" takes most of it'),
    "term": ("{term}`Soft lookup`", "[Soft lookup](https://e.org/words.html#term-soft-lookup)"),
    "cite in text": ("{cite:t}`three2020`", "[Björk et al. (2020)](https://example.org/three)"),
    "cite": (
        "{cite:p}`three2020,hamming1950`",
        "([Björk et al., 2020](https://example.org/three); [Hamming, 1950](https://doi.org/10.1/x))",
    ),
    "a number": ("{glue:text}`half` and {glue:text}`half:.2f`", "0.5 and 0.50"),
    "attributes are gone": ("[a](https://e.org){.b} and `c`{.d #e}", "[a](https://e.org) and `c`"),
}


@pytest.fixture
def translate(tiny):
    (tiny / "book" / "words.md").write_text(PAGES)
    book = Book(tiny / "book", "https://e.org/")
    return Translation(book, "03-tiny", {"half": "0.5"}, "03-tiny: cell 'x'")


@pytest.mark.parametrize("case", TRANSLATIONS)
def test_myst_becomes_plain_markdown(translate, case):
    myst, plain = TRANSLATIONS[case]
    assert translate(myst) == plain


@pytest.mark.parametrize(
    ("myst", "sentence"),
    [
        ("{strange}`x`", "{strange} role"),
        (":::{strange}\n:::", "{strange} block"),
        ("{ref}`nowhere`", "no page has that label"),
        ("{glue:text}`none`", "no stored output of the chapter has"),
        ("{cite:t}`nobody1900`", "no entry 'nobody1900'"),
        ("{term}`nothing`", "no entry 'nothing'"),
        ("{doc}`nothing`", "no page 'nothing'"),
        ("[W](nothing.ipynb#x)", "links to nothing.ipynb, and the book has no such page"),
    ],
)
def test_what_has_no_plain_form_is_said_in_one_sentence(translate, myst, sentence):
    with pytest.raises(ReleaseError) as caught:
        translate(f"text\n\n{myst}")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("myst", "plain"),
    [
        ("{doc}`words`", "Words"),
        ("[W](words.md#x)", "W"),
        ("[](#why-scale)", "Why divide by sqrt(d)?"),
        ("{term}`Soft lookup`", "Soft lookup"),
        ("![A cat](cat.png)", "*A cat*"),
        ("[a](https://e.org)", "[a](https://e.org)"),
    ],
)
def test_links_nothing_to_a_book_without_an_address(tiny, myst, plain):
    (tiny / "book" / "words.md").write_text(PAGES)
    assert Translation(Book(tiny / "book", ""), "03-tiny", {}, "x")(myst) == plain
