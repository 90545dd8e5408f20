"""Chapter 2 against torch's own functions, autograd, slow loops and properties."""

import math

import pytest
import torch
from torch.autograd import gradcheck
from torch.autograd.functional import jacobian
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from solutions.softmax import (
    cosine_scores,
    distance_scores,
    scaled_dot_product_scores,
    sharpen,
    softmax,
    softmax_jacobian,
)

SCORES = (distance_scores, cosine_scores, scaled_dot_product_scores)


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
def test_softmax_equals_torch_along_every_dimension(dim):
    scores = torch.randn(3, 4, 5)
    torch.testing.assert_close(softmax(scores, dim), torch.softmax(scores, dim))


def test_softmax_works_along_the_last_dimension_unless_told():
    for scores in (torch.randn(5), torch.randn(3, 4, 5)):
        torch.testing.assert_close(softmax(scores), torch.softmax(scores, -1))


@pytest.mark.parametrize("size", [1e4, -1e4, 1e30, -1e30])
def test_softmax_equals_torch_for_scores_that_overflow_exp(size):
    scores = size + torch.randn(3, 4)
    torch.testing.assert_close(softmax(scores), torch.softmax(scores, -1))
    scores = size * torch.randn(3, 4)
    torch.testing.assert_close(softmax(scores), torch.softmax(scores, -1))


def test_softmax_equals_torch_where_some_scores_are_minus_infinity():
    scores = torch.randn(3, 4)
    scores[0, 1] = scores[2, 0] = scores[2, 3] = -math.inf
    torch.testing.assert_close(softmax(scores), torch.softmax(scores, -1))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_softmax_of_an_empty_slice_is_zeros_with_a_zero_gradient(dtype):
    scores = torch.randn(3, 4, dtype=dtype)
    scores[1] = -math.inf
    scores.requires_grad_()
    weights = softmax(scores)
    (weights * torch.randn_like(weights)).sum().backward()
    assert weights.dtype == dtype
    assert not weights[1].any()
    assert not scores.grad[1].any()
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_softmax_has_torchs_gradient(size):
    scores, direction = size * torch.randn(3, 4), torch.randn(3, 4)
    scores[0, 2] = -math.inf
    mine, theirs = scores.clone().requires_grad_(), scores.clone().requires_grad_()
    (softmax(mine) * direction).sum().backward()
    (torch.softmax(theirs, -1) * direction).sum().backward()
    torch.testing.assert_close(mine.grad, theirs.grad)


def test_softmax_has_the_gradient_that_finite_differences_find():
    scores = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert gradcheck(softmax, scores)


@pytest.mark.parametrize("sharpness", [0.1, 0.5, 0.9, 0.999])
def test_sharpen_equals_torchs_softmax_at_that_temperature(sharpness):
    scores = torch.randn(2, 3, 5)
    temperature = (1 - sharpness) / sharpness
    torch.testing.assert_close(
        sharpen(scores, sharpness), torch.softmax(scores / temperature, -1), atol=1e-5, rtol=1e-4
    )


def test_sharpen_at_one_half_is_softmax():
    scores = torch.randn(3, 5)
    torch.testing.assert_close(sharpen(scores, 0.5), torch.softmax(scores, -1))


@pytest.mark.parametrize("sharpness", [0, 0.0])
def test_sharpen_at_zero_is_the_average(sharpness):
    assert torch.equal(sharpen(torch.randn(3, 4), sharpness), torch.full((3, 4), 0.25))


@pytest.mark.parametrize("sharpness", [1, 1.0])
def test_sharpen_at_one_is_the_maximum_and_ties_share_it(sharpness):
    scores = torch.tensor([[1.0, 3.0, 2.0, 0.0], [2.0, 0.0, 2.0, 1.0], [5.0, 5.0, 5.0, 5.0]])
    expected = [[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0.25] * 4]
    assert sharpen(scores, sharpness).tolist() == expected


def test_sharpen_comes_close_to_its_limit_at_one():
    scores = torch.tensor([[1.0, 3.0, 2.0], [2.0, 0.0, 2.0]])
    torch.testing.assert_close(sharpen(scores, 1 - 1e-6), sharpen(scores, 1.0))


@pytest.mark.parametrize("sharpness", [-1e-6, 1 + 1e-6, -3, 2, math.inf, math.nan])
def test_sharpen_refuses_a_sharpness_outside_zero_to_one(sharpness):
    with pytest.raises(ValueError, match="sharpness"):
        sharpen(torch.randn(3), sharpness)


@pytest.mark.parametrize("sharpness", [0.0, 0.3, 0.8])
def test_sharpen_has_the_gradient_that_finite_differences_find(sharpness):
    scores = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda given: sharpen(given, sharpness), scores)


