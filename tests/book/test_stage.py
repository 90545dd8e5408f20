"""The numbers of the machine's stage: are they those of torch, and of the published model?"""

import base64
import json
import re
from types import SimpleNamespace

import pytest
import torch
from docutils import nodes
from lab import minilm
from lab.machine import milk, stage
from lab.stage import MODES, described
from lab.stage_rows import in_words, number, percent, row_of, softmax

from make import milk as making

WORDS = ["the", "river", "bank", "was", "dirty"]
VECTORS = torch.tensor([[0.0, 0], [2, 0], [1, 1], [0, 0], [1, 0]])


@pytest.fixture
def displayed(monkeypatch):
    """Calls `stage` as a notebook does; returns the data and the metadata of what is shown."""
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)

    def call(*arguments, **options):
        stage(*arguments, **options)
        return shown[-1]._repr_mimebundle_()

    return call


@pytest.mark.skipif(minilm.find("model.safetensors") is None, reason="the files are not here")
def test_are_the_milk_sentences_numbers_the_published_models():
    model = making.computed()
    stored = milk()
    assert stored["items"] == model["items"]
    for name in ("scores", "values"):
        assert torch.allclose(torch.tensor(stored[name]), torch.tensor(model[name]), atol=0.011)


def test_are_weights_torchs_softmax_of_the_scores():
    data = described("sentence", **milk())
    scores, values = torch.tensor(milk()["scores"]), torch.tensor(milk()["values"])
    weights = scores.softmax(dim=-1)
    for asks in range(len(scores)):
        row = row_of(data, asks)
        assert torch.allclose(torch.tensor(row.weights), weights[asks])
        assert torch.allclose(torch.tensor(row.output), weights[asks] @ values, atol=1e-5)
        assert sum(row.weights) == pytest.approx(1)


def test_are_products_of_queries_and_keys_the_scores():
    data = described("sentence", WORDS, queries=VECTORS, keys=VECTORS, values=VECTORS, asks="bank")
    attention = torch.nn.functional.scaled_dot_product_attention(VECTORS, VECTORS, VECTORS)
    for asks in range(len(WORDS)):
        output = torch.tensor(row_of(data, asks).output)
        assert torch.allclose(output, attention[asks], atol=0.01)
    assert data["asks"] == 2


def test_does_a_causal_row_see_nothing_later():
    scores = torch.randn(5, 5, generator=torch.Generator().manual_seed(0))
    data = described("causal", WORDS, scores=scores)
    masked = scores.masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf).softmax(dim=-1)
    weights = torch.tensor([row_of(data, asks).weights for asks in range(5)])
    assert torch.equal(weights == 0, masked == 0)
    assert torch.allclose(weights, masked, atol=0.01)


def test_are_weights_given_the_weights_shown():
    given = torch.rand(5, 5, generator=torch.Generator().manual_seed(0)).softmax(dim=-1)
    given[0] = torch.tensor([0.0, 0.5, 0.5, 0.0, 0.0])
    data = described("sentence", WORDS, weights=given)
    shown = torch.tensor([row_of(data, asks).weights for asks in range(5)])
    assert torch.allclose(shown, given, atol=0.005) and shown[0, 0] == 0


def test_does_a_query_take_from_keys_by_a_gaussian_or_by_dot_products():
    keys, values = torch.tensor([[1.0, 0], [0, 1], [-1, 0]]), torch.tensor([20.0, 12, 8])
    query = torch.tensor([0.5, 0.2])
    given = {"keys": keys, "values": values, "query": query, "noun": "key"}
    near = row_of(described("keys", ["a", "b", "c"], bandwidth=0.5, **given), 0)
    similarity = torch.exp(-((keys - query) ** 2).sum(dim=-1) / (2 * 0.5**2))
    assert torch.allclose(torch.tensor(near.weights), similarity / similarity.sum())
    dots = row_of(described("keys", ["a", "b", "c"], **given), 0)
    assert torch.allclose(torch.tensor(dots.weights), (keys @ query).softmax(dim=0))


def test_is_a_masked_score_no_share():
    assert softmax([0.0, None, 0.0]) == [0.5, 0.0, 0.5] and softmax([None, None]) == [0.0, 0.0]


