"""Chapter 14 in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative
from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import causal_mask
from solutions.multi_head import merge_heads, split_heads
from solutions.positions import rotate_positions


@alternative("RMSNorm", "the length over the root of the size")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps

    def forward(self, x):
        E = x.shape[-1]
        scaled = (x / math.sqrt(E)).pow(2).sum(dim=-1, keepdim=True)
        return self.weight * (x / torch.sqrt(scaled + self.eps))


@alternative("RMSNorm", "einsum and a power")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.embed_dim, self.eps = embed_dim, eps
        self.weight = nn.Parameter(torch.full((embed_dim,), 1.0))

    def forward(self, x):
        mean_square = torch.einsum("...e,...e->...", x, x) / self.embed_dim
        return torch.mul(x, self.weight) * (mean_square + self.eps).pow(-0.5)[..., None]


@alternative("SwiGLU", "silu by hand")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim):
        super().__init__()
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)

    def forward(self, x):
        z = self.W_gate(x)
        return self.W_down(self.W_up(x) * z * torch.sigmoid(z))


@alternative("SwiGLU", "the module nn.SiLU")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim):
        super().__init__()
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)
        self.activation = nn.SiLU()

    def forward(self, x):
        return F.linear(self.activation(self.W_gate(x)) * self.W_up(x), self.W_down.weight)


@alternative("GroupedQueryAttention", "groups as one more dimension")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide {embed_dim} features")
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"{num_kv_heads} key heads do not divide {num_heads} heads")
        self.D = embed_dim // num_heads
        self.groups, self.base = num_kv_heads, base
        self.W_q = nn.Linear(embed_dim, num_heads * self.D, bias=False)
        self.W_k = nn.Linear(embed_dim, num_kv_heads * self.D, bias=False)
        self.W_v = nn.Linear(embed_dim, num_kv_heads * self.D, bias=False)
        self.W_o = nn.Linear(num_heads * self.D, embed_dim, bias=False)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        start = 0 if cache is None else len(cache)
        query = self.W_q(x).view(B, L, self.groups, -1, self.D).permute(0, 2, 3, 1, 4)
        key = self.W_k(x).view(B, L, self.groups, self.D).transpose(1, 2)
        value = self.W_v(x).view(B, L, self.groups, self.D).transpose(1, 2)
        query = rotate_positions(query, self.base, start)
        key = rotate_positions(key, self.base, start)
        if cache is not None:
            key, value = cache.append(key, value)
        scores = torch.einsum("bgrld,bgsd->bgrls", query, key) / math.sqrt(self.D)
        mask = causal_mask(L, start)
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        heads = torch.einsum("bgrls,bgsd->blgrd", weights, value)
        return self.W_o(heads.flatten(start_dim=2)), weights.flatten(1, 2)


@alternative("GroupedQueryAttention", "a loop over heads, the cache holds keys that are not turned")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if embed_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError(f"sizes do not divide: {embed_dim}, {num_heads}, {num_kv_heads}")
        head_dim = embed_dim // num_heads
        if head_dim % 2:
            raise ValueError(f"a head has {head_dim} features, an odd number")
        self.num_heads, self.num_kv_heads, self.head_dim = num_heads, num_kv_heads, head_dim
        self.base = base
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, head_dim * num_kv_heads, bias=False)
        self.W_v = nn.Linear(embed_dim, head_dim * num_kv_heads, bias=False)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, x, cache=None):
        past = len(cache) if cache is not None else 0
        queries = self.W_q(x).split(self.head_dim, dim=-1)
        keys = torch.stack(self.W_k(x).split(self.head_dim, dim=-1), dim=1)
        values = torch.stack(self.W_v(x).split(self.head_dim, dim=-1), dim=1)
        if cache is not None:
            keys, values = cache.append(keys, values)
        keys = rotate_positions(keys, base=self.base)
        places = torch.arange(keys.shape[2])
        hidden = places > places[past:, None]
        outputs, all_weights = [], []
        for head in range(self.num_heads):
            group = head * self.num_kv_heads // self.num_heads
            query = rotate_positions(queries[head], base=self.base, start=past)
            scores = query @ keys[:, group].transpose(1, 2) * self.head_dim**-0.5
            weights = torch.softmax(torch.where(hidden, -math.inf, scores), dim=-1)
            outputs.append(weights @ values[:, group])
            all_weights.append(weights)
        return self.W_o(torch.cat(outputs, dim=-1)), torch.stack(all_weights, dim=1)


@alternative("RMSNorm", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


@alternative("SwiGLU", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim):
        super().__init__()
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)

    def forward(self, x):
        return self.W_down(F.silu(self.W_gate(x)) * self.W_up(x))


@alternative("GroupedQueryAttention", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} {num_heads}")
        if num_heads % num_kv_heads:
            raise ValueError(f"{num_heads} {num_kv_heads}")
        D = embed_dim // num_heads
        if D % 2:
            raise ValueError("odd")
        self.H, self.G, self.base = num_heads, num_kv_heads, base
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, num_kv_heads * D, bias=False)
        self.W_v = nn.Linear(embed_dim, num_kv_heads * D, bias=False)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, x, cache=None):
        past = 0 if cache is None else len(cache)
        q = rotate_positions(split_heads(self.W_q(x), self.H), self.base, past)
        k = rotate_positions(split_heads(self.W_k(x), self.G), self.base, past)
        v = split_heads(self.W_v(x), self.G)
        if cache is not None:
            k, v = cache.append(k, v)
        k = k.repeat_interleave(self.H // self.G, dim=1)
        v = v.repeat_interleave(self.H // self.G, dim=1)
        output, weights = scaled_dot_product_attention(q, k, v, causal_mask(x.shape[1], past))
        return self.W_o(merge_heads(output)), weights
