"""Chapter 5 against torch's own layers and properties."""

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.positions import sinusoidal_positions
from solutions.self_attention import SelfAttention, equivariance_gap


@pytest.mark.parametrize("masked", [False, True])
def test_self_attention_is_torchs_layer_with_its_weights(masked):
    layer = SelfAttention(8, 8, 8)
    torchs = nn.MultiheadAttention(8, 1, bias=False, batch_first=True)
    with torch.no_grad():
        three = [layer.W_q.weight, layer.W_k.weight, layer.W_v.weight]
        torchs.in_proj_weight.copy_(torch.cat(three))
        torchs.out_proj.weight.copy_(torch.eye(8))
    x = torch.randn(2, 5, 8)
    mask = torch.ones(5, 5, dtype=torch.bool).tril() if masked else None
    expected = torchs(x, x, x, attn_mask=~mask if masked else None)
    for mine, theirs in zip(layer(x, mask), expected, strict=True):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_self_attention_equals_torchs_attention_whatever_its_widths(leading):
    layer = SelfAttention(embed_dim=6, key_dim=8, value_dim=3)
    x = torch.randn(*leading, 5, 6)
    query, key, value = (x @ getattr(layer, name).weight.T for name in ("W_q", "W_k", "W_v"))
    output, weights = layer(x)
    torch.testing.assert_close(output, F.scaled_dot_product_attention(query, key, value))
    assert output.shape == (*leading, 5, 3)
    torch.testing.assert_close(weights.sum(-1), torch.ones(*leading, 5))


def test_self_attention_has_the_contracts_parameters_and_no_bias():
    shapes = {name: tuple(p.shape) for name, p in SelfAttention(6, 8, 3).named_parameters()}
    assert shapes == {"W_q.weight": (8, 6), "W_k.weight": (8, 6), "W_v.weight": (3, 6)}


def test_a_position_attends_to_itself():
    layer = SelfAttention(6, 8, 3)
    x = torch.randn(1, 6)
    output, weights = layer(x)  # one position has nobody else
    assert weights.tolist() == [[1.0]]
    torch.testing.assert_close(output, layer.W_v(x))


def test_a_position_that_may_attend_to_nothing_gets_zeros_and_finite_gradients():
    layer = SelfAttention(6, 8, 3)
    x = torch.randn(5, 6, requires_grad=True)
    mask = torch.ones(5, 5, dtype=torch.bool)
    mask[2] = False
    output, weights = layer(x, mask)
    (output.square().sum() + weights.square().sum()).backward()
    assert not output[2].any()
    assert not weights[2].any()
    assert all(tensor.grad.isfinite().all() for tensor in (x, *layer.parameters()))


def test_self_attention_has_the_gradient_that_finite_differences_find():
    layer = SelfAttention(4, 5, 3).double()
    x = torch.randn(4, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.ones(4, 4, dtype=torch.bool).tril(-1)  # position 0 may attend to nothing
    assert gradcheck(lambda given: layer(given, mask), x)


def test_self_attention_is_equivariant_until_it_knows_positions():
    layer, x, permutation = SelfAttention(6, 8, 3), torch.randn(7, 6), torch.randperm(7)
    assert equivariance_gap(layer, x, permutation) < 1e-6
    table = sinusoidal_positions(7, 6)
    assert equivariance_gap(lambda given: layer(given + table), x, permutation) > 1e-3


def test_equivariance_gap_of_a_layer_that_can_be_checked_by_hand():
    x = torch.tensor([[1.0], [2.0], [4.0]])
    rotation = torch.tensor([1, 2, 0])
    # Adding 0, 10, 20 by position: (2, 14, 21) against (12, 24, 1).
    gap = equivariance_gap(lambda given: given + torch.tensor([[0.0], [10], [20]]), x, rotation)
    assert gap == 20.0
    assert isinstance(gap, float)


@pytest.mark.parametrize("sign", [1, -1])
def test_equivariance_gap_has_no_sign(sign):
    def first_only(x):
        return torch.cat([sign * x[:1], torch.zeros_like(x[1:])])

    x = torch.tensor([[0.1], [5.0], [0.2]])
    assert equivariance_gap(first_only, x, torch.tensor([1, 2, 0])) == 5.0


@pytest.mark.parametrize("layer", [torch.tanh, nn.Linear(6, 3), lambda x: (x.exp(), x.cumsum(0))])
def test_equivariance_gap_of_a_layer_that_works_row_by_row_is_zero(layer):
    assert equivariance_gap(layer, torch.randn(5, 6), torch.tensor([2, 0, 1, 4, 3])) < 1e-6
