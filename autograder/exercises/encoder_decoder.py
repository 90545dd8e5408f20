"""Checks for chapter 9, the full Transformer."""

import itertools
import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking import agrees, close, exercise, misconception, portable, raises, require


def loaded(student, reference, draw, *arguments, **options):
    """Both layers with the same arguments and the same drawn weights."""
    mine, theirs = student(*arguments, **options), reference(*arguments, **options)
    weights = {name: 0.5 * draw.normal(*old.shape) for name, old in theirs.parameters().items()}
    mine.load(weights)
    theirs.load(weights)
    return mine, theirs


@exercise("CrossAttention", chapter="09-encoder-decoder", points=3)
def _(student, reference, draw):
    names = ("output", "weights")
    mine, theirs = loaded(student, reference, draw, 6, 2)
    x, memory = draw.normal(B=3, L=4, E=6), draw.normal(B=3, S=5, E=6)
    agrees(mine, theirs, x, memory, names=names)
    one = draw.normal(1, 1, 6), draw.normal(1, 7, 6)
    agrees(mine, theirs, *one, names=names, case="one query")
    mask = torch.arange(5) < torch.tensor([[5], [2], [4]])
    agrees(mine, theirs, x, memory, mask, names=names, case="padding")
    mask[1] = torch.tensor([False, True, False, False, True])
    agrees(mine, theirs, x, memory, mask, names=names, case="holes in the mask")
    mask[2] = False
    agrees(mine, theirs, x, memory, mask, names=names, case="a sentence of padding alone")
    mine, theirs = loaded(student, reference, draw, 12, 3)
    x, memory = draw.normal(B=2, L=5, E=12), draw.normal(B=2, S=5, E=12)
    mask = torch.tensor([[1, 1, 0, 0, 0], [1, 0, 1, 1, 1]]).bool()
    agrees(mine, theirs, x, memory, mask, names=names, case="as many queries as keys")


