"""Wrong answers to chapter 7, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import masked_softmax
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads


@wrong("split_heads", about="a reshape to (B, H, L, D) mixes positions and heads")
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"{E} is not divisible by {num_heads}")
    return x.reshape(B, num_heads, L, E // num_heads)


@wrong("split_heads", about="the heads stay behind the positions")
def _(x, num_heads):
    if x.shape[-1] % num_heads != 0:
        raise ValueError(f"embed_dim {x.shape[-1]}, num_heads {num_heads}")
    return x.unflatten(-1, (num_heads, -1))


@wrong("split_heads", about="head h gets every H-th feature")
def _(x, num_heads):
    E = x.size(-1)
    if E % num_heads:
        raise ValueError(f"cannot split {E} features into {num_heads} heads")
    return torch.stack([x[..., h::num_heads] for h in range(num_heads)], dim=1)


@wrong("split_heads", about="the message does not name the numbers")
def _(x, num_heads):
    b, n, e = x.shape
    if e % num_heads != 0:
        raise ValueError("embed_dim must be divisible by num_heads")
    return x.reshape(b, n, num_heads, -1).permute(0, 2, 1, 3)


@wrong("split_heads", about="asserts instead of raising a ValueError")
def _(x, num_heads):
    E = x.shape[2]
    assert E % num_heads == 0, f"{E} % {num_heads} != 0"
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@wrong("split_heads", about="view, which needs contiguous memory")
def _(x, num_heads):
    B, L, E = x.shape
    D = E // num_heads
    if D * num_heads != E:
        raise ValueError(f"{num_heads} heads do not divide {E}")
    return x.view(B * L, num_heads, D).view(B, L, num_heads, D).transpose(1, 2)


@wrong(
    "split_heads",
    about=("head h gets every H-th feature", "no error when it does not divide"),
)
def _(x, num_heads):
    B, L, E = x.shape
    D = E // num_heads
    x = x[..., : D * num_heads]
    return x.reshape(B, L, D, num_heads).permute(0, 3, 1, 2)


@wrong("merge_heads", about="a reshape mixes heads and positions")
def _(x):
    B, H, L, D = x.shape
    return x.reshape(B, L, H * D)


@wrong("merge_heads", about="the features of the heads are interleaved")
def _(x):
    b, h, n, d = x.size()
    return x.permute(0, 2, 3, 1).reshape(b, n, d * h)


@wrong("merge_heads", about="view after transpose, which is not contiguous")
def _(x):
    B, H, L, D = x.shape
    return x.transpose(1, 2).view(B, L, H * D)


@wrong("merge_heads", about="averages the heads instead of joining them")
def _(x):
    return x.mean(dim=1)


@wrong("merge_heads", about="the heads are joined in reverse order")
def _(x):
    heads = list(x.unbind(dim=1))
    return torch.cat(heads[::-1], dim=-1)


@wrong("MultiHeadAttention", about="scales by the root of embed_dim, not of a head's width")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} % num_heads {num_heads} is not 0")
        self.h = num_heads
        self.scale = embed_dim**-0.5
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.h)
        k = split_heads(self.W_k(key), self.h)
        v = split_heads(self.W_v(value), self.h)
        scores = q @ k.transpose(-2, -1) * self.scale
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return self.W_o(merge_heads(weights @ v)), weights


@wrong("MultiHeadAttention", about="cuts the heads with view, positions and heads are mixed")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"{embed_dim} is not a multiple of {num_heads}")
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        Q = self.W_q(query).view(B, self.num_heads, L, self.head_dim)
        K = self.W_k(key).view(B, self.num_heads, -1, self.head_dim)
        V = self.W_v(value).view(B, self.num_heads, -1, self.head_dim)
        out, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_o(out.transpose(1, 2).reshape(B, L, E)), weights


@wrong("MultiHeadAttention", about="merges the heads without moving them back")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} / {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        D = E // self.num_heads

        def heads(t):
            return t.reshape(B, -1, self.num_heads, D).permute(0, 2, 1, 3)

        z, w = scaled_dot_product_attention(
            heads(self.W_q(query)), heads(self.W_k(key)), heads(self.W_v(value)), mask
        )
        return self.W_o(z.reshape(B, L, E)), w


@wrong("MultiHeadAttention", about="W_o is not applied")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim={embed_dim} num_heads={num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        parts = [
            split_heads(layer(t), self.num_heads)
            for layer, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        ]
        out, weights = scaled_dot_product_attention(*parts, mask)
        return merge_heads(out), weights


@wrong("MultiHeadAttention", about="the weights are averaged over the heads")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{num_heads} heads for {embed_dim} features")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_v(value), self.num_heads)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(heads)), weights.mean(dim=1)


@wrong("MultiHeadAttention", about="a query that sees nothing gives NaN")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} not divisible by {num_heads}")
        self.n, self.d = num_heads, embed_dim // num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(embed_dim, embed_dim))

    def forward(self, query, key, value, mask=None):
        q = self.W_q(query).unflatten(-1, (self.n, self.d))
        k = self.W_k(key).unflatten(-1, (self.n, self.d))
        v = self.W_v(value).unflatten(-1, (self.n, self.d))
        energy = torch.einsum("blhd,bshd->bhls", q, k) / math.sqrt(self.d)
        if mask is not None:
            energy = energy.masked_fill(~mask, -math.inf)
        attention = F.softmax(energy, dim=-1)
        context = torch.einsum("bhls,bshd->blhd", attention, v).flatten(2)
        return self.W_o(context), attention


@wrong("MultiHeadAttention", about="the projections have no bias")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim ({embed_dim}), num_heads ({num_heads})")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        out, w = scaled_dot_product_attention(
            *(split_heads(t, self.num_heads) for t in (q, k, v)), mask
        )
        return self.W_o(merge_heads(out)), w


@wrong("MultiHeadAttention", about="the values are made by W_k")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} % {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_k(value), self.num_heads)
        out, w = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(out)), w


@wrong(
    "MultiHeadAttention",
    about=("scales by the root of embed_dim", "merges the heads without moving them back"),
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} cannot be cut into {num_heads}")
        self.num_heads, self.embed_dim = num_heads, embed_dim
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            torch.stack(w(t).chunk(self.num_heads, -1), 1)
            for w, t in zip((self.W_q, self.W_k, self.W_v), (query, key, value), strict=True)
        )
        s = q @ k.mT / math.sqrt(self.embed_dim)
        if mask is not None:
            s = s.masked_fill(~mask, -1e30)
        a = s.softmax(-1) if mask is None else s.softmax(-1) * mask
        return self.W_o((a @ v).reshape(query.shape)), a


@wrong(
    "MultiHeadAttention",
    about=("attends where the mask is False", "W_o is not applied"),
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"num_heads {num_heads} does not divide embed_dim {embed_dim}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_v(value), self.num_heads)
        allowed = None if mask is None else ~mask
        out, weights = scaled_dot_product_attention(q, k, v, allowed)
        return merge_heads(out), weights


def taken_apart(mha):
    """The three input projections of torch's layer."""
    return mha.in_proj_weight.chunk(3), mha.in_proj_bias


