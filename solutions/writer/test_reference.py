"""Chapter 10 against torch's own functions, slow loops, properties and statistics."""

import math

import pytest
import torch
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from solutions.masked import causal_mask, masked_softmax
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.positions import rotate_positions
from solutions.transformer_block import EncoderBlock
from solutions.writer import (
    CharacterModel,
    KeyValueCache,
    RotaryAttention,
    blockwise_attention,
    induction_score,
    next_token_probabilities,
    write,
)


@pytest.mark.parametrize("chunks", [[1] * 7, [3, 1, 1, 2], [7]])
def test_decoding_with_the_cache_equals_decoding_without(chunks):
    layer = MultiHeadAttention(12, 3)
    x = torch.randn(2, 7, 12)
    expected = layer(x, x, x, causal_mask(7))[0]
    cache, outputs = KeyValueCache(), []
    for new in x.split(chunks, dim=1):
        past = len(cache)
        query = split_heads(layer.W_q(new), 3)
        keys, values = cache.append(split_heads(layer.W_k(new), 3), split_heads(layer.W_v(new), 3))
        scores = query @ keys.mT / math.sqrt(4)
        weights = masked_softmax(scores, causal_mask(new.shape[1], past))
        outputs.append(layer.W_o(merge_heads(weights @ values)))
    assert len(cache) == 7
    torch.testing.assert_close(torch.cat(outputs, dim=1), expected)


def test_caches_share_nothing_and_leave_what_they_returned_alone():
    one, two = KeyValueCache(), KeyValueCache()
    key = torch.randn(2, 3, 4, 5)
    keys, _ = one.append(key, key)
    before = keys.clone()
    one.append(key, key)
    assert torch.equal(keys, before)
    assert (len(one), len(two)) == (8, 0)


def test_gradients_reach_everything_that_was_appended():
    cache = KeyValueCache()
    parts = [torch.randn(1, 2, n, 4, requires_grad=True) for n in (1, 2, 3)]
    for part in parts:
        keys, values = cache.append(part, 2 * part)
    (keys.sum() + values.sum()).backward()
    for part in parts:
        assert torch.equal(part.grad, torch.full_like(part, 3.0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("top_k", [None, 1, 5, 40])
@pytest.mark.parametrize("top_p", [None, 0.05, 0.6, 0.95, 1.0])
def test_the_next_token_is_drawn_as_transformers_draws_it(dtype, temperature, top_k, top_p):
    process = pytest.importorskip("transformers.generation.logits_process")
    logits = 3 * torch.randn(4, 30, dtype=dtype)
    warpers = [process.TemperatureLogitsWarper(temperature)]
    warpers += [process.TopKLogitsWarper(top_k)] if top_k else []
    warpers += [process.TopPLogitsWarper(top_p)] if top_p and top_p < 1 else []
    expected = logits
    for warper in warpers:
        expected = warper(None, expected)
    got = next_token_probabilities(logits, temperature, top_k, top_p)
    torch.testing.assert_close(got, expected.softmax(dim=-1))
    by_place = next_token_probabilities(logits.reshape(2, 2, 30), temperature, top_k, top_p)
    torch.testing.assert_close(by_place, got.reshape(2, 2, 30))


def test_the_next_token_by_hand():
    logits = torch.tensor([0.4, 0.1, 0.3, 0.2]).log()

    def drawn(*options, **named):
        return next_token_probabilities(logits, *options, **named).tolist()

    assert drawn(top_k=2) == pytest.approx([4 / 7, 0, 3 / 7, 0])
    assert drawn(top_p=0.5) == pytest.approx([4 / 7, 0, 3 / 7, 0])  # 0.4, then the one that crosses
    assert drawn(top_p=0.3) == pytest.approx([1, 0, 0, 0])
    assert drawn(top_k=2, top_p=0.57) == pytest.approx([1, 0, 0, 0])  # 4 / 7 is 0.571
    assert drawn(0.5) == pytest.approx([16 / 30, 1 / 30, 9 / 30, 4 / 30])
    assert drawn(0, top_k=1, top_p=0.1) == [1, 0, 0, 0]


def test_equal_logits_share():
    logits = torch.tensor([2.0, 2.0, 1.0, 2.0, 1.0, -math.inf])
    assert next_token_probabilities(logits, 0).tolist() == pytest.approx(
        [1 / 3] * 2 + [0, 1 / 3, 0, 0]
    )
    kept = next_token_probabilities(logits, top_k=4) > 0
    assert kept.tolist() == [True] * 5 + [False]
    assert (next_token_probabilities(logits, top_k=2) > 0).tolist() == [True, True, False, True] + [
        False
    ] * 2


@pytest.mark.parametrize("temperature", [1e-4, 1.0, 1e4])
def test_large_logits_and_small_temperatures_are_finite(temperature):
    logits = torch.tensor([1e4, -1e4, 9999.0, -math.inf])
    found = next_token_probabilities(logits, temperature, top_k=3, top_p=0.9)
    assert found.isfinite().all()
    assert float(found.sum()) == pytest.approx(1)
    assert found[3] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -0.1},
        {"temperature": math.nan},
        {"top_k": 0},
        {"top_p": 0.0},
        {"top_p": 1.01},
        {"temperature": 0, "top_k": 0},
        {"temperature": 0, "top_p": 2.0},
        {"top_k": 3, "top_p": -1.0},
    ],
)
def test_the_next_token_refuses_what_makes_no_sense(wrong):
    with pytest.raises(ValueError, match="next_token_probabilities"):
        next_token_probabilities(torch.randn(5), **wrong)


