"""Chapter 1 against dictionaries, slow loops, difflib and numbers worked out by hand."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck

from solutions.lookup import (
    exact_lookup,
    kernel_regression,
    letter_similarity,
    soft_lookup,
    weighted_average,
)


def test_exact_lookup_equals_a_python_dictionary():
    keys, values = torch.randn(6, 4), torch.randn(6, 3)
    table = {tuple(key.tolist()): value for key, value in zip(keys, values, strict=True)}
    for query in keys:
        assert torch.equal(exact_lookup(query, keys, values), table[tuple(query.tolist())])


def test_exact_lookup_adds_the_values_of_equal_keys():
    keys = torch.tensor([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]])
    values = torch.tensor([[1.0], [10.0], [100.0]])
    assert exact_lookup(torch.tensor([1.0, 2.0]), keys, values).tolist() == [101.0]


def test_exact_lookup_of_a_missing_key_is_zeros():
    assert exact_lookup(torch.zeros(2), torch.ones(4, 2), torch.ones(4, 3)).tolist() == [0.0] * 3


def test_exact_lookup_tells_neighboring_floats_apart():
    key = torch.tensor([1.0])
    query = torch.nextafter(key, torch.tensor([2.0]))
    assert exact_lookup(query, key[None], torch.ones(1, 1)).item() == 0.0


def test_exact_lookup_is_not_disturbed_by_values_it_does_not_take():
    keys, values = torch.tensor([[0.0], [1.0]]), torch.tensor([[math.inf], [5.0]])
    assert exact_lookup(torch.tensor([1.0]), keys, values).item() == 5.0


def test_exact_lookup_has_the_delta_as_its_gradient():
    keys, values = torch.tensor([[0.0], [1.0], [1.0]]), torch.randn(3, 2, requires_grad=True)
    exact_lookup(torch.tensor([1.0]), keys, values).sum().backward()
    assert values.grad.tolist() == [[0, 0], [1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("Luke", "Duke", 3 / 4),
        ("luke", "LUKE", 1.0),
        ("at", "attention", 2 / 9),
        ("attention", "at", 2 / 9),
        ("abc", "cab", 0.0),
        ("", "abc", 0.0),
        ("", "", 1.0),
        ("Straße", "STRASSE", 4 / 7),
    ],
)
def test_letter_similarity_equals_the_count_by_hand(a, b, expected):
    assert letter_similarity(a, b) == pytest.approx(expected)


@given(st.text("abAB", max_size=6), st.text("abAB", max_size=6))
def test_letter_similarity_is_a_symmetric_share_and_one_only_for_the_same_word(a, b):
    similarity = letter_similarity(a, b)
    assert isinstance(similarity, float)
    assert similarity == letter_similarity(b, a)
    assert 0 <= similarity <= 1
    assert (similarity == 1) == (a.lower() == b.lower())


def test_weighted_average_equals_a_loop():
    weights, values = torch.rand(5), torch.randn(5, 3)
    expected = [
        sum(weights[s].item() * values[s, e].item() for s in range(5)) / weights.sum().item()
        for e in range(3)
    ]
    torch.testing.assert_close(weighted_average(weights, values), torch.tensor(expected))


def test_weighted_average_of_equal_weights_is_the_mean():
    values = torch.randn(5, 3)
    torch.testing.assert_close(weighted_average(torch.full((5,), 7.0), values), values.mean(dim=0))


def test_weighted_average_stays_between_the_smallest_and_the_largest_value():
    values = torch.randn(5, 3)
    average = weighted_average(torch.rand(5), values)
    assert (values.amin(dim=0) <= average).all()
    assert (average <= values.amax(dim=0)).all()


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.0, -0.1], [1.0, -1.0], [-1.0, -2.0]])
def test_weighted_average_refuses_weights_that_make_no_average(weights):
    with pytest.raises(ValueError, match="weighted_average"):
        weighted_average(torch.tensor(weights), torch.randn(2, 3))


def test_weighted_average_has_the_gradient_that_finite_differences_find():
    weights = torch.rand(4, dtype=torch.float64).add(0.1).requires_grad_()
    values = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(weighted_average, (weights, values))


def test_soft_lookup_of_words_equals_the_numbers_worked_out_by_hand():
    values = torch.tensor([[4.0], [1.0], [100.0]])
    output, weights = soft_lookup("Luke", ["Luke", "Duke", "Tina"], values, letter_similarity)
    torch.testing.assert_close(weights, torch.tensor([4 / 7, 3 / 7, 0.0]))
    torch.testing.assert_close(output, torch.tensor([19 / 7]))


def test_soft_lookup_with_equality_is_the_exact_lookup():
    keys, values = torch.randn(6, 4), torch.randn(6, 3)

    def same(query, key):
        return float(torch.equal(query, key))

    output, weights = soft_lookup(keys[2], keys, values, same)
    assert torch.equal(output, exact_lookup(keys[2], keys, values))
    assert weights.tolist() == [0, 0, 1, 0, 0, 0]


def test_soft_lookup_takes_a_list_and_a_tensor_of_keys_alike():
    query, keys, values = torch.randn(4), torch.randn(5, 4), torch.randn(5, 3)

    def near(query, key):
        return (query - key).square().sum().neg().exp()

    for got, want in zip(
        soft_lookup(query, list(keys), values, near),
        soft_lookup(query, keys, values, near),
        strict=True,
    ):
        assert torch.equal(got, want)


def test_soft_lookup_gives_the_query_to_the_similarity_first():
    seen = []

    def similarity(query, key):
        seen.append((query, key))
        return 1.0

    soft_lookup("q", ["k", "l"], torch.randn(2, 1), similarity)
    assert seen == [("q", "k"), ("q", "l")]


def test_soft_lookup_keeps_a_negative_similarity_negative():
    _, weights = soft_lookup(1.0, [3.0, -1.0], torch.randn(2, 1), lambda q, k: q * k)
    torch.testing.assert_close(weights, torch.tensor([1.5, -0.5]))


def test_soft_lookup_follows_the_dtype_of_the_values_when_similarities_are_floats():
    output, weights = soft_lookup("a", ["a"], torch.ones(1, 2).double(), letter_similarity)
    assert output.dtype == weights.dtype == torch.float64


@pytest.mark.parametrize("keys", [[1.0, -1.0], [0.0, 0.0], []])
def test_soft_lookup_refuses_similarities_that_sum_to_zero(keys):
    with pytest.raises(ValueError, match="soft_lookup"):
        soft_lookup(1.0, keys, torch.randn(len(keys), 1), lambda q, k: q * k)


def test_soft_lookup_has_the_gradient_that_finite_differences_find():
    def near(query, key):
        return (query - key).square().sum().neg().exp()

    inputs = [torch.randn(*size, dtype=torch.float64) for size in ((4,), (5, 4), (5, 3))]
    for tensor in inputs:
        tensor.requires_grad_()
    assert gradcheck(lambda query, keys, values: soft_lookup(query, keys, values, near), inputs)


def test_kernel_regression_equals_a_slow_loop():
    x, keys, values, bandwidth = torch.randn(5), torch.randn(7), torch.randn(7), 0.6
    expected = []
    for point in x.tolist():
        kernel = [math.exp(-((point - key) ** 2) / (2 * bandwidth**2)) for key in keys.tolist()]
        above = sum(k * value for k, value in zip(kernel, values.tolist(), strict=True))
        expected.append(above / sum(kernel))
    got = kernel_regression(x, keys, values, bandwidth)
    torch.testing.assert_close(got, torch.tensor(expected))


def test_kernel_regression_with_a_narrow_kernel_is_the_nearest_neighbor():
    x, keys, values = torch.tensor([0.1, 2.8]), torch.arange(4.0), torch.randn(4)
    assert torch.equal(kernel_regression(x, keys, values, 1e-3), values[[0, 3]])


def test_kernel_regression_with_a_wide_kernel_is_the_mean():
    values = torch.randn(7)
    got = kernel_regression(torch.randn(5), torch.randn(7), values, 1e4)
    torch.testing.assert_close(got, values.mean().expand(5))


@pytest.mark.parametrize("far", [1e3, -1e3, 1e6, 1e12])
def test_kernel_regression_and_its_gradients_are_finite_far_from_all_keys(far):
    x = torch.tensor([far], requires_grad=True)
    keys, values = torch.arange(4.0, requires_grad=True), torch.randn(4, requires_grad=True)
    got = kernel_regression(x, keys, values, 0.1)
    got.sum().backward()
    assert got.isfinite().all()
    for tensor in (x, keys, values):
        assert tensor.grad.isfinite().all()


def test_kernel_regression_far_away_takes_the_value_of_the_nearest_key():
    got = kernel_regression(torch.tensor([-1e3, 1e3]), torch.arange(3.0), torch.arange(3.0), 0.5)
    assert got.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, math.nan])
def test_kernel_regression_refuses_a_bandwidth_that_is_not_positive(bandwidth):
    with pytest.raises(ValueError, match="bandwidth"):
        kernel_regression(torch.randn(2), torch.randn(3), torch.randn(3), bandwidth)


def test_kernel_regression_has_the_gradient_that_finite_differences_find():
    inputs = [torch.randn(n, dtype=torch.float64, requires_grad=True) for n in (3, 4, 4)]
    assert gradcheck(lambda *given: kernel_regression(*given, 0.7), inputs)
