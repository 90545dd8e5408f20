"""A chapter's first screen: its title, its question, and a live figure."""

from pathlib import Path

import pytest

from tests.book import measures
from tests.book.conftest import TEXT, compressed
from tests.book.parsed import SITE, needs_book, parsed

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(path.stem for path in (ROOT / "book").glob("[0-9][0-9]-*.ipynb"))
VIEWS = [
    pytest.param(1280, 800, id="desktop"),
    pytest.param(390, 844, id="phone", marks=pytest.mark.exhaustive),
]
PLACE = """() => {
  const { top, bottom } =
    document.querySelector(".first-screen :is(figure, img)").getBoundingClientRect();
  return [top, bottom];
}"""


@needs_book
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_stands_a_figure_below_the_title_and_the_question(chapter):
    page = parsed(SITE / f"{chapter}.html")
    (first,) = page.select("article .first-screen")
    assert first.find(["figure", "img"])
    (pair,) = page.select("article .beside-pair:has(> .first-screen)")
    assert first.find_previous_sibling() is None
    above = pair.find_previous_siblings()
    assert [part.name for part in above] in (["h1"], ["p", "h1"])
    assert all(part.name == "h1" or "chapter-question" in part["class"] for part in above)
    assert not first.select("pre")


def transferred(file: Path) -> int:
    """Its bytes as a web server sends them."""
    return len(compressed(file, 0) if file.suffix in TEXT else file.read_bytes())


@needs_book
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_needs_a_first_figure_no_more_than_comes_in_time(chapter):
    page = parsed(SITE / f"{chapter}.html")
    needed = [
        tag["href"]
        for tag in page.select(":is(head, body) > link:is([rel=stylesheet], [rel=preload])")
    ]
    needed += [script["src"] for script in page.select("script[src]")]
    if page.select_one(".first-screen figure[data-scores]"):  # answers before its model is there
        needed.remove(page.find(id="loaded-first")["href"])
    files = {SITE / f"{chapter}.html", *(SITE / name.partition("?")[0] for name in needed)}
    assert sum(map(transferred, files)) < measures.MOST_FIRST_BYTES


@pytest.mark.parametrize(("width", "height"), VIEWS)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_is_the_live_figure_on_the_first_screen(opened, chapter, width, height):
    seen = opened(chapter, width)
    seen.page.set_viewport_size({"width": width, "height": height})
    top, bottom = seen.page.evaluate(PLACE)
    assert top < height / 2
    if seen.page.locator(".first-screen figure.live").count():
        assert bottom <= height


@pytest.mark.parametrize("chapter", ["00-start-here", "10-writer"])
def test_stays_the_figure_in_a_wide_window_while_the_text_that_follows_it_is_read(opened, chapter):
    page = opened(chapter, 1280).page
    text = page.locator(".first-screen + .beside-text")
    figure = page.locator(".first-screen figure")
    at, beside = text.bounding_box(), figure.bounding_box()
    assert at["x"] + at["width"] <= beside["x"]
    assert abs(at["y"] - beside["y"]) < 40
    text.evaluate("text => (text.style.minHeight = '3000px')")
    text.evaluate("text => scrollBy(0, text.getBoundingClientRect().top + 1500)")
    page.wait_for_function(
        "text => text.getBoundingClientRect().top < -1400", arg=text.element_handle()
    )
    assert 0 < figure.bounding_box()["y"] < 100


def test_brings_the_text_beside_it_the_first_figure_to_what_it_speaks_of(opened):
    page = opened("02-softmax", 1280).page
    page.wait_for_function("document.querySelector('.first-screen [data-drawn]')")
    page.locator(".first-screen + .beside-text .cue").first.hover()
    page.wait_for_function("coursePlay.values(document.querySelector('figure.play')).sharp === 0")
    assert 0 <= page.locator(".first-screen figure").bounding_box()["y"] < 300


FIGURE = '<figure class="live drawing" id="live-a" data-name="a" data-model="m"{}></figure>'
FIRST = '<div class="cell first-screen docutils container">'


@pytest.mark.parametrize(
    ("page", "names"),
    [
        (FIRST + FIGURE.format(' data-size="0.1 MB"'), {"attention", "live", "drawing"}),
        (FIRST + FIGURE.format(""), set()),  # a model that is not installed
        (FIRST + '<figure class="stage"></figure>' + FIGURE.format(' data-size="1 MB"'), set()),
        (FIGURE.format(' data-size="0.1 MB"'), set()),
    ],
)
def test_come_the_scripts_of_the_first_screens_figure_before_it_is_painted(extension, page, names):
    wanted = {f"_static/{name}.js" for name in names}
    assert extension("page_models").at_once(page) == wanted


@pytest.mark.parametrize(
    ("page", "address"),
    [
        (FIRST + FIGURE.format(' data-size="0.4 MB"'), "_static/models/m.js"),
        (FIRST + FIGURE.format(' data-size="32.1 MB"'), None),
        (FIRST + FIGURE.format(""), None),  # a model that is not installed
        (FIRST + '<figure class="play" id="play-a">', "_static/vega.js"),
        (FIRST + '<figure class="stage" id="a">' + FIGURE.format(' data-size="0.4 MB"'), None),
        ('<figure class="play" id="play-a">', None),
    ],
)
def test_is_loaded_with_the_page_what_its_first_figure_asks_for(extension, page, address):
    assert extension("page_models").loaded_first(page) == address
