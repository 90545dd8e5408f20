"""A chapter's two layers: to read, with code and exercises as lines that open, and to build."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.book import measures
from tests.book.parsed import SITE, needs_book, parsed

BOOK = Path(__file__).parents[2] / "book"
CHAPTERS = sorted(path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb"))
CHAPTER = "02-softmax"
TAGS = ["tag_hide-cell", "tag_hide-input"]
FOLDED = "() => [...document.querySelectorAll('details.layer')].filter(({ open }) => !open).length"
ALL = "() => document.querySelectorAll('details.layer').length"
HIDDEN_CODE = """() => [...document.querySelectorAll("details.layer pre, .exercise section")]
  .filter((block) => !block.checkVisibility({ contentVisibilityAuto: true })).length"""


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def f(x):\n    return x", "Code: <code>f</code>, 2 lines"),
        ("class A: pass\nx = 1\n\ndef b(): pass", "Code: <code>A</code>, <code>b</code>, 3 lines"),
        ("a, b = 1, 2\nc = a\nprint(c)", "Code: <code>a</code>, <code>b</code>, …, 3 lines"),
        ("print(1)", "Code: 1 line"),
        ("%time f()", "Code: 1 line"),
        ("x.y = z[0] = 1", "Code: 1 line"),
    ],
)
def test_says_a_line_what_its_code_makes_and_how_long_it_is(extension, code, line):
    assert extension("layers").in_a_line(code) == line


def test_names_a_line_what_is_printed_in_the_cells_words_or_by_its_first_line(extension):
    printed = extension("layers").printed
    assert printed(["a < b", "c"], {}) == "Printed: 2 lines, from <code>a &lt; b</code>"
    assert printed(["a < b"], {"printed": "what it's < of"}) == "Printed: what it&#x27;s &lt; of"


@needs_book
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_is_a_long_printed_text_named_in_words_or_shown_whole(chapter):
    page = parsed(SITE / f"{chapter}.html")
    names = [line.get_text() for line in page.select("details.layer-output > summary")]
    assert [name for name in names if re.match(r"Printed: \d+ lines, from", name)] == []
    assert page.select(".tag_shown-whole details.layer-output") == []


def test_begins_a_cell_that_is_folded_whole_with_what_it_shows(extension):
    parts = '<summary>S</summary><div class="cell_input">C</div><div class="cell_output">F</div>'
    page = "".join(f'<div class="cell {tag}"><details>{parts}</details></div>' for tag in TAGS)
    soup = BeautifulSoup(page, "html.parser")
    extension("layers").show_first(soup)
    assert [fold.get_text() for fold in soup("details")] == ["SFC", "SCF"]


def test_is_a_chapter_read_at_first_and_built_on_a_click_which_is_remembered(opened, address):
    page = opened(CHAPTER).page
    number = page.evaluate(ALL)
    assert page.evaluate(FOLDED) == number > 10
    read, build = (page.get_by_role("button", name=name, exact=True) for name in ("Read", "Build"))
    assert read.get_attribute("aria-pressed") == "true"
    page.locator("#a-dial-from-average-to-maximum").evaluate("place => place.scrollIntoView()")
    heading = page.locator("#a-dial-from-average-to-maximum h2")
    before = heading.bounding_box()["y"]
    build.evaluate("button => button.click()")
    assert abs(heading.bounding_box()["y"] - before) < 2
    assert page.evaluate(FOLDED) == 0
    assert build.get_attribute("aria-pressed") == "true"
    page.goto(f"{address}/06-positions.html")
    assert page.evaluate(FOLDED) == 0 < page.evaluate(ALL)
    page.get_by_role("button", name="Read", exact=True).click()
    assert page.evaluate(FOLDED) == page.evaluate(ALL)
    assert build.get_attribute("aria-pressed") == "false"


def test_opens_a_link_the_exercise_that_it_leads_to(opened, address):
    page = opened(CHAPTER).page
    page.goto(f"{address}/06-positions.html#ex-sinusoidal-positions")
    fold = page.locator("details.layer:has(#ex-sinusoidal-positions)")
    page.wait_for_function("fold => fold.open", arg=fold.element_handle())
    assert fold.locator("section").is_visible()
    assert page.evaluate(FOLDED) == page.evaluate(ALL) - 1


def test_has_each_exercise_its_number_and_title_in_its_line_and_opens_by_keyboard(opened):
    page = opened(CHAPTER).page
    fold = page.locator("details.layer:has(#ex-softmax)")
    line = fold.locator("> summary")
    assert line.inner_text().strip() == "Exercise 9: Softmax, ●●, 15 minutes, 2 points"
    line.focus()
    page.keyboard.press("Enter")
    assert fold.locator("pre").first.is_visible()
    titles = page.locator("details.layer-exercise > summary").all_inner_texts()
    assert all(title.strip().startswith("Exercise ") for title in titles)


def test_is_everything_there_on_paper_and_without_scripts(opened):
    page = opened(CHAPTER).page
    assert page.evaluate(HIDDEN_CODE) > 10
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(FOLDED) == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(FOLDED) == page.evaluate(ALL)
    plain = opened(CHAPTER, scripts=False).page
    assert plain.locator("details.layer").count() == plain.locator("details.layer[open]").count()
    assert plain.locator("#ex-softmax section").is_visible()
    assert plain.locator("details.layer > summary").first.is_hidden()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_has_a_chapter_to_read_no_more_than_twelve_screens(opened, chapter):
    page = opened(chapter).page
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate(measures.SCREENS) <= measures.MOST_SCREENS


def test_keeps_a_question_its_words_in_its_line_and_a_guess_stands_open(opened):
    page = opened(CHAPTER).page
    for fold in page.locator("details.layer-quiz").all():
        asked = fold.locator(".quiz-question > p").first.text_content()
        assert asked.strip() in fold.locator("> summary").inner_text()
        fold.evaluate("fold => fold.open = true")
        assert fold.locator("label.quiz-choice").first.is_visible()
    for guess in page.locator(".quiz:has(.quiz-number:text('before you read on'))").all():
        assert guess.locator("label.quiz-choice").first.is_visible()
