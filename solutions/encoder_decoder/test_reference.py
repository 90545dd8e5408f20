"""Chapter 11 against torch's own layers and losses, exhaustive search, and the paper's numbers."""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions.encoder_decoder import (
    CrossAttention,
    DecoderBlock,
    Transformer,
    beam_search,
    label_smoothed_loss,
    warmup_rate,
)
from solutions.multi_head import from_torch
from solutions.positions import sinusoidal_positions

BOS, EOS = 0, 1
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def take_over(layer, theirs):
    """The weights of a torch layer, all of them made random, in ours."""
    for weight in theirs.parameters():
        nn.init.normal_(weight, std=0.5)
    layer.self_attn.load_state_dict(from_torch(theirs.self_attn).state_dict())
    layer.feed_forward.linear1.load_state_dict(theirs.linear1.state_dict())
    layer.feed_forward.linear2.load_state_dict(theirs.linear2.state_dict())
    layer.norm1.load_state_dict(theirs.norm1.state_dict())
    layer.norm2.load_state_dict(theirs.norm2.state_dict())
    if isinstance(theirs, nn.TransformerDecoderLayer):
        layer.multihead_attn.load_state_dict(from_torch(theirs.multihead_attn).state_dict())
        layer.norm3.load_state_dict(theirs.norm3.state_dict())


@pytest.mark.parametrize("num_heads", [1, 2, 6])
def test_cross_attention_equals_torchs_with_its_weights(num_heads):
    theirs = nn.MultiheadAttention(6, num_heads, batch_first=True)
    layer = CrossAttention(6, num_heads)
    layer.load_state_dict(from_torch(theirs).state_dict())
    x, memory = torch.randn(3, 4, 6), torch.randn(3, 5, 6)
    mask = torch.arange(5) < torch.tensor([[5], [2], [3]])
    for given in (None, mask):
        padding = None if given is None else ~given  # torch means the opposite
        options = {"key_padding_mask": padding, "average_attn_weights": False}
        expected = theirs(x, memory, memory, **options)
        torch.testing.assert_close(layer(x, memory, given), expected, **CLOSE)


def test_cross_attention_with_nothing_to_attend_to_is_the_output_bias():
    layer = CrossAttention(6, 2)
    x = torch.randn(2, 4, 6, requires_grad=True)
    output, weights = layer(x, torch.randn(2, 5, 6), torch.tensor([[True] * 5, [False] * 5]))
    assert not weights[1].any()
    torch.testing.assert_close(output[1], layer.W_o.bias.expand(4, 6))
    output.sum().backward()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("norm_first", [False, True])
def test_decoder_block_equals_torchs_with_its_weights(norm_first):
    theirs = nn.TransformerDecoderLayer(
        6, 2, 9, dropout=0.0, batch_first=True, norm_first=norm_first
    )
    layer = DecoderBlock(6, 2, 9, norm_first=norm_first)
    take_over(layer, theirs)
    x, memory = torch.randn(3, 4, 6), torch.randn(3, 5, 6)
    mask = torch.arange(5) < torch.tensor([[5], [2], [3]])
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    for given in (None, mask):
        padding = None if given is None else ~given
        expected = theirs(x, memory, tgt_mask=causal, memory_key_padding_mask=padding)
        torch.testing.assert_close(layer(x, memory, given)[0], expected, **CLOSE)


def test_decoder_block_sees_nothing_of_what_comes_later():
    layer = DecoderBlock(6, 2, 9)
    x = torch.randn(1, 5, 6, requires_grad=True)
    output, _ = layer(x, torch.randn(1, 3, 6))
    for position in range(5):
        (grad,) = torch.autograd.grad(output[0, position].sin().sum(), x, retain_graph=True)
        assert not grad[0, position + 1 :].any()
        assert grad[0, : position + 1].any(dim=-1).all()


def small(pad_id=0, **options):
    return Transformer(11, 13, 6, 2, 9, 2, 7, pad_id, **options)


