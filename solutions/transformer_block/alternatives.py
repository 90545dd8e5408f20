"""Chapter 9 in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative
from solutions.multi_head import MultiHeadAttention
from solutions.transformer_block import EncoderBlock, FeedForward, LayerNorm


@alternative("LayerNorm", "var_mean and rsqrt")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.bias, self.weight, (x - mean) * torch.rsqrt(variance + self.eps))


@alternative("LayerNorm", "mean of squares minus square of mean")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.embed_dim, self.eps = embed_dim, eps
        self.register_parameter("weight", nn.Parameter(torch.full((embed_dim,), 1.0)))
        self.register_parameter("bias", nn.Parameter(torch.full((embed_dim,), 0.0)))

    def forward(self, x):
        wide = x.double()
        mean = torch.einsum("...e->...", wide)[..., None] / self.embed_dim
        square = torch.einsum("...e,...e->...", wide, wide)[..., None] / self.embed_dim
        variance = (square - mean**2).clamp(min=0)
        normalized = ((wide - mean) * (variance + self.eps) ** -0.5).to(x.dtype)
        return self.weight * normalized + self.bias


@alternative("LayerNorm", "vector by vector")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, x.shape[-1]):
            centered = row - row.sum() / len(row)
            variance = centered.dot(centered) / len(row)
            rows.append(centered / (variance + self.eps).sqrt() * self.weight + self.bias)
        return torch.stack(rows).reshape(x.shape)


@alternative("FeedForward", "modules from a dictionary")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        known = {"relu": nn.ReLU, "gelu": nn.GELU}
        if activation not in known:
            raise ValueError(f"activation must be one of {list(known)}, not {activation}")
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.between = known[activation]()
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        return self.linear2(self.between(self.linear1(x)))


@alternative("FeedForward", "activations by hand")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation == "relu":
            self.activation = lambda x: x.clamp(min=0)
        elif activation == "gelu":
            self.activation = lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        else:
            raise ValueError(f"unknown activation: {activation}")
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.activation(x @ self.linear1.weight.T + self.linear1.bias)
        return hidden @ self.linear2.weight.T + self.linear2.bias


@alternative("EncoderBlock", "two branches")
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

    def forward(self, x, mask=None):
        def drop(branch):
            return F.dropout(branch, self.rate, self.training)

        if self.norm_first:
            normed = self.norm1(x)
            attended, weights = self.self_attn(normed, normed, normed, mask)
            middle = x + drop(attended)
            return middle + drop(self.feed_forward(self.norm2(middle))), weights
        attended, weights = self.self_attn(x, x, x, mask=mask)
        middle = self.norm1(x + drop(attended))
        return self.norm2(middle + drop(self.feed_forward(middle))), weights


@alternative("EncoderBlock", "one sublayer function")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.seen = None

    def attend(self, x, mask):
        output, self.seen = self.self_attn(x, x, x, mask)
        return output

    def sublayer(self, x, function, norm, dropout):
        if self.norm_first:
            return x + dropout(function(norm(x)))
        return norm(x + dropout(function(x)))

    def forward(self, x, mask=None):
        x = self.sublayer(x, lambda y: self.attend(y, mask), self.norm1, self.dropout1)
        weights, self.seen = self.seen, None
        return self.sublayer(x, self.feed_forward, self.norm2, self.dropout2), weights


@alternative("EncoderBlock", "everything in one forward")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{num_heads} heads do not divide embed_dim {embed_dim}")
        if activation not in {"relu", "gelu"}:
            raise ValueError(f"no activation {activation}")
        self.H, self.first = num_heads, norm_first
        self.activation = getattr(F, activation)
        self.self_attn = nn.Module()
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self.self_attn, name, nn.Linear(embed_dim, embed_dim))
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        inner = self.norm1(x) if self.first else x
        made = (self.self_attn.W_q(inner), self.self_attn.W_k(inner), self.self_attn.W_v(inner))
        query, key, value = (part.unflatten(-1, (self.H, -1)) for part in made)
        scores = torch.einsum("blhd,bshd->bhls", query, key) / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        heads = torch.einsum("bhls,bshd->blhd", weights, value).flatten(2)
        x = x + self.drop(self.self_attn.W_o(heads))
        x = x if self.first else self.norm1(x)
        inner = self.norm2(x) if self.first else x
        hidden = self.activation(self.feed_forward.linear1(inner))
        x = x + self.drop(self.feed_forward.linear2(hidden))
        return (x if self.first else self.norm2(x)), weights


@alternative("Encoder", "append to a module list")
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
        while len(self.layers) < num_layers:
            self.layers.append(
                EncoderBlock(
                    embed_dim,
                    num_heads,
                    hidden_dim,
                    activation=activation,
                    norm_first=norm_first,
                    dropout=dropout,
                )
            )

    def forward(self, x, mask=None):
        seen = [None] * len(self.layers)
        for number, layer in enumerate(self.layers):
            x, seen[number] = layer(x, mask=mask)
        return x, seen


@alternative("Encoder", "any arguments, recursion")
class _(nn.Module):
    def __init__(self, num_layers, *sizes, **options):
        super().__init__()
        self.layers = nn.ModuleList([EncoderBlock(*sizes, **options) for _ in range(num_layers)])

    def forward(self, x, mask=None):
        def from_layer(number, x):
            if number == len(self.layers):
                return x, []
            x, first = self.layers[number](x, mask)
            x, others = from_layer(number + 1, x)
            return x, [first, *others]

        return from_layer(0, x)


@alternative("LayerNorm", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        m = x.mean(-1, keepdim=True)
        v = ((x - m) ** 2).mean(-1, keepdim=True)
        return self.weight * (x - m) / torch.sqrt(v + self.eps) + self.bias


@alternative("FeedForward", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.gelu = activation == "gelu"

    def forward(self, x):
        h = self.linear1(x)
        h = F.gelu(h) if self.gelu else torch.relu(h)
        return self.linear2(h)


@alternative("EncoderBlock", "from the docstring")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.drop = nn.Dropout(dropout)
        self.pre = norm_first

    def forward(self, x, mask=None):
        if self.pre:
            h = self.norm1(x)
            h, weights = self.self_attn(h, h, h, mask)
            x = x + self.drop(h)
            x = x + self.drop(self.feed_forward(self.norm2(x)))
        else:
            h, weights = self.self_attn(x, x, x, mask)
            x = self.norm1(x + self.drop(h))
            x = self.norm2(x + self.drop(self.feed_forward(x)))
        return x, weights


@alternative("Encoder", "from the docstring")
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
        blocks = []
        for _ in range(num_layers):
            blocks.append(
                EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
            )
        self.layers = nn.ModuleList(blocks)

    def forward(self, x, mask=None):
        all_weights = []
        for block in self.layers:
            x, weights = block(x, mask)
            all_weights.append(weights)
        return x, all_weights