@pytest.mark.parametrize("mode", MODES)
def test_has_a_notebook_a_still_with_a_description_and_the_pages_data(displayed, mode):
    given = {
        "sentence": {"scores": VECTORS @ torch.rand(2, 5)},
        "causal": {"scores": VECTORS @ torch.rand(2, 5)},
        "heads": {"heads": {"one": torch.rand(5, 5), "two": torch.rand(5, 5)}},
        "keys": {"keys": VECTORS, "values": range(5), "query": [1, 1], "noun": "key"},
        "dial": {"scores": range(5), "values": range(5)},
    }[mode]
    shown, metadata = displayed(mode, WORDS, caption="Who asks.", **given)
    about = metadata["image/png"]
    assert base64.b64decode(shown["image/png"]).startswith(b"\x89PNG")
    assert about["caption"] == "Who asks." and about["name"] == "machine"
    assert all(word in about["alt"] for word in WORDS)
    assert json.loads(json.dumps(about["stage"])) == about["stage"]


def test_says_a_description_who_takes_how_much():
    words = in_words(described("sentence", **milk()))
    assert "get asks 11 words" in words and "takes 41% from milk, 24% from some" in words


def test_is_every_share_of_a_description_a_weight_as_rounded():
    sentence = described("sentence", **milk())
    for asks, scores in enumerate(milk()["scores"]):
        weights = torch.tensor(scores).softmax(-1).sort(descending=True).values
        shares = [
            int(share) for share in re.findall(r"(\d+)%", in_words(sentence | {"asks": asks}))
        ]
        assert shares == (100 * weights[: len(shares)]).round().tolist()


def test_says_a_page_that_shares_are_rounded_where_they_miss_the_whole(extension):
    figure = extension("machine_stage").figure
    thirds = {"scores": torch.zeros(3, 3), "asks": "river"}
    assert "33% from <b>dirty</b> (each rounded). Such" in figure(
        described("sentence", ["river", "bank", "dirty"], **thirds)
    )
    halves = described("sentence", ["river", "bank"], scores=torch.zeros(2, 2))
    assert "50% from <b>bank</b>. Such" in figure(halves)


def test_ends_a_sum_in_its_result_or_is_none(extension):
    figure = extension("machine_stage").figure
    given = described("sentence", WORDS, queries=VECTORS, keys=VECTORS, values=VECTORS, asks="bank")
    attended = torch.nn.functional.scaled_dot_product_attention(VECTORS, VECTORS, VECTORS)[2]
    result = ", ".join(f"{part:.2f}" for part in attended.tolist())
    assert f"= ({result})</span></p>" in figure(given)
    assert "stage-sum" not in figure(described("sentence", WORDS, scores=torch.zeros(5, 5)))


@pytest.mark.parametrize(
    ("mode", "given", "message"),
    [
        ("sentense", {}, "there is no mode 'sentense'"),
        ("sentence", {}, "give scores, weights, heads, or queries and keys"),
        ("sentence", {"scores": torch.rand(4, 5)}, "4 scores for 5 items"),
        ("sentence", {"scores": torch.rand(5, 4)}, "a row of scores has 4 numbers, not 5"),
        ("sentence", {"scores": torch.rand(5, 5), "asks": 5}, "asks is 5, but 5 ask"),
        ("dial", {}, "scores are needed"),
        ("keys", {"keys": VECTORS, "query": [1.0]}, "query"),
    ],
)
def test_is_what_does_not_fit_refused(mode, given, message):
    with pytest.raises(ValueError, match=message):
        described(mode, WORDS, **given)


@pytest.mark.parametrize(
    ("share", "shown"), [(0, "0%"), (0.004, "<1%"), (0.005, "1%"), (0.414, "41%"), (1, "100%")]
)
def test_is_a_share_a_whole_percentage(share, shown):
    assert percent(share) == shown


def test_has_a_number_a_real_minus_sign_and_no_negative_zero():
    assert [number(value) for value in (-1.005, -0.001, None)] == ["−1.00", "0.00", "−∞"]


def test_does_a_pages_stage_take_the_place_of_the_picture_and_its_code(extension):
    machine_stage = extension("machine_stage")
    image = nodes.image(uri="stage.png", stage=described("sentence", **milk()))
    other = nodes.image(uri="other.png")
    source = nodes.container("", nb_element="cell_code_source")
    output = nodes.container("", image, nb_element="cell_code_output")
    cell = nodes.container("", source, output, nb_element="cell_code")
    page = nodes.container("", cell, other)
    machine_stage.put_in(None, page)
    assert [part["nb_element"] for part in cell] == ["cell_code_output"]
    assert output.astext().startswith('<figure class="stage"') and other.parent is page


@pytest.mark.parametrize(("body", "loaded"), [('<figure class="stage">', 2), ("<p>stage</p>", 1)])
def test_loads_a_page_the_stages_scripts_only_where_there_is_one(extension, body, loaded):
    scripts = [SimpleNamespace(filename=f"_static/{name}.js") for name in ("stage-rows", "quiz")]
    context = {"body": body, "script_files": scripts}
    extension("machine_stage").leave_out(None, "page", "", context, None)
    assert len(context["script_files"]) == loaded
