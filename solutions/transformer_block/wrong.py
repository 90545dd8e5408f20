"""Wrong answers to chapter 9, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.multi_head import MultiHeadAttention
from solutions.transformer_block import EncoderBlock, FeedForward, LayerNorm


@wrong("LayerNorm", about="divides by embed_dim - 1")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True)
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias


@wrong("LayerNorm", about="eps is added to the standard deviation, outside of the root")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        centered = x - x.mean(dim=-1, keepdim=True)
        std = (centered**2).mean(dim=-1, keepdim=True).sqrt()
        return self.weight * centered / (std + self.eps) + self.bias


@wrong("LayerNorm", about="no eps")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mu = x.sum(-1, keepdim=True) / x.shape[-1]
        var = ((x - mu) ** 2).sum(-1, keepdim=True) / x.shape[-1]
        return torch.addcmul(self.bias, self.weight, (x - mu) * var.rsqrt())


@wrong("LayerNorm", about="normalizes over positions and features together")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        dims = (-2, -1) if x.dim() > 1 else (-1,)
        m = x.mean(dims, keepdim=True)
        v = x.var(dims, keepdim=True, unbiased=False)
        return (x - m) / (v + self.eps).sqrt() * self.weight + self.bias


@wrong("LayerNorm", about="weight and bias are forgotten in forward")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
        return (x - mean) * torch.rsqrt(variance + self.eps)


@wrong("LayerNorm", about="the weight starts with zeros, the bias with ones")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(embed_dim))
        self.bias = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps

    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return d / (d.square().mean(-1, keepdim=True) + self.eps) ** 0.5 * self.weight + self.bias


@wrong("LayerNorm", about="the mean is not subtracted")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        var = x.var(dim=-1, unbiased=False, keepdim=True)
        return x / torch.sqrt(var + self.eps) * self.weight + self.bias


@wrong("LayerNorm", about=("divides by embed_dim - 1", "eps stands outside of the root"))
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        return (
            self.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps)
            + self.bias
        )


@wrong("LayerNorm", about=("divides by embed_dim - 1", "the bias is not added"))
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, -1, keepdim=True)
        return self.weight * ((x - mean) / (var + self.eps).sqrt())


@wrong("FeedForward", about="gelu by its tanh approximation")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation == "relu":
            self.act = nn.ReLU()
        elif activation == "gelu":
            self.act = nn.GELU(approximate="tanh")
        else:
            raise ValueError(f"unknown activation {activation}")
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        return self.linear2(self.act(self.linear1(x)))


@wrong("FeedForward", about="an activation after the second layer too")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        activations = {"relu": F.relu, "gelu": F.gelu}
        if activation not in activations:
            raise ValueError(f"activation {activation!r}")
        self.f = activations[activation]
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        x = self.f(self.linear1(x))
        return self.f(self.linear2(x))


@wrong("FeedForward", about="an unknown activation is taken for relu")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        self.gelu = activation == "gelu"
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        h = self.linear1(x)
        h = h * 0.5 * (1 + torch.erf(h / math.sqrt(2))) if self.gelu else h.clamp(min=0)
        return self.linear2(h)


@wrong("FeedForward", about="no activation between the layers")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(activation)
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        return self.linear2(self.linear1(x))


@wrong("FeedForward", about="x is added, which is the block's business")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in {"relu", "gelu"}:
            raise ValueError(f"activation must be relu or gelu, not {activation}")
        self.activation = getattr(F, activation)
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        return x + self.linear2(self.activation(self.linear1(x)))


@wrong(
    "FeedForward",
    about=("gelu by its tanh approximation", "an unknown activation is taken for gelu"),
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        h = self.linear1(x)
        if self.activation == "relu":
            return self.linear2(F.relu(h))
        inner = math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)
        return self.linear2(0.5 * h * (1 + torch.tanh(inner)))


@wrong("EncoderBlock", about="the residual around the attention is missing")
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
            x = self.drop(a)
            return x + self.drop(self.feed_forward(self.norm2(x))), w
        a, w = self.self_attn(x, x, x, mask)
        x = self.norm1(self.drop(a))
        return self.norm2(x + self.drop(self.feed_forward(x))), w


@wrong("EncoderBlock", about="norm_first is ignored")
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

    def forward(self, x, mask=None):
        attended, weights = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.dropout(attended))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x, weights


@wrong("EncoderBlock", about="post-norm norms before it adds")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.p = dropout

    def forward(self, x, mask=None):
        def drop(t):
            return F.dropout(t, self.p, self.training)

        if self.norm_first:
            n = self.norm1(x)
            att, w = self.self_attn(n, n, n, mask)
            x = x + drop(att)
            x = x + drop(self.feed_forward(self.norm2(x)))
        else:
            att, w = self.self_attn(x, x, x, mask)
            x = x + self.norm1(drop(att))
            x = x + self.norm2(drop(self.feed_forward(x)))
        return x, w


@wrong("EncoderBlock", about="the feed-forward's residual is the block's input")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x, mask=None):
        residual = x
        if self.norm_first:
            x = self.norm1(x)
            h, weights = self.self_attn(x, x, x, mask)
            h = residual + self.dropout1(h)
            return residual + self.dropout2(self.feed_forward(self.norm2(h))), weights
        h, weights = self.self_attn(x, x, x, mask)
        h = self.norm1(residual + self.dropout1(h))
        return self.norm2(residual + self.dropout2(self.feed_forward(h))), weights


@wrong("EncoderBlock", about="one norm is used for both")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.pre = norm_first

    def forward(self, x, mask=None):
        h = self.norm1(x) if self.pre else x
        a, w = self.self_attn(h, h, h, mask)
        x = x + self.dropout(a)
        if not self.pre:
            x = self.norm1(x)
        h = self.norm1(x) if self.pre else x
        x = x + self.dropout(self.feed_forward(h))
        if not self.pre:
            x = self.norm1(x)
        return x, w


@wrong("EncoderBlock", about="only the queries are normed in pre-norm")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            att, w = self.self_attn(self.norm1(x), x, x, mask)
            x = x + self.dropout(att)
            return x + self.dropout(self.feed_forward(self.norm2(x))), w
        att, w = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.dropout(att))
        return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("EncoderBlock", about="dropout on the sum, not on what is added")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            h = self.norm1(x)
            a, w = self.self_attn(h, h, h, mask)
            x = self.dropout(x + a)
            return self.dropout(x + self.feed_forward(self.norm2(x))), w
        a, w = self.self_attn(x, x, x, mask)
        x = self.norm1(self.dropout(x + a))
        return self.norm2(self.dropout(x + self.feed_forward(x))), w


@wrong("EncoderBlock", about="the mask is not handed on")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            q = self.norm1(x)
            att, w = self.self_attn(q, q, q)
            x = x + self.drop1(att)
            x = x + self.drop2(self.feed_forward(self.norm2(x)))
        else:
            att, w = self.self_attn(x, x, x)
            x = self.norm1(x + self.drop1(att))
            x = self.norm2(x + self.drop2(self.feed_forward(x)))
        return x, w


@wrong("EncoderBlock", about="dropout is also on in evaluation mode")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.rate = dropout
        self.norm_first = norm_first

    def attend(self, x, mask):
        out, self.weights = self.self_attn(x, x, x, mask)
        return F.dropout(out, self.rate)

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + F.dropout(self.feed_forward(self.norm2(x)), self.rate)
        else:
            x = self.norm1(x + self.attend(x, mask))
            x = self.norm2(x + F.dropout(self.feed_forward(x), self.rate))
        return x, self.weights


@wrong("EncoderBlock", about=("norm_first is ignored", "the feed-forward has no residual"))
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        a, w = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.dropout(a))
        return self.norm2(self.dropout(self.feed_forward(x))), w


@wrong("EncoderBlock", about=("norm1 and norm2 are exchanged", "the mask is not handed on"))
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if not self.norm_first:
            out, w = self.self_attn(x, x, x)
            x = self.norm2(x + self.dropout(out))
            return self.norm1(x + self.dropout(self.feed_forward(x))), w
        n = self.norm2(x)
        out, w = self.self_attn(n, n, n)
        x = x + self.dropout(out)
        return x + self.dropout(self.feed_forward(self.norm1(x))), w


@wrong("Encoder", about="one block is used again and again")
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
        block = EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
        self.layers = nn.ModuleList([block] * num_layers)

    def forward(self, x, mask=None):
        weights = []
        for layer in self.layers:
            x, w = layer(x, mask)
            weights.append(w)
        return x, weights


@wrong("Encoder", about="only the first layer gets the mask")
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
        args = (embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
        self.layers = nn.ModuleList(EncoderBlock(*args) for _ in range(num_layers))

    def forward(self, x, mask=None):
        collected = []
        for layer in self.layers:
            x, w = layer(x, mask)
            mask = None
            collected += [w]
        return x, collected


@wrong("Encoder", about="every layer gets the input of the first")
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
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
            )

    def forward(self, x, mask=None):
        out, weights = x, []
        for layer in self.layers:
            out, w = layer(x, mask)
            weights.append(w)
        return out, weights


@wrong("Encoder", about="only the last layer's weights are returned")
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
            [
                EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
                for _ in range(num_layers)
            ]
        )

    def forward(self, x, mask=None):
        weights = []
        for layer in self.layers:
            x, weights = layer(x, mask)
        return x, weights


@wrong("Encoder", about="the activation is not handed on")
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
            EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first)
            for _ in range(num_layers)
        )

    def forward(self, x, mask=None):
        weights = []
        for block in self.layers:
            x, attention = block(x, mask)
            weights.append(attention)
        return x, weights


@wrong("Encoder", about="a norm after the last layer of a pre-norm stack")
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
        self.norm_first = norm_first
        self.layers = nn.ModuleList(
            EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
            for _ in range(num_layers)
        )

    def forward(self, x, mask=None):
        history = []
        for layer in self.layers:
            x, w = layer(x, mask)
            history.append(w)
        if self.norm_first:
            x = F.layer_norm(x, x.shape[-1:])
        return x, history


@wrong(
    "Encoder",
    about=("only the first layer gets the mask", "the weights are those of the last layer first"),
)
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
        weights = []
        for n, layer in enumerate(self.layers):
            x, w = layer(x, mask if n == 0 else None)
            weights.insert(0, w)
        return x, weights


@wrong("EncoderBlock", about="a position that sees nothing gives NaN")
class _(nn.Module):
    class Attention(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            if embed_dim % num_heads:
                raise ValueError(f"{embed_dim} features, {num_heads} heads")
            self.h, self.d = num_heads, embed_dim // num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, x, mask):
            B, L, E = x.shape
            q, k, v = (
                w(x).view(B, L, self.h, self.d).transpose(1, 2)
                for w in (self.W_q, self.W_k, self.W_v)
            )
            scores = q @ k.transpose(2, 3) / self.d**0.5
            if mask is not None:
                scores = scores.masked_fill(~mask, -math.inf)
            weights = scores.softmax(-1)
            return self.W_o((weights @ v).transpose(1, 2).reshape(B, L, E)), weights

    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = self.Attention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            a, w = self.self_attn(self.norm1(x), mask)
            x = x + self.dropout(a)
            return x + self.dropout(self.feed_forward(self.norm2(x))), w
        a, w = self.self_attn(x, mask)
        x = self.norm1(x + self.dropout(a))
        return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("LayerNorm", about="the eps that was given is not used")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        sigma = torch.sqrt(((x - mu) ** 2).mean(-1, keepdim=True) + 1e-5)
        return (x - mu) / sigma * self.weight + self.bias


@wrong("FeedForward", about="the error does not name the activation")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError("unknown activation")
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.activation = nn.ReLU() if activation == "relu" else nn.GELU()

    def forward(self, x):
        return self.linear2(self.activation(self.linear1(x)))


@wrong("Encoder", about="the weights are stacked to one tensor")
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
        weights = []
        for layer in self.layers:
            x, w = layer(x, mask)
            weights.append(w)
        return x, torch.stack(weights) if weights else []


@wrong("EncoderBlock", about="dropout inside of the feed-forward too")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first
        self.act = F.relu if activation == "relu" else F.gelu

    def think(self, x):
        hidden = self.dropout(self.act(self.feed_forward.linear1(x)))
        return self.dropout(self.feed_forward.linear2(hidden))

    def forward(self, x, mask=None):
        if self.norm_first:
            h = self.norm1(x)
            h, w = self.self_attn(h, h, h, mask)
            x = x + self.dropout(h)
            return x + self.think(self.norm2(x)), w
        h, w = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.dropout(h))
        return self.norm2(x + self.think(x)), w


@wrong("EncoderBlock", about="dropout on the attention weights too")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first
        self.num_heads = num_heads

    def attend(self, x, mask):
        attn = self.self_attn
        _, weights = attn(x, x, x, mask)
        values = attn.W_v(x).unflatten(-1, (self.num_heads, -1))
        mixed = torch.einsum("bhls,bshd->blhd", self.dropout(weights), values)
        return self.dropout(attn.W_o(mixed.flatten(2))), weights

    def forward(self, x, mask=None):
        if self.norm_first:
            a, w = self.attend(self.norm1(x), mask)
            x = x + a
            return x + self.dropout(self.feed_forward(self.norm2(x))), w
        a, w = self.attend(x, mask)
        x = self.norm1(x + a)
        return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("EncoderBlock", about="dropout by hand that does not scale up what remains")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.p = dropout
        self.norm_first = norm_first

    def drop(self, x):
        return x * (torch.rand_like(x) >= self.p) if self.training else x

    def forward(self, x, mask=None):
        if self.norm_first:
            h = self.norm1(x)
            h, w = self.self_attn(h, h, h, mask)
            x = x + self.drop(h)
            return x + self.drop(self.feed_forward(self.norm2(x))), w
        h, w = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.drop(h))
        return self.norm2(x + self.drop(self.feed_forward(x))), w


@wrong("LayerNorm", about="x as it is over its standard deviation")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        var = x.var(-1, unbiased=False, keepdim=True)
        return x / torch.sqrt(var + self.eps) * self.weight + self.bias


@wrong("LayerNorm", about=("eps is added after the root", "the bias is not added"))
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


@wrong("FeedForward", about="the activation stands at the end too")
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


@wrong("EncoderBlock", about="the feed-forward has no residual connection")
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


@wrong("EncoderBlock", about="in pre-norm the normed x is what is added to")
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


@wrong("Encoder", about="every layer reads x, not what the one before it returned")
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


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "LayerNorm": [
        ("var_mean and rsqrt", {"correction=0, ": ""}, "unbiased-variance"),
        (
            "var_mean and rsqrt",
            {"torch.rsqrt(variance + self.eps)": "1 / (variance.sqrt() + self.eps)"},
            "epsilon-outside",
        ),
        ("vector by vector", {"row - row.sum() / len(row)": "row"}, "mean-not-subtracted"),
        (
            "mean of squares minus square of mean",
            {"self.weight * normalized + self.bias": "self.weight * (normalized + self.bias)"},
            "bias-first",
        ),
        ("vector by vector", {".sqrt()": ""}, "no-root"),
        ("vector by vector", {"* self.weight + self.bias": ""}, "unscaled"),
    ],
    "FeedForward": [
        ("activations by hand", {"return hidden": "return x + hidden"}, "residual"),
        (
            "modules from a dictionary",
            {"self.between(self.linear1(x))": "self.linear1(x)"},
            "no-activation",
        ),
        (
            "activations by hand",
            {"self.activation(x @ self": "(self.activation(x) @ self"},
            "activation-first",
        ),
        (
            "activations by hand",
            {'elif activation == "gelu":': "else:", "else: raise ValueError(": "if False: print("},
            "unknown-accepted",
        ),
        (
            "modules from a dictionary",
            {"nn.GELU": 'lambda: nn.GELU(approximate="tanh")'},
            "gelu-by-tanh",
        ),
    ],
    "EncoderBlock": [
        (
            "two branches",
            {
                "middle + drop(self.feed_forward(self": "x + drop(self.feed_forward(self",
                "self.norm2(middle + drop": "self.norm2(x + drop",
            },
            "outer-residual",
        ),
        (
            "two branches",
            {
                "middle = x + drop(attended)": "middle = normed + drop(attended)",
                "return middle + drop(self": "middle = self.norm2(middle)\n"
                "return middle + drop(self",
                "(self.norm2(middle))), weights": "(middle)), weights",
            },
            "residual-after-norm",
        ),
        (
            "two branches",
            {"drop(self.feed_forward(self.norm2(middle)))": "drop(self.feed_forward(middle))"},
            "second-norm-missing",
        ),
        (
            "everything in one forward",
            {"self.drop(self.feed_forward.linear2(hidden))": "self.feed_forward.linear2(hidden)"},
            "dropout-of-attention-only",
        ),
        (
            "everything in one forward",
            {"weights = weights * mask": "pass", "torch.finfo(scores.dtype).min": "-torch.inf"},
            "empty-row-nan",
        ),
        (
            "everything in one forward",
            {
                "inner = self.norm2(x)": "inner = self.norm1(x)",
                "else self.norm2(x)": "else self.norm1(x)",
            },
            "one-norm",
        ),
    ],
    "Encoder": [
        (
            "append to a module list",
            {"nn.ModuleList()": "[]"},
            "plain-list",
        ),
        (
            "append to a module list",
            {"return x, seen": "return x, torch.stack(seen)"},
            "weights-stacked",
        ),
        (
            "any arguments, recursion",
            {"self.layers[number](x, mask)": "self.layers[number](x)"},
            "mask-unused",
        ),
        (
            "any arguments, recursion",
            {"**options) for _ in range(num_layers)]": "**options)] * num_layers"},
            "shared",
        ),
        (
            "any arguments, recursion",
            {"x, first = ": "output, first = ", "number + 1, x)": "number + 1, x + output)"},
            "outer-residual",
        ),
    ],
}
