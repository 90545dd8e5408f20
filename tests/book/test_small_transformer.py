"""The front page's Transformer: do its parts lead to their chapters, and is it PyTorch's?"""

from pathlib import Path

import pytest
import torch
from lab import dates, stored

from solutions.encoder_decoder import Transformer
from tests.book.parsed import SITE, needs_book, parsed

BOOK = Path(__file__).parents[2] / "book"

FIGURE = "figure.transformer"
SHOWN = """(buttons) => buttons.map(({ firstChild, lastChild }) =>
  [firstChild.textContent, parseInt(lastChild.textContent.replace("<1", "0")) / 100])"""
FILLED = f"""() => [...document.querySelectorAll("{FIGURE} canvas")].map((canvas) => {{
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return pixels.data.some(Boolean);
}})"""


@pytest.fixture
def translator():
    numbers, about = stored.stored("dates")
    model = Transformer(**about["sizes"])
    model.load_state_dict(numbers)
    return model.eval()


@pytest.fixture
def figure(opened):
    """The figure at work, and its page."""
    seen = opened("index")
    seen.page.emulate_media(reduced_motion="reduce")
    found = seen.page.locator(FIGURE)
    found.scroll_into_view_if_needed()
    seen.page.locator(f"{FIGURE}[data-started]").wait_for()
    yield found
    assert seen.troubles == []


def wanted(model, source: str, written: str) -> list[tuple[str, float]]:
    """The four likeliest symbols after what was written, with their probabilities."""
    reads, writes = dates.source_vocabulary(), dates.target_vocabulary()
    previous = [dates.BOS, *writes.encode(written)]
    with torch.no_grad():
        logits = model(torch.tensor([reads.encode(source)]), torch.tensor([previous]))[0, -1]
    top = logits.softmax(dim=-1)[dates.EOS :].topk(4)  # no padding, and no start
    names = {dates.EOS: "$"}
    pairs = zip((top.indices + dates.EOS).tolist(), top.values.tolist(), strict=True)
    return [(names.get(token) or writes.decode([token]), chance) for token, chance in pairs]


@needs_book
def test_leads_each_part_to_a_section_that_is_there(extension):
    course = extension("course")
    parts = parsed(SITE / "index.html").select(f"{FIGURE} a.transformer-part")
    chapters = {part["data-chapter"] for part in parts}
    assert chapters == {page for page in course.chapters(BOOK) if page != "00-start-here"}
    for part in parts:
        page, _, section = part["href"].partition("#")
        assert page == f"{part['data-chapter']}.html" and part.b.text and part.small.text
        assert not section or parsed(SITE / page).find(id=section), part["href"]


def test_says_what_may_come_next_as_pytorch_has_it(figure, translator):
    source = "22 décembre 2015"
    buttons = figure.locator(".transformer-next button")
    written = "1512"
    assert figure.locator("output").inner_text() == written
    for place in (0, 1, 0):  # the likeliest, then one that the model would not take
        shown = buttons.evaluate_all(SHOWN)
        expected = wanted(translator, source, written)
        assert [symbol for symbol, _ in shown] == [symbol for symbol, _ in expected]
        for (_, chance), (_, wanted_chance) in zip(shown, expected, strict=True):
            assert chance == pytest.approx(wanted_chance, abs=0.0051)
        buttons.nth(place).click()
        written += expected[place][0]
        assert figure.locator("output").inner_text() == written
    figure.get_by_role("button", name="Start over").click()
    figure.get_by_role("button", name="Write it all").click()
    assert figure.locator("output").inner_text() == "151222$"
    assert buttons.first.is_disabled()


def test_has_each_part_its_numbers_and_answers_nonsense_with_a_sentence(figure):
    assert figure.page.evaluate(FILLED) == [True] * 14
    field = figure.get_by_label("It reads a date")
    field.fill("hello")
    said = figure.locator(".live-said [role=status]")
    said.filter(has_text="“hello” is no date that it was taught").wait_for()
    field.fill("")
    said.filter(has_text="Type a date.").wait_for()
    assert figure.get_by_role("button", name="Write it all").is_disabled()
    field.fill("3 mai 2009")
    said.filter(has_text="It has read “3 mai 2009”").wait_for()


def test_is_a_part_filled_when_its_chapter_is_read(opened):
    page = opened("index").page
    page.evaluate(
        "courseProgress.change((progress) => (progress.read['09-transformer-block'] = true))"
    )
    filled = page.locator(f"{FIGURE} a[data-read]")
    assert filled.count() == 3
    assert "(read)" in filled.first.inner_text()
    page.evaluate("courseProgress.change((progress) => (progress.read = {}))")
    assert filled.count() == 0


def test_is_the_next_symbol_taken_by_keys(figure):
    buttons = figure.locator(".transformer-next button")
    buttons.first.focus()
    figure.page.keyboard.press("ArrowRight")
    second = buttons.nth(1).locator("b").inner_text()
    figure.page.keyboard.press("Enter")
    assert figure.locator("output").inner_text() == f"1512{second}"


def test_is_it_a_drawing_with_links_without_scripts(opened):
    page = opened("index", 390, scripts=False).page
    parts = page.locator(f"{FIGURE} a")
    assert parts.count() == 17 and parts.first.locator("svg").is_visible()
    assert page.locator(f"{FIGURE} canvas").count() == 0
