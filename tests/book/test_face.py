"""The course's face: its letters, a drawing for each chapter, and a map that says what is left."""

from pathlib import Path

import pytest

from tests.book.parsed import SITE, needs_book, parsed

ROOT = Path(__file__).parents[2]
FONTS = ROOT / "book" / "_static" / "fonts"
CHAPTERS = sorted(path.stem for path in (ROOT / "book").glob("[0-9][0-9]-*.ipynb"))


def test_has_every_chapter_an_emblem_of_its_own(extension):
    emblem = extension("emblems").emblem
    drawn = [emblem(page) for page in CHAPTERS]
    assert all(drawn) and len(set(drawn)) == len(CHAPTERS)
    assert emblem("glossary") == "" == emblem("masks")


@needs_book
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_stands_the_emblem_before_the_title_and_says_nothing(chapter):
    page = parsed(SITE / f"{chapter}.html")
    (drawing,) = page.select("h1 > svg.emblem")
    assert drawing["aria-hidden"] == "true"
    assert drawing.get_text() == ""
    assert not page.select("title svg")


def test_are_titles_and_text_set_in_the_courses_letters_in_one_request_each(opened):
    seen = opened("02-softmax")
    title, text = (
        seen.page.locator(place).first.evaluate("part => getComputedStyle(part).fontFamily")
        for place in ("h1", "article p")
    )
    assert title.startswith('"Course Serif"') and text.startswith('"Source Sans 3"')
    loaded = seen.page.evaluate(
        "() => [...document.fonts].filter((f) => f.status === 'loaded').map((f) => f.family)"
    )
    assert {"Course Serif", "Source Sans 3"} <= {family.strip('"') for family in loaded}
    assert seen.troubles == []


@pytest.mark.parametrize("path", sorted(FONTS.glob("*.woff2")), ids=lambda path: path.stem)
def test_is_a_font_small_and_its_license_beside_it(path):
    assert path.stat().st_size < 30_000
    assert "SIL OPEN FONT LICENSE" in (FONTS / "LICENSE-source-fonts").read_text(encoding="utf-8")


def test_says_the_map_what_is_left_and_what_comes_next(opened):
    page = opened("map").page
    line = page.locator(".map-left")
    said = line.inner_text()
    assert said.startswith(f"{len(CHAPTERS)} of {len(CHAPTERS)} chapters before you: ")
    assert page.locator("a[data-next]").get_attribute("href").startswith(CHAPTERS[0])
    page.evaluate(
        "courseProgress.change(({ read }) => { read['00-start-here'] = read['01-lookup'] = true; })"
    )
    assert line.inner_text().startswith(f"{len(CHAPTERS) - 2} of {len(CHAPTERS)} chapters")
    assert line.inner_text() != said
    assert page.locator("a[data-next]").get_attribute("href").startswith("02-softmax")
