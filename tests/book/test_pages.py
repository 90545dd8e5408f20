"""Every page of the built book, opened in Chromium at desktop and phone width, light and dark."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "book"
PAGES = sorted(path.stem for path in (*SOURCES.glob("*.md"), *SOURCES.glob("*.ipynb")))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_no_other_host_and_has_no_errors(opened, name, width, scheme):
    seen = opened(name, width, scheme)
    page = seen.page
    for figure in page.locator("figure.play").all():
        figure.scroll_into_view_if_needed()
        page.wait_for_function("figure => 'drawn' in figure.dataset", arg=figure.element_handle())
    assert seen.troubles == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("mjx-merror").count() == 0
    assert page.locator(".bd-article img:not([alt]), .bd-article img[alt='']").count() == 0
    assert page.locator(".bd-article mjx-container").count() > 0 or name not in ("notation",)


@pytest.mark.parametrize("name", [page for page in PAGES if re.match(r"\d\d-", page)])
def test_a_chapter_has_a_figure_to_play_with_by_keyboard(opened, name):
    seen = opened(name)
    page = seen.page
    figure = page.locator("figure.play").first
    figure.scroll_into_view_if_needed()
    slider = figure.locator("input[type=range]").first
    slider.wait_for()
    assert slider.evaluate("input => input.labels[0].innerText.trim()")
    drawings = []
    slider.focus()
    for key in ("Home", "End"):
        page.keyboard.press(key)
        page.wait_for_timeout(300)
        drawings.append(figure.locator("svg").first.inner_html())
    assert drawings[0] != drawings[1]
    assert seen.troubles == []


def test_what_was_moved_stays_when_the_theme_changes(opened):
    page = opened("00-start-here").page
    figure = page.locator("figure.play")
    figure.scroll_into_view_if_needed()
    slider = figure.locator("input[type=range]")
    slider.wait_for()
    slider.fill("-1")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(500)
    assert figure.locator("input[type=range]").count() == 1
    assert figure.locator("input[type=range]").input_value() == "-1"


def test_without_scripts_a_still_picture_stands_in(opened):
    seen = opened("00-start-here", scripts=False)
    page = seen.page
    still = page.locator("figure.play img.play-still")
    still.scroll_into_view_if_needed()
    assert still.get_attribute("alt").startswith("Three bars")
    assert page.request.get(still.evaluate("image => image.src")).ok
    assert seen.troubles == []
