"""Every page of the built book, opened in Chromium at desktop and phone width, light and dark."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.book import measures
from tests.book.parsed import SITE, needs_book

SOURCES = Path(__file__).parents[2] / "book"
PAGES = sorted(path.stem for path in (*SOURCES.glob("*.md"), *SOURCES.glob("*.ipynb")))
CHAPTERS = [page for page in PAGES if re.match(r"\d\d-", page)]
# In a notebook, of a chart with a slider or a menu.
MOVED = re.compile(r'\\"input\\":\\"(range|select)\\"')
PLAYED = [path.stem for path in sorted(SOURCES.glob("*.ipynb")) if MOVED.search(path.read_text())]
VIEWS = [(1280, "light"), (390, "dark")]
# Colors, slow to look at, are the same at all widths but for what only a phone shows.
COLORS = ["color-contrast", "link-in-text-block"]
TARGETS = {"target-size": {"enabled": True}}  # of WCAG 2.2 AA, which axe leaves out by itself
ALL_ON_A_PHONE = {"index", "02-softmax"}
# What there is to see stands in these: all kinds of cells, quizzes, figures and models, the pages
# that are made in their own way, and one of text alone.
OF_EVERY_KIND = {"02-softmax", "12-vit"}
OF_EVERY_KIND |= {"index", "map", "progress", "glossary", "running-the-course"}
# On a phone come the longest besides.
NARROW = OF_EVERY_KIND | {"03-bahdanau", "06-positions", "11-encoder-decoder", "13-real-encoder"}

# What stands in a page a hundred times is looked at a few times: a kind of word in code is left
# once for each surrounding, a formula where it has a color of its own; the rest becomes text.
THIN_OUT = """() => {
  const seen = new Set();
  const around = (element) => element.closest(".admonition, .cell, details")?.className;
  for (const word of document.querySelectorAll("pre span[class]")) {
    const kind = `${word.className} in ${around(word)}`;
    if (seen.has(kind)) word.replaceWith(word.textContent);
    seen.add(kind);
  }
  for (const formula of document.querySelectorAll("math")) {
    const colors = [...formula.querySelectorAll(".query, .key, .value, .weight")];
    const kind = `${colors.map((part) => part.className)} in ${around(formula)}`;
    if (seen.has(kind)) formula.replaceWith("formula");
    seen.add(kind);
  }
}"""
LOOK_AT = """(options) => axe.run(document, {
  resultTypes: ["violations"], ...options
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)))"""
# What fades in while a stage plays has its colors at the end.
AT_REST = """document.querySelectorAll("figure.stage").forEach((figure) =>
  figure.stage?.show({ time: 4 }))"""
HEADINGS = """() => [...document.querySelectorAll("main h1, main h2, main h3, main h4, main h5")]
  .filter((heading) => heading.checkVisibility()).map(({ tagName }) => Number(tagName[1]))"""
CUT = """() => [...document.querySelectorAll("figure.play .play-chart, article div.math")]
  .filter((element) => element.scrollWidth > element.clientWidth)
  .map((element) => element.closest("figure, section").id)"""
# On a phone it comes as soon as one scrolls back.
BACK_TO_TOP = "#pst-back-to-top { display: block !important; }"
TEXT_ALTERNATIVES = """() => [...document.querySelectorAll("main img")]
  .filter((image) => image.checkVisibility()).map((image) => image.alt)"""


@dataclass
class Visit:
    """What was seen of a page."""

    name: str
    width: int
    troubles: list[str]
    transferred: int  # bytes, before anything is touched
    nodes: int
    stops: int  # of the Tab key
    moved: float  # while it was opened and read to its end
    page_width: int
    theme: str
    bad_formulas: int
    headings: list[int]  # their levels
    alternatives: list[str]
    cut: list[str]
    violations: list[str] = field(default_factory=list)


def visit(opened, name: str, width: int, scheme: str, with_axe: bool) -> Visit:
    """Open a page, scroll to its end, unfold what is folded, and look at it."""
    from axe_playwright_python.base import AXE_FILE_PATH

    seen = opened(name, width, scheme)
    page = seen.page
    size = [seen.counted["bytes"], page.evaluate(measures.NODES), page.evaluate(measures.STOPS)]
    measures.read_to_the_end(page)
    found = Visit(
        name,
        width,
        seen.troubles,
        *size,
        page.evaluate(measures.MOVED),
        page.evaluate("document.documentElement.scrollWidth"),
        page.evaluate("document.documentElement.dataset.theme"),
        page.locator("merror, math:empty").count(),
        page.evaluate(HEADINGS),
        page.evaluate(TEXT_ALTERNATIVES),
        page.evaluate(CUT),
    )
    if not with_axe:
        return found
    page.evaluate("document.querySelectorAll('details').forEach((folded) => folded.open = true)")
    page.evaluate("document.querySelectorAll('button.quiz-all').forEach((all) => all.click())")
    page.evaluate(AT_REST)
    page.evaluate(THIN_OUT)
    page.add_style_tag(content=BACK_TO_TOP)
    page.wait_for_timeout(500)  # the theme looks a moment later for what scrolls
    page.evaluate(Path(AXE_FILE_PATH).read_text(encoding="utf-8"))
    colors_too = width > 1000 or name in ALL_ON_A_PHONE
    without = {} if colors_too else {rule: {"enabled": False} for rule in COLORS}
    found.violations = page.evaluate(LOOK_AT, {"rules": TARGETS | without})
    if colors_too:
        # Not in the middle of a change, when colors are neither the one nor the other.
        page.add_style_tag(content="* { transition: none !important; }")
        other = {"light": "dark", "dark": "light"}[scheme]
        page.emulate_media(color_scheme=other)
        page.wait_for_function(
            "other => document.documentElement.dataset.theme == other", arg=other
        )
        found.violations += page.evaluate(LOOK_AT, {"runOnly": COLORS})
    return found


@pytest.fixture
def visited(opened, request) -> Visit:
    """A visit to a page in a view, made once for all questions about it."""
    key = request.param
    if key not in VISITS:
        VISITS[key] = visit(opened, key[0], *key[1])
    return VISITS[key]


VISITS: dict[tuple, Visit] = {}


def views(with_axe: bool) -> pytest.MarkDecorator:
    """A test of every page in every view; axe, which is slow, looks at a part of them often."""
    found = []
    for page in PAGES:
        for width, scheme in VIEWS:
            often = ALL_ON_A_PHONE if width < 1000 else OF_EVERY_KIND
            seldom = page not in often
            narrow = width < 1000 and page in NARROW and not with_axe
            marks = [pytest.mark.xdist_group(page)]
            marks += [pytest.mark.exhaustive] * (seldom and not narrow)
            key = (page, (width, scheme, with_axe or not seldom))
            found.append(pytest.param(key, id=f"{page}-{width}", marks=marks))
    return pytest.mark.parametrize("visited", found, indirect=True)


every_view = views(with_axe=False)


@every_view
def test_does_a_page_ask_no_other_host_and_have_no_errors(visited):
    assert visited.troubles == []
    assert visited.bad_formulas == 0


@views(with_axe=True)
def test_does_axe_find_nothing_in_light_and_in_dark(visited):
    assert visited.violations == []


@every_view
def test_do_a_page_its_charts_and_its_formulas_fit_the_window(visited):
    assert visited.page_width <= visited.width
    assert visited.cut == []


@every_view
def test_are_headings_in_order_and_pictures_described(visited):
    levels = visited.headings
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))
    assert all(text.strip() for text in visited.alternatives)


@every_view
def test_is_a_page_small_and_does_nothing_in_it_move(visited):
    assert visited.transferred < measures.MOST_BYTES
    assert visited.nodes < measures.MOST_NODES
    if visited.name != "sources":  # a list of links
        assert visited.stops < measures.MOST_STOPS
    assert visited.moved < measures.MOST_MOVED


@pytest.mark.parametrize(
    "name",
    [
        page if page in OF_EVERY_KIND else pytest.param(page, marks=pytest.mark.exhaustive)
        for page in PLAYED
    ],
)
def test_is_a_figure_played_with_by_keyboard(opened, name):
    seen = opened(name)
    page = seen.page
    figure = page.locator("figure.play:has(input[type=range], select)").first
    figure.scroll_into_view_if_needed()
    control = figure.locator("input[type=range], select").first
    control.wait_for()
    assert control.evaluate("input => input.labels[0].innerText.trim()")
    drawings = []
    control.focus()
    for key in ("Home", "End"):
        page.keyboard.press(key)
        page.wait_for_timeout(300)
        drawings.append(figure.locator("svg").first.inner_html())
    assert drawings[0] != drawings[1]
    assert seen.troubles == []


def test_does_a_page_come_up_as_the_readers_system_has_it(opened):
    for scheme in ("light", "dark"):
        page = opened("index", scheme=scheme).page
        assert page.evaluate("document.documentElement.dataset.theme") == scheme


def test_does_what_was_moved_stay_and_take_the_colors_of_the_theme(opened):
    page = opened("01-lookup").page
    figure = page.locator("figure.play")
    figure.scroll_into_view_if_needed()
    sliders = figure.locator("input[type=range]")
    sliders.first.wait_for()
    for slider, value in zip(sliders.all(), ("7", "2.5"), strict=True):  # query, bandwidth
        slider.fill(value)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(500)
    assert [slider.input_value() for slider in sliders.all()] == ["7", "2.5"]
    drawn = figure.locator("svg").first.inner_html().lower()
    style = (SOURCES / "_static" / "custom.css").read_text(encoding="utf-8")
    for role in ("query", "key", "value", "weight"):
        assert re.findall(rf"--course-{role}: (#\w+);", style)[1] in drawn


def test_does_a_still_picture_stand_in_without_scripts(opened):
    seen = opened("02-softmax", scripts=False)
    still = seen.page.locator("#play-sharpness .play-still img")
    still.scroll_into_view_if_needed()
    assert still.get_attribute("alt").startswith("Weights of the nine words")
    assert seen.page.request.get(still.evaluate("image => image.src")).ok
    assert seen.troubles == []


def found(page) -> list[str]:
    """Where the search's results lead."""
    links = page.locator("#search-results a")
    return [link.get_attribute("href") for link in links.all()]


