"""The figure that translates dates: does it write and look as the model does?"""

import calendar
import json
from datetime import date

import pytest
import torch
from lab.dates import FORMATS, HELD_OUT, LOCALES, write
from lab.live import translation_figure
from torch import nn

from solutions.bahdanau import AttentionDecoder, BidirectionalEncoder, greedy_decode
from solutions.encoder_decoder import Transformer, beam_search
from tests.book.live_page import STATIC, hand_over, open_figure, open_while_loading, written
from tests.book.written_model import random

READS, WRITES = " .0123456789;abcé", "/0123456789"
TEXT = "2. é 2015"
START, END, LONGEST = 1, 2, 40
ALT = "A date to type."
HEADS = {"num_layers": 2, "num_heads": 3}


class Recurrent(nn.Module):
    """Chapter 3's translator."""

    def __init__(self):
        super().__init__()
        self.encoder = BidirectionalEncoder(len(READS) + 3, 8, 6)
        self.decoder = AttentionDecoder(len(WRITES) + 3, 5, 6, 12, 7)

    @torch.no_grad()
    def forward(self, source):
        """Tokens (T) and weights (T, S)."""
        annotations, state = self.encoder(source[None], torch.tensor([len(source)]))
        tokens, weights = greedy_decode(
            lambda previous, state: self.decoder(previous, state, annotations, None),
            *(state, START, END, LONGEST),
        )
        return tokens[0], weights[0]


class AttentionAlone(Transformer):
    """Chapter 11's."""

    def __init__(self):
        super().__init__(len(READS) + 3, len(WRITES) + 3, 12, 3, 24, 2, 64)

    @torch.no_grad()
    def forward(self, source):
        """Tokens (T) and weights (T, S), averaged over the last block's heads."""
        tokens, _ = beam_search(
            lambda prefixes: Transformer.forward(self, source[None], prefixes)[:, -1],
            *(START, END, 1, LONGEST),
        )
        seen = []
        hooks = [
            layer.register_forward_hook(lambda _, __, output: seen.append(output[1][0]))
            for layer in self.decoder
        ]
        previous = torch.cat([torch.tensor([START]), tokens[:-1]])
        Transformer.forward(self, source[None], previous[None])
        for hook in hooks:
            hook.remove()
        self.cross = torch.stack(seen)  # (layers, H, T, S)
        return tokens, self.cross[-1].mean(dim=0)


@pytest.fixture(scope="module", params=[Recurrent, AttentionAlone])
def model(request):
    torch.manual_seed(3)
    return random(request.param())


