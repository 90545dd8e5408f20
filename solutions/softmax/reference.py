"""Chapter 2, softmax: from scores to weights."""

import math

import torch
from torch import Tensor


def softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """Weights from scores: exp(score), divided by the sum of all exp(score) along `dim`.

    Shapes: scores of any shape; returns the same shape. Slices along `dim` sum to one.
    Scores may be as large as 1e4 or as small as -1e4, and some may be -inf (weight zero): the
    result is finite. A slice in which every score is -inf gives zeros.
    Gradients reach `scores` and are finite, and zero in a slice that is all -inf.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Not: a softmax or log-softmax of torch in any form (function, method, module, softmin,
    gumbel_softmax), nor a function that contains one (cross_entropy, scaled_dot_product_attention).
    Source: Bridle 1990; Goodfellow et al. 2016, Deep Learning, equations 4.1 and 6.29.
    """
    lowest = torch.finfo(scores.dtype).min  # in place of -inf, as -inf minus -inf would be NaN
    largest = scores.amax(dim=dim, keepdim=True).clamp(min=lowest)  # size 1 along dim
    exponentials = (scores - largest).exp()  # the largest is exp(0) = 1
    total = exponentials.sum(dim=dim, keepdim=True)  # size 1 along dim
    return exponentials / total.clamp(min=1)  # below 1 only where all scores are -inf


def sharpen(scores: Tensor, sharpness: float) -> Tensor:
    """Softmax with a slider: from the plain average (sharpness 0) to the maximum (sharpness 1).

    In between it is the softmax of scores * s / (1 - s), where s is `sharpness`: the temperature is
    T = (1 - s) / s. At 0 all weights are equal. At 1 the largest score has all the weight; scores
    that tie for the largest share it equally.

    Shapes: scores (..., S), all finite; returns the same shape. The last dimension sums to one.
    Raises ValueError if sharpness is outside [0, 1].
    Gradients reach `scores` and are finite; at sharpness 0 and 1 they are zero or none.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    `torch.softmax` is allowed.
    Source: Hinton et al. 2015, Distilling the Knowledge in a Neural Network, equation 1.
    """
    if not 0 <= sharpness <= 1:
        raise ValueError(f"sharpen: sharpness is {sharpness}, wanted from 0 to 1")
    if sharpness == 1:
        winners = scores == scores.amax(dim=-1, keepdim=True)  # (..., S), several if scores tie
        return winners.to(scores.dtype) / winners.sum(dim=-1, keepdim=True)
    return torch.softmax(scores * (sharpness / (1 - sharpness)), dim=-1)


def softmax_jacobian(scores: Tensor) -> Tensor:
    """How each weight moves with each score: row i, column j is d softmax(scores)[i] / d scores[j].

    In closed form, from the weights themselves; finite for scores of 1e4 too.

    Shapes: scores (S), all finite; returns (S, S). Equals what autograd finds.
    Gradients reach `scores` through the result and are finite. Inputs and earlier results are left
    unchanged; non-contiguous inputs and float64 work. `torch.softmax` is allowed.
    Not: differentiation by torch (torch.autograd, backward, torch.func's jacrev, jacfwd, vjp, jvp).
    Source: Bridle 1990; Bishop 2006, Pattern Recognition and Machine Learning, equation 4.106.
    """
    weights = torch.softmax(scores, dim=0)  # (S)
    return torch.diag(weights) - torch.outer(weights, weights)  # (S, S)


def distance_scores(query: Tensor, key: Tensor) -> Tensor:
    """Scores by nearness: minus the squared Euclidean distance from every query to every key.

    Shapes: query (..., L, D), key (..., S, D), any leading dimensions, the same in both;
    returns (..., L, S).
    Without a loop, and without an intermediate result of L * S * D elements: all differences
    query - key at once would be one.
    Gradients reach `query` and `key` and are finite, even where a query equals a key.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Source: Zhang et al., Dive into Deep Learning, equation 11.3.1 (there with a factor 1/2).
    """
    query_square = query.square().sum(dim=-1).unsqueeze(-1)  # (..., L, 1)
    key_square = key.square().sum(dim=-1).unsqueeze(-2)  # (..., 1, S)
    products = query @ key.transpose(-2, -1)  # (..., L, S)
    return 2 * products - query_square - key_square  # (..., L, S)


def cosine_scores(query: Tensor, key: Tensor) -> Tensor:
    """Scores by direction: the cosine of the angle between every query and every key, -1 to 1.

    The length of a vector, from 1e-7 to 1e7, makes no difference. A vector of zeros has no
    direction: it scores 0 with everything, never NaN.

    Shapes: query (..., L, D), key (..., S, D), any leading dimensions, the same in both;
    returns (..., L, S).
    Gradients reach `query` and `key` and are finite, for a vector of zeros too.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Source: Graves et al. 2014, Neural Turing Machines, equation 6.
    """
    query_length = query.norm(dim=-1, keepdim=True)  # (..., L, 1)
    key_length = key.norm(dim=-1, keepdim=True)  # (..., S, 1)
    query = query / (query_length + (query_length == 0))  # zeros are divided by 1
    key = key / (key_length + (key_length == 0))
    return query @ key.transpose(-2, -1)  # (..., L, S)


def scaled_dot_product_scores(query: Tensor, key: Tensor) -> Tensor:
    """The scores of the Transformer: the dot product of every query with every key, over sqrt(D).

    Shapes: query (..., L, D), key (..., S, D), any leading dimensions, the same in both;
    returns (..., L, S).
    Gradients reach `query` and `key` and are finite. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1 and footnote 4.
    """
    D = query.shape[-1]
    return query @ key.transpose(-2, -1) / math.sqrt(D)  # (..., L, S)
