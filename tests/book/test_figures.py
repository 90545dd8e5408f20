"""Figures in the page: drawings in the page's own colors."""

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURE = """<svg width="72pt" height="36pt" viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg">
<rect width="72" height="36" style="fill: #ffffff"/><path d="M0 0H9" stroke="#0072b2"/>
<text fill="#1f2933">a</text><text fill="#1f2934">in a cell</text></svg>"""


@pytest.fixture
def figures(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import figures

    yield figures
    for name in ("figures", "course"):
        sys.modules.pop(name, None)


def test_are_a_figures_colors_the_pages_and_those_in_cells_its_own(figures):
    drawn = figures.themed(PICTURE)
    ET.fromstring(drawn)
    assert 'width="96" height="48"' in drawn
    assert "fill: var(--paper)" in drawn and 'stroke="var(--query)"' in drawn
    assert 'fill="var(--ink)">a<' in drawn and 'fill="#1f2934">in a cell<' in drawn


def test_has_every_words_color_the_same_in_figures(figures):
    """The page's words and its figures say the roles in one color, in the light and in the dark."""
    style = (ROOT / "book" / "_static" / "custom.css").read_text(encoding="utf-8")
    for role in ("query", "key", "value", "weight"):
        dark = re.findall(rf"--course-{role}: (#\w+);", style)[1]
        assert figures.THEMED[role][1].lower() == dark.lower()


def test_does_a_drawing_follow_the_page_and_not_the_system(browser, figures, tmp_path):
    (tmp_path / "figure.svg").write_text(figures.themed(PICTURE))
    (tmp_path / "page.html").write_text(
        '<!doctype html><html style="color-scheme: light"><body style="margin: 0">'
        '<img src="figure.svg" width="96" height="48">'
    )
    page = browser.new_page(viewport={"width": 96, "height": 48}, color_scheme="dark")
    page.goto((tmp_path / "page.html").as_uri())
    light = page.screenshot()
    page.evaluate("document.documentElement.style.colorScheme = 'dark'")
    page.wait_for_timeout(300)
    assert page.screenshot() != light
    page.evaluate("document.documentElement.style.colorScheme = 'light'")
    page.wait_for_timeout(300)
    assert page.screenshot() == light
    page.close()
