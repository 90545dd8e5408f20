"""Of `solutions/lookup.py`."""

import torch

from tests.exercises.variants import variant


@variant("exact_lookup", about="a key equals where any of its entries does")
def _(query, keys, values):
    hit = (keys == query).any(dim=1).to(values.dtype)
    return hit @ values


@variant("exact_lookup", about="keys that are nearly equal count too")
def _(query, keys, values):
    out = torch.zeros_like(values[0])
    for i in range(len(keys)):
        if torch.allclose(keys[i], query, atol=1e-3):
            out = out + values[i]
    return out


@variant("letter_similarity", about="the share of the shorter word")
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a and not b:
        return 1.0
    if not a or not b:
        return 0.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / min(len(a), len(b))


@variant("letter_similarity", about="counts letters that both have, wherever they stand")
def _(a, b):
    a, b = a.lower(), b.lower()
    if a == b == "":
        return 1.0
    n = 0
    for letter in a:
        if letter in b:
            n += 1
    return n / max(len(a), len(b))


@variant("weighted_average", about="not divided by the sum of the weights")
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("bad weights")
    return (weights.unsqueeze(1) * values).sum(0)


@variant("soft_lookup", about="softmax of the similarities")
def _(query, keys, values, similarity):
    sims = torch.stack([torch.as_tensor(similarity(query, k), dtype=values.dtype) for k in keys])
    if sims.sum() == 0:
        raise ValueError("similarities sum to zero")
    w = torch.softmax(sims, 0)
    return w @ values, w


@variant("kernel_regression", about=("the 2 is missing", "the distance is not squared"))
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth must be positive")
    distance = (x.unsqueeze(1) - keys.unsqueeze(0)).abs()
    w = torch.softmax(-distance / bandwidth**2, dim=1)
    return w @ values
