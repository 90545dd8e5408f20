"""What a screen reader is told: Chromium's accessibility tree, and formulas in words."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTROLS = {"button", "radio", "link", "DisclosureTriangle", "checkbox", "combobox", "slider"}


@pytest.fixture
def mathml(extension):
    return extension("formulas").mathml


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"e^{500}", "e to the power 500"),
        (r"D^2", "D squared"),
        (r"\sqrt{D}", "the square root of D"),
        (r"\frac{1}{\sqrt{D}}", "1 over the square root of D"),
        (r"q \cdot k_i", "q times k i"),
        (r"Q K^\top", "Q K transposed"),
        (r"s = 1/(1 + T)", "s equals 1 divided by ( 1 plus T )"),
        (r"\alpha \ge 0", "α is at least 0"),
        (r"-\infty", "minus infinity"),
        (r"\sum_{i=1}^{S} x_i", "the sum from i equals 1 to S of x i"),
        (r"\hat{A}", "A hat"),
    ],
)
def test_is_a_formula_said_in_words(mathml, latex, words):
    from spoken import spoken

    assert spoken(mathml(latex, display=r"\sum" in latex)) == words


def names(page) -> list[tuple[str, str]]:
    """Role and name of each node of the page's accessibility tree."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"]
    ]


@pytest.mark.parametrize("page", ["index", "02-softmax"])
def test_has_every_control_a_name_that_says_what_it_does(opened, page):
    found = names(opened(page).page)
    assert [role for role, name in found if role in CONTROLS and not name] == []
    assert not {name for _, name in found if re.search("Toggle hidden|Click to show", name)}


def test_does_a_choice_say_its_formula(opened):
    page = opened("02-softmax").page
    page.evaluate("document.querySelectorAll('details').forEach((folded) => folded.open = true)")
    page.get_by_role("radio").first.wait_for()
    found = names(page)
    assert ("radio", "e squared is about 7.4 times as much.") in found
    questions = [name for role, name in found if role == "group" and name.startswith("Question")]
    assert len(questions) == page.locator(".quiz:visible").count()
    asked = [
        name for name in questions if name.endswith("How many times as much weight does it have?")
    ]
    assert len(asked) == 1