def test_an_induction_head_by_hand():
    tokens = torch.tensor([[4, 9, 6, 4, 9]])  # positions 3 and 4 stood before, at 0 and 1
    weights = torch.zeros(1, 3, 5, 5)
    weights[0, 0, 3, 1] = weights[0, 0, 4, 2] = 1.0  # looks right after them
    weights[0, 1, 3, 0] = weights[0, 1, 4, 1] = 1.0  # looks at them
    weights[0, 2, 3, 1], weights[0, 2, 4, 3] = 0.5, 0.5  # once in two, and half of the weight
    weights[0, :, 1, 0] = 1.0  # its token is new: not counted
    assert induction_score(weights, tokens).tolist() == [1.0, 0.0, 0.25]
    assert induction_score(weights, torch.arange(5)[None]).tolist() == [0.0, 0.0, 0.0]


def test_the_induction_score_of_a_row_that_is_one_token_alone():
    weights = torch.ones(2, 1, 4, 4).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    # Query i looks after all earlier ones, at 1 to i: i of its i + 1 equal weights.
    expected = (1 / 2 + 2 / 3 + 3 / 4) / 3
    assert induction_score(weights, torch.zeros(2, 4)).tolist() == pytest.approx([expected])


@pytest.mark.parametrize("block_size", [1, 3, 4, 8, 100])
@pytest.mark.parametrize("leading", [(), (2, 3)])
@pytest.mark.parametrize("L", [1, 5, 8])
@pytest.mark.parametrize("causal", [False, True])
def test_blockwise_attention_equals_torchs(block_size, leading, L, causal):
    query, key = torch.randn(*leading, L, 4), torch.randn(*leading, 8, 4)
    value = torch.randn(*leading, 8, 6)
    mask = causal_mask(L, 8 - L) if causal else None
    expected = F.scaled_dot_product_attention(query, key, value, mask)
    got = blockwise_attention(query, key, value, block_size, causal)
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