def test_transformer_equals_torchs_layers_with_their_weights():
    model = small()
    source, target = torch.randint(1, 11, (3, 5)), torch.randint(1, 13, (3, 4))
    source[1, 3:] = source[2, 1:] = 0
    padding = source == 0
    memory = model.source_embedding(source) * 6**0.5 + sinusoidal_positions(5, 6)
    for layer in model.encoder.layers:
        theirs = nn.TransformerEncoderLayer(6, 2, 9, dropout=0.0, batch_first=True)
        take_over(layer, theirs)
        memory = theirs(memory, src_key_padding_mask=padding)
    x = model.target_embedding(target) * 6**0.5 + sinusoidal_positions(4, 6)
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    for layer in model.decoder:
        theirs = nn.TransformerDecoderLayer(6, 2, 9, dropout=0.0, batch_first=True)
        take_over(layer, theirs)
        x = theirs(x, memory, tgt_mask=causal, memory_key_padding_mask=padding)
    expected = model.output(x)
    torch.testing.assert_close(model(source, target), expected, **CLOSE)


def test_no_logits_of_the_transformer_change_with_a_later_target_token():
    model = small()
    source, target = torch.randint(1, 11, (1, 5)), torch.randint(1, 13, (1, 6))
    before = model(source, target)
    for position in range(6):
        changed = target.clone()
        changed[0, position] = (target[0, position] + 1) % 13
        after = model(source, changed)
        assert torch.equal(before[0, :position], after[0, :position])
        assert not torch.allclose(before[0, position:], after[0, position:])


@pytest.mark.parametrize("pad_id", [0, 4])
def test_source_padding_changes_nothing(pad_id):
    model = small(pad_id)
    source, target = torch.randint(5, 11, (2, 4)), torch.randint(1, 13, (2, 3))
    padded = torch.cat([source, torch.full((2, 3), pad_id)], dim=1)
    torch.testing.assert_close(model(source, target), model(padded, target), **CLOSE)


def test_a_source_of_padding_alone_gives_finite_logits_and_gradients():
    model = small()
    logits = model(torch.zeros(2, 5, dtype=torch.long), torch.randint(1, 13, (2, 4)))
    logits.sin().sum().backward()
    assert logits.isfinite().all()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize(("S", "L"), [(8, 3), (3, 8)])
def test_transformer_refuses_what_is_longer_than_max_length(S, L):
    with pytest.raises(ValueError, match="8.*7"):
        small()(torch.ones(2, S, dtype=torch.long), torch.ones(2, L, dtype=torch.long))


def test_transformer_works_in_float64():
    model = small().double()
    logits = model(torch.randint(1, 11, (2, 7)), torch.randint(1, 13, (2, 7)))
    assert logits.dtype == torch.float64
    assert logits.shape == (2, 7, 13)


