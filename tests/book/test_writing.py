"""The figure in which a model writes: does it show what the model computes?"""

from pathlib import Path

import pytest
import torch
from lab import stored
from lab.live import writing_figure

from autograder.release.book import Book
from solutions.writer import induction_score, next_token_probabilities
from tests.book.live_page import open_figure, open_while_loading, written
from tests.book.written_model import Writer, random

ROOT = Path(__file__).parents[2]
LETTERS = "abcdefgh \n"
CONTEXT = 12
TEXT = "abc abc deafb"  # one character more than the model sees
ALT = "A model to write with."


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(10)
    return random(Writer(len(LETTERS) + 1, 12, 3))  # one token is no character


@pytest.fixture(scope="module")
def page(browser, model, tmp_path_factory):
    """The figure in a page on a disk, its model asked for."""
    folder = tmp_path_factory.mktemp("writing")
    said = written(model, folder, "writer", sizes=model.sizes, characters=LETTERS)
    page = open_figure(browser, folder, writing_figure("writer", TEXT, ALT, "writing"), said)
    yield page
    page.close()


@pytest.fixture
def figure(page):
    figure = page.locator("figure.writing")
    figure.get_by_role("button", name="Start over").click()
    return figure


def tokens(text: str) -> torch.Tensor:
    return torch.tensor([LETTERS.index(letter) for letter in text][-CONTEXT:])


def shows(figure, logits, temperature=1.0, top_k=None) -> None:
    """The ten likeliest characters with their probabilities."""
    chances = next_token_probabilities(logits[-1, : len(LETTERS)], temperature, top_k)
    order = chances.argsort(descending=True)
    names = {" ": "space", "\n": "new line"}
    wanted = [
        f"{names.get(LETTERS[i], LETTERS[i])} "
        + ("<1%" if chances[i] < 0.005 else f"{chances[i]:.0%}")
        for i in order
        if chances[i] > 0
    ]
    lines = figure.locator(".live-bars > li").evaluate_all(
        "lines => lines.map((line) => `${line.children[0].textContent} "
        "${line.children[2].textContent}`)"
    )
    assert [line for line in lines if line.strip()] == wanted


def test_is_the_model_loaded_when_it_is_asked_for(page):
    assert len(page.asked) == 1


def test_proposes_the_next_thing_to_try_when_something_was_tried(browser, model, tmp_path):
    said = written(model, tmp_path, "writer", sizes=model.sizes, characters=LETTERS)
    drawn = writing_figure("writer", TEXT, ALT, "writing")
    page = open_figure(browser, tmp_path, drawn, said)
    line = page.locator(".live-try")
    assert line.inner_text() == "Try next: type a few words of your own."
    page.get_by_label("The text so far").press("a")
    line.locator("text=let it keep writing").wait_for()
    page.get_by_role("button", name="Start over").click()
    line.locator("text=switch off one head").wait_for()
    page.close()


def test_shows_what_the_model_computes(figure, model):
    logits, weights = model(tokens(TEXT))
    shows(figure, logits)
    names = figure.locator("canvas").evaluate_all("all => all.map(({ ariaLabel }) => ariaLabel)")
    assert len(names) == 6
    for name, map_ in zip(names, torch.cat(weights), strict=True):
        last = map_[-1]
        letter = TEXT[-CONTEXT:][last.argmax()].replace(" ", "space")
        copying = induction_score(map_[None, None], tokens(TEXT)[None]).item()
        assert f"looks most at “{letter}”, {CONTEXT - 1 - last.argmax()} back" in name
        assert f"{last.max():.0%}; copying {copying:.2f}" in name


def test_draws_each_heads_map(figure, model):
    _, weights = model(tokens(TEXT))
    drawn = (
        figure.locator("canvas")
        .nth(4)
        .evaluate(
            """(canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return [...data].filter((_, at) => at % 4 === 3).map((alpha) => alpha / 255);
        }"""
        )
    )
    assert torch.allclose(torch.tensor(drawn).view(CONTEXT, -1), weights[1][1], atol=0.01)


def test_follows_the_text_the_knobs_and_the_switches(figure, model):
    figure.get_by_label("The text so far").fill("bad cab")
    shows(figure, model(tokens("bad cab"))[0])
    figure.get_by_label("temperature").fill("0.5")
    figure.get_by_label("top-k").fill("3")
    shows(figure, model(tokens("bad cab"))[0], 0.5, 3)
    figure.get_by_role("checkbox", name="L0.H1").uncheck()
    figure.get_by_role("checkbox", name="L1.H2").uncheck()
    shows(figure, model(tokens("bad cab"), off=[(0, 1), (1, 2)])[0], 0.5, 3)
    figure.get_by_label("the mask").uncheck()
    shows(figure, model(tokens("bad cab"), causal=False, off=[(0, 1), (1, 2)])[0], 0.5, 3)
    figure.locator("[role=status]", has_text="2 of 6 heads are off").wait_for()


def test_writes_what_is_likeliest_where_nothing_is_left_to_chance(figure, model):
    figure.get_by_label("temperature").fill("0")
    figure.get_by_role("button", name="Write one").click()
    text = TEXT
    for _ in range(61):
        likeliest = model(tokens(text))[0][-1, : len(LETTERS)].argmax()
        text += LETTERS[likeliest]
        if len(text) == len(TEXT) + 1:
            assert figure.get_by_label("The text so far").input_value() == text
            figure.get_by_role("button", name="Keep writing").click()
    figure.get_by_role("button", name="Keep writing").wait_for()
    figure.locator("[role=status]", has_text="It wrote “").wait_for()
    assert figure.get_by_label("The text so far").input_value() == text


