"""Chapter 5 in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative
from solutions.attention_layer import scaled_dot_product_attention


@alternative("SelfAttention", "einsum, zeros where nothing is allowed")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.scale = math.sqrt(key_dim)

    def forward(self, x, mask=None):
        queries, keys, values = (layer(x) for layer in (self.W_q, self.W_k, self.W_v))
        scores = torch.einsum("...id,...jd->...ij", queries, keys) / self.scale
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        return torch.einsum("...ij,...je->...ie", weights, values), weights


@alternative("SelfAttention", "one product for all three")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.sizes = [key_dim, key_dim, value_dim]
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        matrix = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        query, key, value = F.linear(x, matrix).split(self.sizes, dim=-1)
        scores = query @ key.mT * self.sizes[0] ** -0.5
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf)
        weights = F.softmax(scores, dim=-1).nan_to_num(0.0)
        return weights @ value, weights


@alternative("SelfAttention", "an earlier exercise inside")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        for name, size in (("W_q", key_dim), ("W_k", key_dim), ("W_v", value_dim)):
            setattr(self, name, nn.Linear(embed_dim, size, bias=False))

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x), mask=mask)


@alternative("equivariance_gap", "a permutation matrix")
def _(layer, x, permutation):
    def first(result):
        return result[0] if isinstance(result, (tuple, list)) else result

    P = torch.eye(len(x), dtype=x.dtype)[permutation]
    with torch.no_grad():
        after, before = first(layer(P @ x)), P @ first(layer(x))
    return float(torch.max(torch.abs(after - before)))


@alternative("equivariance_gap", "undo the order instead")
def _(layer, x, permutation):
    back = torch.argsort(permutation)
    results = [layer(x.index_select(0, permutation)), layer(x)]
    results = [one[0] if type(one) is tuple else one for one in results]
    return torch.dist(results[0][back], results[1], p=math.inf).item()


@alternative("equivariance_gap", "row by row")
def _(layer, x, permutation):
    straight = layer(x)
    turned = layer(torch.stack([x[index] for index in permutation]))
    if not isinstance(straight, torch.Tensor):
        straight, turned = straight[0], turned[0]
    gaps = [
        (turned[row] - straight[index]).abs().max().item()
        for row, index in enumerate(permutation.tolist())
    ]
    return max(gaps)


@alternative("SelfAttention", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return weights @ v, weights


@alternative("equivariance_gap", "from the docstring")
def _(layer, x, permutation):
    def out(z):
        y = layer(z)
        return y[0] if isinstance(y, tuple) else y

    with torch.no_grad():
        return float((out(x[permutation]) - out(x)[permutation]).abs().max())
