"""Chapter 4 in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative


@alternative("attend", "einsum")
def _(query, inputs):
    scores = torch.einsum("d,sd->s", query, inputs) * query.numel() ** -0.5
    weights = F.softmax(scores, dim=0)
    return torch.einsum("s,sd->d", weights, inputs), weights


@alternative("attend", "loops")
def _(query, inputs):
    scores = []
    for vector in inputs:
        scores.append((query * vector).sum() / math.sqrt(len(query)))
    numbers = torch.exp(torch.stack(scores) - max(scores))
    weights = numbers / numbers.sum()
    output = torch.zeros_like(query)
    for weight, vector in zip(weights, inputs, strict=True):
        output = output + weight * vector
    return output, weights


@alternative("attend", "torch's attention with one query")
def _(query, inputs):
    weights = ((inputs * query).sum(dim=1) / query.shape[-1] ** 0.5).softmax(dim=-1)
    batch = inputs[None]
    return F.scaled_dot_product_attention(query[None, None], batch, batch)[0, 0], weights


@alternative("scaled_dot_product_attention", "NaN out and in again with where")
def _(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        allowed = mask.expand_as(scores)
        some = allowed.any(dim=-1, keepdim=True)
        safe = scores.masked_fill(~allowed & some, -math.inf)
        weights = torch.where(some, torch.softmax(safe, dim=-1), torch.zeros_like(scores))
    return torch.matmul(weights, value), weights


@alternative("scaled_dot_product_attention", "einsum, a large negative number, zeros after")
def _(query, key, value, mask=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) * key.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, -1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...ls,...se->...le", weights, value), weights


@alternative("scaled_dot_product_attention", "nan_to_num before the output")
def _(query, key, value, mask=None):
    D = query.shape[-1]
    scores = (query / D**0.25) @ (key / D**0.25).mT
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0.0)
    return weights @ value, weights


@alternative("scaled_dot_product_attention", "query by query")
def _(query, key, value, mask=None):
    L, S = query.shape[-2], key.shape[-2]
    if mask is None:
        mask = torch.ones(S, dtype=torch.bool)
    mask = mask.broadcast_to(*query.shape[:-1], S)
    outputs, weights = [], []
    for index in range(L):
        scores = (key * query[..., index : index + 1, :]).sum(dim=-1) / query.shape[-1] ** 0.5
        allowed = mask[..., index, :]
        scores = scores.masked_fill(~allowed, -1e30)
        numbers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values) * allowed
        total = numbers.sum(dim=-1, keepdim=True)
        row = numbers / torch.where(total == 0, 1.0, total)
        weights.append(row)
        outputs.append((row.unsqueeze(-1) * value).sum(dim=-2))
    return torch.stack(outputs, dim=-2), torch.stack(weights, dim=-2)


@alternative("AttentionLayer", "einsum")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)
        self.scale = query_dim**-0.5

    def forward(self, queries, inputs):
        scores = torch.einsum("...lq,qi,...si->...ls", queries, self.W_k.weight, inputs)
        weights = torch.softmax(scores * self.scale, dim=-1)
        return torch.einsum("...ls,...sv->...lv", weights, self.W_v(inputs)), weights


@alternative("AttentionLayer", "average the inputs first, then W_v")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.query_dim = query_dim
        self.W_v = nn.Linear(input_dim, value_dim, False)
        self.W_k = nn.Linear(input_dim, query_dim, False)

    def forward(self, queries, inputs):
        asked = queries / math.sqrt(self.query_dim) @ self.W_k.weight
        weights = F.softmax(asked @ inputs.mT, dim=-1)
        return self.W_v(weights @ inputs), weights


@alternative("AttentionLayer", "torch's attention, and the weights beside it")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        keys, values = self.W_k(inputs), self.W_v(inputs)
        weights = torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)
        return F.scaled_dot_product_attention(queries, keys, values), weights


@alternative("grid_to_sequence", "permute and reshape")
def _(features):
    B, C, H, W = features.shape
    return features.permute(0, 2, 3, 1).reshape(B, H * W, C)


@alternative("grid_to_sequence", "einops")
def _(features):
    from einops import rearrange

    return rearrange(features, "b c h w -> b (h w) c")


@alternative("grid_to_sequence", "loops")
def _(features):
    H, W = features.shape[-2:]
    return torch.stack([features[:, :, h, w] for h in range(H) for w in range(W)], dim=1)


@alternative("attend", "from the docstring")
def _(query, inputs):
    scores = inputs @ query / query.shape[0] ** 0.5
    weights = torch.softmax(scores, dim=0)
    return weights @ inputs, weights


@alternative("scaled_dot_product_attention", "from the docstring")
def _(query, key, value, mask=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / math.sqrt(query.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        scores = scores.masked_fill(~mask, -math.inf)
        empty = ~mask.any(dim=-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


@alternative("AttentionLayer", "from the docstring")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        keys = self.W_k(inputs)
        values = self.W_v(inputs)
        scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
        weights = scores.softmax(dim=-1)
        return weights @ values, weights


@alternative("grid_to_sequence", "from the docstring")
def _(features):
    return features.flatten(2).transpose(1, 2)