@wrong("from_torch", about="a source without biases is not thought of")
def _(mha):
    if mha.kdim != mha.embed_dim or mha.vdim != mha.embed_dim:
        raise ValueError("kdim and vdim must equal embed_dim")
    ours = MultiHeadAttention(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight)
    with torch.no_grad():
        for i, layer in enumerate((ours.W_q, ours.W_k, ours.W_v)):
            layer.weight.copy_(mha.in_proj_weight.chunk(3)[i])
            layer.bias.copy_(mha.in_proj_bias.chunk(3)[i])
        ours.W_o.load_state_dict(mha.out_proj.state_dict())
    return ours


@wrong("from_torch", about="without biases, the layer keeps its random ones")
def _(mha):
    E = mha.embed_dim
    if (mha.kdim, mha.vdim) != (E, E):
        raise ValueError("cannot convert kdim/vdim")
    layer = MultiHeadAttention(E, mha.num_heads)
    layer = layer.to(device=mha.out_proj.weight.device, dtype=mha.out_proj.weight.dtype)
    q, k, v = mha.in_proj_weight.data.split(E)
    layer.W_q.weight.data.copy_(q)
    layer.W_k.weight.data.copy_(k)
    layer.W_v.weight.data.copy_(v)
    layer.W_o.weight.data.copy_(mha.out_proj.weight.data)
    if mha.in_proj_bias is not None:
        q, k, v = mha.in_proj_bias.data.split(E)
        layer.W_q.bias.data.copy_(q)
        layer.W_k.bias.data.copy_(k)
        layer.W_v.bias.data.copy_(v)
        layer.W_o.bias.data.copy_(mha.out_proj.bias.data)
    return layer


@wrong("from_torch", about="the weights are shared with the source")
def _(mha):
    E = mha.embed_dim
    if mha.kdim != E or mha.vdim != E:
        raise ValueError("kdim or vdim")
    layer = MultiHeadAttention(E, mha.num_heads).to(mha.out_proj.weight)
    bias = mha.in_proj_bias
    if bias is None:
        bias = torch.zeros(3 * E).to(mha.out_proj.weight)
    for i, name in enumerate(["W_q", "W_k", "W_v"]):
        linear = getattr(layer, name)
        linear.weight.data = mha.in_proj_weight.data[i * E : (i + 1) * E]
        linear.bias.data = bias.data[i * E : (i + 1) * E]
    layer.W_o.weight = mha.out_proj.weight
    if mha.out_proj.bias is None:
        nn.init.zeros_(layer.W_o.bias)
    else:
        layer.W_o.bias = mha.out_proj.bias
    return layer


