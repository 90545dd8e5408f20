"""Do the layers that the page computes with give what the references give?

Python draws weights and inputs, the reference computes with them, and so does `attention.js` in
Chromium: the same to 1e-4.
"""

import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.attention_layer import scaled_dot_product_attention
from solutions.bahdanau import (
    AdditiveAttention,
    AttentionDecoder,
    BidirectionalEncoder,
    greedy_decode,
)
from solutions.encoder_decoder import CrossAttention, DecoderBlock, Transformer, beam_search
from solutions.masked import causal_mask
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.positions import rotate_positions, sinusoidal_positions
from solutions.real_encoder import SentenceEncoder, mean_pool
from solutions.softmax import softmax
from solutions.transformer_block import EncoderBlock, FeedForward, LayerNorm
from solutions.vit import VisionTransformer, attention_rollout, patchify
from solutions.writer import induction_score, next_token_probabilities
from tests.book.live_page import written
from tests.book.written_model import Writer, random

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "book" / "_static" / "attention.js"
B, L, S, E, H, V = 1, 7, 5, 12, 3, 11
D = E // H
RUN = """([code, values]) => {
  const of = (value) => {
    if (Array.isArray(value) && typeof value[0]?.[0] === "number") {
      return attention.matrix(value.length, value[0].length, Float32Array.from(value.flat()));
    }
    if (Array.isArray(value)) return typeof value[0] === "object" ? value.map(of) : value;
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, of(inner)]));
  };
  const back = (found) => {
    if (found?.numbers) {
      return Array.from({ length: found.rows }, (_, i) => [...attention.row(found, i)]);
    }
    if (ArrayBuffer.isView(found) || Array.isArray(found)) return Array.from(found, back);
    if (found === null || typeof found !== "object") return found;
    return Object.fromEntries(Object.entries(found).map(([name, inner]) => [name, back(inner)]));
  };
  const named = of(values);
  return back(new Function("a", ...Object.keys(named), `return ${code}`)(
    attention, ...Object.values(named)));
}"""


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.add_script_tag(path=SCRIPT)
    yield page
    page.close()


@pytest.fixture
def run(page):
    """Evaluates JavaScript; tensors of two dimensions arrive as matrices, layers as objects."""
    return lambda code, **values: page.evaluate(RUN, [code, plain(values)])


def plain(value):
    match value:
        case Tensor():
            return value.tolist()
        case nn.Module():
            tree: dict = {}
            for name, tensor in value.state_dict().items():
                *path, last = name.split(".")
                place = tree
                for part in path:
                    place = place.setdefault(part, {})
                place[last] = plain(tensor.reshape(-1, tensor.shape[-1]))
            return listed(tree)
        case dict():
            return {name: plain(inner) for name, inner in value.items()}
    return value


def listed(tree: dict) -> dict | list:
    """Layers within layers, those that are numbered in a list."""
    inner = {name: listed(part) if isinstance(part, dict) else part for name, part in tree.items()}
    return list(inner.values()) if tree and all(name.isdigit() for name in tree) else inner


def same(found, wanted: Tensor) -> None:
    found = torch.tensor(found, dtype=torch.float32)
    wanted = wanted.detach().float()
    assert found.shape == wanted.shape
    assert torch.allclose(found, wanted, atol=1e-4, rtol=1e-4)


def test_equal_the_layers_around_attention_their_references(run):
    x = 3 * torch.randn(L, E)
    for bias in (True, False):
        layer = random(nn.Linear(E, V, bias=bias))
        same(run("a.linear(x, layer)", x=x, layer=layer), layer(x))
    norm = random(LayerNorm(E))
    same(run("a.layerNorm(x, layer)", x=x, layer=norm), norm(x))
    table = random(nn.Embedding(V, E))
    tokens = torch.randint(V, (L,))
    same(run("a.embedding(tokens, layer)", tokens=tokens, layer=table), table(tokens))
    for name in ("relu", "gelu"):
        layer = random(FeedForward(E, 2 * E, name))
        same(run("a.feedForward(x, layer, name)", x=x, layer=layer, name=name), layer(x))
    points = torch.linspace(-12, 12, 241)
    for name in ("relu", "gelu", "silu"):
        found = run("points.map(a.activations[name])", points=points, name=name)
        same(found, getattr(F, name)(points))