def test_says_what_the_model_does_not_know(figure, model):
    figure.get_by_label("The text so far").fill("baé")
    figure.locator("[role=status]", has_text="does not know “é”").wait_for()
    shows(figure, model(tokens("ba"))[0])


@pytest.mark.parametrize("button", ["Write one", "Keep writing"])
def test_is_a_tap_remembered_that_comes_while_the_model_loads(browser, model, tmp_path, button):
    said = written(model, tmp_path, "writer", sizes=model.sizes, characters=LETTERS)
    drawn = writing_figure("writer", TEXT, ALT, "writing")

    def act(figure):
        figure.get_by_label("The text so far").fill("bad cab")
        figure.get_by_label("temperature").fill("0")
        figure.get_by_role("button", name=button).click()
        assert "will then do what you asked for" in figure.locator(".live-said").inner_text()

    page = open_while_loading(browser, tmp_path, drawn, said, act)
    page.locator("[role=status]", has_text="Next: ").wait_for()
    text = page.get_by_label("The text so far").input_value()
    assert len(text) == len("bad cab") + {"Write one": 1, "Keep writing": 60}[button]
    likeliest = model(tokens("bad cab"))[0][-1, : len(LETTERS)].argmax()
    assert text.startswith("bad cab" + LETTERS[likeliest])
    page.close()


@pytest.fixture
def known(monkeypatch, tmp_path):
    """A figure whose page has scores of what may come after its text, which are no model's."""
    scores = {letter: i / 4 for i, letter in enumerate(LETTERS)}
    monkeypatch.setattr(stored, "LOOKS", tmp_path / "looks")
    monkeypatch.setenv(stored.KEEP, "1")
    row = [[1.0]] * len(TEXT)
    look = {"rows": list(TEXT), "columns": ["a"], "weights": row, "title": "one head"}
    stored.keep_look("first", **look, scores=scores)
    drawn = writing_figure("writer", TEXT, ALT, "writing", look="first")
    return drawn, torch.tensor(list(scores.values()))[None]


def test_answers_from_what_its_page_knows_until_the_model_is_there(browser, model, tmp_path, known):
    drawn, scores = known
    said = written(model, tmp_path, "writer", sizes=model.sizes, characters=LETTERS)

    def act(figure):
        shows(figure, scores)
        figure.get_by_label("temperature").fill("0.5")
        shows(figure, scores, 0.5)
        figure.get_by_label("temperature").fill("0")
        figure.get_by_role("button", name="Keep writing").click()
        text = figure.get_by_label("The text so far").input_value()
        assert text == TEXT + LETTERS[-1]  # the likeliest of these scores; all else is the model's
        figure.locator("[role=status]", has_text="will then do what you asked for").wait_for()

    page = open_while_loading(browser, tmp_path, drawn, said, act)
    page.get_by_role("button", name="Keep writing").wait_for()
    page.locator("[role=status]", has_text="It wrote “").wait_for()
    text = page.get_by_label("The text so far").input_value()
    likeliest = model(tokens(TEXT + LETTERS[-1]))[0][-1, : len(LETTERS)].argmax()
    assert len(text) == len(TEXT) + 60 and text[len(TEXT) + 1] == LETTERS[likeliest]
    page.close()


def test_says_nothing_of_a_text_of_which_its_page_knows_nothing(browser, model, tmp_path, known):
    said = written(model, tmp_path, "writer", sizes=model.sizes, characters=LETTERS)

    def act(figure):
        figure.get_by_label("The text so far").fill("bad cab")
        shows(figure, torch.full((1, len(LETTERS)), -torch.inf))  # no line
        assert "is loading" in figure.locator(".live-said").inner_text()

    page = open_while_loading(browser, tmp_path, known[0], said, act)
    shows(page.locator("figure.writing"), model(tokens("bad cab"))[0])
    page.close()


def test_refuses_a_look_of_another_text(known):
    with pytest.raises(ValueError, match="the look 'first' is of another text"):
        writing_figure("writer", "another", ALT, "writing", look="first")


def test_do_students_notebooks_know_its_number():
    labels = Book.of(ROOT).labels
    assert labels["fig-10-writing"].page == "10-writer"
    assert labels["fig-10-writing"].title.startswith("Figure 10.")


def test_refuses_a_figure_without_a_description():
    with pytest.raises(ValueError, match="a figure needs a description; alt is empty"):
        writing_figure("writer", "a", " ", "writing")
    with pytest.raises(ValueError, match="a model is made of letters, digits and hyphens"):
        writing_figure("../writer", "a", ALT, "writing")


def test_is_a_model_that_is_not_there_a_warning(extension, monkeypatch, tmp_path):
    from docutils import nodes
    from docutils.utils import new_document

    page_models = extension("page_models")
    document = new_document("page")
    drawn = writing_figure("absent", "a", ALT, "writing")._repr_html_()
    document += nodes.raw("", drawn, format="html")

    class App:
        srcdir = tmp_path

        class env:
            note_dependency = staticmethod(lambda path: None)

    warnings = []
    monkeypatch.setattr(page_models.log, "warning", lambda *words: warnings.append(words))
    page_models.offer(App, document)
    assert warnings and warnings[0][1] == "absent"