@pytest.fixture(scope="module")
def page(browser, model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("translating")
    sizes = HEADS if isinstance(model, AttentionAlone) else {}
    characters = {"source_characters": READS, "target_characters": WRITES}
    said = written(model, folder, "translator", sizes=sizes, **characters)
    drawn = translation_figure("translator", TEXT, ALT, "translating", ("31.12.1999", "a; b"))
    page = open_figure(browser, folder, drawn, said, reduced_motion="reduce")
    yield page
    assert page.troubles == []
    page.close()


@pytest.fixture
def figure(page):
    figure = page.locator("figure.translating")
    figure.get_by_role("button", name=TEXT).click()
    return figure


def tokens(text: str) -> torch.Tensor:
    return torch.tensor([READS.index(letter) + 3 for letter in text])


def symbols(found: torch.Tensor) -> str:
    return "".join("$" if token == END else (" " * 3 + WRITES)[token] for token in found).replace(
        " ", "?"
    )


def shows(figure, text, found, weights) -> None:
    """The written text, and of each of its symbols the letter that it looks at most."""
    assert figure.locator("output").text_content() == symbols(found)
    rows = figure.get_by_role("img").get_attribute("aria-label").split("; ")
    assert len(rows) == len(found)
    for symbol, row, said in zip(symbols(found), weights, rows, strict=True):
        most = int(row.argmax())
        letter = text[most].replace(" ", "space")
        assert said == f"{symbol} looks most at “{letter}”, number {most + 1}, {row[most]:.0%}"


def test_is_the_model_loaded_when_it_is_asked_for(page):
    assert len(page.asked) == 1


def test_writes_and_looks_as_the_model_does(figure, model):
    shows(figure, TEXT, *model(tokens(TEXT)))
    figure.get_by_role("button", name="31.12.1999").click()
    shows(figure, "31.12.1999", *model(tokens("31.12.1999")))


def test_draws_the_weights(figure, model):
    found, weights = model(tokens(TEXT))
    drawn = figure.locator("canvas").evaluate(
        """(canvas, [rows, columns]) => {
          const context = canvas.getContext("2d");
          const [wide, high] = [canvas.width / (columns + 1.5), 21];  // a row's height
          // In a square's corner, where its percent does not lie on its color.
          return Array.from({ length: rows }, (_, t) => Array.from({ length: columns }, (_, j) =>
            context.getImageData((j + 1.5) * wide + 2, (t + 1) * high + 2, 1, 1).data[3] / 255));
        }""",
        list(weights.shape),
    )
    torch.testing.assert_close(torch.tensor(drawn), weights, atol=0.01, rtol=0)


def test_follows_what_is_typed_and_says_what_it_does_not_know(figure, model):
    field = figure.get_by_role("textbox")
    field.fill("1. xé2015")
    figure.locator("[role=status]", has_text="does not know “x”: it is left out").wait_for()
    shows(figure, "1. é2015", *model(tokens("1. é2015")))
    field.fill("")
    figure.locator("[role=status]", has_text="Type a date").wait_for()
    assert figure.locator("output").text_content() == ""


def test_goes_symbol_by_symbol(figure, model):
    found, weights = model(tokens(TEXT))
    for length in (1, 2):
        figure.get_by_role("button", name="One symbol").click()
        shows(figure, TEXT, found[:length], weights[:length])
    figure.locator("[role=status]", has_text=f"{symbols(found)[1]} looks most at").wait_for()
    figure.get_by_role("button", name="Translate").click()
    shows(figure, TEXT, found, weights)


def test_shows_the_head_that_is_chosen(figure, model):
    chooser = figure.get_by_label("shown")
    if isinstance(model, Recurrent):
        assert chooser.count() == 0
        return
    found, of_last = model(tokens(TEXT))
    for name, weights in (
        ("L1.H2", model.cross[1, 2]),
        ("L0, averaged", model.cross[0].mean(dim=0)),
        ("all heads, averaged", model.cross.mean(dim=(0, 1))),
        ("L1, averaged", of_last),
    ):
        chooser.select_option(name)
        shows(figure, TEXT, found, weights)


@pytest.mark.parametrize("button", ["31.12.1999", "One symbol"])
def test_is_a_tap_remembered_that_comes_while_the_model_loads(browser, tmp_path, button):
    torch.manual_seed(3)
    model = random(Recurrent())
    characters = {"source_characters": READS, "target_characters": WRITES}
    said = written(model, tmp_path, "translator", sizes={}, **characters)
    drawn = translation_figure("translator", TEXT, ALT, "translating", ("31.12.1999",))

    def act(figure):
        figure.get_by_role("button", name=button).click()

    page = open_while_loading(browser, tmp_path, drawn, said, act, reduced_motion="reduce")
    figure = page.locator("figure.translating")
    if button == "One symbol":
        found, weights = model(tokens(TEXT))
        shows(figure, TEXT, found[:1], weights[:1])
    else:
        shows(figure, button, *model(tokens(button)))
    page.close()


NONSENSE = [
    *("hello world", "asdf", "lorem ipsum dolor", "what is attention", "milk", "x", "...", "; ;"),
    *(
        "December",
        "2015",
        "22",
        "22.",
        "December 2015",
        "22 December",
        "Monday",
        "15",
        "1234567890",
    ),
    *("my phone number is 555-1234", "2+2=4", "99/99/9999", "1 2 3", "0.0.0", "12:30", "v2.13.0"),
    *("45 December 2015", "30 February 2015", "31. 31. 2031", "foo 22, 2015", "22 milk 2015"),
    *("December 22, 2015 December", "2015 2015 2015", "room 101", "chapter 3 of 14", "24/7"),
    *("born in May", "the 3 little pigs of 1999", "Apollo 11 (1969)", "22 December 2015; hello"),
]
BY_HAND = ["22 DEC 2015", "december 22, 2015", "29 February 2000", "14 July 1789", "2015-12-22"]


@pytest.fixture(scope="module")
def aligner(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("aligner")
    file = STATIC / "models" / "aligner.safetensors"
    hand_over(file, folder)
    drawn = translation_figure("aligner", "22 mars 2015", ALT, "translating")
    page = open_figure(browser, folder, drawn, {"size": "0.2 MB"}, reduced_motion="reduce")
    yield page
    page.close()


def is_doubted(page, text: str) -> bool:
    page.get_by_role("textbox").fill(text)
    words = page.locator(".live-said").inner_text()
    assert "it writes is a guess" in words or "becomes" in words or "Type a date" in words, words
    return "is not written as the dates that the model was taught" in words


def test_is_no_date_doubted_in_any_language(aligner):
    days = [date(1950 + 3 * i, i % 12 + 1, i % 28 + 1) for i in range(17)]
    texts = [
        write(day, locale, form)
        for day, locale in zip(days, (*LOCALES, HELD_OUT), strict=True)
        for form in FORMATS
    ]
    assert len(texts) > 50
    texts += [*BY_HAND, "; ".join(texts[:4]), "22 mars 2015; "]
    assert [text for text in texts if is_doubted(aligner, text)] == []


def test_is_what_is_no_date_said_to_be_none(aligner):
    assert len(NONSENSE) > 30
    assert [text for text in NONSENSE if not is_doubted(aligner, text)] == []
    assert "“hello” is not written as" in aligner.locator(".live-said").inner_text()


def test_knows_the_page_every_words_month(extension):
    words = extension("date_words").date_words()
    for number in range(1, 13):
        assert words[calendar.month_name[number].lower()] == number
    assert words["monday"] == words["воскресенье"] == 0 and words["märz"] == words["kovo"] == 3
    assert json.dumps(words) and len(words) > 300


def test_refuses_a_figure_without_a_description():
    with pytest.raises(ValueError, match="translating: a figure needs a description"):
        translation_figure("aligner", "1", " ", "translating")
