"""Checks for chapter 6, multi-head attention."""

import math

import torch
from torch import nn

from autograder.checking import agrees, built, close, exercise, misconception, raises


@exercise("split_heads", chapter="06-multi-head", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(B=2, L=5, E=12), 3)
    agrees(student, reference, draw.normal(2, 5, 12), 12, case="a head for every feature")
    agrees(student, reference, draw.normal(2, 5, 12), 1, case="one head")
    agrees(student, reference, draw.normal(1, 7, 10), 2, case="other sizes")
    says = {"says": ("10", "4"), "case": "4 heads for 10 features"}
    raises(student, ValueError, draw.normal(2, 8, 10), 4, **says)


@misconception(
    "split_heads",
    "The tensor was reshaped to (B, H, L, D) in one go. That cuts the memory in its order, so "
    "each head gets some of the positions with all features, where it should get all positions "
    "with some of the features.",
)
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, num_heads, L, E // num_heads)


@misconception(
    "split_heads",
    "The features are cut into heads, but the result is (B, L, H, D): the heads have to come "
    "before the positions, or else the matrix product would compare heads with heads.",
)
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, L, num_heads, E // num_heads)


@misconception(
    "split_heads",
    "The features are dealt out like cards: head h gets h, h + H, h + 2H and so on. It should "
    "get neighbors, features h * D to (h + 1) * D - 1.",
)
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, L, E // num_heads, num_heads).permute(0, 3, 1, 2)


@misconception(
    "split_heads",
    "num_heads was taken for the size of a head. It is the number of heads; their size is E "
    "divided by it.",
)
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, L, E // num_heads, num_heads).transpose(1, 2)


@misconception(
    "split_heads",
    "The heads come first, before the batch: (H, B, L, D). The batch stays in front.",
)
def _(x, num_heads):
    E = x.shape[-1]
    if E % num_heads:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return torch.stack(x.chunk(num_heads, dim=-1))


@misconception(
    "split_heads",
    "Positions and features changed places inside the heads: (B, H, D, L). Keys are transposed "
    "later, when the scores are computed, and queries and values never.",
)
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, L, num_heads, E // num_heads).permute(0, 2, 3, 1)


@misconception(
    "split_heads",
    "When E is not divisible, the features left over are dropped without a word. That loses part "
    "of every vector: it is a ValueError.",
)
def _(x, num_heads):
    B, L, E = x.shape
    D = E // num_heads
    return x[..., : num_heads * D].reshape(B, L, num_heads, D).transpose(1, 2)


@misconception(
    "split_heads",
    "When E is not divisible, the error is the one that torch raises in the reshape. It speaks "
    "of shapes and input sizes; a ValueError that names E and num_heads says what went wrong.",
)
def _(x, num_heads):
    B, L, E = x.shape
    return x.reshape(B, L, num_heads, E // num_heads).transpose(1, 2)


@exercise("merge_heads", chapter="06-multi-head", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(B=2, H=3, L=5, D=4))
    agrees(student, reference, draw.normal(2, 1, 5, 4), case="one head")
    agrees(student, reference, draw.normal(1, 6, 7, 1), case="heads of one feature")


@misconception(
    "merge_heads",
    "The tensor was reshaped to (B, L, E) in one go. The heads are still before the positions "
    "then, so that a row of the result mixes several positions of one head.",
)
def _(x):
    B, H, L, D = x.shape
    return x.reshape(B, L, H * D)


@misconception(
    "merge_heads",
    "`view` cannot merge heads after a transpose: the memory is still in the old order. "
    "`reshape` copies where that is needed.",
)
def _(x):
    B, H, L, D = x.shape
    return x.transpose(1, 2).view(B, L, H * D)


@misconception(
    "merge_heads",
    "The features of the heads are shuffled into one another: first the first feature of every "
    "head, then the second of every head. Each head's features should stay together.",
)
def _(x):
    B, H, L, D = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, L, H * D)


@misconception(
    "merge_heads",
    "The heads are averaged. They hold different features, and are put side by side; mixing them "
    "is the work of W_o.",
)
def _(x):
    return x.mean(dim=1)


@misconception(
    "merge_heads",
    "The heads are added up. They hold different features, and are put side by side; mixing them "
    "is the work of W_o.",
)
def _(x):
    return x.sum(dim=1)


@misconception(
    "merge_heads",
    "The heads are put one behind the other along the positions, (B, H * L, D). They belong side "
    "by side, along the features.",
)
def _(x):
    B, H, L, D = x.shape
    return x.reshape(B, H * L, D)


@misconception(
    "merge_heads",
    "The heads and the positions changed places, but their features were not put side by side: "
    "(B, L, H, D) has a dimension too many.",
)
def _(x):
    return x.transpose(1, 2)


