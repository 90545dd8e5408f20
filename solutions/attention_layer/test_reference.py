"""Chapter 4 against torch's own attention, slow loops and properties."""

import math

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.attention_layer import (
    AttentionLayer,
    attend,
    grid_to_sequence,
    scaled_dot_product_attention,
)


def slow_attention(query, key, value, mask):
    """One query, one key at a time, in plain Python numbers."""
    output = torch.zeros(query.shape[0], value.shape[1])
    weights = torch.zeros(query.shape[0], key.shape[0])
    for i, q in enumerate(query.tolist()):
        scores = {
            j: sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q))
            for j, k in enumerate(key.tolist())
            if mask[i, j]
        }
        total = sum(math.exp(score) for score in scores.values())
        for j, score in scores.items():
            weights[i, j] = math.exp(score) / total
            output[i] += weights[i, j] * value[j]
    return output, weights


def test_attend_is_torchs_attention_with_one_query():
    query, inputs = torch.randn(8), torch.randn(5, 8)
    output, weights = attend(query, inputs)
    expected = F.scaled_dot_product_attention(query[None], inputs, inputs)[0]
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights, torch.softmax(inputs @ query / 8**0.5, 0))


def test_attend_gives_numbers_that_can_be_checked_by_hand():
    query = torch.tensor([2.0, 0.0, 0.0, 0.0])
    inputs = torch.tensor([[math.log(3), 5.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    output, weights = attend(query, inputs)  # scores log(3) and 0, so e^score is 3 and 1
    torch.testing.assert_close(weights, torch.tensor([0.75, 0.25]))
    torch.testing.assert_close(output, torch.tensor([0.75 * math.log(3), 4.0, 0.0, 0.0]))


def test_attend_of_a_query_of_zeros_is_the_plain_average():
    inputs = torch.randn(5, 8)
    output, weights = attend(torch.zeros(8), inputs)
    torch.testing.assert_close(output, inputs.mean(0))
    torch.testing.assert_close(weights, torch.full((5,), 0.2))


@pytest.mark.parametrize("leading", [(), (1,), (2,), (2, 3)])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_torchs_own(leading, masked):
    query, key = torch.randn(*leading, 5, 8), torch.randn(*leading, 7, 8)
    value = torch.randn(*leading, 7, 3)
    mask = torch.rand(5, 7) < 0.5 if masked else None
    if masked:
        mask[:, 2] = True
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    expected = F.scaled_dot_product_attention(query, key, value, mask)
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights.sum(-1), torch.ones(*leading, 5))


def test_attention_equals_a_slow_loop_over_queries_and_keys():
    query, key, value = torch.randn(5, 8), torch.randn(7, 8), torch.randn(7, 3)
    mask = torch.rand(5, 7) < 0.6
    mask[3] = False
    got = scaled_dot_product_attention(query, key, value, mask)
    for mine, theirs in zip(got, slow_attention(query, key, value, mask), strict=True):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("shape", [(7,), (5, 7), (1, 7), (5, 1), (2, 1, 7), (2, 5, 7), (1, 1, 1)])
def test_attention_takes_every_mask_that_broadcasts(shape):
    query, key, value = torch.randn(2, 5, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 3)
    mask = torch.rand(shape) < 0.7
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    full = mask.expand(2, 5, 7)
    for b in range(2):
        expected = slow_attention(query[b], key[b], value[b], full[b])
        torch.testing.assert_close(output[b], expected[0])
        torch.testing.assert_close(weights[b], expected[1])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_attention_to_nothing_is_zeros_with_zero_gradients(dtype):
    inputs = [torch.randn(2, n, 4, dtype=dtype, requires_grad=True) for n in (3, 5, 5)]
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[1] = False
    output, weights = scaled_dot_product_attention(*inputs, mask)
    (output.sum() + weights.square().sum()).backward()
    assert output.dtype == weights.dtype == dtype
    assert not output[:, 1].any()
    assert not weights[:, 1].any()
    assert not inputs[0].grad[:, 1].any()
    assert all(tensor.grad.isfinite().all() for tensor in inputs)


def test_nothing_leaks_from_a_masked_key():
    query, key, value = torch.randn(5, 8), torch.randn(7, 8), torch.randn(7, 3)
    mask = torch.ones(7, dtype=torch.bool)
    mask[4] = False
    key.requires_grad_()
    value.requires_grad_()
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    (output.square().sum() + weights.square().sum()).backward()
    assert not weights[:, 4].any()
    assert not key.grad[4].any()
    assert not value.grad[4].any()


def test_attention_does_not_care_for_the_order_of_the_keys():
    query, key, value = torch.randn(5, 8), torch.randn(7, 8), torch.randn(7, 3)
    order = torch.randperm(7)
    output, weights = scaled_dot_product_attention(query, key, value)
    turned, moved = scaled_dot_product_attention(query, key[order], value[order])
    torch.testing.assert_close(turned, output)
    torch.testing.assert_close(moved, weights[:, order])


def test_attention_has_the_gradient_that_finite_differences_find():
    query, key, value = (torch.randn(n, 4, dtype=torch.float64) for n in (3, 5, 5))
    mask = torch.rand(3, 5) < 0.5
    mask[1] = False
    inputs = tuple(tensor.requires_grad_() for tensor in (query, key, value))
    assert gradcheck(lambda *given: scaled_dot_product_attention(*given, mask), inputs)


def test_attention_layer_is_torchs_layer_with_its_weights():
    D, I, E = 8, 8, 8  # noqa: E741
    layer = AttentionLayer(D, I, E)
    torchs = nn.MultiheadAttention(D, 1, bias=False, batch_first=True)
    with torch.no_grad():
        torchs.in_proj_weight.copy_(torch.cat([torch.eye(D), layer.W_k.weight, layer.W_v.weight]))
        torchs.out_proj.weight.copy_(torch.eye(E))
    queries, inputs = torch.randn(2, 5, D), torch.randn(2, 7, I)
    for mine, theirs in zip(layer(queries, inputs), torchs(queries, inputs, inputs), strict=True):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_attention_layer_equals_torchs_attention_whatever_its_widths(leading):
    layer = AttentionLayer(query_dim=8, input_dim=6, value_dim=3)
    queries, inputs = torch.randn(*leading, 5, 8), torch.randn(*leading, 7, 6)
    output, weights = layer(queries, inputs)
    key, value = inputs @ layer.W_k.weight.T, inputs @ layer.W_v.weight.T
    torch.testing.assert_close(output, F.scaled_dot_product_attention(queries, key, value))
    assert output.shape == (*leading, 5, 3)
    assert weights.shape == (*leading, 5, 7)


def test_attention_layer_has_the_contracts_parameters_and_no_bias():
    shapes = {name: tuple(p.shape) for name, p in AttentionLayer(8, 6, 3).named_parameters()}
    assert shapes == {"W_k.weight": (8, 6), "W_v.weight": (3, 6)}


def test_attention_layer_learns_with_all_of_its_parameters():
    layer = AttentionLayer(8, 6, 3).double()
    queries = torch.randn(5, 8, dtype=torch.float64, requires_grad=True)
    inputs = torch.randn(7, 6, dtype=torch.float64, requires_grad=True)
    layer(queries, inputs)[0].square().sum().backward()
    for tensor in (queries, inputs, *layer.parameters()):
        assert tensor.grad.isfinite().all()
        assert tensor.grad.any()


def test_grid_to_sequence_puts_every_place_where_row_major_order_says():
    B, C, H, W = 2, 5, 3, 4
    features = torch.randn(B, C, H, W)
    sequence = grid_to_sequence(features)
    assert sequence.shape == (B, H * W, C)
    for h in range(H):
        for w in range(W):
            assert torch.equal(sequence[:, h * W + w], features[:, :, h, w])


def test_grid_to_sequence_gives_the_196_vectors_of_show_attend_and_tell():
    assert grid_to_sequence(torch.zeros(1, 512, 14, 14)).shape == (1, 196, 512)
