"""Chapter 1, lookup: from a dictionary to a soft dictionary."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def exact_lookup(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """What a dictionary returns, written as a sum: of the values whose keys equal the query.

    A key equals the query when all of their D entries are exactly the same, without tolerance.
    Several equal keys: their values are added. No equal key: zeros.

    Shapes: query (D), keys (S, D), values (S, E), floating-point numbers all; returns (E), in the
    dtype of `values`.
    The gradient to `values` is one for the entries that were taken and zero for the others.
    Equality has no slope: `query` and `keys` get a zero gradient, or none.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Source: Zhang et al., Dive into Deep Learning, section 11.1.
    """
    matches = (keys == query).all(dim=1)  # (S), the Kronecker delta of query and key
    return values[matches].sum(dim=0)  # (E)


def letter_similarity(a: str, b: str) -> float:
    """How alike two words are, from 0 to 1: the share of positions that hold the same character.

    Case is ignored: both words go through `str.lower` first. The count is divided by the length of
    the longer word, so a position that exists in only one of them counts as different.
    Two empty words are the same word: 1.0. Returns a Python float.
    """
    a, b = a.lower(), b.lower()
    longer = max(len(a), len(b))
    if longer == 0:
        return 1.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / longer


def weighted_average(weights: Tensor, values: Tensor) -> Tensor:
    """The average of `values` in which row i counts `weights[i]` times as much as a weight of one.

    The weights need not sum to one: they are divided by their sum here. A weight may be zero.

    Shapes: weights (S), values (S, E); returns (E).
    Raises ValueError if a weight is negative, or if the weights sum to zero.
    Gradients reach `weights` and `values` and are finite. Inputs and earlier results are left
    unchanged; non-contiguous inputs and float64 work.
    Source: Zhang et al., Dive into Deep Learning, section 11.1.
    """
    if (weights < 0).any():
        raise ValueError(f"weighted_average: a weight is negative ({weights.min().item():g})")
    total = weights.sum()
    if total == 0:
        raise ValueError("weighted_average: the weights sum to zero, so nothing can be averaged")
    return (weights / total) @ values  # (E)


def soft_lookup(
    query: object,
    keys: Sequence,
    values: Tensor,
    similarity: Callable[[object, object], float | Tensor],
) -> tuple[Tensor, Tensor]:
    """A dictionary that returns a bit of every value, and more of those whose keys fit better.

    `similarity(query, key)`, with the query first, gives a float or a tensor without dimensions.
    The weight of a key is its similarity divided by the sum of all similarities, and a negative
    similarity stays negative. `keys` is anything with a length that can be looped over and
    that `similarity` understands: a list of words, a list of tensors, a tensor (S, D) of S rows.

    Shapes: S keys, values (S, E); returns output (E) and weights (S), in the dtype of `values`.
    Raises ValueError if the similarities sum to zero.
    Gradients reach `values` and, where `similarity` has one, `query` and `keys`; they are finite.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Source: Zhang et al., Dive into Deep Learning, section 11.1.
    """
    similarities = [similarity(query, key) for key in keys]
    total = sum(similarities)
    if total == 0:
        raise ValueError("soft_lookup: the similarities sum to zero, so no key has a weight")
    shares = [
        torch.as_tensor(one / total, dtype=values.dtype, device=values.device)
        for one in similarities
    ]
    weights = torch.stack(shares)  # (S)
    return weights @ values, weights  # (E), (S)


def kernel_regression(x: Tensor, keys: Tensor, values: Tensor, bandwidth: float) -> Tensor:
    """Nadaraya-Watson: at each x, the average of the values, weighted by how near their keys are.

    The weight of a key at distance d = |x - key| is exp(-d^2 / (2 bandwidth^2)), divided by the sum
    of these over all keys. Far from all keys every exp is too small for floating point; the
    result and its gradients are finite there too: the nearest keys have nearly all of the weight.

    Shapes: x (L), keys (S), values (S); returns (L).
    Raises ValueError if bandwidth <= 0.
    Gradients reach `x`, `keys` and `values` and are finite. Inputs and earlier results are left
    unchanged; non-contiguous inputs and float64 work. `torch.softmax` is allowed.
    Source: Nadaraya 1964, On Estimating Regression; Watson 1964, Smooth Regression Analysis.
    """
    if not bandwidth > 0:
        raise ValueError(f"kernel_regression: bandwidth is {bandwidth}, wanted more than 0")
    distance = (x.unsqueeze(1) - keys) / bandwidth  # (L, S), in bandwidths
    weights = torch.softmax(-(distance**2) / 2, dim=1)  # (L, S)
    return weights @ values  # (L)
