"""Do the stored models still do what the chapter's run measured with them?"""

import math

import pytest
import torch
from lab import stored
from lab.docs_text import CHARACTERS, docs_text
from lab.induction import (
    AttentionOnly,
    after_same,
    back,
    copying,
    forbidden,
    paired,
    previous_score,
)
from torch.nn import functional as F

from solutions.writer import CharacterModel, RotaryAttention, induction_score
from tests.book.live_page import open_bare

IN_THE_PAGE = """async ([name, tokens]) => {
  const model = await attention.loadModel(name);
  const { logits, weights } = attention.languageModel(model, tokens);
  const rows = (x) => Array.from({ length: x.rows }, (_, i) => [...attention.row(x, i)]);
  return [rows(logits), weights.map((heads) => heads.map(rows))];
}"""


def writer():
    numbers, about = stored.stored("writer")
    sizes = {key: size for key, size in about["sizes"].items() if key != "context"}
    model = CharacterModel(**sizes)
    model.load_state_dict(numbers)
    return model, about


def copier():
    numbers, about = stored.stored("induction")
    sizes = about["sizes"]
    layers = [
        RotaryAttention(sizes["embed_dim"], sizes["num_heads"]) for _ in range(sizes["num_layers"])
    ]
    model = AttentionOnly(layers, sizes["embed_dim"])
    model.load_state_dict(numbers)
    return model, about


@pytest.mark.parametrize("load", [writer, copier])
def test_gives_the_runs_own_logits(load):
    model, about = load()
    tokens, wanted = (torch.tensor(about["example"][key]) for key in ("tokens", "logits"))
    with torch.no_grad():
        got = model(tokens[None])[0, -1]
    torch.testing.assert_close(got, wanted, atol=0.1, rtol=0)  # float16 against float32
    torch.testing.assert_close(got.softmax(dim=0), wanted.softmax(dim=0), atol=0.01, rtol=0)


@pytest.mark.parametrize(("name", "load"), [("writer", writer), ("induction", copier)])
def test_gives_the_page_the_same_logits_and_weights(browser, tmp_path, name, load):
    model, about = load()
    tokens = torch.tensor(about["example"]["tokens"])
    page = open_bare(browser, tmp_path, stored.FOLDER / f"{name}.safetensors")
    logits, weights = map(torch.tensor, page.evaluate(IN_THE_PAGE, [name, tokens.tolist()]))
    page.close()
    with torch.no_grad():
        torch.testing.assert_close(logits, model(tokens[None])[0], atol=1e-4, rtol=1e-4)
        wanted = torch.cat(model.all_weights(tokens[None]))  # (layers, H, L, L)
    torch.testing.assert_close(weights, wanted, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", ["writer", "induction"])
def test_is_small_and_says_its_shapes(name):
    assert (stored.FOLDER / f"{name}.safetensors").stat().st_size < 1e6
    numbers, about = stored.stored(name)
    assert about["parameters"] == {key: list(tensor.shape) for key, tensor in numbers.items()}


@pytest.mark.exhaustive
def test_the_writer_needs_as_many_bits_as_in_its_run():
    model, about = writer()
    docs = docs_text()
    if len(docs.text) != about["results"]["text"]:
        pytest.skip("this version of Python has another documentation than the run had")
    context = about["sizes"]["context"]
    assert about["characters"] == CHARACTERS
    with torch.no_grad():
        late = torch.cat(
            [
                F.cross_entropy(model(part)[:, -9:-1].mT, part[:, -8:], reduction="none")
                for part in docs.held_out.unfold(0, context, 8).split(256)
            ]
        )
    bits = late.mean().item() / math.log(2)
    assert bits == pytest.approx(about["results"]["bits"], abs=0.005)
    assert bits < 1.8


def test_the_copier_copies_by_the_two_looks_of_the_heads_that_are_named():
    model, about = copier()
    results = about["results"]
    tokens, known = paired(256, torch.Generator().manual_seed(9))
    _, right = copying(model, tokens, known)
    assert right == pytest.approx(results["right"], abs=0.005)
    with torch.no_grad():
        below, above = model.all_weights(tokens)
    scores = induction_score(above, tokens)
    layer, head = results["induction_head"]
    assert (layer, head) == (1, int(scores.argmax()))
    assert scores.max() > 0.8
    layer, head = results["previous_head"]
    assert (layer, head) == (0, int(previous_score(below).argmax()))
    for layer, look, beside in (
        (0, back(1), back(2)),
        (1, after_same(tokens, 1), after_same(tokens, 2)),
    ):
        with forbidden(model.layers[layer], look):
            assert copying(model, tokens, known)[1] < 0.1
        with forbidden(model.layers[layer], beside):
            assert copying(model, tokens, known)[1] > 0.9