@wrong("from_torch", about="the weights are transposed")
def _(mha):
    E = mha.embed_dim
    if mha.kdim != E or mha.vdim != E:
        raise ValueError(f"kdim {mha.kdim}, vdim {mha.vdim}")
    new = MultiHeadAttention(E, mha.num_heads).to(mha.in_proj_weight)
    b = mha.in_proj_bias
    with torch.no_grad():
        for n, lin in enumerate([new.W_q, new.W_k, new.W_v]):
            lin.weight.copy_(mha.in_proj_weight[n * E : n * E + E].t())
            lin.bias.copy_(b[n * E : n * E + E] if b is not None else torch.zeros(E))
        new.W_o.weight.copy_(mha.out_proj.weight.t())
        new.W_o.bias.copy_(mha.out_proj.bias if b is not None else torch.zeros(E))
    return new


@wrong("from_torch", about="another kdim or vdim is not refused with a ValueError")
def _(mha):
    new = MultiHeadAttention(mha.embed_dim, mha.num_heads).to(mha.out_proj.weight)
    state = {}
    for name, w in zip("qkv", mha.in_proj_weight.detach().chunk(3), strict=True):
        state[f"W_{name}.weight"] = w.clone()
    state["W_o.weight"] = mha.out_proj.weight.detach().clone()
    zeros = torch.zeros_like(mha.out_proj.weight[0]).detach()
    biases = [zeros] * 3 if mha.in_proj_bias is None else mha.in_proj_bias.detach().chunk(3)
    for name, b in zip("qkv", biases, strict=True):
        state[f"W_{name}.bias"] = b.clone()
    state["W_o.bias"] = zeros if mha.out_proj.bias is None else mha.out_proj.bias.detach()
    new.load_state_dict(state)
    return new


@wrong("from_torch", about="the result is float32, whatever the source is")
def _(mha):
    E = mha.embed_dim
    if mha.kdim != E or mha.vdim != E:
        raise ValueError("only for kdim = vdim = embed_dim")
    new = MultiHeadAttention(E, mha.num_heads)
    with torch.no_grad():
        rows = mha.in_proj_weight.reshape(3, E, E)
        new.W_q.weight[:] = rows[0]
        new.W_k.weight[:] = rows[1]
        new.W_v.weight[:] = rows[2]
        new.W_o.weight[:] = mha.out_proj.weight
        biases = torch.zeros(3, E) if mha.in_proj_bias is None else mha.in_proj_bias.view(3, E)
        new.W_q.bias[:] = biases[0]
        new.W_k.bias[:] = biases[1]
        new.W_v.bias[:] = biases[2]
        new.W_o.bias[:] = 0 if mha.out_proj.bias is None else mha.out_proj.bias
    return new


@wrong("from_torch", about=("keys and values are exchanged", "without biases, random ones stay"))
def _(mha):
    if mha.in_proj_weight is None:
        raise ValueError("kdim and vdim must be embed_dim")
    new = MultiHeadAttention(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight)
    (wq, wv, wk), bias = taken_apart(mha)
    with torch.no_grad():
        new.W_q.weight.copy_(wq)
        new.W_k.weight.copy_(wk)
        new.W_v.weight.copy_(wv)
        new.W_o.weight.copy_(mha.out_proj.weight)
        if bias is not None:
            bq, bv, bk = bias.chunk(3)
            new.W_q.bias.copy_(bq)
            new.W_k.bias.copy_(bk)
            new.W_v.bias.copy_(bv)
            new.W_o.bias.copy_(mha.out_proj.bias)
    return new


@wrong("attention_parameter_count", about="the biases are forgotten")
def _(embed_dim, num_heads):
    return 4 * embed_dim**2


@wrong("attention_parameter_count", about="only queries, keys and values are counted")
def _(embed_dim, num_heads):
    return 3 * (embed_dim * embed_dim + embed_dim)


@wrong("attention_parameter_count", about="every head is counted with full matrices")
def _(embed_dim, num_heads):
    per_head = 3 * (embed_dim * embed_dim + embed_dim)
    return num_heads * per_head + embed_dim * embed_dim + embed_dim


@wrong("attention_parameter_count", about="returns a float")
def _(embed_dim, num_heads):
    head_dim = embed_dim / num_heads
    return 3 * num_heads * (embed_dim * head_dim + head_dim) + embed_dim * (embed_dim + 1)


