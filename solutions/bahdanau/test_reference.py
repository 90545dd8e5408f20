"""Chapter 3 against torch's recurrent layers, slow loops, enumeration and the paper's formulas."""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.bahdanau import (
    AdditiveAttention,
    AttentionDecoder,
    BidirectionalEncoder,
    greedy_decode,
    sequence_log_prob,
)

LENGTHS = torch.tensor([2, 5, 1, 4])


def padded_batch(pad_id=0):
    tokens = torch.randint(1, 11, (4, 6))
    return tokens.masked_fill(torch.arange(6) >= LENGTHS[:, None], pad_id)


def test_encoder_gives_what_torchs_rnn_gives_for_each_sentence_alone():
    encoder, tokens = BidirectionalEncoder(11, 5, 3), padded_batch()
    annotations, state = encoder(tokens, LENGTHS)
    assert annotations.shape == (4, 6, 6)
    assert state.shape == (4, 3)
    rnns = [module for module in encoder.modules() if isinstance(module, nn.RNNBase)]
    (embedding,) = (module for module in encoder.modules() if isinstance(module, nn.Embedding))
    (linear,) = (module for module in encoder.modules() if isinstance(module, nn.Linear))
    for b, n in enumerate(LENGTHS):
        forward, _ = rnns[0](embedding(tokens[b, :n]))
        backward, last = rnns[1](embedding(tokens[b, :n]).flip(0))
        torch.testing.assert_close(annotations[b, :n], torch.cat([forward, backward.flip(0)], 1))
        torch.testing.assert_close(state[b], torch.tanh(linear(last[0])))
        assert not annotations[b, n:].any()


def test_padding_changes_nothing():
    encoder, tokens = BidirectionalEncoder(11, 5, 3), padded_batch()
    annotations, state = encoder(tokens, LENGTHS)
    padding = torch.arange(6) >= LENGTHS[:, None]
    for others in (padded_batch, lambda: tokens.masked_fill(padding, 9)):
        longer = F.pad(torch.where(padding, others(), tokens), (0, 3))
        again, start = encoder(longer, LENGTHS)
        torch.testing.assert_close(again[:, :6], annotations)
        torch.testing.assert_close(start, state)
        assert not again[:, 6:].any()


def test_first_half_reads_from_the_left_and_second_half_from_the_right():
    encoder = BidirectionalEncoder(11, 5, 3).double()
    tokens = torch.randint(1, 5, (1, 6))
    changed = tokens.clone()
    changed[0, 2] = 7
    gap = (encoder(tokens, torch.tensor([6]))[0] - encoder(changed, torch.tensor([6]))[0])[0]
    assert gap[:, :3].any(dim=1).tolist() == [False, False, True, True, True, True]
    assert gap[:, 3:].any(dim=1).tolist() == [True, True, True, False, False, False]


def test_the_state_starts_from_the_first_tokens_backward_annotation():
    encoder = BidirectionalEncoder(11, 5, 3)
    annotations, state = encoder(padded_batch(), LENGTHS)
    (linear,) = (module for module in encoder.modules() if isinstance(module, nn.Linear))
    torch.testing.assert_close(state, torch.tanh(linear(annotations[:, 0, 3:])))


def slow_additive(attention, query, keys, mask):
    """Key by key, from the paper's formula with the parameters' numbers."""
    W_s, W_h, v = attention.W_s.weight, attention.W_h.weight, attention.v.weight[0]
    context, weights = torch.zeros_like(keys[:, 0]), torch.zeros(keys.shape[:2])
    for b, sequence in enumerate(keys):
        scores = {
            j: (v @ torch.tanh(W_s @ query[b] + W_h @ key)).item()
            for j, key in enumerate(sequence)
            if mask[b, j]
        }
        total = sum(math.exp(score) for score in scores.values())
        for j, score in scores.items():
            weights[b, j] = math.exp(score) / total
            context[b] += weights[b, j] * sequence[j]
    return context, weights