def test_equals_softmax_the_reference_and_gives_zeros_where_all_is_masked(run):
    scores = 1e4 * torch.randn(L, S)
    same(run("a.softmax(x)", x=scores), softmax(scores))
    found = run("a.softmax(a.masked(x, (i, j) => i > 0 && j < 2))", x=scores)
    mask = (torch.arange(L)[:, None] > 0) & (torch.arange(S) < 2)
    same(found, softmax(scores.masked_fill(~mask, -math.inf)))
    assert found[0] == [0] * S


def test_equals_attention_the_reference_with_and_without_a_mask(run):
    query, key, value = torch.randn(L, D), torch.randn(S, D), torch.randn(S, E)
    for code, mask in (("undefined", None), ("a.causalMask(1)", causal_mask(L, 1)[:, :S])):
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        call = f"a.attend(query, key, value, {code})"
        for part, wanted in (("output", output), ("weights", weights)):
            same(run(f"{call}.{part}", query=query, key=key, value=value), wanted)


def test_equal_several_heads_the_reference_on_their_own_inputs_and_on_a_memory(run):
    x, memory = torch.randn(B, L, E), torch.randn(B, S, E)
    layer = random(MultiHeadAttention(E, H))
    cases = [
        ("numHeads: 3", layer(x, x, x)),
        ("numHeads: 3, mask: a.causalMask()", layer(x, x, x, causal_mask(L))),
        ("numHeads: 3, memory", CrossAttention.forward(layer, x, memory)),
    ]
    for options, (output, weights) in cases:
        call = f"a.multiHeadAttention(x, layer, {{ {options} }})"
        values = {"x": x[0], "memory": memory[0], "layer": layer}
        same(run(f"{call}.output", **values), output[0])
        same(run(f"{call}.weights", **values), weights[0])


def test_is_a_head_that_is_switched_off_left_out_of_the_output(run):
    x, layer = torch.randn(B, L, E), random(MultiHeadAttention(E, H))
    values = split_heads(layer.W_v(x), H)
    _, weights = layer(x, x, x)
    heads = weights @ values  # (B, H, L, D)
    heads[:, 1] = 0
    found = run(
        "a.multiHeadAttention(x, layer, { numHeads: 3, off: [1] }).output", x=x[0], layer=layer
    )
    same(found, layer.W_o(merge_heads(heads))[0])


def test_equal_positions_the_references(run):
    for length, embed_dim in ((9, 8), (4, 7), (300, 12)):
        found = run(f"a.sinusoidalPositions({length}, {embed_dim})")
        same(found, sinusoidal_positions(length, embed_dim))
    x = torch.randn(L, 8)
    same(run("a.rotatePositions(x)", x=x), rotate_positions(x))
    same(run("a.rotatePositions(x, 100, 40)", x=x), rotate_positions(x, 100.0, start=40))


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_equals_a_block_the_reference(run, norm_first, activation):
    x = torch.randn(B, L, E)
    block = EncoderBlock(E, H, 2 * E, norm_first=norm_first, activation=activation)
    output, weights = random(block)(x, causal_mask(L))
    options = {"numHeads": H, "normFirst": norm_first, "activation": activation}
    call = "a.encoderBlock(x, layer, { ...options, mask: a.causalMask() })"
    same(run(f"{call}.output", x=x[0], layer=block, options=options), output[0])
    same(run(f"{call}.weights", x=x[0], layer=block, options=options), weights[0])


