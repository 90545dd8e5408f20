"""Chapter 7 in other styles."""

import math

import torch
from torch import nn

from autograder.checking.samples import alternative
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads


@alternative("split_heads", "einops")
def _(x, num_heads):
    from einops import rearrange

    if x.shape[-1] % num_heads != 0:
        raise ValueError(f"{x.shape[-1]} features cannot be shared by {num_heads} heads")
    return rearrange(x, "b l (h d) -> b h l d", h=num_heads)


@alternative("split_heads", "chunk and stack")
def _(x, num_heads):
    embed_dim = x.size(2)
    if embed_dim % num_heads:
        raise ValueError(f"embed_dim={embed_dim} is not a multiple of num_heads={num_heads}")
    return torch.stack(torch.chunk(x, num_heads, dim=2), dim=1)


@alternative("split_heads", "loop over slices")
def _(x, num_heads):
    size = x.shape[2] // num_heads
    if size * num_heads != x.shape[2]:
        raise ValueError(f"{num_heads} heads do not divide {x.shape[2]}")
    heads = [x[:, :, h * size : (h + 1) * size] for h in range(num_heads)]
    return torch.cat([head.unsqueeze(1) for head in heads], dim=1)


@alternative("merge_heads", "einops")
def _(x):
    from einops import rearrange

    return rearrange(x, "b h l d -> b l (h d)")


@alternative("merge_heads", "concatenate the heads")
def _(x):
    return torch.cat(torch.unbind(x, dim=1), dim=-1)


@alternative("merge_heads", "contiguous and view")
def _(x):
    return x.permute(0, 2, 1, 3).contiguous().view(x.shape[0], x.shape[2], -1)


@alternative("MultiHeadAttention", "a loop over heads")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide {embed_dim} features")
        self.head_dim = embed_dim // num_heads
        self.num_heads = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(embed_dim, embed_dim))

    def forward(self, query, key, value, mask=None):
        query, key, value = self.W_q(query), self.W_k(key), self.W_v(value)
        B, L, S = query.shape[0], query.shape[1], key.shape[1]
        if mask is None:
            mask = torch.ones(L, S, dtype=torch.bool, device=query.device)
        mask = mask.expand(B, self.num_heads, L, S)
        outputs, all_weights = [], []
        for head in range(self.num_heads):
            own = slice(head * self.head_dim, (head + 1) * self.head_dim)
            scores = query[..., own] @ key[..., own].transpose(1, 2) * self.head_dim**-0.5
            allowed = mask[:, head]
            nothing = (~allowed).all(dim=-1, keepdim=True)
            scores = torch.where(allowed | nothing, scores, -math.inf)
            weights = torch.where(nothing, 0.0, scores.softmax(dim=-1))
            outputs.append(weights @ value[..., own])
            all_weights.append(weights)
        return self.W_o(torch.cat(outputs, dim=-1)), torch.stack(all_weights, dim=1)


@alternative("MultiHeadAttention", "einsum over the heads")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} and num_heads {num_heads} do not fit")
        self.H = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        query = self.W_q(query).unflatten(-1, (self.H, -1))
        key = self.W_k(key).unflatten(-1, (self.H, -1))
        value = self.W_v(value).unflatten(-1, (self.H, -1))
        scores = torch.einsum("blhd,bshd->bhls", query, key) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True).detach())
        if mask is not None:
            exponentials = exponentials * mask
        total = exponentials.sum(dim=-1, keepdim=True)
        weights = exponentials / torch.where(total == 0, 1.0, total)
        output = torch.einsum("bhls,bshd->blhd", weights, value).flatten(-2)
        return self.W_o(output), weights


@alternative("MultiHeadAttention", "heads folded into the batch")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} is no multiple of {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])
        query = split_heads(self.W_q(query), self.num_heads).flatten(0, 1)
        key = split_heads(self.W_k(key), self.num_heads).flatten(0, 1)
        value = split_heads(self.W_v(value), self.num_heads).flatten(0, 1)
        scores = torch.bmm(query, key.mT) / query.shape[-1] ** 0.5
        if mask is not None:
            mask = mask.expand(shape).flatten(0, 1)
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        output = torch.bmm(weights, value).unflatten(0, shape[:2])
        return self.W_o(merge_heads(output)), weights.unflatten(0, shape[:2])