# What a reader asks, the page that must come first, and what must be among the first three: by the
# chapters' subjects and the glossary's terms. A typing error or an abbreviation is in most of them.
GLOSSARY = "glossary.html#term-"
ASKED = [
    ("why divide by sqrt", "02-softmax.html#why-divide", ""),
    ("multihed", ("07-multi-head.html", f"{GLOSSARY}multi-head"), "07-multi-head.html"),
    ("KV cache", (f"{GLOSSARY}key-value-cache", "10-writer.html"), "10-writer.html#one-by-one"),
    ("sofmax", (f"{GLOSSARY}softmax", "02-softmax.html"), f"{GLOSSARY}softmax"),
    ("why do we divide by a square root", "02-softmax.html#why-divide", ""),
    ("cross attention", f"{GLOSSARY}cross-attention", "11-encoder-decoder.html#cross-attention"),
    ("RoPE", f"{GLOSSARY}rotary-positions", "06-positions.html#rotary"),
    ("multi head atention", f"{GLOSSARY}multi-head-attention", "07-multi-head.html"),
    ("layernorm", "09-transformer-block.html#layer-norm", f"{GLOSSARY}layer-normalization"),
    ("beam serch", f"{GLOSSARY}beam-search", "11-encoder-decoder.html"),
    ("temperatur", f"{GLOSSARY}temperature", ""),
    ("induction heads", f"{GLOSSARY}induction-head", ""),
    ("GQA", f"{GLOSSARY}grouped-query-attention", "14-real-writer.html"),
    ("what is attention", f"{GLOSSARY}attention", "index.html"),
    ("ViT", f"{GLOSSARY}Vision-Transformer", "12-vit.html"),
    ("selfattention", f"{GLOSSARY}self-attention", "05-self-attention.html"),
    ("causal mask", f"{GLOSSARY}causal-mask", "masks.html"),
]


