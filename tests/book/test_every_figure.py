"""Every live figure at three widths, light and dark, in forced colors, on paper, from a disk and
without scripts: does it heed the keyboard and a finger, and fit?"""

import re
from collections.abc import Iterator

import pytest

from tests.book.parsed import SITE
from tests.chromium import PATIENCE

FIGURE = re.compile(r'<figure class="(?:play|stage|live)\b')
PAGES = [path.stem for path in sorted(SITE.glob("*.html")) if FIGURE.search(path.read_text())]
WIDTHS = [1280, 390, 320]
PAPER = 718  # pixels: A4 with margins of 1 cm
# Of each kind of figure, what is focused first, and the keys that change what is seen.
USED = {
    "stage": (".stage-line input:checked, .stage-sliders input, .stage-dial input", ["ArrowRight"]),
    "play": (".vega-bindings :is(input, select)", ["Home", "End", "Backspace", "Space"]),
    "writing": ("textarea", ["e"]),
    "translating": ("input[type=text]", ["End", "Backspace"]),
    "transformer": (".transformer-next button", ["Enter"]),
    "drawing": ("[role=grid] [tabindex='0']", ["Space"]),
}
# Of each kind, what is tapped.
TAPPED = {
    "stage": ".stage-line label:has(input:not(:checked)), .stage-moves li:first-child button",
    "play": ".vega-bindings :is(input, select)",
    "writing": ".live-buttons button",
    "translating": ".translating-choices button:nth-child(2)",
    "transformer": ".transformer-next button",
    "drawing": "[role=grid]",
}
HELD = ".drawing-grid, .stage-keys, input"  # where a finger draws or drags
# What is seen of a figure: its elements, what its controls hold, and its pixels; the Tab key's
# stops move with the focus alone.
SEEN = """(figure) => [
  figure.outerHTML.replaceAll(/ tabindex="-?[0-9]+"/g, ""),
  ...[...figure.querySelectorAll("input, select, textarea")]
    .map(({ value, checked }) => value + checked),
  ...[...figure.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
].join()"""
READY = (
    """(figure) => figure.matches("[data-started], [data-drawn], :has(.live-load), .training")"""
)
# What is wider than the figure's place, but for what scrolls there.
TOO_WIDE = """(figure) => {
  const { left, right } = figure.getBoundingClientRect();
  const clips = (part) => /auto|scroll|hidden|clip/.test(getComputedStyle(part).overflowX);
  const scrolls = (part) =>
    part !== figure.parentElement && (clips(part) || scrolls(part.parentElement));
  return [...figure.querySelectorAll(":not(svg *, .visually-hidden, .visually-hidden *)")]
    .filter((part) => part.checkVisibility({ visibilityProperty: true }) && !scrolls(part))
    .filter((part) => {
      const box = part.getBoundingClientRect();
      return box.width > 1 && (box.left < left - 12 || box.right > right + 12);
    })
    .map((part) => part.outerHTML.slice(0, 120));
}"""


def kind(figure) -> str | None:
    """Its kind, if a key alone changes it: what trains, or asks to load its model, is left out."""
    classes = (figure.get_attribute("class") or "").split()
    if figure.locator(".live-load").count():
        return None
    return next((name for name in USED if name in classes), None)


EACH_PAGE = pytest.mark.parametrize(
    "name",
    [
        page if page == "08-masked" else pytest.param(page, marks=pytest.mark.exhaustive)
        for page in PAGES
    ],
)


def visible(page) -> Iterator:
    """Every live figure that is not folded away, scrolled to."""
    for figure in page.locator("main figure:is(.play, .stage, .live)").all():
        if figure.is_visible():
            figure.scroll_into_view_if_needed()
            yield figure


def use_all(seen, width: int) -> None:
    """Change every figure by the keyboard, and see that it fits."""
    page = seen.page
    page.emulate_media(reduced_motion="reduce")
    asked = 0
    for figure in visible(page):
        page.wait_for_function(READY, arg=figure.element_handle())
        assert figure.evaluate(TOO_WIDE) == []
        if not (known := kind(figure)):
            continue
        selector, keys = USED[known]
        control = figure.locator(selector).first
        control.focus()
        moments = [figure.evaluate(SEEN)]
        for key in keys:
            page.keyboard.press(key)
            page.wait_for_timeout(400)
            moments.append(figure.evaluate(SEEN))
        assert len(set(moments)) > 1, f"{known}: nothing changes on {keys}"
        asked += 1
    assert asked or not page.locator("main figure:is(.play, .stage)").count()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@EACH_PAGE
