"""Chapter 2 in other styles."""

import math

import torch
from torch.nn import functional as F

from autograder.checking.samples import alternative


@alternative("softmax", "logsumexp")
def _(scores, dim=-1):
    empty = (scores == -math.inf).all(dim=dim, keepdim=True)
    total = torch.logsumexp(scores.masked_fill(empty, 0.0), dim=dim, keepdim=True)
    return torch.exp(scores - total)


@alternative("softmax", "fill empty slices first")
def _(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    filled = scores.masked_fill(empty, 0.0)
    shifted = filled - filled.max(dim=dim, keepdim=True).values.detach()
    weights = shifted.exp() / shifted.exp().sum(dim=dim, keepdim=True)
    return weights.masked_fill(empty, 0.0)


@alternative("softmax", "slice by slice")
def _(scores, dim=-1):
    slices = []
    moved = scores.movedim(dim, -1)
    for row in moved.reshape(-1, moved.shape[-1]):
        largest = row.max()
        if largest == -math.inf:
            slices.append(torch.zeros_like(row))
        else:
            numbers = torch.exp(row - largest)
            slices.append(numbers / numbers.sum())
    return torch.stack(slices).reshape(moved.shape).movedim(-1, dim)


@alternative("sharpen", "temperature")
def _(scores, sharpness):
    if sharpness < 0 or sharpness > 1:
        raise ValueError("sharpness must be between 0 and 1")
    if sharpness == 0:
        return torch.full_like(scores, 1 / scores.size(-1))
    temperature = (1 - sharpness) / sharpness
    if temperature == 0:
        best = torch.eq(scores, scores.max(dim=-1, keepdim=True).values).type_as(scores)
        return best / best.sum(-1, keepdim=True)
    return F.softmax(scores / temperature, dim=-1)


@alternative("sharpen", "mask the others with -inf")
def _(scores, sharpness):
    if not (0 <= sharpness <= 1):
        raise ValueError(f"{sharpness} is not in [0, 1]")
    largest = scores.amax(dim=-1, keepdim=True).detach()
    if sharpness == 1:
        flat = torch.zeros_like(scores).masked_fill(scores < largest, -math.inf)
        return flat.softmax(dim=-1)
    factor = sharpness / (1 - sharpness)
    numbers = torch.exp(factor * (scores - largest))
    return torch.einsum("...s,...->...s", numbers, 1 / numbers.sum(dim=-1))


@alternative("softmax_jacobian", "einsum with the identity")
def _(scores):
    weights = scores.softmax(dim=0)
    delta = torch.eye(len(scores), dtype=scores.dtype)
    return torch.einsum("i,ij->ij", weights, delta) - torch.einsum("i,j->ij", weights, weights)


@alternative("softmax_jacobian", "product with delta minus weight")
def _(scores):
    weights = F.softmax(scores, dim=-1)
    return weights[:, None] * (torch.eye(scores.numel()).to(scores) - weights[None, :])


@alternative("softmax_jacobian", "loops")
def _(scores):
    weights = torch.exp(scores - scores.max())
    weights = weights / weights.sum()
    rows = []
    for i in range(len(scores)):
        row = []
        for j in range(len(scores)):
            row.append(weights[i] * ((1 if i == j else 0) - weights[j]))
        rows.append(torch.stack(row))
    return torch.stack(rows)


@alternative("distance_scores", "cdist")
def _(query, key):
    return -torch.cdist(query, key).pow(2)


@alternative("distance_scores", "einsum")
def _(query, key):
    cross = torch.einsum("...ld,...sd->...ls", query, key)
    query_square = torch.einsum("...ld,...ld->...l", query, query)
    key_square = torch.einsum("...sd,...sd->...s", key, key)
    return -(query_square[..., :, None] - 2 * cross + key_square[..., None, :])


@alternative("distance_scores", "one product of longer vectors")
def _(query, key):
    query_square, key_square = query.pow(2).sum(-1, True), key.pow(2).sum(-1, True)
    query = torch.cat([2 * query, -query_square, -torch.ones_like(query_square)], dim=-1)
    key = torch.cat([key, torch.ones_like(key_square), key_square], dim=-1)
    return query @ key.mT


@alternative("cosine_scores", "normalize")
def _(query, key):
    return F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT


@alternative("cosine_scores", "library cosine")
def _(query, key):
    return F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)


@alternative("cosine_scores", "einops")
def _(query, key):
    from einops import einsum, rearrange

    products = einsum(query, key, "... l d, ... s d -> ... l s")
    query_length = rearrange(torch.linalg.vector_norm(query, dim=-1), "... l -> ... l 1")
    key_length = rearrange(torch.linalg.vector_norm(key, dim=-1), "... s -> ... 1 s")
    lengths = query_length * key_length
    return torch.where(lengths > 0, products / torch.where(lengths > 0, lengths, 1.0), 0.0)


@alternative("scaled_dot_product_scores", "einsum")
def _(query, key):
    return torch.einsum("...ld,...sd->...ls", query, key) * query.size(-1) ** -0.5


@alternative("scaled_dot_product_scores", "scale the query first")
def _(query, key):
    query = query / query.shape[-1] ** 0.5
    return torch.matmul(query, key.mT)


@alternative("scaled_dot_product_scores", "broadcast and sum")
def _(query, key):
    products = query[..., :, None, :] * key[..., None, :, :]
    return products.sum(dim=-1).div(math.sqrt(key.size(-1)))


@alternative("sharpen", "loop over slices")
def _(scores, sharpness):
    if sharpness > 1 or sharpness < 0:
        raise ValueError("sharpness out of range")
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        if sharpness == 1:
            winners = [float(score == row.max()) for score in row]
            rows.append(torch.tensor(winners, dtype=scores.dtype) / sum(winners))
        else:
            rows.append(torch.softmax(row * sharpness / (1 - sharpness), dim=0))
    return torch.stack(rows).reshape(scores.shape)


@alternative("softmax", "from the docstring")
def _(scores, dim=-1):
    highest = scores.max(dim=dim, keepdim=True).values
    highest = torch.where(torch.isinf(highest), torch.zeros_like(highest), highest)
    powers = torch.exp(scores - highest.detach())
    total = powers.sum(dim=dim, keepdim=True)
    return powers / torch.where(total == 0, torch.ones_like(total), total)


@alternative("softmax_jacobian", "from the docstring")
def _(scores):
    p = torch.softmax(scores, dim=0)
    return torch.diag(p) - torch.outer(p, p)


@alternative("distance_scores", "from the docstring")
def _(query, key):
    qq = (query * query).sum(dim=-1, keepdim=True)
    kk = (key * key).sum(dim=-1).unsqueeze(-2)
    return 2 * query @ key.transpose(-1, -2) - qq - kk


@alternative("cosine_scores", "from the docstring")
def _(query, key):
    def unit(x):
        square = (x * x).sum(dim=-1, keepdim=True)
        length = torch.where(square > 0, square, torch.ones_like(square)).sqrt()
        return x / length

    return unit(query) @ unit(key).transpose(-1, -2)


@alternative("scaled_dot_product_scores", "from the docstring")
def _(query, key):
    d = query.size(-1)
    return query @ key.transpose(-1, -2) / d**0.5