@alternative("from_torch", "load a state dict")
def _(mha):
    if mha.in_proj_weight is None:
        raise ValueError("a source with kdim or vdim has other projections")
    state = {}
    for index, name in enumerate(("W_q", "W_k", "W_v")):
        rows = slice(index * mha.embed_dim, (index + 1) * mha.embed_dim)
        state[f"{name}.weight"] = mha.in_proj_weight[rows]
        if mha.in_proj_bias is not None:
            state[f"{name}.bias"] = mha.in_proj_bias[rows]
    state["W_o.weight"] = mha.out_proj.weight
    state["W_o.bias"] = mha.out_proj.bias
    zeros = mha.in_proj_weight.new_zeros(mha.embed_dim)
    for name in ("W_q", "W_k", "W_v", "W_o"):
        if state.get(f"{name}.bias") is None:
            state[f"{name}.bias"] = zeros
    layer = MultiHeadAttention(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    layer.load_state_dict(state)
    return layer


@alternative("from_torch", "one projection after the other")
def _(mha):
    if not mha._qkv_same_embed_dim:
        raise ValueError("kdim and vdim have to be embed_dim")
    E = mha.embed_dim
    layer = MultiHeadAttention(E, mha.num_heads)
    layer.W_q.weight.data = mha.in_proj_weight.data[:E].clone()
    layer.W_k.weight.data = mha.in_proj_weight.data[E : 2 * E].clone()
    layer.W_v.weight.data = mha.in_proj_weight.data[2 * E :].clone()
    layer.W_o.weight.data = mha.out_proj.weight.data.clone()
    biases = torch.zeros(4 * E).to(mha.in_proj_weight)
    if mha.in_proj_bias is not None:
        biases = torch.cat([mha.in_proj_bias.data, mha.out_proj.bias.data])
    layer.W_q.bias.data = biases[:E].clone()
    layer.W_k.bias.data = biases[E : 2 * E].clone()
    layer.W_v.bias.data = biases[2 * E : 3 * E].clone()
    layer.W_o.bias.data = biases[3 * E :].clone()
    return layer


@alternative("attention_parameter_count", "head by head")
def _(embed_dim, num_heads):
    count = 0
    for _ in range(num_heads):
        head_dim = embed_dim // num_heads
        count += 3 * head_dim * (embed_dim + 1) + head_dim * embed_dim
    return count + embed_dim


@alternative("attention_parameter_count", "factored")
def _(embed_dim, num_heads):
    return 4 * embed_dim * (embed_dim + 1)


@alternative("split_heads", "from the docstring")
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"{E} is not divisible by {num_heads}")
    return x.reshape(B, L, num_heads, E // num_heads).permute(0, 2, 1, 3)


@alternative("merge_heads", "from the docstring")
def _(x):
    B, H, L, D = x.shape
    return x.transpose(1, 2).reshape(B, L, H * D)


@alternative("MultiHeadAttention", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"embed_dim {embed_dim} and num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def cut(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self.cut(self.W_q(query))
        k = self.cut(self.W_k(key))
        v = self.cut(self.W_v(value))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return self.W_o((weights @ v).transpose(1, 2).flatten(2)), weights


@alternative("from_torch", "from the docstring")
def _(mha):
    E = mha.embed_dim
    if mha.kdim != E or mha.vdim != E:
        raise ValueError("kdim or vdim differs")
    layer = MultiHeadAttention(E, mha.num_heads).to(mha.out_proj.weight)
    with torch.no_grad():
        for i, name in enumerate(["W_q", "W_k", "W_v"]):
            part = slice(i * E, (i + 1) * E)
            getattr(layer, name).weight.copy_(mha.in_proj_weight[part])
            if mha.in_proj_bias is None:
                getattr(layer, name).bias.zero_()
            else:
                getattr(layer, name).bias.copy_(mha.in_proj_bias[part])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        if mha.out_proj.bias is None:
            layer.W_o.bias.zero_()
        else:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@alternative("attention_parameter_count", "from the docstring")
def _(embed_dim, num_heads):
    return 4 * embed_dim * (embed_dim + 1)