@pytest.mark.slow
def test_a_transformer_learns_to_copy():
    model = Transformer(8, 8, 32, 4, 64, 1, 6)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(600):
        source = torch.randint(2, 8, (32, 4))
        shifted = torch.cat([torch.ones(32, 1, dtype=torch.long), source[:, :-1]], dim=1)
        loss = label_smoothed_loss(model(source, shifted), source)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (model(source, shifted).argmax(-1) == source).float().mean() > 0.9


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("pad_id", [0, 3, -100])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (2, 2, 4)])
def test_smoothed_loss_equals_torchs(shape, pad_id, smoothing):
    logits = torch.randn(*shape, 5, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(1, 5, shape)
    targets.view(-1)[::3] = pad_id
    loss = label_smoothed_loss(logits, targets, smoothing, pad_id)
    options = {"label_smoothing": smoothing, "ignore_index": pad_id}
    expected = F.cross_entropy(logits.reshape(-1, 5), targets.reshape(-1), **options)
    torch.testing.assert_close(loss, expected)
    mine, theirs = (torch.autograd.grad(one, logits)[0] for one in (loss, expected))
    torch.testing.assert_close(mine, theirs)


def test_smoothed_loss_of_padding_alone_is_zero_with_a_zero_gradient():
    logits = torch.randn(2, 3, 5, requires_grad=True)
    loss = label_smoothed_loss(logits, torch.zeros(2, 3, dtype=torch.long))
    loss.backward()
    assert loss.item() == 0
    assert not logits.grad.any()


def test_smoothed_loss_is_least_where_the_prediction_is_the_smoothed_target():
    wanted = torch.full((5,), 0.02)
    wanted[2] += 0.9
    logits = wanted.log().requires_grad_()
    label_smoothed_loss(logits, torch.tensor(2)).backward()
    torch.testing.assert_close(logits.grad, torch.zeros(5), atol=1e-6, rtol=0)


def test_the_rate_has_the_numbers_of_the_paper():
    assert warmup_rate(4000, 512) == pytest.approx(6.9877e-4, rel=1e-4)  # 1 / sqrt(512 * 4000)
    assert warmup_rate(1, 512) == pytest.approx(6.9877e-4 / 4000, rel=1e-4)
    assert warmup_rate(100_000, 512) == pytest.approx(1 / math.sqrt(512 * 100_000))


def test_the_rate_is_largest_at_the_end_of_the_warm_up():
    rates = [warmup_rate(step, 64, 50) for step in range(1, 200)]
    assert rates.index(max(rates)) == 49
    steps = [later - earlier for earlier, later in itertools.pairwise(rates)]
    assert all(one > 0 for one in steps[:49])
    assert all(one < 0 for one in steps[49:])


@pytest.mark.parametrize("step", [0, -1])
def test_steps_count_from_one(step):
    with pytest.raises(ValueError, match=f"{step}"):
        warmup_rate(step, 512)


def model_of(vocab, seed, ending=0.0):
    """A step that depends on the whole prefix."""
    generator = torch.Generator().manual_seed(seed)
    table = torch.randn(vocab, 8, generator=generator)
    output = 2 * torch.randn(8, vocab, generator=generator)

    def step(prefixes):
        assert (prefixes[:, 0] == BOS).all()
        assert not (prefixes == EOS).any()  # what has ended is not extended
        state = torch.zeros(len(prefixes), 8)
        for tokens in prefixes.T:
            state = torch.tanh(0.6 * state.roll(1, dims=1) + table[tokens])
        logits = state @ output
        logits[:, EOS] += ending
        return logits

    return step


def score(step, tokens):
    total, prefix = 0.0, [BOS]
    for token in tokens:
        total += step(torch.tensor([prefix])).log_softmax(-1)[0, token].item()
        prefix.append(token)
    return total


def all_sequences(vocab, max_length):
    others = [token for token in range(vocab) if token != EOS]
    for length in range(max_length):
        for tokens in itertools.product(others, repeat=length):
            yield [*tokens, EOS]
    for tokens in itertools.product(others, repeat=max_length):
        yield list(tokens)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
def test_a_beam_for_all_sequences_finds_what_exhaustive_search_finds(seed, penalty):
    step = model_of(4, seed)
    tokens, log_prob = beam_search(step, BOS, EOS, 4**4, 4, penalty)
    scores = {tuple(found): score(step, found) for found in all_sequences(4, 4)}
    best = max(scores, key=lambda one: scores[one] / ((5 + len(one)) / 6) ** penalty)
    assert tuple(tokens.tolist()) == best
    assert log_prob == pytest.approx(scores[best], abs=1e-4)
    assert sum(math.exp(one) for one in scores.values()) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_width_one_is_greedy(seed):
    step = model_of(6, seed, ending=-1.0)
    prefix = [BOS]
    while len(prefix) <= 7 and prefix[-1] != EOS:
        prefix.append(step(torch.tensor([prefix])).argmax().item())
    tokens, log_prob = beam_search(step, BOS, EOS, 1, 7)
    assert tokens.tolist() == prefix[1:]
    assert tokens.dtype == torch.int64
    assert log_prob == pytest.approx(score(step, prefix[1:]), abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_without_a_penalty_the_result_is_the_best_of_the_beam(seed):
    step = model_of(6, seed)
    tokens, log_prob = beam_search(step, BOS, EOS, 3, 5)
    assert log_prob == pytest.approx(score(step, tokens.tolist()), abs=1e-4)
    assert EOS not in tokens[:-1]
    assert len(tokens) <= 5


def test_a_penalty_can_only_make_the_result_longer():
    for seed in range(10):
        step = model_of(6, seed, ending=1.0)
        lengths = [
            len(beam_search(step, BOS, EOS, 4, 6, penalty)[0]) for penalty in (0.0, 0.5, 1.0, 4.0)
        ]
        assert lengths == sorted(lengths)
