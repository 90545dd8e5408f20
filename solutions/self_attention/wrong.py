"""Wrong answers to chapter 5, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import masked_softmax


@wrong("SelfAttention", about="the layers have a bias")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim)
        self.W_k = nn.Linear(embed_dim, key_dim)
        self.W_v = nn.Linear(embed_dim, value_dim)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)


@wrong("SelfAttention", about="scales by the root of embed_dim")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.embed_dim = embed_dim
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.embed_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return weights @ v, weights


@wrong("SelfAttention", about="queries and keys are taken the wrong way round")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.W_k(x), self.W_q(x), self.W_v(x), mask)


@wrong("SelfAttention", about="a position that sees nothing gives NaN")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.key_dim = key_dim
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        Q, K, V = self.W_q(x), self.W_k(x), self.W_v(x)
        A = torch.einsum("...id,...jd->...ij", Q, K) / self.key_dim**0.5
        if mask is not None:
            A = A.masked_fill(mask == False, float("-inf"))  # noqa: E712
        A = F.softmax(A, dim=-1)
        return torch.einsum("...ij,...jv->...iv", A, V), A


@wrong("SelfAttention", about="nobody attends to itself")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        others = ~torch.eye(x.shape[-2], dtype=torch.bool)
        allowed = others if mask is None else others & mask
        return scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x), allowed)


@wrong("SelfAttention", about="the mask is forgotten")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        query, key, value = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = query @ key.mT / key.shape[-1] ** 0.5
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights


@wrong("SelfAttention", about="the weights are transposed, a column sums to one")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        out, weights = scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return out, weights.transpose(-1, -2)


@wrong("SelfAttention", about=("the layers have a bias", "the mask is forgotten"))
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(embed_dim, key_dim), nn.Linear(embed_dim, key_dim)
        self.W_v = nn.Linear(embed_dim, value_dim)
        self.scale = key_dim**-0.5

    def forward(self, x, mask=None):
        w = F.softmax(self.W_q(x) @ self.W_k(x).mT * self.scale, dim=-1)
        return w @ self.W_v(x), w


@wrong(
    "SelfAttention",
    about=("the scores are not scaled", "attends where the mask is False"),
)
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        scores = self.W_q(x) @ self.W_k(x).transpose(-1, -2)
        if mask is not None:
            scores = scores.masked_fill(mask, -1e30)
        attn = torch.softmax(scores, dim=-1)
        if mask is not None:
            attn = attn.masked_fill(mask, 0)
        return attn @ self.W_v(x), attn


@wrong("equivariance_gap", about="the mean difference, not the largest")
def _(layer, x, permutation):
    def run(rows):
        out = layer(rows)
        return out[0] if isinstance(out, tuple) else out

    with torch.no_grad():
        return (run(x[permutation]) - run(x)[permutation]).abs().mean().item()


@wrong("equivariance_gap", about="compares with the output that was not permuted")
def _(layer, x, permutation):
    before = layer(x)
    after = layer(x[permutation])
    if isinstance(before, tuple):
        before, after = before[0], after[0]
    return float((before - after).abs().max())


@wrong("equivariance_gap", about="a layer that returns a tuple is not expected")
def _(layer, x, permutation):
    return torch.max(torch.abs(layer(x[permutation]) - layer(x)[permutation])).item()


@wrong("equivariance_gap", about="returns a tensor with a gradient")
def _(layer, x, permutation):
    first = layer(x[permutation])
    second = layer(x)
    first = first[0] if isinstance(first, tuple) else first
    second = second[0] if isinstance(second, tuple) else second
    return (first - second[permutation]).abs().max()


@wrong("equivariance_gap", about="no absolute value before the maximum")
def _(layer, x, permutation):
    outputs = []
    for rows in (x, x[permutation]):
        y = layer(rows)
        outputs.append(y[0] if isinstance(y, tuple) else y)
    return (outputs[1] - outputs[0][permutation]).max().item()


@wrong(
    "equivariance_gap",
    about=("the mean difference, not the largest", "a tuple is not expected"),
)
def _(layer, x, permutation):
    return (layer(x[permutation]) - layer(x)[permutation]).abs().mean().item()


@wrong("SelfAttention", about="the weights are transposed after the softmax")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        weights = masked_softmax(scores, mask).mT
        return weights @ v, weights


@wrong("SelfAttention", about=("softmax over the queries", "the scores are not scaled"))
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        scores = self.W_q(x) @ self.W_k(x).transpose(-1, -2)
        weights = masked_softmax(scores, mask, dim=-2)
        return weights @ self.W_v(x), weights


@wrong("equivariance_gap", about="the mean of the differences, not the largest")
def _(layer, x, permutation):
    def run(z):
        y = layer(z)
        return y[0] if isinstance(y, tuple) else y

    with torch.no_grad():
        return (run(x[permutation]) - run(x)[permutation]).abs().mean().item()


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
UNDONE = "undo the order instead"

RESTYLED = {
    "SelfAttention": [
        (
            "einsum, zeros where nothing is allowed",
            {"/ self.scale": ""},
            "not-scaled",
        ),
        (
            "einsum, zeros where nothing is allowed",
            {"mask.logical_not()": "mask", "weights = weights * mask": "weights = weights * ~mask"},
            "mask-turned-around",
        ),
        (
            "one product for all three",
            {".nan_to_num(0.0)": ""},
            "empty-row-nan",
        ),
        (
            "one product for all three",
            {"query, key, value = F": "key, query, value = F"},
            "query-key-swapped",
        ),
        (
            "one product for all three",
            {"* self.sizes[0] ** -0.5": "* self.sizes[2] ** -0.5"},
            "scaled-by-value",
        ),
    ],
    "equivariance_gap": [
        (UNDONE, {"results[0][back]": "results[0]"}, "output-unordered"),
        (UNDONE, {"p=math.inf": "p=2"}, "squares-added"),
        ("row by row", {".abs()": ""}, "signed"),
        (
            "row by row",
            {".abs().max()": ".abs().mean()", "max(gaps)": "sum(gaps) / len(gaps)"},
            "averaged",
        ),
        (
            "a permutation matrix",
            {"P @ first": "P.T @ first"},
            "inverse",
        ),
        (
            "a permutation matrix",
            {"result[0]": "result[-1]"},
            "last-of-tuple",
        ),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "equivariance_gap",
        (
            "return (turned - straight[permutation]).abs().max().item() => return "
            "(straight[permutation] - turned).abs().max().item()"
        ),
    ): "Only the size of the difference counts.",
}
