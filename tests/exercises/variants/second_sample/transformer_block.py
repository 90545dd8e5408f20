"""Of `solutions/transformer_block.py`."""

import torch
from torch import nn
from torch.nn import functional as F

from solutions.multi_head import MultiHeadAttention
from solutions.transformer_block import EncoderBlock, FeedForward, LayerNorm
from tests.exercises.variants import variant


@variant("LayerNorm", about="x as it is over its standard deviation")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        var = x.var(-1, unbiased=False, keepdim=True)
        return x / torch.sqrt(var + self.eps) * self.weight + self.bias


@variant("LayerNorm", about=("eps is added after the root", "the bias is not added"))
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        m = x.mean(-1, keepdim=True)
        var = ((x - m) ** 2).mean(-1, keepdim=True)
        return self.weight * (x - m) / (var.sqrt() + self.eps)


@variant("FeedForward", about="the activation stands at the end too")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation}")
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.act = F.relu if activation == "relu" else F.gelu

    def forward(self, x):
        return self.act(self.linear2(self.act(self.linear1(x))))


@variant("EncoderBlock", about="the feed-forward has no residual connection")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            a, w = self.self_attn(y, y, y, mask)
            x = x + self.drop(a)
            return self.drop(self.feed_forward(self.norm2(x))), w
        a, w = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.drop(a))
        return self.norm2(self.drop(self.feed_forward(x))), w


@variant("EncoderBlock", about="in pre-norm the normed x is what is added to")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.norm1(x)
        attended, weights = self.self_attn(x, x, x, mask)
        x = x + self.dropout(attended)
        x = self.norm2(x) if self.norm_first else self.norm1(x)
        x = x + self.dropout(self.feed_forward(x))
        return (x if self.norm_first else self.norm2(x)), weights


@variant("Encoder", about="every layer reads x, not what the one before it returned")
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
            for _ in range(num_layers)
        )

    def forward(self, x, mask=None):
        out, weights = x, []
        for layer in self.layers:
            out, w = layer(x, mask)
            weights.append(w)
        return out, weights
