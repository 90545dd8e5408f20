"""Chapter 6 against complex numbers, slow loops and the paper's properties."""

import math

import pytest
import torch
from torch.autograd import gradcheck

from solutions.positions import (
    LearnedPositions,
    rotate_positions,
    shift_matrix,
    sinusoidal_positions,
)


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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rotating_numbers_of_half_precision_rounds_no_position(dtype):
    """As float16 has no 2049, and bfloat16 no 257."""
    x = torch.randn(9, 8).to(dtype)
    angle = torch.arange(4093.0, 4102.0).double()[:, None] * 10000 ** (-torch.arange(4) / 4)
    turn = torch.polar(torch.ones_like(angle), angle)  # e^(i angle)
    expected = torch.view_as_real(torch.view_as_complex(x.double().unflatten(-1, (4, 2))) * turn)
    got = rotate_positions(x, start=4093)
    assert got.dtype == dtype
    tolerance = 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(got.double(), expected.flatten(-2), rtol=0, atol=tolerance)


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