@pytest.mark.parametrize("masked", [False, True])
def test_additive_attention_equals_the_papers_formula_key_by_key(masked):
    attention = AdditiveAttention(query_dim=4, key_dim=6, attention_dim=8)
    query, keys = torch.randn(3, 4), torch.randn(3, 5, 6)
    mask = torch.rand(3, 5) < 0.6 if masked else torch.ones(3, 5, dtype=torch.bool)
    if masked:
        mask[1] = False
    got = attention(query, keys, mask if masked else None)
    for mine, theirs in zip(got, slow_additive(attention, query, keys, mask), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_additive_attention_has_the_contracts_parameters_and_no_bias():
    shapes = {name: tuple(p.shape) for name, p in AdditiveAttention(4, 6, 8).named_parameters()}
    assert shapes == {"W_s.weight": (8, 4), "W_h.weight": (8, 6), "v.weight": (1, 8)}


def test_additive_attention_to_nothing_is_zeros_with_finite_gradients():
    attention = AdditiveAttention(4, 6, 8)
    query, keys = torch.randn(2, 4, requires_grad=True), torch.randn(2, 5, 6, requires_grad=True)
    mask = torch.tensor([[True] * 5, [False] * 5])
    context, weights = attention(query, keys, mask)
    (context.square().sum() + weights.square().sum()).backward()
    assert not context[1].any()
    assert not weights[1].any()
    assert all(tensor.grad.isfinite().all() for tensor in (query, keys, *attention.parameters()))
    assert not keys.grad[1].any()


def test_additive_attention_has_the_gradient_that_finite_differences_find():
    attention = AdditiveAttention(3, 4, 5).double()
    query = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    keys = torch.randn(2, 4, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[True, False, True, True], [False] * 4])
    assert gradcheck(lambda *given: attention(*given, mask), (query, keys))


def decoder_and_inputs():
    decoder = AttentionDecoder(11, 5, 4, 6, 7)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 1, 0], [1, 0, 0, 0, 0]], dtype=torch.bool)
    return decoder, (torch.tensor([2, 9, 5]), torch.randn(3, 4), torch.randn(3, 5, 6), mask)


def test_decoder_asks_with_the_state_before_the_step():
    decoder, (previous, state, annotations, mask) = decoder_and_inputs()
    logits, after, weights = decoder(previous, state, annotations, mask)
    assert (logits.shape, after.shape, weights.shape) == ((3, 11), (3, 4), (3, 5))
    (attention,) = (m for m in decoder.modules() if isinstance(m, AdditiveAttention))
    torch.testing.assert_close(weights, attention(state, annotations, mask)[1])


