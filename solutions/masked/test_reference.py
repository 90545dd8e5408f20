"""Chapter 8 against torch's own functions, slow loops, properties and statistics."""

import math

import pytest
import torch
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.masked import causal_mask, mask_tokens, masked_softmax, next_token_loss, padding_mask


@pytest.mark.parametrize(("length", "past"), [(1, 0), (5, 0), (1, 6), (4, 3)])
def test_causal_mask_allows_a_position_itself_and_all_before_it(length, past):
    mask = causal_mask(length, past)
    assert mask.dtype == torch.bool
    expected = [[j <= past + i for j in range(past + length)] for i in range(length)]
    assert mask.tolist() == expected


def test_causal_mask_is_torchs_is_causal():
    query, key, value = torch.randn(3, 5, 8), torch.randn(3, 5, 8), torch.randn(3, 5, 8)
    torch.testing.assert_close(
        F.scaled_dot_product_attention(query, key, value, attn_mask=causal_mask(5)),
        F.scaled_dot_product_attention(query, key, value, is_causal=True),
    )


def test_causal_mask_with_a_past_is_the_last_rows_of_the_whole_one():
    assert torch.equal(causal_mask(3, 4), causal_mask(7)[4:])


def test_padding_mask_has_as_many_true_as_the_lengths_say():
    lengths = torch.tensor([0, 3, 5, 1])
    mask = padding_mask(lengths, 5)
    assert mask.dtype == torch.bool
    assert mask.sum(dim=1).tolist() == lengths.tolist()
    assert mask.tolist()[1] == [True, True, True, False, False]


@pytest.mark.parametrize("shape", [(2, 5, 7), (5, 7), (2, 1, 7), (7,), (5, 1)])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_masked_softmax_equals_softmax_over_what_is_allowed(shape, dim):
    scores, mask = torch.randn(2, 5, 7), torch.rand(shape) < 0.6
    got = masked_softmax(scores, mask, dim).movedim(dim, -1)
    allowed = mask.expand(2, 5, 7).movedim(dim, -1)
    for row, weights, may in zip(
        scores.movedim(dim, -1).flatten(0, 1),
        got.flatten(0, 1),
        allowed.flatten(0, 1),
        strict=True,
    ):
        assert not weights[~may].any()
        torch.testing.assert_close(weights[may], torch.softmax(row[may], dim=0))


def test_masked_softmax_without_a_mask_is_softmax():
    scores = torch.randn(2, 5, 7)
    torch.testing.assert_close(masked_softmax(scores, dim=1), torch.softmax(scores, dim=1))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan, 1e4])
def test_masked_scores_may_be_anything_and_get_a_gradient_of_zero(dtype, odd):
    scores, mask = torch.randn(5, 7, dtype=dtype), torch.rand(5, 7) < 0.5
    mask[2] = False
    plain = scores.clone().requires_grad_()
    odd = scores.masked_fill(~mask, odd).requires_grad_()
    direction = torch.randn(5, 7, dtype=dtype)
    for given in (plain, odd):
        weights = masked_softmax(given, mask)
        assert weights.dtype == dtype
        assert not weights[~mask].any()
        (weights * direction).sum().backward()
        assert not given.grad[~mask].any()
        assert given.grad.isfinite().all()
    assert torch.equal(odd.grad, plain.grad)


def test_masked_softmax_has_the_gradient_that_finite_differences_find():
    scores = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], dtype=torch.bool)
    assert gradcheck(lambda given: masked_softmax(given, mask), scores)


@pytest.mark.parametrize("pad_id", [None, 0, 5])
def test_next_token_loss_equals_a_slow_loop(pad_id):
    logits, tokens = torch.randn(4, 6, 9), torch.randint(0, 9, (4, 6))
    if pad_id is not None:
        tokens[1, 3:] = pad_id
    losses = [
        -torch.log_softmax(logits[b, t], dim=-1)[tokens[b, t + 1]]
        for b in range(4)
        for t in range(5)
        if tokens[b, t + 1] != pad_id
    ]
    torch.testing.assert_close(next_token_loss(logits, tokens, pad_id), torch.stack(losses).mean())


def test_next_token_loss_of_a_model_that_knows_nothing_is_the_log_of_the_vocabulary():
    loss = next_token_loss(torch.zeros(2, 5, 9), torch.randint(0, 9, (2, 5)))
    assert loss.item() == pytest.approx(math.log(9), rel=1e-6)


def test_next_token_loss_does_not_see_the_last_logits_nor_those_about_padding():
    logits = torch.randn(1, 5, 9, requires_grad=True)
    next_token_loss(logits, torch.tensor([[3, 4, 5, 0, 0]]), pad_id=0).backward()
    assert logits.grad[0, :2].any(dim=-1).all()
    assert not logits.grad[0, 2:].any()


@pytest.mark.parametrize(
    ("tokens", "pad_id"),
    [(torch.ones(2, 1, dtype=torch.long), None), (torch.zeros(2, 5).long(), 0)],
)
def test_next_token_loss_without_a_target_is_zero_with_a_zero_gradient(tokens, pad_id):
    logits = torch.randn(*tokens.shape, 9, requires_grad=True)
    loss = next_token_loss(logits, tokens, pad_id)
    loss.backward()
    assert loss.item() == 0
    assert torch.equal(logits.grad, torch.zeros_like(logits))


def test_mask_tokens_keeps_the_shares_of_the_paper():
    tokens = torch.randint(10, 5000, (500, 400))
    inputs, labels = mask_tokens(tokens, mask_id=3, vocab_size=5000)
    chosen = labels != -100
    share = chosen.double().mean().item()
    assert share == pytest.approx(0.15, abs=0.004)  # Devlin et al. 2019, section 3.1
    assert (inputs == 3)[chosen].double().mean().item() == pytest.approx(0.8, abs=0.012)
    assert (inputs == tokens)[chosen].double().mean().item() == pytest.approx(0.1, abs=0.01)
    assert torch.equal(labels[chosen], tokens[chosen])
    assert torch.equal(inputs[~chosen], tokens[~chosen])


def test_mask_tokens_draws_replacements_from_the_whole_vocabulary():
    inputs, _ = mask_tokens(torch.full((200_000,), 5), 6, 10, probability=1.0, special_ids=(0, 1))
    shares = torch.bincount(inputs, minlength=10) / len(inputs)
    expected = torch.full((10,), 0.01)
    expected[5] += 0.1
    expected[6] += 0.8
    torch.testing.assert_close(shares, expected, rtol=0.0, atol=0.005)


def test_mask_tokens_never_chooses_special_ids():
    tokens = torch.randint(0, 6, (40, 50))
    inputs, labels = mask_tokens(tokens, 9, 10, probability=1.0, special_ids=(0, 2))
    special = (tokens == 0) | (tokens == 2)
    assert (labels[special] == -100).all()
    assert torch.equal(inputs[special], tokens[special])
    assert torch.equal(labels[~special], tokens[~special])


def test_mask_tokens_leaves_its_input_and_torchs_generator_alone():
    tokens = torch.randint(0, 10, (40, 50))
    before, state = tokens.clone(), torch.random.get_rng_state()
    one = mask_tokens(tokens, 9, 10, generator=torch.Generator().manual_seed(1))
    two = mask_tokens(tokens, 9, 10, generator=torch.Generator().manual_seed(1))
    assert torch.equal(tokens, before)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