@exercise(
    "MultiHeadAttention",
    chapter="06-multi-head",
    points=6,
    forbidden=(
        "MultiheadAttention",
        "multi_head_attention_forward",
        "scaled_dot_product_attention",
    ),
)
def _(student, reference, draw):
    B, H, L, S, E = 2, 3, 5, 7, 12
    layer, wanted = student(E, H), reference(E, H)
    weights = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        weights[f"{name}.weight"] = draw.normal(E, E) / 2
        weights[f"{name}.bias"] = draw.normal(E)
    for each in (layer, wanted):
        each.load(weights)
    query = draw.normal(B=B, L=L, E=E)
    key, value = draw.normal(B=B, S=S, E=E), draw.normal(B=B, S=S, E=E)
    names = {"names": ("output", "weights")}
    quick = names | {"contiguous": False, "double": False, "unchanged": False}
    agrees(layer, wanted, query, key, value, **names)
    agrees(layer, wanted, query, query, query, case="self-attention", **quick)

    mask = draw.boolean(L, S)
    mask[:, 2] = True  # no row is empty
    agrees(layer, wanted, query, key, value, mask, case="a mask [L, S]", **quick)
    padding = draw.boolean(B, 1, 1, S)
    padding[..., 4] = True
    agrees(layer, wanted, query, key, value, mask=padding, case="a mask [B, 1, 1, S]", **quick)
    full = draw.boolean(B, H, L, S)
    full[..., 1] = True
    agrees(layer, wanted, query, key, value, full, case="a mask for each head", **quick)
    full[1, :, 3] = False
    full[0, 1, 0] = False
    agrees(layer, wanted, query, key, value, full, case="rows with nothing to attend to", **names)
    nothing = torch.zeros(1, 1, 1, 1, dtype=torch.bool)
    agrees(layer, wanted, query, key, value, nothing, case="nothing to attend to", **quick)

    for heads in (1, E):
        layer, wanted = student(E, heads), reference(E, heads)
        for each in (layer, wanted):
            each.load(weights)
        agrees(layer, wanted, query[:1], key[:1], value[:1], case=f"{heads} heads", **quick)
    raises(student, ValueError, 10, 4, says=("10", "4"), case="4 heads for 10 features")


