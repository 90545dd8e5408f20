"""Chapter 5 against torch's own layers, complex numbers, slow loops and the paper's properties."""

import math

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.self_attention import (
    LearnedPositions,
    SelfAttention,
    equivariance_gap,
    rotate_positions,
    shift_matrix,
    sinusoidal_positions,
)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


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


@pytest.mark.parametrize(("length", "embed_dim"), [(1, 2), (6, 8), (5, 7), (4, 1), (50, 512)])
def test_sinusoidal_positions_are_the_papers_formula_column_by_column(length, embed_dim):
    expected = torch.zeros(length, embed_dim)
    for pos in range(length):
        for i in range((embed_dim + 1) // 2):
            angle = pos / 10000 ** (2 * i / embed_dim)
            expected[pos, 2 * i] = math.sin(angle)
            if 2 * i + 1 < embed_dim:
                expected[pos, 2 * i + 1] = math.cos(angle)
    table = sinusoidal_positions(length, embed_dim)
    assert table.dtype == torch.float32
    torch.testing.assert_close(table, expected)


def test_sinusoidal_wavelengths_reach_from_two_pi_toward_ten_thousand_times_that():
    embed_dim = 512
    table = sinusoidal_positions(2, embed_dim).double()
    turned = torch.atan2(table[1, 0::2], table[1, 1::2])  # what one step turns each pair by
    wavelengths = 2 * math.pi / turned
    assert wavelengths[0].item() == pytest.approx(2 * math.pi, rel=1e-5)
    assert wavelengths[-1].item() == pytest.approx(2 * math.pi * 10000 ** (510 / 512), rel=1e-3)


def test_sinusoidal_positions_far_out_keep_their_digits():
    table = sinusoidal_positions(100_001, 8)
    torch.testing.assert_close(
        table[100_000, :2],
        torch.tensor([math.sin(100_000), math.cos(100_000)]),
        rtol=0,
        atol=1e-6,
    )


def test_the_dot_product_of_two_positions_depends_on_their_distance_alone():
    table = sinusoidal_positions(30, 16)
    products = table @ table.T
    for distance in range(20):
        along = products.diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("offset", [-7, -1, 0, 1, 3, 20])
@pytest.mark.parametrize("embed_dim", [2, 8, 64])
def test_shift_matrix_moves_every_position(offset, embed_dim):
    table = sinusoidal_positions(60, embed_dim)
    matrix = shift_matrix(offset, embed_dim)
    assert matrix.dtype == torch.float32
    start, end = max(0, -offset), 60 - max(0, offset)
    moved = table[start:end] @ matrix.T
    torch.testing.assert_close(moved, table[start + offset : end + offset], rtol=0, atol=2e-6)


def test_shift_matrix_is_a_rotation_and_shifts_add_up():
    one, three, four = (shift_matrix(offset, 8) for offset in (1, 3, 4))
    torch.testing.assert_close(one @ one.T, torch.eye(8))
    torch.testing.assert_close(one @ three, four)
    torch.testing.assert_close(shift_matrix(-3, 8), three.T)
    torch.testing.assert_close(shift_matrix(0, 8), torch.eye(8))


def test_shift_matrix_refuses_an_odd_size():
    with pytest.raises(ValueError, match="7"):
        shift_matrix(1, 7)


def test_learned_positions_add_one_vector_a_position():
    layer = LearnedPositions(7, 6)
    (vectors,) = layer.parameters()
    for L in (1, 4, 7):
        x = torch.randn(3, L, 6)
        expected = torch.stack([x[:, pos] + vectors[pos] for pos in range(L)], dim=1)
        torch.testing.assert_close(layer(x), expected)


def test_learned_positions_refuse_what_is_longer_and_name_both_lengths():
    layer = LearnedPositions(7, 6)
    with pytest.raises(ValueError, match="9.*7"):
        layer(torch.randn(2, 9, 6))


def test_learned_positions_learn_where_they_were_used():
    layer = LearnedPositions(7, 6)
    layer(torch.randn(3, 4, 6)).sum().backward()
    (vectors,) = layer.parameters()
    assert vectors.grad.tolist() == [[3.0] * 6] * 4 + [[0.0] * 6] * 3


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_rotating_is_multiplication_with_a_complex_number(leading, base):
    x = torch.randn(*leading, 5, 8, dtype=torch.float64)
    angle = torch.arange(5.0).double()[:, None] * base ** (-torch.arange(0, 8, 2) / 8).double()
    turn = torch.polar(torch.ones_like(angle), angle)  # e^(i angle)
    expected = torch.view_as_complex(x.unflatten(-1, (4, 2))) * turn
    got = torch.view_as_complex(rotate_positions(x, base).unflatten(-1, (4, 2)))
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rotating_equals_a_slow_loop(leading, dtype):
    x = torch.randn(*leading, 5, 8, dtype=dtype)
    expected = torch.empty_like(x)
    for pos in range(5):
        for i in range(4):
            angle = pos * 10000 ** (-2 * i / 8)
            a, b = x[..., pos, 2 * i], x[..., pos, 2 * i + 1]
            expected[..., pos, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            expected[..., pos, 2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
    got = rotate_positions(x)
    assert got.dtype == dtype
    torch.testing.assert_close(got, expected)


def test_rotated_products_depend_on_the_distance_alone():
    query, key = torch.randn(8), torch.randn(8)
    products = rotate_positions(query.expand(30, 8)) @ rotate_positions(key.expand(30, 8)).T
    for distance in range(-20, 20):
        along = products.diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), rtol=1e-4, atol=1e-4)
    assert products[0].std() > 0.1


def test_rotating_keeps_lengths_and_the_first_position():
    x = torch.randn(2, 9, 8)
    turned = rotate_positions(x)
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(turned[:, 0], x[:, 0])


@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_a_text_that_goes_on_is_turned_as_if_it_were_whole(base):
    x = torch.randn(2, 9, 8)
    whole = rotate_positions(x, base)
    for start in range(9):
        torch.testing.assert_close(rotate_positions(x[:, start:], base, start), whole[:, start:])


def test_rotating_has_the_gradient_that_finite_differences_find():
    assert gradcheck(rotate_positions, torch.randn(3, 4, dtype=torch.float64, requires_grad=True))


def test_rotating_refuses_an_odd_size():
    with pytest.raises(ValueError, match="7"):
        rotate_positions(torch.randn(5, 7))
