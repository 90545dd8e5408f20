"""In wide windows a figure stays in view beside the text that follows it, in narrow ones above."""

from types import SimpleNamespace

import pytest
from docutils import nodes

CHAPTERS = ["02-softmax", "05-self-attention"]
PAIRS = """() => [...document.querySelectorAll(".beside-pair")].map((pair) =>
  [...pair.children].map((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return { left, right, top, bottom };
  }))"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_stands_a_figure_beside_its_text_where_the_window_is_wide(opened, chapter):
    page = opened(chapter, 1280).page
    pairs = page.evaluate(PAIRS)
    assert pairs
    for figure, text in pairs:
        assert text["right"] <= figure["left"] and abs(figure["top"] - text["top"]) < 40
    page.set_viewport_size({"width": 1190, "height": 800})
    assert all(figure["bottom"] <= text["top"] + 1 for figure, text in page.evaluate(PAIRS))


def test_stays_the_figure_in_view_while_its_text_is_read(opened):
    page = opened("02-softmax", 1280).page
    pair = page.locator(".beside-pair").first
    pair.evaluate("pair => pair.children[1].style.minHeight = '3000px'")
    pair.evaluate("pair => scrollBy(0, pair.getBoundingClientRect().top + 1500)")
    scrolled = "pair => pair.getBoundingClientRect().top < -1400"
    page.wait_for_function(scrolled, arg=pair.element_handle())
    figure = pair.locator("> .cell").bounding_box()
    assert 0 < figure["y"] < figure["y"] + figure["height"] < 900


def cell(*shown: nodes.Node) -> nodes.container:
    outputs = nodes.container("", *shown, nb_element="cell_code_output")
    return nodes.container("", outputs, nb_element="cell_code", classes=["cell"])


def words(number: int) -> nodes.paragraph:
    return nodes.paragraph("", "word " * number)


def raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


@pytest.mark.parametrize(
    ("after", "beside"),
    [
        ([words(50), words(3), nodes.section("", words(9))], 2),
        ([words(50), nodes.table(), words(50)], 1),
        ([words(50), raw("<details>"), words(50)], 1),
        ([words(50), raw("<details>"), words(5), raw("</details>"), words(50)], 5),
        ([words(50), raw("</details>"), words(50)], 1),
        ([words(50), raw("<figure class='machine'>"), words(50)], 1),
        ([words(10), cell(words(1)), words(80)], 0),
        ([], 0),
    ],
)
def test_ends_what_stands_beside_a_figure_at_what_needs_the_column(
    extension, tmp_path, after, beside
):
    (tmp_path / "a.svg").write_text('<svg width="500" height="400"></svg>')
    (tmp_path / "high.svg").write_text('<svg width="500" height="700"></svg>')
    high = nodes.section("", cell(nodes.image(uri="high.svg", figure="a")), words(80))
    extension("beside").pair(SimpleNamespace(srcdir=tmp_path), high)
    assert "beside-pair" not in high[0]["classes"]
    section = nodes.section("", cell(nodes.image(uri="a.svg", figure="a")), *after)
    extension("beside").pair(SimpleNamespace(srcdir=tmp_path), section)
    found = section[0]
    assert len(found[1] if "beside-pair" in found["classes"] else []) == beside
    paragraphs = [node for node in after if isinstance(node, nodes.paragraph)]
    assert [node for node in section.findall(nodes.paragraph) if node in paragraphs] == paragraphs


def test_do_words_and_parts_of_a_figure_light_each_other(opened):
    page = opened("07-multi-head").page
    word, other = page.locator("math .value").first, page.locator("math .query").first
    part = page.locator("figure .stage-value").first
    word.dispatch_event("pointerover")
    assert part.get_attribute("data-alight") == "value" == word.get_attribute("data-alight")
    assert other.get_attribute("data-alight") is None
    page.locator("h2").first.dispatch_event("pointerover")
    assert page.locator("[data-alight]").count() == 0
    part.dispatch_event("pointerover")
    assert word.get_attribute("data-alight") == "value"