@misconception(
    "MultiHeadAttention",
    "The scores are divided by sqrt(embed_dim). A head's dot products have embed_dim / num_heads "
    "terms, so that is the number under the root.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The scores are not scaled: the dot products of a head should be divided by the root of the "
    "head's size.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The heads are split by a reshape alone, without a transpose: each head then holds some "
    "positions with all features, not all positions with some features.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, self.num_heads, -1, E // self.num_heads)
        query = self.W_q(query).view(heads)
        key = self.W_k(key).view(heads)
        value = self.W_v(value).view(heads)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The heads are merged by a reshape alone, without the transpose back: each row of the result "
    "mixes several positions.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The heads are merged feature by feature: first the first feature of all heads, then the "
    "second. W_o expects the features of each head side by side.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).permute(0, 2, 3, 1).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "W_o is not applied: the heads lie side by side, and nothing mixes what they found.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return output, weights


@misconception(
    "MultiHeadAttention",
    "The values are made from the keys. They have an input of their own, which may be another.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        key_input = key
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(key_input).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The softmax runs over the queries: the weights of all queries for one key sum to one. It "
    "should be the weights of all keys for one query.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-2)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The heads compete with each other: the softmax runs over the heads. Within each head, the "
    "weights of all keys for one query should sum to one.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "There are no heads in here: the attention is over all features at once, as if num_heads "
    "were 1, and its weights are shown once for each head.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        query, key, value = self.W_q(query), self.W_k(key), self.W_v(value)
        scores = query @ key.mT / math.sqrt(E)
        scores = scores[:, None].expand(-1, self.num_heads, -1, -1)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = weights.mean(dim=1) @ value
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The weights that come back are the mean over the heads. Each head has its own, (B, H, L, "
    "S); torch's layer averages them unless told otherwise.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights.mean(dim=1)


@misconception(
    "MultiHeadAttention",
    "The mask is read the wrong way around: True means `may attend` here, as in torch's "
    "scaled_dot_product_attention. In nn.MultiheadAttention it means the opposite.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            mask = ~mask
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The mask is applied after the softmax. The weights that remain do not sum to one, because "
    "the keys that were removed have taken their share already.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The scores are multiplied by the mask. A masked score becomes 0, and 0 is a score like any "
    "other: exp(0) = 1. It has to become -inf before the softmax.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            scores = scores * mask
        weights = torch.softmax(scores, dim=-1)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "The mask is not used at all.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        weights = torch.softmax(scores, dim=-1)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "A query that may attend to nothing gets NaN: the softmax of a row that is all -inf is zero "
    "over zero. Its weights should be zeros.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "A query that may attend to nothing attends to everything: a large negative number in place "
    "of -inf leaves a row that is all the same, and its softmax is uniform. Its weights should "
    "be zeros.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=-1)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "NaN is replaced by zero after the softmax. That mends the values, but not the gradient: it "
    "still goes through the softmax of a row that is all -inf, and is NaN.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            added = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -math.inf)
            scores = scores + added
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@misconception(
    "MultiHeadAttention",
    "Where a query may attend to nothing in any head, the output is set to zero after W_o. The "
    "heads are zeros there, before W_o; what comes out of it is its bias.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = self.W_o((weights @ value).transpose(1, 2).reshape(B, L, E))
        if mask is not None:
            nothing = empty.expand(B, self.num_heads, L, 1).all(dim=1)
            output = output.masked_fill(nothing, 0.0)
        return output, weights


@misconception(
    "MultiHeadAttention",
    "An embed_dim that is not divisible by num_heads is accepted when the layer is made; the "
    "error comes later, from a reshape inside. It should be a ValueError at once, naming both "
    "numbers.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        B, L, E = query.shape
        heads = (B, -1, self.num_heads, E // self.num_heads)
        query = self.W_q(query).view(heads).transpose(1, 2)
        key = self.W_k(key).view(heads).transpose(1, 2)
        value = self.W_v(value).view(heads).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(E // self.num_heads)
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        output = (weights @ value).transpose(1, 2).reshape(B, L, E)
        return self.W_o(output), weights


@exercise("from_torch", chapter="06-multi-head", points=4)
def _(student, reference, draw):
    def source(embed_dim, num_heads, options, weights):
        mha = nn.MultiheadAttention(embed_dim, num_heads, **options)
        mha.to(weights["in_proj_weight"].dtype).load_state_dict(weights)
        return mha.eval()

    def wider(embed_dim, num_heads, options):
        return nn.MultiheadAttention(embed_dim, num_heads, **options)

    B, H, L, S, E = 2, 3, 5, 7, 12
    weights = {
        "in_proj_weight": draw.normal(3 * E, E) / 2,
        "in_proj_bias": draw.normal(3 * E),
        "out_proj.weight": draw.normal(E, E) / 2,
        "out_proj.bias": draw.normal(E),
    }
    inputs = draw.normal(B=B, L=L, E=E), draw.normal(B=B, S=S, E=E), draw.normal(B=B, S=S, E=E)

    def compare(case, inputs, weights, num_heads=H, **options):
        bound = {"embed_dim": E, "num_heads": num_heads, "options": options, "weights": weights}
        wanted, layer = reference(built(source, **bound)), student(built(source, **bound))
        want, got = wanted(*inputs), layer(*inputs)
        close(got, want, names=("output", "weights"), case=case, call=layer.last_call)

    compare("a source with batch_first=True", inputs, weights, batch_first=True)
    compare("a source with batch_first=False", inputs, weights, batch_first=False)
    compare("a source with one head", inputs, weights, num_heads=1, batch_first=True)
    plain = {name: weight for name, weight in weights.items() if "bias" not in name}
    compare("a source without bias", inputs, plain, bias=False, batch_first=True)
    double = {name: weight.double() for name, weight in weights.items()}
    wide = tuple(tensor.double() for tensor in inputs)
    compare("a float64 source", wide, double, batch_first=True)
    for name in ("kdim", "vdim"):
        other = built(wider, embed_dim=E, num_heads=H, options={name: 8})
        raises(student, ValueError, other, case=f"a source with {name}=8")

    bound = {"embed_dim": E, "num_heads": H, "options": {"batch_first": True}, "weights": weights}
    layer, wanted = student(built(source, **bound)), reference(built(source, **bound))
    close(layer.parameters(), wanted.parameters(), call="the parameters of the layer")
    others = {name: draw.normal(*old.shape) / 2 for name, old in wanted.parameters().items()}
    for each in (layer, wanted):
        each.load(others)
    case = "other weights, put into the layer: they alone decide, not the source"
    close(layer(*inputs), wanted(*inputs), names=("output", "weights"), case=case)


@misconception(
    "from_torch",
    "The three parts of in_proj_weight are taken in another order. Torch has the queries first, "
    "then the keys, then the values.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_v, layer.W_k, layer.W_q
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "The matrices are transposed on the way. Torch stores all of them as nn.Linear does, output "
    "features first, so each can be copied as it is.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E].T)
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight.T)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "The biases of the source are not copied. Torch sets them to zero at first, so that a fresh "
    "layer hides it; a trained one does not.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
    return layer


@misconception(
    "from_torch",
    "The bias of out_proj is not copied: the other three are.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
    return layer


@misconception(
    "from_torch",
    "The rows of in_proj_weight are cut head by head: queries, keys and values of the first "
    "head, then of the second. Torch has all queries first, then all keys, then all values.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        rows = torch.arange(3 * E).reshape(mha.num_heads, 3, -1).transpose(0, 1).reshape(3, E)
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[rows[i]])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[rows[i]])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "The size of a head is given where the layer expects the number of heads.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.head_dim).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "The source's order of dimensions was kept: with batch_first=False the layer takes (L, B, "
    "E). The course's layer is batch first, whatever the source was.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            if not mha.batch_first:
                query, key, value = (x.transpose(0, 1) for x in (query, key, value))
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            output = self.W_o((weights @ value).transpose(1, 2).flatten(-2))
            return output if mha.batch_first else output.transpose(0, 1), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "A source without bias is not expected: its in_proj_bias is None. The biases of this layer "
    "should be zeros then.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
        for linear, bias in zip(linears, mha.in_proj_bias.chunk(3), strict=True):
            linear.bias.copy_(bias)
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "A float64 source becomes a float32 layer, which refuses float64 inputs and has lost half of "
    "the digits. The dtype should follow the source.",
)
def _(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("from_torch: kdim and vdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "A source with kdim or vdim of its own is not refused: it has no in_proj_weight, but three "
    "matrices of other names and shapes. That is a ValueError.",
)
def _(mha):

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@misconception(
    "from_torch",
    "Only kdim is looked at. A source with a vdim of its own does not fit either: that is a "
    "ValueError too.",
)
def _(mha):
    if mha.kdim != mha.embed_dim:
        raise ValueError("from_torch: kdim must be embed_dim")

    class Layer(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q = nn.Linear(embed_dim, embed_dim)
            self.W_k = nn.Linear(embed_dim, embed_dim)
            self.W_v = nn.Linear(embed_dim, embed_dim)
            self.W_o = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key, value, mask=None):
            made = self.W_q(query), self.W_k(key), self.W_v(value)
            query, key, value = (
                part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in made
            )
            weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    layer = Layer(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight.dtype)
    E = mha.embed_dim
    linears = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for i, linear in enumerate(linears):
            linear.weight.copy_(mha.in_proj_weight[i * E : (i + 1) * E])
            linear.bias.zero_()
            if mha.in_proj_bias is not None:
                linear.bias.copy_(mha.in_proj_bias[i * E : (i + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.out_proj.bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)
    return layer


@exercise("attention_parameter_count", chapter="06-multi-head", points=1)
def _(student, reference, draw):
    heads, head_dim = draw.int(5, 9), draw.int(10, 20)
    sizes = [(heads * head_dim, heads), (512, 8), (512, 1), (2, 1), (768, 12)]
    for embed_dim, num_heads in sizes:
        want, got = reference(embed_dim, num_heads), student(embed_dim, num_heads)
        close(got, want, call=student.last_call, rtol=0.0, atol=0.0)


@misconception(
    "attention_parameter_count",
    "The biases are missing: each nn.Linear has one number more for each of its outputs.",
)
def _(embed_dim, num_heads):
    return 4 * embed_dim**2


@misconception(
    "attention_parameter_count",
    "The count is multiplied by the number of heads. The heads share out the same matrices: more "
    "heads, but smaller ones.",
)
def _(embed_dim, num_heads):
    return 4 * num_heads * (embed_dim**2 + embed_dim)


@misconception(
    "attention_parameter_count",
    "There are four matrices, not three: W_o, which mixes the heads at the end, is missing.",
)
def _(embed_dim, num_heads):
    return 3 * (embed_dim**2 + embed_dim)


@misconception(
    "attention_parameter_count",
    "W_q, W_k and W_v are counted for one head only: their rows are those of all heads together.",
)
def _(embed_dim, num_heads):
    head_dim = embed_dim // num_heads
    return 3 * (embed_dim * head_dim + head_dim) + embed_dim**2 + embed_dim


@misconception(
    "attention_parameter_count",
    "The bias of an nn.Linear is counted as one number. It has one for each output.",
)
def _(embed_dim, num_heads):
    return 4 * (embed_dim**2 + 1)


@misconception(
    "attention_parameter_count",
    "The number is right, but it is a float: a count is a whole number, and / always gives a "
    "float.",
)
def _(embed_dim, num_heads):
    head_dim = embed_dim / num_heads
    return 4 * (embed_dim * head_dim * num_heads + embed_dim)