def test_heeds_every_figure_the_keyboard_and_fits_its_page(opened, name, width, scheme):
    use_all(opened(name, width, scheme), width)


@EACH_PAGE
def test_heeds_every_figure_the_keyboard_in_forced_colors(opened, name):
    seen = opened(name, 390)
    seen.page.emulate_media(forced_colors="active")
    use_all(seen, 390)


def swipe(page, x: float, y: float, up: float) -> None:
    """Move a finger up from here, in small steps."""
    devtools = page.context.new_cdp_session(page)
    for kind, passed in [
        ("touchStart", 0),
        *(("touchMove", up * step / 8) for step in range(1, 9)),
    ]:
        given = {"type": kind, "touchPoints": [{"x": x, "y": y - passed}]}
        devtools.send("Input.dispatchTouchEvent", given)
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("width", [390, 320])
@EACH_PAGE
def test_heeds_every_figure_a_finger_and_lets_the_page_pass(opened, name, width):
    seen = opened(name, width, has_touch=True, reduced_motion="reduce")
    page, asked = seen.page, 0
    for figure in visible(page):
        page.wait_for_function(READY, arg=figure.element_handle())
        if not (known := kind(figure)):
            continue
        control = figure.locator(TAPPED[known]).first
        control.evaluate("control => control.scrollIntoView({ block: 'center' })")
        before, box = figure.evaluate(SEEN), control.bounding_box()
        page.touchscreen.tap(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
        if control.evaluate("control => control.matches('select')"):
            control.select_option(index=1)  # what a phone's own list would do
        elif control.evaluate("control => control.matches('input[type=text]')"):
            page.keyboard.type("e")
        page.wait_for_timeout(400)
        assert figure.evaluate(SEEN) != before, f"{known}: nothing changes on a tap"

        figure.evaluate("figure => figure.scrollIntoView({ block: 'start' })")
        page.mouse.wheel(0, -200)  # below the header
        page.wait_for_timeout(200)
        at = page.evaluate("scrollY")
        free = figure.evaluate(
            """(figure, held) => {
              for (let y = 600; y > 150; y -= 10) {
                const found = document.elementFromPoint(innerWidth / 2, y);
                if (figure.contains(found) && !found.closest(held)) return y;
              }
            }""",
            HELD,
        )
        swipe(page, width / 2, free, 140)
        page.wait_for_timeout(300)
        assert page.evaluate("scrollY") > at + 50, f"{known}: the page does not pass"
        asked += 1
    assert asked or not page.locator("main figure:is(.play, .stage)").count()
    assert seen.troubles == []


@EACH_PAGE
def test_begins_every_figure_from_a_disk(browser, name):
    page, troubles = browser.new_page(), []
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto((SITE / f"{name}.html").as_uri())
    for figure in visible(page):
        page.wait_for_function(READY, arg=figure.element_handle())
    page.close()
    assert troubles == []


@pytest.mark.parametrize("width", [1280, 320])
@EACH_PAGE
def test_stands_something_for_every_figure_without_scripts(opened, name, width):
    seen = opened(name, width, scripts=False)
    for figure in visible(seen.page):
        assert figure.evaluate(TOO_WIDE) == []
        drawn = figure.locator("svg, img")
        assert drawn.count() or len(figure.inner_text().split()) > 5, "an empty figure"
        for picture in figure.locator("img").all():
            picture.scroll_into_view_if_needed()
            seen.page.wait_for_timeout(100)
            picture.evaluate("picture => picture.decode()")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.troubles == []


@EACH_PAGE
def test_is_every_figure_whole_on_paper(opened, name):
    seen = opened(name, PAPER)
    seen.page.emulate_media(media="print")
    for figure in visible(seen.page):
        seen.page.wait_for_function(READY, arg=figure.element_handle())
        assert figure.evaluate(TOO_WIDE) == []
        box = figure.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= PAPER
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= PAPER