def test_equal_recurrent_layers_torchs(run):
    x, state = torch.randn(L, E), torch.randn(1, D)
    cell, layer = random(nn.GRUCell(E, D)), random(nn.GRU(E, D))
    found = run("a.gruCell(x, state, layer)", x=x[:1], state=state, layer=cell)
    same(found, cell(x[:1], state))
    same(run("a.gru(x, layer)", x=x, layer=layer), layer(x)[0])
    same(run("a.gru(x, layer, true)", x=x, layer=layer), layer(x.flip(0))[0].flip(0))


def test_equals_additive_attention_the_reference(run):
    query, keys = torch.randn(1, D), torch.randn(S, E)
    layer = random(AdditiveAttention(D, E, 6))
    found = run("a.additiveAttention(query, keys, layer)", query=query, keys=keys, layer=layer)
    context, weights = layer(query, keys[None])
    same(found["context"], context)
    same(found["weights"], weights)


START, END, LONGEST = 1, 2, 9


@pytest.fixture
def translate(run):
    """All steps of a translation in the page."""
    limits = {"start": START, "end": END, "longest": LONGEST}

    def steps(layers, source, **sizes):
        model = {"layers": layers, "sizes": sizes}
        call = "[...a.translation(model, source, limits)]"
        return run(call, model=model, source=source, limits=limits)

    return steps


@pytest.mark.parametrize("seed", range(3))
def test_equals_a_recurrent_translator_the_reference_at_every_step(run, translate, seed):
    torch.manual_seed(seed)
    encoder, decoder = BidirectionalEncoder(V, E, D), AttentionDecoder(V, 3, D, 2 * D, 6)
    source = torch.randint(1, V, (S,))
    annotations, state = random(encoder)(source[None], torch.tensor([S]))
    found = run("a.bidirectionalEncoder(source, layer)", source=source, layer=encoder)
    same(found["annotations"], annotations[0])
    same(found["state"], state)

    random(decoder)
    all_logits = []

    def step(previous, state):
        logits, state, weights = decoder(previous, state, annotations, None)
        all_logits.append(logits)
        return logits, state, weights

    tokens, weights = greedy_decode(step, state, START, END, LONGEST)
    steps = translate(nn.ModuleDict({"encoder": encoder, "decoder": decoder}), source)
    assert [one["token"] for one in steps] == tokens[0].tolist()
    same([one["logits"][0] for one in steps], torch.cat(all_logits))
    same([one["weights"][0][0][0] for one in steps], weights[0])


@pytest.mark.parametrize("norm_first", [True, False])
def test_equals_a_decoders_block_the_reference(run, norm_first):
    x, memory = torch.randn(B, L, E), torch.randn(B, S, E)
    block = random(DecoderBlock(E, H, 2 * E, norm_first=norm_first))
    output, weights = block(x, memory)
    found = run(
        "a.decoderBlock(x, layer, { numHeads: 3, memory, normFirst })",
        **{"x": x[0], "memory": memory[0], "layer": block, "normFirst": norm_first},
    )
    same(found["output"], output[0])
    same(found["weights"], weights[0])


@pytest.mark.parametrize("seed", range(3))
def test_equals_a_transformer_that_translates_the_reference_at_every_step(run, translate, seed):
    torch.manual_seed(seed)
    model = random(Transformer(V, V, E, H, 2 * E, 2, 20))
    source, target = torch.randint(1, V, (S,)), torch.randint(1, V, (L,))
    cross = []
    for layer in model.decoder:
        layer.register_forward_hook(lambda _, __, output: cross.append(output[1][0]))
    wanted = model(source[None], target[None])[0]
    found = run(
        "a.transformerDecoder(m, a.transformerMemory(m, source), target)",
        **{"m": {"layers": model, "sizes": {"num_heads": H}}, "source": source, "target": target},
    )
    same(found["logits"], wanted)
    same(found["weights"], torch.stack(cross))

    tokens, _ = beam_search(
        lambda prefixes: model(source.expand(len(prefixes), -1), prefixes)[:, -1],
        *(START, END, 1, LONGEST),
    )
    steps = translate(model, source, num_heads=H)
    assert [one["token"] for one in steps] == tokens.tolist()
    cross.clear()
    previous = torch.cat([torch.tensor([START]), tokens[:-1]])
    same([one["logits"][0] for one in steps], model(source[None], previous[None])[0])
    found = torch.tensor([one["weights"] for one in steps])  # (L, layers, H, 1, S)
    same(found[:, :, :, 0].permute(1, 2, 0, 3).tolist(), torch.stack(cross))