def test_decoder_does_not_care_for_the_order_of_the_annotations():
    decoder, (previous, state, annotations, mask) = decoder_and_inputs()
    logits, after, weights = decoder(previous, state, annotations, mask)
    order = torch.randperm(5)
    turned = decoder(previous, state, annotations[:, order], mask[:, order])
    for mine, theirs in zip(turned, (logits, after, weights[:, order]), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_decoder_learns_with_all_of_its_parameters_and_never_from_padding():
    decoder, (previous, state, annotations, mask) = decoder_and_inputs()
    state.requires_grad_()
    annotations.requires_grad_()
    logits, after, _ = decoder(previous, state, annotations, mask)
    (logits.square().sum() + after.square().sum()).backward()
    for tensor in (state, annotations, *decoder.parameters()):
        assert tensor.grad.any()
        assert tensor.grad.isfinite().all()
    assert not annotations.grad[~mask].any()


def test_decoder_with_nothing_to_look_at_is_finite():
    decoder, (previous, state, annotations, mask) = decoder_and_inputs()
    nothing = torch.zeros_like(mask)
    logits, after, weights = decoder(previous, state, annotations, nothing)
    assert not weights.any()
    expected = decoder(previous, state, torch.zeros_like(annotations), None)
    torch.testing.assert_close(logits, expected[0])
    torch.testing.assert_close(after, expected[1])


@pytest.mark.parametrize("pad_id", [0, 3, -100, 50])
def test_sequence_log_prob_equals_torchs_cross_entropy(pad_id):
    logits, targets = 3 * torch.randn(4, 6, 7), torch.randint(0, 7, (4, 6))
    targets = targets.masked_fill(torch.arange(6) >= LENGTHS[:, None], pad_id)
    losses = F.cross_entropy(logits.mT, targets, ignore_index=pad_id, reduction="none")
    torch.testing.assert_close(sequence_log_prob(logits, targets, pad_id), -losses.sum(dim=1))


def test_the_probabilities_of_all_sequences_sum_to_one():
    logits = torch.randn(1, 3, 4, dtype=torch.float64)
    every = torch.tensor(list(itertools.product(range(4), repeat=3)))
    probabilities = sequence_log_prob(logits.expand(len(every), 3, 4), every, -1).exp()
    assert probabilities.sum().item() == pytest.approx(1.0)


def test_a_row_of_padding_has_log_probability_zero_and_no_gradient():
    logits = torch.randn(2, 3, 4, requires_grad=True)
    result = sequence_log_prob(logits, torch.tensor([[1, 2, 0], [0, 0, 0]]), 0)
    result.sum().backward()
    assert result[1].item() == 0.0
    assert not logits.grad[1].any()
    assert not logits.grad[0, 2].any()
    assert logits.grad[0, :2].any()


def test_sequence_log_prob_is_finite_for_large_logits():
    logits = torch.tensor([[[0.0, 1e4, -1e4]]])
    assert sequence_log_prob(logits, torch.tensor([[2]]), 0).item() == pytest.approx(-2e4)


class Scripted:
    """A step that spells given words, whatever it is told, and notes what it is told."""

    def __init__(self, words, vocab_size=7):
        self.words, self.vocab_size, self.told = words, vocab_size, []

    def __call__(self, previous, state):
        time = len(self.told)
        self.told.append((previous.tolist(), state.tolist()))
        tokens = torch.tensor([word[time] for word in self.words])
        logits = F.one_hot(tokens, self.vocab_size).float()
        return logits, state + 1, torch.full((len(self.words), 3), float(time))


def test_greedy_decode_writes_until_every_row_has_ended():
    step = Scripted([[3, 2, 5, 5, 5], [4, 3, 5, 2, 5], [2, 3, 3, 3, 3]])
    tokens, weights = greedy_decode(step, torch.zeros(3, 1), bos_id=1, eos_id=2, max_length=5)
    assert tokens.tolist() == [[3, 2, 2, 2], [4, 3, 5, 2], [2, 2, 2, 2]]
    assert weights.shape == (3, 4, 3)
    assert weights[1, :, 0].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert len(step.told) == 4


def test_greedy_decode_tells_each_step_what_was_written_and_where_it_stands():
    step = Scripted([[3, 4, 5], [6, 5, 4]])
    tokens, _ = greedy_decode(step, torch.zeros(2, 1), bos_id=1, eos_id=2, max_length=3)
    assert [previous for previous, _ in step.told] == [[1, 1], [3, 6], [4, 5]]
    assert [state for _, state in step.told] == [[[float(t)], [float(t)]] for t in range(3)]
    assert tokens.tolist() == [[3, 4, 5], [6, 5, 4]]


@pytest.mark.parametrize("max_length", [1, 2, 3])
def test_greedy_decode_stops_at_max_length(max_length):
    step = Scripted([[3, 4, 5, 2], [2, 5, 4, 3]])
    tokens, weights = greedy_decode(step, torch.zeros(2, 1), 1, 2, max_length)
    assert tokens.shape == (2, max_length)
    assert weights.shape == (2, max_length, 3)


def test_greedy_decode_drives_the_decoder():
    encoder, decoder = BidirectionalEncoder(11, 5, 4), AttentionDecoder(9, 5, 4, 8, 7)
    tokens, mask = padded_batch(), torch.arange(6) < LENGTHS[:, None]
    annotations, state = encoder(tokens, LENGTHS)
    written, weights = greedy_decode(
        lambda previous, state: decoder(previous, state, annotations, mask), state, 1, 2, 7
    )
    assert written.dtype == torch.int64
    assert weights.shape == (4, written.shape[1], 6)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(4, written.shape[1]))
    assert not weights[~mask[:, None].expand_as(weights)].any()
