"""Chapter 14."""

import torch
from torch import nn
from torch.nn import functional as F

from tests.exercises.variants import variant


class Norm(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps


@variant("RMSNorm", about="the mean is taken away, as in layer normalization")
class _(Norm):
    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return self.weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)


@variant("RMSNorm", about="eps stands outside of the root")
class _(Norm):
    def forward(self, x):
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True).sqrt() + self.eps)


@variant("RMSNorm", about="the squares are added up, not averaged")
class _(Norm):
    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + self.eps)


@variant("RMSNorm", about="the weight is not used")
class _(Norm):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


@variant("RMSNorm", about=("the mean is taken away", "the weight is not used"))
class _(Norm):
    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class Gated(nn.Module):
    def __init__(self, embed_dim, hidden_dim):
        super().__init__()
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)


@variant("SwiGLU", about="silu is on the other branch")
class _(Gated):
    def forward(self, x):
        return self.W_down(self.W_gate(x) * F.silu(self.W_up(x)))


@variant("SwiGLU", about="the branches are added")
class _(Gated):
    def forward(self, x):
        return self.W_down(F.silu(self.W_gate(x)) + self.W_up(x))


@variant("SwiGLU", about="sigmoid in place of silu")
class _(Gated):
    def forward(self, x):
        return self.W_down(torch.sigmoid(self.W_gate(x)) * self.W_up(x))


@variant("SwiGLU", about="there is no activation")
class _(Gated):
    def forward(self, x):
        return self.W_down(self.W_gate(x) * self.W_up(x))


@variant("SwiGLU", about=("sigmoid in place of silu", "it is on the other branch"))
class _(Gated):
    def forward(self, x):
        return self.W_down(self.W_gate(x) * torch.sigmoid(self.W_up(x)))


class Grouped(nn.Module):
    repeated, scale_by_width, causal, after_cache = True, False, True, True

    def __init__(self, embed_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if embed_dim % (2 * num_heads) or num_heads % num_kv_heads:
            raise ValueError(f"{embed_dim} {num_heads} {num_kv_heads} do not divide")
        self.H, self.K, self.D, self.base = num_heads, num_kv_heads, embed_dim // num_heads, base
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, num_kv_heads * self.D, bias=False)
        self.W_v = nn.Linear(embed_dim, num_kv_heads * self.D, bias=False)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def turned(self, x, start):
        place = torch.arange(start, start + x.shape[-2], dtype=x.dtype)[:, None]
        angle = place * self.base ** (-torch.arange(0, self.D, 2, dtype=x.dtype) / self.D)
        cos, sin = angle.cos(), angle.sin()
        one, two = x[..., 0::2], x[..., 1::2]
        return torch.stack([one * cos - two * sin, one * sin + two * cos], -1).flatten(-2)

    def forward(self, x, cache=None):
        B, L, E = x.shape
        q = self.W_q(x).view(B, L, self.H, self.D).transpose(1, 2)
        k = self.W_k(x).view(B, L, self.K, self.D).transpose(1, 2)
        v = self.W_v(x).view(B, L, self.K, self.D).transpose(1, 2)
        past = len(cache) if cache is not None and self.after_cache else 0
        q, k = self.turned(q, past), self.turned(k, past)
        if cache is not None:
            k, v = cache.append(k, v)
        times = self.H // self.K
        if self.repeated:
            k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
        else:
            k, v = k.repeat(1, times, 1, 1), v.repeat(1, times, 1, 1)
        scores = q @ k.mT / (E if self.scale_by_width else self.D) ** 0.5
        S = k.shape[-2]
        if self.causal:
            allowed = torch.ones(L, S, dtype=torch.bool).tril(S - L)
            scores = scores.masked_fill(~allowed, -torch.inf)
        weights = scores.softmax(-1)
        return self.W_o((weights @ v).transpose(1, 2).reshape(B, L, E)), weights


@variant("GroupedQueryAttention", about="positions begin at 0 whatever the cache holds")
class _(Grouped):
    after_cache = False


@variant("GroupedQueryAttention", about="the key heads are tiled")
class _(Grouped):
    repeated = False


@variant("GroupedQueryAttention", about="scores over the wrong root")
class _(Grouped):
    scale_by_width = True


@variant("GroupedQueryAttention", about="there is no causal mask")
class _(Grouped):
    causal = False


@variant("GroupedQueryAttention", about=("the key heads are tiled", "there is no causal mask"))
class _(Grouped):
    repeated, causal = False, False
