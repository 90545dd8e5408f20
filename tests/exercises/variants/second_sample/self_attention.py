"""Of `solutions/self_attention.py`."""

import math

import torch
from torch import nn

from solutions.masked import masked_softmax
from tests.exercises.variants import variant


@variant("SelfAttention", about="the weights are transposed after the softmax")
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


@variant("SelfAttention", about=("softmax over the queries", "the scores are not scaled"))
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


@variant("equivariance_gap", about="the mean of the differences, not the largest")
def _(layer, x, permutation):
    def run(z):
        y = layer(z)
        return y[0] if isinstance(y, tuple) else y

    with torch.no_grad():
        return (run(x[permutation]) - run(x)[permutation]).abs().mean().item()
