"""What is on the screen stays where it is while a page loads and its figures are drawn."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from tests.book import measures
from tests.book.parsed import SITE, parsed
from tests.chromium import PATIENCE

ROOT = Path(__file__).parents[2]


def moved(browser, address: str, width: int, place: str, slow: bool = False) -> float:
    """How much moved after a page was opened at a place and its figure there was drawn."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(measures.WATCH_MOVES)
    if slow:
        measures.slow_down(page)
    page.goto(f"{address}{place}", wait_until="load")
    measures.wait_until_quiet(page, 3000 if slow else 500)
    page.locator("figure.play[data-drawn]").first.wait_for()
    page.wait_for_timeout(500)
    found = page.evaluate(measures.MOVED)
    context.close()
    return found


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "place",
    ["/02-softmax.html#play-sharpness", "/04-attention-layer.html#play-plane"],
    ids=["start", "deep"],
)
def test_does_nothing_move_where_a_link_leads_to_a_figure_to_play_with(
    browser, address, width, place
):
    assert moved(browser, address, width, place) < measures.MOST_MOVED


@pytest.mark.exhaustive  # beside the other tests a slowed page may take minutes to load
def test_does_nothing_move_on_a_slow_phone_either(browser, address):
    place = "/04-attention-layer.html#play-plane"
    assert moved(browser, address, 390, place, slow=True) < measures.MOST_MOVED


@pytest.mark.parametrize(
    ("name", "below"),
    [
        ("06-positions", []),  # they come after the first figure's file
        ("08-masked", []),  # nor is a first figure's script kept waiting
        ("notation", ["source-sans-3-italic.woff2", "course-math.woff"]),
        ("progress", ["source-sans-3-italic.woff2"]),
    ],
)
def test_are_the_letters_seen_first_asked_for_with_the_style_and_others_below(opened, name, below):
    page = opened(name).page
    names = "all => all.map((one) => one.href.split('/').at(-1))"
    asked = (
        page.locator(f"{place} link[rel=preload][as=font]").evaluate_all(names)
        for place in ("head", "body")
    )
    assert list(asked) == [["source-sans-3-normal.woff2", "course-serif-semibold.woff2"], below]
    page.evaluate("document.fonts.ready.then(() => null)")
    status = "[...document.fonts].filter((font) => font.status === 'error').length"
    assert page.evaluate(status) == 0


CHAPTERS = sorted(path.stem for path in ROOT.glob("book/[01][0-9]-*.ipynb"))
OFTEN = {"01-lookup", "11-encoder-decoder"}
COVERED = """() => [...document.querySelectorAll("details.layer > summary")]
  .filter((line) => line.checkVisibility())
  .filter((line) => {
    line.scrollIntoView({ block: "center" });
    const box = line.getBoundingClientRect();
    return !line.contains(document.elementFromPoint(box.left + 12, box.top + box.height / 2));
  })
  .map((line) => line.textContent)"""


@pytest.mark.parametrize("width", [1280, 1680])
@pytest.mark.parametrize(
    "name",
    [
        name if name in OFTEN else pytest.param(name, marks=pytest.mark.exhaustive)
        for name in CHAPTERS
    ],
)
def test_does_nothing_lie_over_what_the_margin_has_to_open(browser, address, name, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/{name}.html", wait_until="load")
    measures.wait_until_quiet(page, 500)
    page.evaluate(COVERED)  # what comes into sight is drawn
    measures.wait_until_quiet(page, 500)
    covered = page.evaluate(COVERED)
    page.close()
    assert not covered


@pytest.fixture
def held_back(browser):
    """A page whose line keeps Vega back, and the names of the files that it asked for."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.asked, page.held = set(), []
    page.on("request", lambda request: page.asked.add(Path(urlsplit(request.url).path).name))
    page.route("**/vega.js", lambda route: page.held.append(route))
    yield page
    page.close()


LATER = {"quiz.js", "bootstrap.js", "source-sans-3-italic.woff2", "course-math.woff"}


def test_has_a_first_figures_file_the_line_until_it_is_here(held_back, address):
    page = held_back
    page.goto(f"{address}/02-softmax.html", wait_until="domcontentloaded")
    page.evaluate("document.fonts.ready.then(() => null)")
    page.wait_for_timeout(500)  # whatever else would be asked for by now
    assert page.held and not LATER & page.asked
    for route in page.held:
        route.continue_()
    page.wait_for_function(measures.SCRIPTS_BEGAN)
    page.evaluate("document.fonts.ready.then(() => null)")
    assert page.asked >= LATER
    assert page.locator(".quiz-count").count() == 1  # what a script puts there, once


def test_waits_nothing_for_the_first_figure_where_a_link_leads_past_it(held_back, address):
    page = held_back
    page.goto(f"{address}/02-softmax.html#summary", wait_until="domcontentloaded")
    page.wait_for_function(measures.SCRIPTS_BEGAN)
    page.evaluate("document.fonts.ready.then(() => null)")
    assert page.asked >= LATER


def test_is_a_fold_open_that_a_link_leads_into(opened):
    page = opened("02-softmax").page
    fold = page.locator("details.sd-dropdown").first
    fold.evaluate("fold => fold.querySelector('p').id = 'inside'")
    page.evaluate("location.hash = '#inside'")
    page.wait_for_function("fold => fold.open", arg=fold.element_handle())


def test_has_every_page_a_title_of_its_own_with_the_courses_name_once():
    pages = [path.read_text(encoding="utf-8") for path in SITE.glob("*.html")]
    titles = [re.findall("<title>(.*?)</title>", page) for page in pages]
    course = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["title"]
    assert [said for said in titles if len(said) != 1 or said[0].count(course) != 1] == []
    assert len({said[0] for said in titles}) == len(titles)


@pytest.mark.parametrize("path", sorted(SITE.glob("*.html")), ids=lambda path: path.stem)
def test_has_every_picture_its_size_and_every_figure_a_link(path):
    page = parsed(path)
    pictures = page.select("article img")
    assert [image for image in pictures if not (image.get("width") and image.get("height"))] == []
    assert len([image for image in pictures if image.get("loading") != "lazy"]) <= 1
    for number in page.select(".figure-number"):
        link = number.find("a")
        assert link["href"] == f"#{number['id']}"
        kind = r"Figure \d+\.\d+" if path.stem[:2].isdigit() else r"Figure \d+"
        assert re.fullmatch(kind, link.get_text())
        assert number.get_text().removeprefix(link.get_text()).strip(), link
    named = [figure["aria-labelledby"] for figure in page.select("figure[aria-labelledby]")]
    assert [label for label in named if not page.find(id=label)] == []


def test_has_the_projects_figure_a_number_and_a_caption_too():
    (line,) = parsed(SITE / "project.html").select(".figure-number")
    assert line.get_text().startswith("Figure 1 First panel: bits for each character")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["01-lookup", "11-encoder-decoder"])
def test_needs_a_headings_own_link_no_line_of_its_own(opened, name, width):
    page = opened(name, width).page
    heights = """() => [...document.querySelectorAll("article :is(h1, h2, h3)")].map(
        (heading) => heading.getBoundingClientRect().height)"""
    with_links = page.evaluate(heights)
    page.add_style_tag(content="a.headerlink { display: none !important; }")
    assert len(with_links) > 5
    assert with_links == page.evaluate(heights)


def test_has_a_figure_as_much_room_on_a_dark_page_as_on_a_light_one(opened):
    light, dark = (
        opened("12-vit", 390, scheme).page.locator("figure.drawing").bounding_box()
        for scheme in ("light", "dark")
    )
    assert dark["width"] == light["width"] and dark["x"] == light["x"]
