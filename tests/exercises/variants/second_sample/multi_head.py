"""Of `solutions/multi_head.py`."""

import math

from torch import nn

from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import masked_softmax
from solutions.multi_head import merge_heads, split_heads
from tests.exercises.variants import variant


@variant("split_heads", about="reshaped straight to (B, H, L, D)")
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads != 0:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, num_heads, L, E // num_heads)


@variant("MultiHeadAttention", about="W_o is applied to the values before the heads attend")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} is not divisible by {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_o(self.W_v(value)), self.num_heads)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return merge_heads(heads), weights


@variant("MultiHeadAttention", about="the weights that are returned are the mean over the heads")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} is not divisible by {num_heads}")
        self.h = num_heads
        self.d = embed_dim // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        def cut(t):
            return t.unflatten(-1, (self.h, self.d)).transpose(1, 2)

        q, k, v = cut(self.W_q(query)), cut(self.W_k(key)), cut(self.W_v(value))
        w = masked_softmax(q @ k.mT / math.sqrt(self.d), mask)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w.mean(1)


@variant("attention_parameter_count", about="each head has matrices of the full width")
def _(embed_dim, num_heads):
    return num_heads * 3 * (embed_dim * embed_dim + embed_dim) + embed_dim * embed_dim + embed_dim
