"""Words that bring a figure to what they speak of."""

import re

import nbformat
import pytest

from tests.book.chapter_counts import BOOK
from tests.chromium import PATIENCE

WHOLE = re.compile(r"\{show\}`[^`<>]+<[^`<>]+>`")
PIECES = re.compile(r"\{show\}|<\w+=[^`<>]*>`")


@pytest.mark.parametrize("path", sorted(BOOK.glob("*.ipynb")), ids=lambda path: path.stem)
def test_stands_no_piece_of_a_cue_in_a_text(path):
    cells = nbformat.read(path, as_version=4).cells
    texts = [WHOLE.sub("", cell.source) for cell in cells if cell.cell_type == "markdown"]
    assert [piece for text in texts for piece in PIECES.findall(text)] == []


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("asks=get", {"asks": "get"}),
        ("query=1, 2; time=3", {"query": "1, 2", "time": "3"}),
        ("text=22 mai", {"text": "22 mai"}),
        ("get", None),
        ("asks=", None),
    ],
)
def test_is_a_state_names_with_values(extension, text, state):
    assert extension("cues").state_of(text) == state


def cue(page, words: str):
    """The cue with these words, which is a button once scripts have run."""
    return page.get_by_role("button", name=words)


def test_bring_words_a_stage_to_what_they_speak_of_by_click_key_and_pointer(opened):
    page = opened("08-masked").page
    page.emulate_media(reduced_motion="reduce")
    stage = page.locator(".first-screen figure.stage")
    state = "figure => [figure.stage.state.asks, figure.stage.state.leak]"
    leaking, one = cue(page, "a second model"), cue(page, "one word after another")
    asks = stage.evaluate("figure => JSON.parse(figure.dataset.stage).items.indexOf('stream')")
    leaking.click()
    assert stage.evaluate(state)[1] is True
    assert stage.locator(".stage-leak input").is_checked()
    one.focus()
    page.keyboard.press("Enter")
    assert stage.evaluate(state) == [asks, True]
    assert stage.evaluate("figure => figure.getBoundingClientRect().top") >= 0
    stage.evaluate("figure => figure.stage.show({ asks: 0, leak: false })")
    page.mouse.move(0, 0)
    leaking.hover()
    page.wait_for_function("figure => figure.stage.state.leak", arg=stage.element_handle())


@pytest.mark.parametrize(
    ("chapter", "words", "control", "value"),
    [
        ("01-lookup", "set the bandwidth to 0.3", "bandwidth (hours)", "0.3"),
        ("02-softmax", "every word counts the same", "Sharpness", "0"),
        ("05-self-attention", "deposit money", "A sentence with bank", "I went to the bank to"),
        ("04-attention-layer", "where it looks for each", "Word", "2"),
        ("06-positions", "Move both words", "Move both by", "20"),
        ("07-multi-head", "let other cards ask", "Card that asks", "7"),
        ("03-bahdanau", "“mai”", "A date", "5 mai 2015"),
    ],
)
def test_bring_words_a_chart_or_a_model_to_what_they_speak_of(
    opened, chapter, words, control, value
):
    expect = pytest.importorskip("playwright.sync_api").expect
    seen = opened(chapter)
    page = seen.page
    page.emulate_media(reduced_motion="reduce")
    cue(page, words).first.click()
    field = page.locator("figure input").and_(page.get_by_label(control)).first
    # Asked for anew until it is there: a chart's controls take the place of what was kept free.
    expect(field).to_have_value(re.compile(f"^{re.escape(value)}"), timeout=PATIENCE)
    assert seen.troubles == []


def test_is_a_chart_drawn_once_that_words_bring_to_the_screen(opened):
    page = opened("01-lookup").page
    page.emulate_media(reduced_motion="reduce")
    held = []
    page.route("**/vega.js", lambda route: held.append(route))
    chart = page.locator("figure.play")
    chart.evaluate("""figure => {
        window.drawings = 0;
        new MutationObserver((changes) => {
            const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
            window.drawings += added.filter((node) => node.matches?.(".play-chart")).length;
        }).observe(figure, { childList: true, subtree: true });
    }""")
    cue(page, "set the bandwidth to 0.3").click()
    # It comes near the screen, and is to be drawn for that reason, too.
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    held[0].continue_()
    field = chart.get_by_label("bandwidth (hours)")
    chart.and_(page.locator("[data-drawn]:not(:has(.play-drawing))")).wait_for()
    assert (page.evaluate("window.drawings"), field.input_value()) == (1, "0.3")


def test_are_they_words_without_scripts(opened):
    page = opened("02-softmax", scripts=False).page
    words = page.locator(".cue").first
    assert words.is_visible() and words.get_attribute("role") is None


def test_is_what_is_no_state_an_error_that_says_so(extension, tmp_path):
    from docutils.utils import Reporter

    cues = extension("cues")
    role = cues.Show()
    reporter = Reporter("page", 2, 5, stream=False)
    role.inliner = type("Inliner", (), {"reporter": reporter})()
    role.text, role.lineno = "the first card asks", 3
    nodes, messages = role.run()
    assert nodes == ["the first card asks"] and "`words <asks=get>`" in messages[0].astext()
    role.text = "the first card asks <asks=0>"
    (found,), messages = role.run()
    assert found.astext() == "the first card asks" and found["state"] == {"asks": "0"}
    assert messages == []