def test_equals_an_images_reader_the_reference_layer_by_layer(run):
    image = torch.rand(1, 1, 6, 6)
    vit = random(VisionTransformer(6, 2, 1, 5, E, H, 2 * E, 3))
    same(run("a.patchify(image, 3)", image=image[0, 0]), patchify(image, 3)[0])
    embedded = vit.patch_embedding(image)
    values = {"image": image[0, 0], "layer": vit.patch_embedding}
    same(run("a.patchEmbedding(image, layer, 2)", **values), embedded[0])
    without = embedded - vit.patch_embedding.positions
    same(run("a.patchEmbedding(image, layer, 2, null)", **values), without[0])

    options = {"numHeads": H, "normFirst": True, "activation": "gelu"}
    output, weights = vit.encoder(embedded)
    found = run("a.encoder(x, layer, options)", x=embedded[0], layer=vit.encoder, options=options)
    same(found["output"], output[0])
    same(found["weights"], torch.cat(weights))

    model = {"layers": vit, "sizes": {"num_heads": H, "patch_size": 2}}
    found = run("a.visionTransformer(model, image)", model=model, image=image[0, 0])
    same(found["logits"], vit(image))
    same(found["weights"], torch.cat(weights))
    rolled = run("a.attentionRollout(weights)", weights=found["weights"])
    same(rolled, attention_rollout(weights)[0])


def test_equals_a_sentence_encoder_the_reference_layer_by_layer(run):
    model = random(SentenceEncoder(V, E, H, 2 * E, 3, 16))
    tokens, everything = torch.randint(V, (L,)), torch.ones(1, L, dtype=torch.bool)
    states, weights = model.all_layers(tokens[None], everything)
    found = run("a.sentenceEmbedding(tokens, layers)", tokens=tokens, layers=model)
    same(found, states[0][0])
    given = {"model": {"layers": model, "sizes": {"num_heads": H}}, "tokens": tokens}
    found = run("[...a.sentenceEncoder(model, tokens)]", **given)
    for layer, state, heads in zip(found, states[1:], weights, strict=True):
        same(layer["output"], state[0])
        same(layer["weights"], heads[0])
    same(run("a.meanPool(x)", x=states[-1][0]), mean_pool(states[-1], everything))


def test_sees_a_reader_without_positions_a_set_of_patches(run):
    image = torch.rand(6, 6)
    vit = random(VisionTransformer(6, 2, 1, 5, E, H, 2 * E, 3))
    moved = torch.cat([image[4:], image[:4]])  # whole rows of patches
    model = {"layers": vit, "sizes": {"num_heads": H, "patch_size": 2}}
    call = "a.visionTransformer(model, image, { positions: null }).logits"
    found = [run(call, model=model, image=one) for one in (image, moved)]
    same(found[0], torch.tensor(found[1]))


@pytest.fixture(scope="module")
def saved(browser, tmp_path_factory):
    """A page saved to a disk with a model beside it, and this model."""
    folder = tmp_path_factory.mktemp("saved")
    (folder / "attention.js").write_bytes(SCRIPT.read_bytes())
    (folder / "page.html").write_text("<!doctype html><script src='attention.js'></script>")
    torch.manual_seed(0)
    model = random(Writer(V, E, H))
    written(model, folder, "writer", sizes=model.sizes)
    page = browser.new_page()
    page.goto((folder / "page.html").as_uri())
    yield page, model
    page.close()