@misconception(
    "CrossAttention",
    "The keys and values come from the decoder's own sequence: this is self-attention, and "
    "nothing of the source is seen. Queries come from x, keys and values from the memory.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(x), self.W_v(x))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = scores.softmax(dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "The roles are exchanged: the memory asks, and x is looked at. The decoder asks, so the "
    "queries come from x, and the output has x's length.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(memory), self.W_k(x), self.W_v(x))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = scores.softmax(dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "There is a causal mask on the cross-attention. The source is complete before the first word "
    "is written: every target position may look at all of it.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        scores = scores + torch.full_like(scores, -1e30).triu(1)
        if memory_mask is not None:
            scores = scores.masked_fill(~memory_mask[:, None, None, :], -1e30)
        weights = scores.softmax(dim=-1)
        if memory_mask is not None:
            weights = weights * memory_mask[:, None, None, :]
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "The memory mask is not used, so padding of the source is attended to.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = scores.softmax(dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "The memory mask is used the wrong way round. True means that a position may be attended to "
    "(torch's `key_padding_mask` means the opposite).",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if memory_mask is not None:
            scores = scores.masked_fill(memory_mask[:, None, None, :], -1e30)
        weights = scores.softmax(dim=-1)
        if memory_mask is not None:
            weights = weights * ~memory_mask[:, None, None, :]
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "Where a sentence has no memory that may be attended to, the softmax gets only -inf and "
    "returns NaN. Weights and heads should be zeros there.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if memory_mask is not None:
            scores = scores.masked_fill(~memory_mask[:, None, None, :], -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "Where a sentence has no memory that may be attended to, all weights are equal: a large "
    "negative number instead of -inf makes the softmax uniform. Weights and heads should be "
    "zeros there.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if memory_mask is not None:
            scores = scores.masked_fill(~memory_mask[:, None, None, :], -1e30)
        weights = scores.softmax(dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "The mask multiplies the weights after the softmax, so what is left does not sum to one. The "
    "mask belongs before the softmax.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = scores.softmax(dim=-1)
        if memory_mask is not None:
            weights = weights * memory_mask[:, None, None, :]
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "The scores are divided by the root of embed_dim. Each head's vectors have only embed_dim / "
    "num_heads numbers, and the root of that is the scale.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(x.shape[-1])
        if memory_mask is not None:
            scores = scores.masked_fill(~memory_mask[:, None, None, :], -1e30)
        weights = scores.softmax(dim=-1)
        if memory_mask is not None:
            weights = weights * memory_mask[:, None, None, :]
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@misconception(
    "CrossAttention",
    "`W_o` is not applied: the heads stand side by side, and nothing mixes them.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if memory_mask is not None:
            scores = scores.masked_fill(~memory_mask[:, None, None, :], -1e30)
        weights = scores.softmax(dim=-1)
        if memory_mask is not None:
            weights = weights * memory_mask[:, None, None, :]
        return (weights @ value).transpose(1, 2).flatten(2), weights


@misconception(
    "CrossAttention",
    "The weights are averaged over the heads, as nn.MultiheadAttention does unless told "
    "otherwise. Each head's weights are wanted, (B, H, L, S).",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        query, key, value = (
            made.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for made in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if memory_mask is not None:
            scores = scores.masked_fill(~memory_mask[:, None, None, :], -1e30)
        weights = scores.softmax(dim=-1)
        if memory_mask is not None:
            weights = weights * memory_mask[:, None, None, :]
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights.mean(dim=1)


@exercise(
    "DecoderBlock", chapter="09-encoder-decoder", points=4, forbidden=("TransformerDecoderLayer",)
)
def _(student, reference, draw):
    names = ("output", "cross_weights")
    x, memory = draw.normal(B=2, L=4, E=6), draw.normal(B=2, S=5, E=6)
    mask = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]).bool()
    nothing = torch.tensor([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]).bool()
    for pre in (False, True):
        norm = "pre-norm" if pre else "post-norm"
        mine, theirs = loaded(student, reference, draw, 6, 2, 9, norm_first=pre)
        some = {"contiguous": False, "double": False}
        agrees(mine, theirs, x, memory, names=names, case=norm, **some)
        agrees(mine, theirs, x, memory, mask, names=names, case=f"{norm}, padding")
        case = f"{norm}, a sentence of padding alone"
        agrees(mine, theirs, x, memory, nothing, names=names, case=case, **some)

        mine, theirs = loaded(student, reference, draw, 6, 2, 9, dropout=1.0, norm_first=pre)
        mine.train(False)
        theirs.train(False)
        case = f"{norm}, dropout 1.0 in evaluation mode"
        close(mine(x, memory), theirs(x, memory), names=names, case=case, call=mine.last_call)
        mine.train()
        theirs.train()
        case = f"{norm}, dropout 1.0 in training: all three sublayers return zeros"
        got, want = mine(x, memory), theirs(x, memory)
        close(got, want, names=names, case=case, call=mine.last_call)
    mine, theirs = loaded(student, reference, draw, 6, 2, 9)
    case = "without naming dropout and norm_first"
    close(mine(x, memory), theirs(x, memory), names=names, case=case, call=mine.last_call)

    # What is random comes last: a known mistake is recognized by what it answered before.
    parts = {
        "self-attention": ("self_attn.W_o.bias", 1.0),
        "cross-attention": ("multihead_attn.W_o.bias", 4.0),
        "feed-forward": ("feed_forward.linear2.bias", 16.0),
    }
    mine = student(1, 1, 1, dropout=0.25, norm_first=True)
    zeros = {name: torch.zeros(old.shape) for name, old in mine.parameters().items()}
    mine.load(zeros | {name: torch.full((1,), value) for name, value in parts.values()})
    mine.train()
    added = mine(torch.ones(100, 40, 1), torch.ones(100, 2, 1))[0] - 1
    for kept in itertools.product((False, True), repeat=3):
        sizes = [value for (_, value), here in zip(parts.values(), kept, strict=True) if here]
        what = [part for part, here in zip(parts, kept, strict=True) if here]
        share = 0.75 ** len(sizes) * 0.25 ** (3 - len(sizes))
        here = ((added - sum(sizes) / 0.75).abs() < 1e-3).double().mean().item()
        require(
            abs(here - share) < 0.05,
            f"In training with dropout=0.25, {share:.1%} of the entries should get "
            f"{' and '.join(what) or 'nothing'}, scaled by 1 / 0.75; it is {here:.1%}.",
        )


@misconception(
    "DecoderBlock",
    "The self-attention is not causal, so a position sees the target tokens that it is to predict.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool)
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The diagonal is masked too, so a position does not see its own token, and the first sees "
    "nothing. Position i attends to 0 to i, itself included.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril(-1)
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The cross-attention is causal as well. The source is known in full: only the self-attention "
    "must not look ahead.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        allowed = allowed & torch.ones(x.shape[1], memory.shape[1], dtype=torch.bool).tril()
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The source mask is forgotten: `memory_mask` does not reach the cross-attention, and padding "
    "is attended to.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = allowed[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The keys and values of the cross-attention come from the decoder's own x. They come from "
    "the memory, or the source is never seen.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), pre2(x), causal)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The weights of the self-attention are returned. Those of the cross-attention are wanted.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), own_weights


@misconception(
    "DecoderBlock",
    "`norm_first` is not used: the block is post-norm always. With norm_first=True each norm "
    "stands before its sublayer, and the sum is not normalized.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The block is pre-norm always. Without norm_first each norm comes after the sum, as in the "
    "paper of 2017.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "norm2 and norm3 are exchanged: norm2 belongs to the cross-attention, norm3 to the "
    "feed-forward.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm3, self.norm2)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "With norm_first the memory is normalized too. It is used as it comes: norm2 is for x alone.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), pre2(memory), allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The cross-attention comes before the self-attention. The decoder looks back over its own "
    "words first, and asks the source then.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "The residual connection around the cross-attention is missing: what the block knew of the "
    "target is lost there.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "There is no dropout. In training, what each of the three sublayers returns goes through "
    "dropout before it is added.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Identity()

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(x + self.dropout(own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(x + self.dropout(cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(x + self.dropout(self.feed_forward.linear2(hidden))), weights


@misconception(
    "DecoderBlock",
    "Dropout stands after the sum, so it also hits x itself. It is for what the sublayers "
    "return, and the residual path stays whole.",
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.multihead_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.norm3 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1) * mask
        return layer["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, memory_mask=None):
        same = nn.Identity()
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        allowed = torch.ones(memory.shape[:2], dtype=torch.bool)
        allowed = (allowed if memory_mask is None else memory_mask)[:, None, None]
        three = (self.norm1, self.norm2, self.norm3)
        norms = [(norm, same) if self.norm_first else (same, norm) for norm in three]
        (pre1, post1), (pre2, post2), (pre3, post3) = norms
        seen = pre1(x)
        own, own_weights = self.attend(self.self_attn, seen, seen, causal)
        x = post1(self.dropout(x + own))
        cross, weights = self.attend(self.multihead_attn, pre2(x), memory, allowed)
        x = post2(self.dropout(x + cross))
        hidden = F.relu(self.feed_forward.linear1(pre3(x)))
        return post3(self.dropout(x + self.feed_forward.linear2(hidden))), weights


@exercise("Transformer", chapter="09-encoder-decoder", points=5)
def _(student, reference, draw):
    def tokens(vocab, *sizes, **named):
        return draw.integers(2, vocab, *sizes, **named)

    mine, theirs = loaded(student, reference, draw, 11, 13, 6, 2, 9, 1, 7)
    source, target = tokens(11, B=3, S=5), tokens(13, B=3, L=4)
    agrees(mine, theirs, source, target, case="one layer")
    source[1, 3:] = 0
    source[2, 2:] = 0
    agrees(mine, theirs, source, target, case="one layer, padding in the source")
    full = tokens(11, 1, 7), tokens(13, 1, 7)
    close(mine(*full), theirs(*full), case="the largest lengths", call=mine.last_call)
    target[0, 2:] = 0
    got, want = mine(source, target), theirs(source, target)
    close(got, want, case="padding in the target too", call=mine.last_call)
    source[2] = 0
    agrees(mine, theirs, source, target[:, :2], case="a source of padding alone")
    for lengths, says, case in (((8, 4), "8", "a source"), ((4, 9), "9", "a target")):
        long = tokens(11, 2, lengths[0]), tokens(13, 2, lengths[1])
        raises(
            mine, ValueError, *long, says=(says, "7"), case=f"{case} of {says} tokens, at most 7"
        )

    mine, theirs = loaded(student, reference, draw, 11, 13, 6, 2, 9, 2, 7, pad_id=1)
    source, target = tokens(11, B=2, S=5), tokens(13, B=2, L=3)
    source[0, 4:] = 1
    source[1, 0] = 0
    agrees(mine, theirs, source, target, case="two layers, pad_id 1")


@misconception(
    "Transformer",
    "The embeddings are not multiplied by sqrt(embed_dim).",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        memory = memory + self.positions(*memory.shape[1:])
        x = x + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The positions are added before the factor sqrt(embed_dim), which then multiplies them too. "
    "Only the embeddings are scaled.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = (memory + self.positions(*memory.shape[1:])) * scale
        x = (x + self.positions(*x.shape[1:])) * scale
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "No positions are added, so source and target are bags of tokens.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale
        x = x * scale
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The decoder's self-attention is not causal: logits at a position change with the target "
    "tokens after it, which are what they should predict.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool)
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The source mask is forgotten altogether: padding is attended to as if it were text.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = torch.ones_like(source, dtype=torch.bool)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The source mask is used in the encoder, but not in the cross-attention: the decoder still "
    "looks at padding.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, torch.ones_like(real)))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The source mask is used in the cross-attention, but not in the encoder: there real tokens "
    "still mix with padding.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(
                memory + self.attend(layer.self_attn, memory, memory, torch.ones_like(real))
            )
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "Padding is always token 0 here. Which token it is, `pad_id` says.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != 0)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The target got a padding mask as well. The contract has the causal mask alone there: what "
    "comes after the end counts nothing in the loss anyway.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        causal = causal & (target != self.pad_id)[:, None, None]
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The target is shifted inside `forward`. The caller does that: it gives the target beginning "
    "with the start token, and logits at t are for what follows target[t].",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        target = torch.cat([target[:, :1], target[:, :-1]], dim=1)
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "Each decoder layer attends to the encoder layer of the same number. All of them attend to "
    "the memory: what the last encoder layer returns.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        kept = []
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
            kept.append(memory)
        for layer, memory in zip(self.decoder, kept, strict=True):
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The decoder attends to the embedded source: what the encoder returned is not used.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        embedded = memory
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, embedded, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "The logits went through a softmax. The loss takes the softmax itself.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = max(source.shape[1], target.shape[1])
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x).softmax(dim=-1)


@misconception(
    "Transformer",
    "Longer sequences than max_length are accepted. Both source and target have that limit: past "
    "it, a ValueError.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@misconception(
    "Transformer",
    "Only the source is held to max_length. A target that is too long is a ValueError as well.",
)
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.decoder = nn.ModuleList(nn.Module() for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)
        for layer in [*self.encoder.layers, *self.decoder]:
            names = ("W_q", "W_k", "W_v", "W_o")
            layer.self_attn = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim) for n in names})
            layer.feed_forward = nn.Module()
            layer.feed_forward.linear1 = nn.Linear(embed_dim, hidden_dim)
            layer.feed_forward.linear2 = nn.Linear(hidden_dim, embed_dim)
            layer.norm1, layer.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        for layer in self.decoder:
            layer.multihead_attn = nn.ModuleDict(
                {name: nn.Linear(embed_dim, embed_dim) for name in names}
            )
            layer.norm3 = nn.LayerNorm(embed_dim)

    def positions(self, length, size):
        column = torch.arange(size)
        angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / size)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    def attend(self, layer, x, memory, mask):
        query, key, value = (
            layer[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e30)
        heads = (scores.softmax(dim=-1) * mask) @ value
        return layer["W_o"](heads.transpose(1, 2).flatten(2))

    def feed(self, layer, x):
        return layer.feed_forward.linear2(F.relu(layer.feed_forward.linear1(x)))

    def forward(self, source, target):
        longest = source.shape[1]
        if longest > self.max_length:
            raise ValueError(f"Transformer: length {longest}, at most {self.max_length}")
        memory, x = self.source_embedding(source), self.target_embedding(target)
        scale = math.sqrt(x.shape[-1])
        memory = memory * scale + self.positions(*memory.shape[1:])
        x = x * scale + self.positions(*x.shape[1:])
        real = (source != self.pad_id)[:, None, None]
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.encoder.layers:
            memory = layer.norm1(memory + self.attend(layer.self_attn, memory, memory, real))
            memory = layer.norm2(memory + self.feed(layer, memory))
        for layer in self.decoder:
            x = layer.norm1(x + self.attend(layer.self_attn, x, x, causal))
            x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, real))
            x = layer.norm3(x + self.feed(layer, x))
        return self.output(x)


@exercise(
    "label_smoothed_loss",
    chapter="09-encoder-decoder",
    points=3,
    forbidden=("cross_entropy", "cross_entropy_loss", "CrossEntropyLoss"),
)
def _(student, reference, draw):
    logits, targets = draw.normal(N=6, V=5), draw.integers(1, 5, N=6)
    agrees(student, reference, logits, targets, 0.0, case="no smoothing")
    agrees(student, reference, logits, targets, 0.3, case="smoothing 0.3")
    agrees(student, reference, logits, targets, case="the usual smoothing")
    logits, targets = 2 * draw.normal(B=2, L=3, V=7), draw.integers(1, 7, B=2, L=3)
    agrees(student, reference, logits, targets, 0.2, case="a batch of sentences")
    targets[0, 2] = targets[1, 1] = targets[1, 2] = 0
    agrees(student, reference, logits, targets, 0.2, case="padding")
    targets[0, 0] = targets[0, 2] = targets[1, 1] = 3
    targets[1, 2] = 0
    agrees(student, reference, logits, targets, 0.1, 3, case="pad_id 3")
    targets[0, 0] = targets[1, 1] = -100
    agrees(student, reference, logits, targets, 0.1, -100, case="pad_id -100, which is no token")
    agrees(student, reference, logits[0, 0], targets[1, 0], 0.1, -100, case="a single position")
    agrees(student, reference, 1e4 * logits, targets, 0.1, -100, case="logits of 1e4", rtol=1e-3)
    nothing = torch.full((2, 3), 4)
    agrees(student, reference, logits, nothing, 0.1, 4, case="padding alone")


@misconception(
    "label_smoothed_loss",
    "The smoothing is not used: this is the plain cross-entropy.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    right = logits[real].log_softmax(-1).gather(-1, targets[real][..., None])
    return -right.sum() / real.sum().clamp(min=1)


@misconception(
    "label_smoothed_loss",
    "The smoothing is shared by the V - 1 wrong tokens only. Here, as in torch, all V tokens get a "
    "share, the right one too.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    log_probs = logits[real].log_softmax(-1)
    right = log_probs.gather(-1, targets[real][..., None]).squeeze(-1)
    wrong = log_probs.sum(dim=-1) - right
    losses = -(1 - smoothing) * right - smoothing / (logits.shape[-1] - 1) * wrong
    return losses.sum() / real.sum().clamp(min=1)


@misconception(
    "label_smoothed_loss",
    "Every token gets the whole of `smoothing`, so the target distribution sums to more than one. "
    "The V tokens share it: smoothing / V each.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    log_probs = logits[real].log_softmax(-1)
    right = log_probs.gather(-1, targets[real][..., None]).squeeze(-1)
    losses = -(1 - smoothing) * right - smoothing * log_probs.sum(dim=-1)
    return losses.sum() / real.sum().clamp(min=1)


@misconception(
    "label_smoothed_loss",
    "The right token keeps all of its probability, and the smoothing comes on top. The target "
    "distribution should sum to one: 1 - smoothing for the right token.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    log_probs = logits[real].log_softmax(-1)
    right = log_probs.gather(-1, targets[real][..., None]).squeeze(-1)
    losses = -right - smoothing * log_probs.mean(dim=-1)
    return losses.sum() / real.sum().clamp(min=1)


@misconception(
    "label_smoothed_loss",
    "The loss at padding is zero, but the sum is divided by the number of all positions. The mean "
    "is over real targets alone.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    log_probs = logits.log_softmax(-1)
    right = log_probs.gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    losses = -(1 - smoothing) * right - smoothing * log_probs.mean(dim=-1)
    return (losses * real).sum() / real.numel()


@misconception(
    "label_smoothed_loss",
    "Padding counts like any target. Positions whose target is pad_id should count nothing.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    log_probs = logits.log_softmax(-1)
    right = log_probs.gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    return (-(1 - smoothing) * right - smoothing * log_probs.mean(dim=-1)).mean()


@misconception(
    "label_smoothed_loss",
    "Padding is left out of the cross-entropy, but the smoothing still runs over it: its share "
    "comes from every position, padding too.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    log_probs = logits.log_softmax(-1)
    right = log_probs.gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1) * real
    losses = -(1 - smoothing) * right - smoothing * log_probs.mean(dim=-1)
    return losses.sum() / real.sum().clamp(min=1)


@misconception(
    "label_smoothed_loss",
    "The mean is taken for each sentence first, and then over the sentences, so a token in a short "
    "sentence counts more. Average over all real targets of the batch at once.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = (targets != pad_id).double().to(logits.dtype)
    log_probs = logits.log_softmax(-1)
    right = log_probs.gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    losses = (-(1 - smoothing) * right - smoothing * log_probs.mean(dim=-1)) * real
    if targets.dim() < 2:
        return losses.sum() / real.sum().clamp(min=1)
    return (losses.sum(dim=-1) / real.sum(dim=-1).clamp(min=1)).mean()


@misconception(
    "label_smoothed_loss",
    "Padding is always token 0 here. Which target counts nothing, `pad_id` says.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != 0
    log_probs = logits[real].log_softmax(-1)
    right = log_probs.gather(-1, targets[real].clamp(min=0)[..., None]).squeeze(-1)
    losses = -(1 - smoothing) * right - smoothing * log_probs.mean(dim=-1)
    return losses.sum() / real.sum().clamp(min=1)


@misconception(
    "label_smoothed_loss",
    "The logarithm of a softmax: with large logits, probabilities are rounded to zero and their "
    "logarithm is -inf. `log_softmax` takes both steps at once and stays finite.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    log_probs = torch.softmax(logits[real], dim=-1).log()
    right = log_probs.gather(-1, targets[real][..., None]).squeeze(-1)
    losses = -(1 - smoothing) * right - smoothing * log_probs.mean(dim=-1)
    return losses.sum() / real.sum().clamp(min=1)


@misconception(
    "label_smoothed_loss",
    "With padding alone the mean is zero over zero: NaN. A loss over no target is 0.",
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    log_probs = logits[real].log_softmax(-1)
    right = log_probs.gather(-1, targets[real][..., None]).squeeze(-1)
    return (-(1 - smoothing) * right - smoothing * log_probs.mean(dim=-1)).mean()


@exercise("warmup_rate", chapter="09-encoder-decoder", points=1)
def _(student, reference, draw):
    tight = {"rtol": 1e-6, "atol": 0.0}
    warmup = draw.int(50, 90)
    for step, case in (
        (draw.int(200, 400), "after the warm-up"),
        (1, "the first step"),
        (draw.int(10, 40), "in the warm-up"),
        (warmup, "the last step of the warm-up"),
        (warmup + 1, "the first step after the warm-up"),
    ):
        size = draw.int(20, 600)
        got, want = student(step, size, warmup), reference(step, size, warmup)
        close(got, want, case=case, call=student.last_call, **tight)
    for step in (draw.int(100, 3000), draw.int(5000, 9000)):
        case = "without naming the length of the warm-up"
        close(student(step, 512), reference(step, 512), case=case, call=student.last_call, **tight)
    raises(student, ValueError, -draw.int(1, 9), 512, case="a negative step")
    raises(student, ValueError, 0, 512, case="step 0")


@misconception(
    "warmup_rate",
    "The steps are counted from 0, so that one is added to each. Here the first update is step 1.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("warmup_rate: steps count from 1")
    return embed_dim**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup_steps**-1.5)


@misconception(
    "warmup_rate",
    "There is no warm-up: the rate only falls, and the first steps, when weights are still random, "
    "are the largest.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("warmup_rate: steps count from 1")
    return embed_dim**-0.5 * step**-0.5


@misconception(
    "warmup_rate",
    "After the warm-up the rate stays where it is. It should fall with one over the root of the "
    "step.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("warmup_rate: steps count from 1")
    return embed_dim**-0.5 * min(warmup_steps**-0.5, step * warmup_steps**-1.5)


@misconception(
    "warmup_rate",
    "The larger of the two was taken. The rate is the smaller one: rising first, falling later.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("warmup_rate: steps count from 1")
    return embed_dim**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)


@misconception(
    "warmup_rate",
    "The factor embed_dim^-0.5 is missing: wider models take smaller steps.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("warmup_rate: steps count from 1")
    return min(step**-0.5, step * warmup_steps**-1.5)


@misconception(
    "warmup_rate",
    "The rising part is step / warmup_steps, without the height of the peak. Where the two parts "
    "meet, they should be equal: step * warmup_steps^-1.5.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("warmup_rate: steps count from 1")
    return embed_dim**-0.5 * min(step**-0.5, step / warmup_steps)


@misconception(
    "warmup_rate",
    "The falling part begins anew at the end of the warm-up: its step is counted from there. It "
    "should be one over the root of the same step.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("warmup_rate: steps count from 1")
    if step <= warmup_steps:
        return embed_dim**-0.5 * step * warmup_steps**-1.5
    return embed_dim**-0.5 * min(warmup_steps**-0.5, (step - warmup_steps) ** -0.5)


@misconception(
    "warmup_rate",
    "Step 0 gave the rate 0. Nothing would be learned in that step: steps count from 1, and less "
    "is a ValueError.",
)
def _(step, embed_dim, warmup_steps=4000):
    if step < 0:
        raise ValueError("warmup_rate: steps count from 1")
    if step == 0:
        return 0.0
    return embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def made_up(prefixes, table, output):
    state = torch.zeros(len(prefixes), table.shape[1])
    for tokens in prefixes.unbind(dim=1):
        state = torch.tanh(0.6 * state.roll(1, dims=1) + table[tokens])
    return state @ output


def by_last_token(prefixes, table):
    return table[prefixes.shape[1] - 1, prefixes[:, -1]]


@exercise("beam_search", chapter="09-encoder-decoder", points=4)
def _(student, reference, draw):
    vocab, bos, eos = 6, 0, 1

    def check(step, *arguments, case):
        got, want = student(step, *arguments), reference(step, *arguments)
        names = ("tokens", "log_prob")
        close(got, want, names=names, case=case, call=student.last_call)

    def drawn(ending):
        table, output = draw.normal(vocab, 8), 1.5 * draw.normal(8, vocab)
        output[:, eos] *= 0.5
        table[:, 0], output[0, eos] = 1.5, ending
        return portable(made_up, table=table, output=output)

    def row(**known):
        """Logits with these probabilities, about; the other tokens share the rest."""
        chances = draw.uniform(vocab, low=0.5, high=1.5)
        known = {int(name.removeprefix("p")): chance for name, chance in known.items()}
        others = [token for token in range(vocab) if token not in known]
        chances[others] *= (1 - sum(known.values())) / chances[others].sum()
        for token, chance in known.items():
            chances[token] = chance
        return chances.log() + draw.float(-2.0, 2.0)

    def tree(length, *known):
        """Logits by number of tokens and last token; what is not known is nearly even, no end."""
        table = 0.1 * draw.normal(length, vocab, vocab)
        table[:, :, eos] -= 5.0
        for step, last, logits in known:
            table[step, last] = logits
        return portable(by_last_token, table=table)

    def short_and_long(ratio):
        """Ends at once, or after six tokens with a log-probability `ratio` times as large.

        A beam as wide as the vocabulary keeps both.
        """
        short = draw.float(0.45, 0.5)
        first = 0, bos, row(p1=short, p2=short**ratio)
        middle = [(step, 2, row(p2=0.9999)) for step in range(1, 5)]
        return tree(8, first, *middle, (5, 2, row(p1=0.9999)))

    def crowded():
        """One hypothesis ends at once; the best of the long ones is third in the second round."""
        return tree(
            6,
            (0, bos, row(p1=0.301, p2=0.607)),
            (1, 2, row(p3=0.522, p4=0.333)),
            *((step, 3, row(p0=0.3, p3=0.32, p5=0.36)) for step in range(2, 6)),
            *((step, 4, row(p4=0.98)) for step in range(2, 6)),
        )

    for _ in range(3):
        check(drawn(-3.0), bos, eos, 1, 6, case="width 1")
    long = [(step, 3, row(p3=0.97)) for step in range(1, 4)]
    step = tree(4, (0, bos, row(p2=0.5, p3=0.4)), *long)
    check(step, bos, eos, 2, 4, case="the second best is better later")
    long = [(step, 5, row(p5=0.97)) for step in range(2, 4)]
    step = tree(4, (0, bos, row(p2=0.5, p3=0.3)), (1, 2, row(p4=0.5, p5=0.4)), *long)
    check(step, bos, eos, 2, 4, case="the two best begin alike")
    endless = [(step, 2, row(p2=0.97)) for step in range(1, 4)]
    step = tree(4, (0, bos, row(p1=0.2, p2=0.6)), *endless)
    check(step, bos, eos, 2, 4, case="the best has not ended")
    ended = [(step, eos, row(p1=0.97)) for step in range(1, 4)]
    step = tree(4, (0, bos, row(p1=0.5, p2=0.3)), *endless, *ended)
    check(step, bos, eos, 2, 4, case="the best ends at once")
    for width in (2, 3, 4):
        check(drawn(-3.0), bos, eos, width, 6, case="a beam")
    for width in (2, 3, 4):
        check(drawn(1.0), bos, eos, width, 6, case="hypotheses of many lengths")
    step = short_and_long(draw.float(1.3, 1.6))
    check(step, bos, eos, vocab, 8, case="a short one and a long one, without naming a penalty")
    for low, high in ((1.3, 1.6), (2.4, 3.0), (1.73, 1.8), (1.86, 1.96)):
        step = short_and_long(draw.float(low, high))
        check(step, bos, eos, vocab, 8, 1.0, case="a short one and a long one, with a penalty")
    for penalty in (1.5, 3.0):
        check(crowded(), bos, eos, 2, 6, penalty, case="an ended one in a crowded beam")
    for width, penalty in ((2, 1.0), (3, 0.6), (5, 2.0)):
        check(drawn(0.5), bos, eos, width, 6, penalty, case="a length penalty")
    check(drawn(0.0), 5, eos, 3, 5, 1.0, case="another start token")
    check(drawn(0.0), bos, 4, 3, 5, 1.0, case="another end token")
    for penalty in (0.0, 1.0):
        check(drawn(0.0), bos, eos, 6**3, 3, penalty, case="a beam for all sequences")
    check(drawn(0.0), bos, eos, 3, 1, case="one token")


@misconception(
    "beam_search",
    "The start token is part of the result. Tokens come without it.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens), total


@misconception(
    "beam_search",
    "The logits are added up as they come. They are no log-probabilities before a log-softmax: "
    "with another constant added at each step, other sequences would win.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going]))
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "Probabilities are added up, not their logarithms. The probability of a sequence is a "
    "product, and its logarithm a sum.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "`beam_width` is not used: this is greedy decoding, which never takes back its first choice.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:1]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "Every hypothesis keeps its own best continuation only. All continuations of all hypotheses "
    "should compete for the places in the beam.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            options = [([*tokens, token], total + more) for token, more in enumerate(row)]
            options.sort(key=lambda one: -one[1])
            found += options if len(tokens) == 1 else options[:1]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "Finished hypotheses are extended further, past the end token. A sequence that has ended "
    "stays as it is, and so does its log-probability.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = list(beam)
        found = []
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "Finished hypotheses leave the beam and are kept apart, so their places go to others. Here "
    "they keep their place in the beam, as long as they are good enough.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam, apart = [([bos_id], 0.0)], []
    for _ in range(max_length):
        if not beam:
            break
        going, found = beam, []
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])
        apart += [one for one in beam[:beam_width] if one[0][-1] == eos_id]
        beam = [one for one in beam if one[0][-1] != eos_id][:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam + apart, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "Finished hypotheses are lost: they are not carried over to the next round.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        if not going:
            break
        found = []
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "The search stops as soon as one hypothesis has ended. Another in the beam may still become "
    "better: it ends when all have ended.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if found:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "Where one hypothesis has ended, those that have not are no longer considered at the end. "
    "The contract lets all of the last beam compete, finished or not.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max([one for one in beam if eos_id in one[0][1:]] or beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "The length penalty is not used, so short sequences win: every further token makes a "
    "sequence less probable.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1]

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "The penalty is used for pruning as well, and the beam keeps other hypotheses. It decides "
    "the final choice alone.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1] / ((4 + len(one[0])) / 6) ** length_penalty)[
            :beam_width
        ]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "The score is divided by length ** length_penalty. The contract has ((5 + length) / 6) ** "
    "length_penalty, which is milder for short sequences.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / (len(one[0]) - 1) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "The start token is counted in the length. Length counts the tokens of the result.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((5 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "The end token is not counted in the length. It is one of the tokens of the result.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0]) - (eos_id in one[0][1:])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), total


@misconception(
    "beam_search",
    "The log-probability comes back divided by the penalty. The choice is made with the penalty; "
    "what is returned is without.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    return torch.tensor(tokens[1:]), judged((tokens, total))


@misconception(
    "beam_search",
    "The end token was cut off. It is part of the tokens where it came.",
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [one for one in beam if eos_id not in one[0][1:]]
        found = [one for one in beam if eos_id in one[0][1:]]
        if not going:
            break
        rows = step(torch.tensor([tokens for tokens, _ in going])).log_softmax(dim=-1)
        for (tokens, total), row in zip(going, rows.tolist(), strict=True):
            found += [([*tokens, token], total + more) for token, more in enumerate(row)]
        beam = sorted(found, key=lambda one: -one[1])[:beam_width]

    def judged(one):
        return one[1] / ((4 + len(one[0])) / 6) ** length_penalty

    tokens, total = max(beam, key=judged)
    total, tokens = total, [token for token in tokens if token != eos_id]
    return torch.tensor(tokens[1:]), total
