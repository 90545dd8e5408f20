"""Wrong answers to chapter 14, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import causal_mask
from solutions.multi_head import merge_heads, split_heads
from solutions.positions import rotate_positions


class Norm(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps


@wrong("RMSNorm", about="the mean is taken away, as in layer normalization")
class _(Norm):
    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return self.weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)


@wrong("RMSNorm", about="eps stands outside of the root")
class _(Norm):
    def forward(self, x):
        return self.weight * x / (x.pow(2).mean(-1, keepdim=True).sqrt() + self.eps)


@wrong("RMSNorm", about="the squares are added up, not averaged")
class _(Norm):
    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + self.eps)


@wrong("RMSNorm", about="the weight is not used")
class _(Norm):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


@wrong("RMSNorm", about=("the mean is taken away", "the weight is not used"))
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


@wrong("SwiGLU", about="silu is on the other branch")
class _(Gated):
    def forward(self, x):
        return self.W_down(self.W_gate(x) * F.silu(self.W_up(x)))


@wrong("SwiGLU", about="the branches are added")
class _(Gated):
    def forward(self, x):
        return self.W_down(F.silu(self.W_gate(x)) + self.W_up(x))


@wrong("SwiGLU", about="sigmoid in place of silu")
class _(Gated):
    def forward(self, x):
        return self.W_down(torch.sigmoid(self.W_gate(x)) * self.W_up(x))


@wrong("SwiGLU", about="there is no activation")
class _(Gated):
    def forward(self, x):
        return self.W_down(self.W_gate(x) * self.W_up(x))


@wrong("SwiGLU", about=("sigmoid in place of silu", "it is on the other branch"))
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


@wrong("GroupedQueryAttention", about="positions begin at 0 whatever the cache holds")
class _(Grouped):
    after_cache = False


@wrong("GroupedQueryAttention", about="the key heads are tiled")
class _(Grouped):
    repeated = False


@wrong("GroupedQueryAttention", about="scores over the wrong root")
class _(Grouped):
    scale_by_width = True


@wrong("GroupedQueryAttention", about="there is no causal mask")
class _(Grouped):
    causal = False


@wrong("GroupedQueryAttention", about=("the key heads are tiled", "there is no causal mask"))
class _(Grouped):
    repeated, causal = False, False


@wrong("RMSNorm", about="divides by the mean square, without the root")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps

    def forward(self, x):
        return x / (x.square().mean(-1, keepdim=True) + self.eps) * self.weight


@wrong("SwiGLU", about="silu on the wrong of the two")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim):
        super().__init__()
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)

    def forward(self, x):
        return self.W_down(self.W_gate(x) * F.silu(self.W_up(x)))


@wrong("GroupedQueryAttention", about="key heads are shared in turns, not by neighbors")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} and num_heads {num_heads} do not fit")
        if num_heads % num_kv_heads:
            raise ValueError(f"num_heads {num_heads} and num_kv_heads {num_kv_heads} do not fit")
        self.h, self.kv, self.base = num_heads, num_kv_heads, base
        d = embed_dim // num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, num_kv_heads * d, bias=False)
        self.W_v = nn.Linear(embed_dim, num_kv_heads * d, bias=False)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, x, cache=None):
        past = 0 if cache is None else len(cache)
        q = rotate_positions(split_heads(self.W_q(x), self.h), self.base, past)
        k = rotate_positions(split_heads(self.W_k(x), self.kv), self.base, past)
        v = split_heads(self.W_v(x), self.kv)
        if cache is not None:
            k, v = cache.append(k, v)
        times = self.h // self.kv
        k, v = k.repeat(1, times, 1, 1), v.repeat(1, times, 1, 1)
        mask = causal_mask(x.shape[1], past)
        out, w = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(out)), w


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
LENGTH = "the length over the root of the size"
GROUPS = "groups as one more dimension"
LOOP = "a loop over heads, the cache holds keys that are not turned"

RESTYLED = {
    "RMSNorm": [
        (LENGTH, {"E = x.shape[-1]": "E = 1"}, "sum"),
        (
            LENGTH,
            {"torch.sqrt(scaled + self.eps)": "(scaled.sqrt() + self.eps)"},
            "epsilon-outside",
        ),
        (
            "einsum and a power",
            {
                "mean_square = ": "x = x - x.mean(-1, True)\nmean_square = ",
            },
            "mean",
        ),
        ("einsum and a power", {".pow(-0.5)": ".pow(-1.0)"}, "no-root"),
        ("einsum and a power", {"torch.mul(x, self.weight)": "x"}, "weight-unused"),
    ],
    "SwiGLU": [
        (
            "silu by hand",
            {"self.W_up(x) * z * torch.sigmoid(z)": "self.W_up(x) * torch.sigmoid(z)"},
            "sigmoid",
        ),
        (
            "silu by hand",
            {"z = self.W_gate(x)": "z = self.W_up(x)", "self.W_up(x) * z": "self.W_gate(x) * z"},
            "branch",
        ),
        ("the module nn.SiLU", {"nn.SiLU()": "nn.ReLU()"}, "relu"),
        (
            "the module nn.SiLU",
            {"self.activation(self.W_gate(x)) * self.W_up(x)": "self.activation(self.W_gate(x))"},
            "up-unused",
        ),
    ],
    "GroupedQueryAttention": [
        (
            GROUPS,
            {
                "self.W_q(x).view(B, L, self.groups, -1, self.D).permute(0, 2, 3, 1, 4)": (
                    "self.W_q(x).view(B, L, -1, self.groups, self.D).permute(0, 3, 2, 1, 4)"
                ),
                '"bgrls,bgsd->blgrd"': '"bgrls,bgsd->blrgd"',
                "weights.flatten(1, 2)": "weights.transpose(1, 2).flatten(1, 2)",
            },
            "tiled",
        ),
        (GROUPS, {"math.sqrt(self.D)": "math.sqrt(x.shape[-1])"}, "scaled-by-width"),
        (
            LOOP,
            {"queries[head], base=self.base, start=past": "queries[head], base=self.base"},
            "query-start",
        ),
        (
            LOOP,
            {"places > places[past:, None]": "places > places[: keys.shape[2] - past, None]"},
            "first-positions",
        ),
        (LOOP, {"torch.where(hidden, -math.inf, scores)": "scores"}, "no-mask"),
        (
            LOOP,
            {"return self.W_o(torch.cat(outputs, dim=-1))": "return torch.cat(outputs, -1)"},
            "output-unmixed",
        ),
    ],
}