@pytest.mark.parametrize("size", [1, 2, 6])
@pytest.mark.parametrize("spread", [0.0, 1.0, 1e4])
def test_softmax_jacobian_equals_autograds(size, spread):
    scores = spread * torch.randn(size)
    expected = jacobian(lambda given: torch.softmax(given, 0), scores)
    torch.testing.assert_close(softmax_jacobian(scores), expected)


def test_softmax_jacobian_has_columns_that_sum_to_zero():
    torch.testing.assert_close(softmax_jacobian(torch.randn(6)).sum(dim=0), torch.zeros(6))


def test_softmax_jacobian_can_be_differentiated_again():
    assert gradcheck(softmax_jacobian, torch.randn(4, dtype=torch.float64, requires_grad=True))


@pytest.mark.parametrize("scores_of", SCORES)
@pytest.mark.parametrize("leading", [(), (1,), (2,), (2, 3), (2, 1, 3)])
def test_scores_equal_a_slow_loop_over_queries_and_keys(scores_of, leading):
    oracle = {
        distance_scores: lambda q, k: -((q - k) ** 2).sum(),
        cosine_scores: lambda q, k: F.cosine_similarity(q, k, dim=0),
        scaled_dot_product_scores: lambda q, k: torch.dot(q, k) / 8**0.5,
    }[scores_of]
    query, key = torch.randn(*leading, 5, 8), torch.randn(*leading, 7, 8)
    got = scores_of(query, key)
    assert got.shape == (*leading, 5, 7)
    rows = zip(query.reshape(-1, 5, 8), key.reshape(-1, 7, 8), strict=True)
    expected = torch.stack(
        [
            torch.stack([torch.stack([oracle(q, k) for k in keys]) for q in queries])
            for queries, keys in rows
        ]
    )
    torch.testing.assert_close(got.reshape(-1, 5, 7), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("scores_of", SCORES)
def test_scores_have_the_gradient_that_finite_differences_find(scores_of):
    query = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    key = torch.randn(2, 5, 4, dtype=torch.float64, requires_grad=True)
    assert gradcheck(scores_of, (query, key))


def test_distance_scores_equal_torch_cdist():
    query, key = torch.randn(2, 5, 8), torch.randn(2, 7, 8)
    torch.testing.assert_close(distance_scores(query, key), -(torch.cdist(query, key) ** 2))


def test_distance_scores_have_no_slope_where_a_query_equals_a_key():
    query = torch.randn(1, 8, dtype=torch.float64, requires_grad=True)
    distance_scores(query, query.detach()).sum().backward()
    torch.testing.assert_close(query.grad, torch.zeros_like(query))


def test_distance_scores_never_hold_all_differences():
    sizes = []

    class Sizes(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            sizes.append(result.numel())
            return result

    with Sizes():
        distance_scores(torch.randn(24, 16), torch.randn(28, 16))
    assert max(sizes) == 24 * 28


def test_cosine_scores_depend_on_direction_alone():
    query, key = torch.randn(5, 8), torch.randn(7, 8)
    expected = cosine_scores(query, key)
    torch.testing.assert_close(cosine_scores(1e-6 * query, 1e6 * key), expected)


def test_cosine_scores_of_a_vector_with_itself_and_its_opposite_are_one_and_minus_one():
    vector = torch.randn(1, 8)
    scores = cosine_scores(vector, torch.cat([vector, -vector]))
    torch.testing.assert_close(scores, torch.tensor([[1.0, -1.0]]))


def test_cosine_scores_of_zeros_are_zero_with_finite_gradients():
    query, key = torch.randn(5, 8), torch.randn(7, 8)
    query[1] = 0
    key[4] = 0
    query.requires_grad_()
    key.requires_grad_()
    scores = cosine_scores(query, key)
    scores.sum().backward()
    assert not scores[1].any()
    assert not scores[:, 4].any()
    assert scores.isfinite().all()
    assert query.grad.isfinite().all()
    assert key.grad.isfinite().all()


def test_scaled_dot_product_scores_are_those_inside_torchs_attention():
    query, key = torch.randn(2, 5, 8), torch.randn(2, 7, 8)
    weights = torch.softmax(scaled_dot_product_scores(query, key), dim=-1)
    identity = torch.eye(7).expand(2, 7, 7)  # attention over these values returns its weights
    torch.testing.assert_close(weights, F.scaled_dot_product_attention(query, key, identity))


@pytest.mark.parametrize("D", [4, 64, 1024])
def test_scaled_dot_product_scores_have_a_spread_of_one_whatever_the_size(D):
    scores = scaled_dot_product_scores(torch.randn(100, D), torch.randn(100, D))
    assert scores.std().item() == pytest.approx(1.0, abs=0.1)
