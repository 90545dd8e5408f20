"""Chapter 14 against torch's own functions, transformers' Llama, and properties."""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.positions import rotate_positions
from solutions.real_writer import (
    GroupedQueryAttention,
    LanguageModel,
    RMSNorm,
    SwiGLU,
    write,
)
from solutions.writer import KeyValueCache
from tests.llama import llama, put_in

SIZES = {"vocab_size": 50, "embed_dim": 24, "num_heads": 6, "num_kv_heads": 2, "hidden_dim": 40}


@pytest.mark.parametrize("shape", [(8,), (5, 8), (2, 3, 5, 8)])
@pytest.mark.parametrize("eps", [1e-5, 0.5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rms_norm_equals_torchs(shape, eps, dtype):
    ours, theirs = RMSNorm(8, eps).to(dtype), nn.RMSNorm(8, eps).to(dtype)
    assert torch.equal(ours.weight, theirs.weight)
    with torch.no_grad():
        theirs.weight.copy_(torch.randn(8))
        ours.weight.copy_(theirs.weight)
    for scale in (0, 1e-4, 1, 1e4):
        x = scale * torch.randn(shape, dtype=dtype)
        torch.testing.assert_close(ours(x), theirs(x))


def test_rms_norm_has_the_gradient_that_finite_differences_find():
    layer = RMSNorm(4).double()
    assert gradcheck(layer, torch.randn(3, 4, dtype=torch.float64, requires_grad=True))
    x = torch.zeros(2, 4, dtype=torch.float64, requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.isfinite().all()


def test_a_gate_equals_a_slow_loop():
    layer, x = SwiGLU(3, 4), torch.randn(3)
    gate, up, down = (one.weight.tolist() for one in (layer.W_gate, layer.W_up, layer.W_down))
    hidden = []
    for row, other in zip(gate, up, strict=True):
        z = sum(w * v for w, v in zip(row, x.tolist(), strict=True))
        passed = sum(w * v for w, v in zip(other, x.tolist(), strict=True))
        hidden.append(z / (1 + math.exp(-z)) * passed)
    expected = [sum(w * h for w, h in zip(row, hidden, strict=True)) for row in down]
    assert layer(x).tolist() == pytest.approx(expected, abs=1e-6)


def test_a_gate_is_finite_for_large_inputs_and_passes_gradients():
    layer = SwiGLU(6, 10)
    assert layer(1e4 * torch.randn(5, 6)).isfinite().all()
    assert gradcheck(layer.double(), torch.randn(2, 6, dtype=torch.float64, requires_grad=True))


def by_torch(layer, x, num_heads, num_kv_heads, base):
    """The same, by torch's own function, which shares the key heads by itself."""

    def cut(projected, heads):
        return projected.unflatten(-1, (heads, -1)).transpose(1, 2)

    query, key = cut(layer.W_q(x), num_heads), cut(layer.W_k(x), num_kv_heads)
    value = cut(layer.W_v(x), num_kv_heads)
    query, key = rotate_positions(query, base), rotate_positions(key, base)
    heads = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    return layer.W_o(heads.transpose(1, 2).flatten(start_dim=2))


@pytest.mark.parametrize(("heads", "kv_heads"), [(6, 2), (6, 6), (6, 1), (12, 3), (1, 1)])
@pytest.mark.parametrize("length", [1, 9])
@pytest.mark.parametrize("base", [10000.0, 10.0])
def test_grouped_heads_equal_torchs(heads, kv_heads, length, base):
    layer = GroupedQueryAttention(24, heads, kv_heads, base)
    x = torch.randn(2, length, 24)
    output, weights = layer(x)
    torch.testing.assert_close(output, by_torch(layer, x, heads, kv_heads, base))
    assert weights.shape == (2, heads, length, length)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, heads, length))
    assert not weights.triu(1).any()


@pytest.mark.parametrize("cuts", [(1,), (4,), (8,), (2, 5), tuple(range(1, 9))])
def test_a_text_in_pieces_is_the_text_at_once(cuts):
    layer, x = GroupedQueryAttention(24, 6, 2), torch.randn(2, 9, 24)
    whole, all_weights = layer(x)
    cache, outputs = KeyValueCache(), []
    for start, stop in itertools.pairwise((0, *cuts, 9)):
        output, weights = layer(x[:, start:stop], cache)
        torch.testing.assert_close(weights, all_weights[:, :, start:stop, :stop])
        outputs.append(output)
        assert len(cache) == stop
    torch.testing.assert_close(torch.cat(outputs, dim=1), whole)
    assert cache.stored[0].shape == (2, 2, 9, 4)  # the key heads alone


def test_grouped_heads_have_the_gradient_that_finite_differences_find():
    layer = GroupedQueryAttention(4, 2, 1).double()
    x = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x: layer(x)[0], x)


