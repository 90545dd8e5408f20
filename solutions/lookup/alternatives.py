"""Chapter 1 in other styles."""

import torch
from torch.nn import functional as F

from autograder.checking.samples import alternative


@alternative("exact_lookup", "Kronecker delta")
def _(query, keys, values):
    delta = (keys == query).all(dim=1).to(values.dtype)
    return delta @ values


@alternative("exact_lookup", "loop")
def _(query, keys, values):
    total = torch.zeros_like(values[0])
    for i in range(len(keys)):
        if torch.equal(keys[i], query):
            total = total + values[i]
    return total


@alternative("exact_lookup", "einsum")
def _(query, keys, values):
    differs = keys.ne(query).sum(dim=-1)
    return torch.einsum("s,se->e", differs.eq(0).type_as(values), values)


@alternative("letter_similarity", "loop over positions")
def _(a, b):
    if a == b:
        return 1.0
    a = a.lower()
    b = b.lower()
    count = 0
    for i in range(min(len(a), len(b))):
        if a[i] == b[i]:
            count += 1
    return count / max(len(a), len(b))


@alternative("letter_similarity", "zip_longest")
def _(a, b):
    from itertools import zip_longest

    pairs = list(zip_longest(a.lower(), b.lower()))
    return len([1 for x, y in pairs if x == y]) / len(pairs) if pairs else 1.0


@alternative("letter_similarity", "tensors")
def _(a, b):
    a, b = a.lower(), b.lower()
    size = max(len(a), len(b))
    if not size:
        return 1.0
    first = torch.tensor([ord(letter) for letter in a] + [-1] * (size - len(a)))
    second = torch.tensor([ord(letter) for letter in b] + [-2] * (size - len(b)))
    return (first == second).double().mean().item()


@alternative("weighted_average", "divide at the end")
def _(weights, values):
    if torch.any(weights < 0) or not torch.any(weights > 0):
        raise ValueError("weights must be non-negative, and not all zero")
    return torch.einsum("s,se->e", weights, values) / weights.sum()


@alternative("weighted_average", "broadcast")
def _(weights, values):
    total = weights.sum()
    if weights.min() < 0 or total == 0:
        raise ValueError(f"cannot average with the weights {weights.tolist()}")
    return (weights[:, None] * values / total).sum(dim=0)


@alternative("weighted_average", "loop")
def _(weights, values):
    total, result = 0, torch.zeros_like(values[0])
    for weight, value in zip(weights, values, strict=True):
        if weight < 0:
            raise ValueError("negative weight")
        total = total + weight
        result = result + weight * value
    if total == 0:
        raise ValueError("the weights sum to zero")
    return result / total


@alternative("soft_lookup", "preallocated")
def _(query, keys, values, similarity):
    scores = values.new_zeros(len(keys))
    for i, key in enumerate(keys):
        scores[i] = similarity(query, key)
    total = scores.sum()
    if total.item() == 0:
        raise ValueError("no key is similar to the query")
    weights = scores / total
    return (weights[:, None] * values).sum(dim=0), weights


@alternative("soft_lookup", "running sums")
def _(query, keys, values, similarity):
    total, output, scores = 0.0, torch.zeros_like(values[0]), []
    for key, value in zip(keys, values, strict=True):
        score = torch.as_tensor(similarity(query, key), dtype=values.dtype)
        scores.append(score)
        total = total + score
        output = output + score * value
    if total == 0:
        raise ValueError("the similarities sum to zero")
    return output / total, torch.stack(scores) / total


@alternative("soft_lookup", "einsum")
def _(query, keys, values, similarity):
    one = torch.ones_like(values[0, 0])
    weights = torch.stack([similarity(query, key) * one for key in keys]).to(values)
    if weights.sum() == 0:
        raise ValueError("the similarities sum to zero")
    weights = weights / weights.sum()
    return torch.einsum("s,se->e", weights, values), weights


@alternative("kernel_regression", "shift by the nearest, then exp")
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth must be positive")
    squared = (x.reshape(-1, 1) - keys.reshape(1, -1)).square()
    nearest = squared.min(dim=1, keepdim=True).values
    kernel = torch.exp((nearest - squared) / (2 * bandwidth * bandwidth))
    return (kernel * values).sum(dim=1) / kernel.sum(dim=1)


@alternative("kernel_regression", "loop over x")
def _(x, keys, values, bandwidth):
    if not bandwidth > 0:
        raise ValueError(f"bandwidth {bandwidth} is not positive")
    results = []
    for point in x:
        exponents = -0.5 * ((point - keys) / bandwidth) ** 2
        results.append(torch.dot(F.softmax(exponents, dim=0), values))
    return torch.stack(results)


@alternative("kernel_regression", "logsumexp")
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("the bandwidth must be larger than zero")
    exponents = -torch.cdist(x[:, None], keys[:, None]).pow(2) / (2 * bandwidth**2)
    weights = (exponents - exponents.logsumexp(dim=1, keepdim=True)).exp()
    return torch.einsum("ls,s->l", weights, values)


@alternative("exact_lookup", "from the docstring")
def _(query, keys, values):
    hits = (keys == query).all(dim=1)
    return (values * hits[:, None].to(values.dtype)).sum(dim=0)


@alternative("letter_similarity", "from the docstring")
def _(a, b):
    a, b = a.lower(), b.lower()
    longest = max(len(a), len(b))
    if longest == 0:
        return 1.0
    same = 0
    for first, second in zip(a, b, strict=False):
        if first == second:
            same += 1
    return same / longest


@alternative("weighted_average", "from the docstring")
def _(weights, values):
    if (weights < 0).any():
        raise ValueError("negative weight")
    total = weights.sum()
    if total == 0:
        raise ValueError("weights sum to zero")
    return (weights[:, None] * values).sum(dim=0) / total


@alternative("soft_lookup", "from the docstring")
def _(query, keys, values, similarity):
    scores = torch.stack(
        [torch.as_tensor(similarity(query, key), dtype=values.dtype) for key in keys]
    )
    total = scores.sum()
    if total == 0:
        raise ValueError("similarities sum to zero")
    weights = scores / total
    return weights @ values, weights


@alternative("kernel_regression", "from the docstring")
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth must be above zero")
    distance = x[:, None] - keys[None, :]
    scores = -(distance**2) / (2 * bandwidth**2)
    return torch.softmax(scores, dim=1) @ values