WRITE = """async ([name, tokens, options]) => {
  const model = await attention.loadModel(name);
  const { logits, weights } = attention.languageModel(model, tokens, options);
  const rows = (x) => Array.from({ length: x.rows }, (_, i) => [...attention.row(x, i)]);
  return [rows(logits), weights.map((heads) => heads.map(rows))];
}"""
PIECES = """async ([name, tokens, first]) => {
  const model = await attention.loadModel(name);
  const caches = model.layers.layers.map(() => new attention.KeyValueCache());
  const pieces = [tokens.slice(0, first), ...tokens.slice(first).map((token) => [token])];
  return pieces.flatMap((piece) => {
    const { logits } = attention.languageModel(model, piece, { caches });
    return Array.from({ length: logits.rows }, (_, i) => [...attention.row(logits, i)]);
  });
}"""


def test_gives_a_model_from_its_file_the_same_logits_and_weights(saved):
    page, model = saved
    tokens = torch.randint(V, (L,))
    for causal in (True, False):
        logits, weights = model(tokens, causal)
        found = page.evaluate(WRITE, ["writer", tokens.tolist(), {"causal": causal}])
        same(found[0], logits)
        same(found[1], torch.stack(weights))


def test_gives_a_text_in_pieces_with_caches_what_it_gives_at_once(saved):
    page, model = saved
    tokens = torch.randint(V, (L,))
    logits, _ = model(tokens)
    same(page.evaluate(PIECES, ["writer", tokens.tolist(), 3]), logits)


def test_are_files_read_in_three_number_formats(page, tmp_path):
    numbers = torch.cat([torch.randn(60), torch.tensor([0.0, -0.0, 6e-8, -3e-6, 65504.0, -1e-4])])
    whole = torch.randint(-128, 128, (3, 4), dtype=torch.int8)
    scale, pairs = torch.rand(3), torch.rand(3, 2)
    tensors = {
        "a.full": numbers,
        "a.half": numbers.half(),
        "layers.0.whole": whole,
        "layers.0.whole.scale": scale,
        "layers.1.whole": whole.clone(),
        "layers.1.whole.scale": pairs,
    }
    save_file(tensors, tmp_path / "file.safetensors", {"about": "three formats"})
    found = page.evaluate(
        """(bytes) => {
          const { layers, metadata } = attention.readSafetensors(Uint8Array.from(bytes).buffer);
          const wholes = layers.layers.map(({ whole }) => whole);
          return [layers.a.full, layers.a.half, ...wholes]
            .map(({ numbers }) => [...numbers]).concat([metadata.about]);
        }""",
        list((tmp_path / "file.safetensors").read_bytes()),
    )
    assert torch.equal(torch.tensor(found[0]), numbers)
    assert torch.equal(torch.tensor(found[1]), numbers.half().float())
    same(found[2], (whole * scale[:, None]).flatten())
    same(found[3], (whole * pairs.repeat_interleave(2, dim=1)).flatten())
    assert found[4] == "three formats"


def test_is_the_next_token_drawn_from_what_the_reference_gives(run):
    logits = torch.randn(V)
    logits[3] = logits[5]
    for temperature in (0, 0.2, 1, 2.5):
        for top_k in (1, 3, V, V + 4):
            found = run(
                "a.nextTokenProbabilities(Float32Array.from(logits), { temperature, topK })",
                logits=logits,
                temperature=temperature,
                topK=top_k,
            )
            same(found, next_token_probabilities(logits, temperature, top_k))


def test_equals_the_induction_score_the_reference(run):
    weights = softmax(torch.randn(1, H, L, L).masked_fill(~causal_mask(L), -math.inf))
    for tokens in (torch.tensor([[1, 2, 3, 1, 2, 1, 2]]), torch.arange(L)[None]):
        for head, wanted in enumerate(induction_score(weights, tokens)):
            found = run(
                "a.inductionScore(weights, tokens)", weights=weights[0, head], tokens=tokens[0]
            )
            assert found == pytest.approx(float(wanted), abs=1e-4)