@pytest.mark.parametrize(("asked", "first", "among"), ASKED, ids=[asked for asked, *_ in ASKED])
def test_comes_first_in_the_search_what_is_called_what_is_asked(searching, asked, first, among):
    searching.locator(".bd-search-container input[name=q]").fill(asked)
    links = found(searching)
    assert links[0].startswith(first), links[:4]
    assert any(link.startswith(among) for link in links[:3]), links[:4]


@pytest.fixture
def searching(opened):
    return opened("search").page


def test_does_the_search_say_what_it_found(opened, address):
    seen = opened("search")
    seen.page.goto(f"{address}/search.html?q=saturated+softmax")
    seen.page.locator("#search-results a[href^='02-softmax.html']").first.wait_for()
    field = seen.page.locator(".bd-search-container input[name=q]")
    status = seen.page.locator("#search-results [role=status]")
    field.fill("dropout xyzzyplugh")
    assert "for some of “dropout xyzzyplugh”" in status.inner_text()
    field.fill("xyzzyplugh")
    assert found(seen.page) == []
    assert "Nothing was found" in seen.page.locator("#search-results [role=status]").inner_text()
    assert seen.troubles == []


def test_does_a_result_of_the_search_open_at_its_section(opened):
    seen = opened("search")
    seen.page.locator(".bd-search-container input[name=q]").fill("layer norm")
    link = seen.page.locator("#search-results a[href*='#']").first
    anchor = link.get_attribute("href").partition("#")[2]
    link.click()
    seen.page.locator(f"[id='{anchor}']").wait_for()
    assert seen.troubles == []


def test_does_the_search_field_of_any_page_suggest_what_sections_are_called(opened):
    seen = opened("map")
    seen.page.keyboard.press("Control+k")
    field = seen.page.locator("dialog input[name=q]")
    field.wait_for()
    names = seen.page.locator("datalist option")
    names.first.wait_for(state="attached")
    values = names.evaluate_all("all => all.map(({ value }) => value)")
    assert {"softmax", "multi-head attention"} <= set(values) and "Sources" not in values
    assert field.get_attribute("list") == seen.page.locator("datalist").get_attribute("id")
    assert seen.troubles == []


@needs_book
def test_does_the_search_work_in_a_saved_copy(browser):
    page = browser.new_page()
    page.goto((SITE / "search.html").as_uri() + "?q=sofmax")
    page.locator("#search-results a[href^='02-softmax.html']").first.wait_for()
    page.close()
