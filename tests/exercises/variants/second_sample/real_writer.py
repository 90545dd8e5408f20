"""Of `solutions/real_writer.py`."""

import torch
from torch import nn
from torch.nn import functional as F

from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import causal_mask
from solutions.multi_head import merge_heads, split_heads
from solutions.positions import rotate_positions
from tests.exercises.variants import variant


@variant("RMSNorm", about="divides by the mean square, without the root")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps

    def forward(self, x):
        return x / (x.square().mean(-1, keepdim=True) + self.eps) * self.weight


@variant("SwiGLU", about="silu on the wrong of the two")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim):
        super().__init__()
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)

    def forward(self, x):
        return self.W_down(self.W_gate(x) * F.silu(self.W_up(x)))


@variant("GroupedQueryAttention", about="key heads are shared in turns, not by neighbors")
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
