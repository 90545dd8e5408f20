"""In wide windows a figure stays in view beside the text that follows it, in narrow ones above."""

from types import SimpleNamespace

import pytest
from docutils import nodes

CHAPTERS = ["02-softmax", "05-self-attention"]
PAIRS = """() => [...document.querySelectorAll(".beside-pair")].map((pair) => {
  const place = (part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const parts = [...pair.children];
  const at = parts.findIndex((part) => part.matches(".cell"));
  return {
    figure: place(parts[at]), before: parts.slice(0, at).map(place),
    after: parts.slice(at + 1).map(place),
  };
})"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_stands_a_figure_beside_its_text_where_the_window_is_wide(opened, chapter):
    page = opened(chapter, 1280).page
    pairs = page.evaluate(PAIRS)
    assert pairs
    for pair in pairs:
        texts, figure = pair["before"] + pair["after"], pair["figure"]
        assert all(text["right"] <= figure["left"] for text in texts)
        assert abs(figure["top"] - texts[0]["top"]) < 40
    page.set_viewport_size({"width": 1190, "height": 800})
    for pair in page.evaluate(PAIRS):
        assert all(text["bottom"] <= pair["figure"]["top"] + 1 for text in pair["before"])
        assert all(pair["figure"]["bottom"] <= text["top"] + 1 for text in pair["after"])


def test_stays_the_figure_in_view_while_its_text_is_read(opened):
    page = opened("02-softmax", 1280).page
    pair = page.locator(".beside-pair").first
    pair.evaluate("pair => pair.querySelector('.beside-text').style.minHeight = '3000px'")
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
        ([words(50), nodes.table(), words(50)], 3),
        ([words(50), cell(nodes.literal_block("", "1.0")), words(50)], 3),
        ([words(50), cell(nodes.image(uri="b.svg", alt="b")), words(50)], 1),
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
    (tmp_path / "high.svg").write_text('<svg width="500" height="900"></svg>')
    high = nodes.section("", cell(nodes.image(uri="high.svg", figure="a")), words(80))
    extension("beside").pair(SimpleNamespace(srcdir=tmp_path), high)
    assert "beside-pair" not in high[0]["classes"]
    section = nodes.section("", cell(nodes.image(uri="a.svg", figure="a")), *after)
    extension("beside").pair(SimpleNamespace(srcdir=tmp_path), section)
    found = section[0]
    assert len(found[1] if "beside-pair" in found["classes"] else []) == beside
    paragraphs = [node for node in after if isinstance(node, nodes.paragraph)]
    assert [node for node in section.findall(nodes.paragraph) if node in paragraphs] == paragraphs


def test_stands_a_figure_that_is_folded_with_its_cell_in_the_text(extension, tmp_path):
    (tmp_path / "a.svg").write_text('<svg width="500" height="400"></svg>')
    folded = cell(nodes.image(uri="a.svg", figure="a"))
    folded["hide_mode"] = "all"
    section = nodes.section("", folded, words(50))
    extension("beside").pair(SimpleNamespace(srcdir=tmp_path), section)
    assert section[0] is folded
    section += cell(nodes.image(uri="a.svg", figure="b"))
    extension("beside").pair(SimpleNamespace(srcdir=tmp_path), section)
    (pair,) = section
    assert pair[0][0] is folded


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


def test_begins_it_with_the_section_or_below_a_guess_at_what_the_figure_shows(extension, tmp_path):
    (tmp_path / "a.svg").write_text('<svg width="500" height="400"></svg>')
    beside, quiz = extension("beside"), extension("quiz").quiz
    guess, question = quiz("", words(9), before=True), quiz("", words(9))
    title, one, two = nodes.title("", "T"), words(30), words(30)
    figure = cell(nodes.image(uri="a.svg", figure="a"))
    section = nodes.section("", title, one, guess, question, two, figure, words(9))
    beside.pair(SimpleNamespace(srcdir=tmp_path), section)
    *before, pair = section
    assert before == [title, one, guess]
    assert pair[0].children == [question, two] and pair[1] is figure


def test_has_the_first_figure_beside_it_no_text_that_tells_of_another(extension, tmp_path):
    beside, cue = extension("beside"), extension("cues").cue
    first = cell(raw('<figure class="stage"></figure>'))
    first["classes"].append("first-screen")
    own = nodes.paragraph("", "word " * 30, cue("", "b asks", state={"asks": "b"}))
    others = nodes.paragraph("", "word " * 30, cue("", "wider", state={"bandwidth": "2"}))
    section = nodes.section("", nodes.title("", "T"), first, own, others)
    beside.pair(SimpleNamespace(srcdir=tmp_path), section)
    _, pair, below = section
    assert pair.children[0] is first and pair[1].children == [own]
    assert below is others


def test_is_a_wide_figure_beside_no_more_text_than_is_as_high(extension, tmp_path):
    (tmp_path / "a.svg").write_text('<svg width="700" height="300"></svg>')
    (tmp_path / "a.narrow.svg").write_text('<svg width="400" height="900"></svg>')
    figure = cell(nodes.image(uri="a.svg", figure="a"))
    section = nodes.section("", figure, *(words(50) for _ in range(9)))
    extension("beside").pair(SimpleNamespace(srcdir=tmp_path), section)
    assert "beside-wide" in section[0]["classes"]
    lines = 300 * 672 / 700 / 26  # as the pages have them
    assert 50 * (len(section[0][1]) - 1) <= 9 * lines < 50 * len(section[0][1])
