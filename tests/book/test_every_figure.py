"""Every live figure at three widths, light and dark: does it heed the keyboard, and fit?"""

import re

import pytest

from tests.book.parsed import SITE

FIGURE = re.compile(r'<figure class="(?:play|stage|live)\b')
PAGES = [path.stem for path in sorted(SITE.glob("*.html")) if FIGURE.search(path.read_text())]
WIDTHS = [1280, 390, 320]
# Of each kind of figure, what is focused first, and the keys that change what is seen.
USED = {
    "stage": (".stage-line input:checked, .stage-sliders input, .stage-dial input", ["ArrowRight"]),
    "play": (".vega-bindings :is(input, select)", ["Home", "End", "Backspace", "Space"]),
    "writing": ("textarea", ["e"]),
    "translating": ("input[type=text]", ["End", "Backspace"]),
    "transformer": (".transformer-next button", ["Enter"]),
    "drawing": ("[role=grid] [tabindex='0']", ["Space"]),
}
# What is seen of a figure: its elements, what its controls hold, and its pixels.
SEEN = """(figure) => [
  figure.outerHTML,
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "name",
    [
        page if page == "08-masked" else pytest.param(page, marks=pytest.mark.exhaustive)
        for page in PAGES
    ],
)
def test_heeds_every_figure_the_keyboard_and_fits_its_page(opened, name, width, scheme):
    seen = opened(name, width, scheme)
    page = seen.page
    page.emulate_media(reduced_motion="reduce")
    asked = 0
    for figure in page.locator("main figure:is(.play, .stage, .live)").all():
        if not figure.is_visible():
            continue
        figure.scroll_into_view_if_needed()
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