@pytest.mark.parametrize(("sizes", "named"), [((10, 4, 2), "10.*4"), ((12, 6, 4), "6.*4")])
def test_sizes_that_do_not_divide_are_refused(sizes, named):
    with pytest.raises(ValueError, match=named):
        GroupedQueryAttention(*sizes)


def test_heads_of_an_odd_size_are_refused():
    with pytest.raises(ValueError, match="3"):
        GroupedQueryAttention(9, 3, 1)(torch.randn(1, 2, 9))


@pytest.fixture
def models():
    """Small models with the same random weights: the course's, and transformers' Llama."""
    pytest.importorskip("transformers")
    ours = LanguageModel(**SIZES, num_layers=3, base=500.0).eval()
    for parameter in ours.parameters():
        nn.init.normal_(parameter, std=0.3)
    theirs = llama(**SIZES, num_layers=3, base=500.0)
    put_in(theirs, ours.state_dict(), num_heads=6, num_kv_heads=2)
    return ours, theirs


@torch.no_grad()
@pytest.mark.parametrize("length", [1, 2, 17])
def test_the_model_is_transformers_llama(models, length):
    ours, theirs = models
    tokens = torch.randint(50, (3, length))
    torch.testing.assert_close(ours(tokens), theirs(tokens).logits, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(ours(tokens, last=True), ours(tokens)[:, -1:])
    for layer, found in zip(
        ours.all_weights(tokens), theirs(tokens, output_attentions=True).attentions, strict=True
    ):
        torch.testing.assert_close(layer, found, atol=1e-5, rtol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("use_cache", [True, False])
def test_the_model_writes_what_transformers_llama_writes(models, use_cache):
    ours, theirs = models
    for length in (1, 4, 11):
        text = torch.randint(50, (length,))
        written = theirs.generate(
            text[None], attention_mask=torch.ones(1, length), max_new_tokens=20, do_sample=False
        )
        assert (
            list(write(ours, text.tolist(), 20, use_cache=use_cache))
            == written[0, length:].tolist()
        )


@torch.no_grad()
@pytest.mark.parametrize(
    "switches",
    [{"mask": False}, {"rotation": False}, {"heads_off": [(1, 0), (1, 5)]}, {"layers_off": [0, 2]}],
)
def test_switches_do_what_they_say(models, switches):
    ours, _ = models
    tokens = torch.randint(50, (2, 7))
    switched = ours(tokens, **switches)
    assert not torch.allclose(switched, ours(tokens), atol=1e-3)
    if "mask" in switches:  # the first position hears of the last
        other = tokens.clone()
        other[:, -1] = (other[:, -1] + 1) % 50
        assert not torch.allclose(ours(other, **switches)[:, 0], switched[:, 0])
        return
    caches = ours.new_caches()
    pieces = [ours(piece, caches, **switches) for piece in tokens.split(3, dim=1)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), switched, atol=1e-4, rtol=1e-4)
    if "rotation" in switches:  # without positions the order of what came before counts nothing
        order = [2, 0, 3, 1, 4, 5, 6]
        last = LanguageModel(**SIZES, num_layers=1)
        torch.testing.assert_close(
            last(tokens[:, order], **switches)[:, -1], last(tokens, **switches)[:, -1]
        )
    elif "heads_off" in switches:
        without = ours.blocks[1].attention.W_o.weight
        without[:, 0:4] = without[:, 20:24] = 0.0
        torch.testing.assert_close(ours(tokens), switched)
    else:
        del ours.blocks[2], ours.blocks[0]
        torch.testing.assert_close(ours(tokens), switched)


@torch.no_grad()
def test_writing_stops_where_it_should():
    model = LanguageModel(**SIZES, num_layers=1)
    text = list(write(model, [3, 4], 10))
    assert len(text) == 10
    cut = list(write(model, [3, 4], 10, stop=[text[2]]))
    assert cut == text[: text.index(text[2]) + 1]
    drawn = [
        list(write(model, [3], 30, 50.0, generator=torch.Generator().manual_seed(number)))
        for number in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