@wrong(
    "attention_parameter_count",
    about=("the biases are forgotten", "the output projection is forgotten"),
)
def _(embed_dim, num_heads):
    total = 0
    for _ in ("query", "key", "value"):
        total += embed_dim * embed_dim
    return total


@wrong("MultiHeadAttention", about="a width that does not divide is found in forward only")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        q, k, v = [split_heads(t, self.num_heads) for t in (q, k, v)]
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(out)), weights


@wrong("MultiHeadAttention", about="every mask gets a further axis for the heads")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} does not divide into {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_v(value), self.num_heads)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(heads)), weights


@wrong(
    "merge_heads",
    about=("a reshape mixes heads and positions", "the heads are joined in reverse order"),
)
def _(x):
    B, H, L, D = x.shape
    return x.flip(1).reshape(B, L, H * D)


@wrong("split_heads", about="reshaped straight to (B, H, L, D)")
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads != 0:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, num_heads, L, E // num_heads)


@wrong("MultiHeadAttention", about="W_o is applied to the values before the heads attend")
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


@wrong("MultiHeadAttention", about="the weights that are returned are the mean over the heads")
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


@wrong("attention_parameter_count", about="each head has matrices of the full width")
def _(embed_dim, num_heads):
    return num_heads * 3 * (embed_dim * embed_dim + embed_dim) + embed_dim * embed_dim + embed_dim


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "split_heads": [
        (
            "einops",
            {'"b l (h d) -> b h l d"': '"b l (d h) -> b h l d"'},
            "dealt-out",
        ),
        ("chunk and stack", {"dim=1)": "dim=0)"}, "heads-first"),
        ("chunk and stack", {"dim=1)": "dim=2)"}, "heads-after-positions"),
        (
            "loop over slices",
            {"if size * num_heads != x.shape[2]": "if False"},
            "leftover-dropped",
        ),
    ],
    "merge_heads": [
        (
            "einops",
            {'"b h l d -> b l (h d)"': '"b h l d -> b l (d h)"'},
            "interleaved",
        ),
        (
            "einops",
            {'"b h l d -> b l (h d)"': '"b h l d -> b (h l) d"'},
            "along-positions",
        ),
        (
            "concatenate the heads",
            {"torch.cat(torch.unbind(x, dim=1), dim=-1)": "sum(torch.unbind(x, dim=1))"},
            "added",
        ),
        ("contiguous and view", {".contiguous()": ""}, "view-after-transpose"),
        ("contiguous and view", {".permute(0, 2, 1, 3)": ""}, "reshaped-only"),
    ],
    "MultiHeadAttention": [
        (
            "a loop over heads",
            {"self.head_dim**-0.5": "(self.head_dim * self.num_heads) ** -0.5"},
            "scaled-by-width",
        ),
        (
            "a loop over heads",
            {"self.W_o(torch.cat(outputs, dim=-1))": "torch.cat(outputs, dim=-1)"},
            "output-unmixed",
        ),
        (
            "einsum over the heads",
            {"self.W_k(key)": "self.W_k(value := key)"},
            "values-from-keys",
        ),
        (
            "heads folded into the batch",
            {"weights.unflatten(0, shape[:2])": "weights.unflatten(0, shape[:2]).mean(dim=1)"},
            "heads-averaged",
        ),
        (
            "heads folded into the batch",
            {"if embed_dim % num_heads": "if False"},
            "divisibility-late",
        ),
    ],
    "from_torch": [
        (
            "load a state dict",
            {'enumerate(("W_q", "W_k", "W_v"))': 'enumerate(("W_v", "W_k", "W_q"))'},
            "other-order",
        ),
        ("load a state dict", {".to(mha.in_proj_weight.dtype)": ""}, "float64-lost"),
        (
            "one projection after the other",
            {"if mha.in_proj_bias is not None": "if False"},
            "biases-missing",
        ),
        (
            "one projection after the other",
            {"MultiHeadAttention(E, mha.num_heads)": "MultiHeadAttention(E, mha.head_dim)"},
            "head-size-as-number",
        ),
    ],
    "attention_parameter_count": [
        (
            "head by head",
            {
                "head_dim * (embed_dim + 1)": "head_dim * embed_dim",
                "return count + embed_dim": "return count",
            },
            "no-biases",
        ),
        (
            "head by head",
            {"+ head_dim * embed_dim": "", "return count + embed_dim": "return count"},
            "three-matrices",
        ),
        (
            "factored",
            {"return 4 * embed_dim": "return 4 * num_heads * embed_dim"},
            "times-heads",
        ),
        (
            "factored",
            {"4 * embed_dim * (embed_dim + 1)": "4 * (embed_dim * embed_dim + 1)"},
            "bias-is-one",
        ),
    ],
}