def test_blockwise_attention_has_torchs_gradients():
    inputs = [torch.randn(2, 3, 8, 4) for _ in range(3)]
    direction = torch.randn(2, 3, 8, 4)
    grads = []
    for attention in (
        lambda q, k, v: blockwise_attention(q, k, v, 3, causal=True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    ):
        leaves = [given.clone().requires_grad_() for given in inputs]
        (attention(*leaves) * direction).sum().backward()
        grads.append([leaf.grad for leaf in leaves])
    for ours, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_blockwise_attention_is_finite_for_scores_of_1e4(dtype):
    query, key, value = (torch.randn(6, 4, dtype=dtype) for _ in range(3))
    query, key = 100 * query, 100 * key
    for given in (query, key, value):
        given.requires_grad_()
    output = blockwise_attention(query, key, value, 4, causal=True)
    assert output.dtype == dtype
    output.sum().backward()
    for found in (output, query.grad, key.grad, value.grad):
        assert found.isfinite().all()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("leading", [(), (2, 4)])
def test_blockwise_attention_never_holds_all_scores(leading, causal):
    sizes = []

    class Sizes(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            sizes.append(result.numel())
            return result

    L, S, D, block = 96, 128, 4, 16
    query, key, value = (torch.randn(*leading, n, D) for n in (L, S, S))
    with Sizes():
        blockwise_attention(query, key, value, block, causal)
    heads = math.prod(leading)
    assert max(sizes) == heads * max(L * D, block * block)
    assert max(sizes) < L * S


def attend(name):
    layer = MultiHeadAttention(4, 2).double()
    if name == "blockwise":
        return lambda x: blockwise_attention(x, x, x, 3, causal=True)
    return lambda x: layer(x, x, x, causal_mask(x.shape[1]))[0]


@pytest.mark.parametrize("name", ["masked", "blockwise"])
def test_no_output_depends_on_what_comes_after_it(name):
    attention = attend(name)
    x = torch.randn(1, 7, 4, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(attention, x)[0, :, :, 0]  # (7, 4, 7, 4)
    for i in range(7):
        assert not jacobian[i, :, i + 1 :].any()
        assert jacobian[i, :, : i + 1].any()
    changed = x.clone()
    changed[:, 4:] = 1e3
    assert torch.equal(attention(changed)[:, :4], attention(x)[:, :4])


def moved(model):
    """A fresh model's layers add nothing, which would hide mistakes: other numbers for all."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.2)
    return model


def test_rotary_attention_turns_each_pair_of_features_by_its_place():
    layer = moved(RotaryAttention(8, 2))
    x = torch.randn(1, 6, 8)
    _, weights = layer(x, x, x, causal_mask(6))
    query, key = layer.W_q(x)[0].unflatten(-1, (2, 2, 2)), layer.W_k(x)[0].unflatten(-1, (2, 2, 2))
    for head in (0, 1):
        for i in range(6):
            scores = []
            for j in range(i + 1):
                score = 0.0
                for pair, speed in enumerate((1.0, 0.01)):  # 10000 to the power of 0 and -1/2
                    (a, b), (c, d) = query[i, head, pair], key[j, head, pair]
                    turn = (i - j) * speed
                    score += (a * c + b * d) * math.cos(turn) + (a * d - b * c) * math.sin(turn)
                scores.append(score / 2)
            wanted = torch.stack(scores).softmax(dim=0)
            torch.testing.assert_close(weights[0, head, i, : i + 1], wanted)


def test_the_character_model_is_the_blocks_of_chapter_9_under_a_causal_mask():
    model = moved(CharacterModel(11, 8, 2, 2))
    tokens = torch.randint(11, (2, 7))

    class Plain(MultiHeadAttention):
        def forward(self, query, key, value, mask=None):
            query, key, value = (
                split_heads(linear(x), self.num_heads)
                for linear, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
            )
            heads = F.scaled_dot_product_attention(
                rotate_positions(query), rotate_positions(key), value, is_causal=True
            )
            return self.W_o(merge_heads(heads)), None

    x = model.embedding(tokens)
    for layer in model.layers:
        block = EncoderBlock(8, 2, 32, norm_first=True)
        block.self_attn = Plain(8, 2)
        block.load_state_dict(layer.state_dict())
        x, _ = block(x)
    wanted = F.layer_norm(x, (8,), model.norm.weight, model.norm.bias) @ model.output.weight.T
    torch.testing.assert_close(model(tokens), wanted + model.output.bias, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("pieces", [[1] * 9, [4, 1, 4]])
def test_the_character_model_says_the_same_in_pieces_with_caches(pieces):
    model = moved(CharacterModel(11, 8, 2, 2))
    tokens = torch.randint(11, (2, 9))
    caches = [KeyValueCache() for _ in model.layers]
    parts = [model(piece, caches) for piece in tokens.split(pieces, dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), model(tokens), atol=1e-5, rtol=1e-4)
    assert len(caches[0]) == 9


def test_writing_at_temperature_0_takes_the_likeliest_as_without_a_cache():
    model = moved(CharacterModel(11, 8, 2, 2))
    start = torch.randint(11, (5,))
    text = start
    for _ in range(20):
        text = torch.cat([text, model(text[None])[0, -1].argmax(keepdim=True)])
    assert torch.equal(write(model, start, 20, temperature=0.0), text)


def test_writing_goes_on_past_the_longest_text_of_the_training():
    model = moved(CharacterModel(11, 8, 2, 2))
    text = write(model, torch.randint(11, (5,)), 40, context=12)
    assert text.shape == (45,)
    assert text.max() < 11
