"""The figures in which models work, in the built pages: fit for a phone, and for everyone."""

import importlib.util
from pathlib import Path

import pytest
from lab import minilm

from tests.book import measures

LOOK_AT = """() => axe.run("figure.live", { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)))"""
HAVE_FILES = importlib.util.find_spec("tokenizers") and importlib.util.find_spec(minilm.PACKAGE)
PAGES = [
    *("03-bahdanau", "05-self-attention", "10-writer", "11-encoder-decoder", "12-vit"),
    pytest.param(
        "13-real-encoder",
        marks=pytest.mark.skipif(not HAVE_FILES, reason="the published model is not installed"),
    ),
]
VIEWS = [
    pytest.param(390, "dark", id="phone"),
    pytest.param(1280, "light", id="desktop", marks=pytest.mark.exhaustive),
]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_fits_a_figure_at_work_its_page_and_axe_finds_nothing(opened, name, width, scheme):
    from axe_playwright_python.base import AXE_FILE_PATH

    seen = opened(name, width, scheme)
    page = seen.page
    page.wait_for_function(
        """() => [...document.querySelectorAll("figure.live")].every(
          (figure) => figure.querySelector("button"))"""
    )
    button = page.get_by_role("button", name="Load the model")
    for _ in range(button.count()):
        button.first.click()
    for figure in page.locator("figure.live").all():
        figure.scroll_into_view_if_needed()  # a small model comes when its figure is seen
    page.wait_for_function(
        """() => [...document.querySelectorAll("figure.live")].every(
          ({ dataset, offsetParent }) => "started" in dataset || !offsetParent)"""
    )
    page.locator("figure.live [role=status]:not(:text('is loading'))").first.wait_for()
    page.evaluate(Path(AXE_FILE_PATH).read_text(encoding="utf-8"))
    assert page.evaluate(LOOK_AT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(measures.MOVED) <= measures.MOST_MOVED
    assert seen.troubles == []
