"""Wrong answers to chapter 11, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.attention_layer import scaled_dot_product_attention
from solutions.encoder_decoder import CrossAttention, DecoderBlock
from solutions.masked import causal_mask
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.positions import sinusoidal_positions
from solutions.transformer_block import Encoder, FeedForward, LayerNorm


@wrong("CrossAttention", about="queries from the memory, keys and values from x")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        q = split_heads(self.W_q(memory), self.num_heads)
        k = split_heads(self.W_k(x), self.num_heads)
        v = split_heads(self.W_v(x), self.num_heads)
        mask = None if memory_mask is None else memory_mask[:, None, :, None]
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(out)), weights


@wrong("CrossAttention", about="the values are made from x")
class _(MultiHeadAttention):
    def forward(self, x, memory, memory_mask=None):
        mask = None if memory_mask is None else memory_mask[:, None, None, :]
        return super().forward(x, memory, x, mask)


@wrong("CrossAttention", about="the memory mask is used as it comes, (B, S)")
class _(MultiHeadAttention):
    def forward(self, x, memory, memory_mask=None):
        return super().forward(x, memory, memory, memory_mask)


@wrong("CrossAttention", about="the memory mask lands on the queries")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.W_q, self.W_k = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.W_v, self.W_o = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        q, k, v = self.W_q(x), self.W_k(memory), self.W_v(memory)
        q, k, v = (split_heads(t, self.n) for t in (q, k, v))
        if memory_mask is not None:
            memory_mask = memory_mask[:, None, :, None]
        heads, weights = scaled_dot_product_attention(q, k, v, memory_mask)
        return self.W_o(merge_heads(heads)), weights


@wrong("CrossAttention", about="a causal mask that is not asked for")
class _(MultiHeadAttention):
    def forward(self, x, memory, memory_mask=None):
        L, S = x.shape[1], memory.shape[1]
        mask = torch.ones(L, S, dtype=torch.bool).tril()
        if memory_mask is not None:
            mask = mask & memory_mask[:, None, None, :]
        return super().forward(x, memory, memory, mask)


@wrong("CrossAttention", about="a memory that allows nothing gives NaN")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.H, self.D = num_heads, embed_dim // num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        q = self.W_q(x).unflatten(-1, (self.H, self.D))
        k = self.W_k(memory).unflatten(-1, (self.H, self.D))
        v = self.W_v(memory).unflatten(-1, (self.H, self.D))
        scores = torch.einsum("blhd,bshd->bhls", q, k) / math.sqrt(self.D)
        if memory_mask is not None:
            scores = scores.masked_fill(~memory_mask[:, None, None], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.W_o(torch.einsum("bhls,bshd->blhd", weights, v).flatten(-2)), weights


@wrong(
    "CrossAttention",
    about=("attends where the memory mask is False", "W_o is not applied"),
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        q, k, v = (
            split_heads(t, self.num_heads)
            for t in (self.W_q(x), self.W_k(memory), self.W_v(memory))
        )
        if memory_mask is not None:
            memory_mask = memory_mask.logical_not().unsqueeze(1).unsqueeze(1)
        out, weights = scaled_dot_product_attention(q, k, v, memory_mask)
        return merge_heads(out), weights


@wrong("DecoderBlock", about="the self-attention is not causal")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.norm3 = LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, memory, memory_mask=None):
        if self.norm_first:
            h = self.norm1(x)
            x = x + self.dropout(self.self_attn(h, h, h)[0])
            h, w = self.multihead_attn(self.norm2(x), memory, memory_mask)
            x = x + self.dropout(h)
            return x + self.dropout(self.feed_forward(self.norm3(x))), w
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x)[0]))
        h, w = self.multihead_attn(x, memory, memory_mask)
        x = self.norm2(x + self.dropout(h))
        return self.norm3(x + self.dropout(self.feed_forward(x))), w


@wrong("DecoderBlock", about="returns the weights of the self-attention")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in range(3))
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, memory, memory_mask=None):
        mask = causal_mask(x.shape[1])
        if self.norm_first:
            y = self.norm1(x)
            y, weights = self.self_attn(y, y, y, mask)
            x = x + self.dropout(y)
            y, _ = self.multihead_attn(self.norm2(x), memory, memory_mask)
            x = x + self.dropout(y)
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
        else:
            y, weights = self.self_attn(x, x, x, mask)
            x = self.norm1(x + self.dropout(y))
            y, _ = self.multihead_attn(x, memory, memory_mask)
            x = self.norm2(x + self.dropout(y))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x, weights


@wrong("DecoderBlock", about="the memory goes through the norm too in pre-norm")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in range(3))
        self.d1, self.d2, self.d3 = (nn.Dropout(dropout) for _ in range(3))
        self.norm_first = norm_first

    def forward(self, x, memory, memory_mask=None):
        tri = torch.tril(torch.ones(x.size(1), x.size(1))).bool()
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.d1(self.self_attn(n, n, n, tri)[0])
            a, w = self.multihead_attn(self.norm2(x), self.norm2(memory), memory_mask)
            x = x + self.d2(a)
            x = x + self.d3(self.feed_forward(self.norm3(x)))
            return x, w
        x = self.norm1(x + self.d1(self.self_attn(x, x, x, tri)[0]))
        a, w = self.multihead_attn(x, memory, memory_mask)
        x = self.norm2(x + self.d2(a))
        return self.norm3(x + self.d3(self.feed_forward(x))), w


@wrong("DecoderBlock", about="the memory mask is forgotten")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        causal = causal_mask(x.size(1))
        steps = (
            (self.norm1, lambda t: self.self_attn(t, t, t, causal)),
            (self.norm2, lambda t: self.multihead_attn(t, memory)),
            (self.norm3, lambda t: (self.feed_forward(t), None)),
        )
        cross = None
        for norm, f in steps:
            y, w = f(norm(x) if self.norm_first else x)
            cross = w if norm is self.norm2 else cross
            x = x + self.dropout(y)
            if not self.norm_first:
                x = norm(x)
        return x, cross


@wrong("DecoderBlock", about="the cross-attention has no residual")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.norm3 = LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        mask = causal_mask(x.shape[1])
        if self.norm_first:
            h = self.norm1(x)
            x = x + self.dropout(self.self_attn(h, h, h, mask)[0])
            x, w = self.multihead_attn(self.norm2(x), memory, memory_mask)
            x = self.dropout(x)
            return x + self.dropout(self.feed_forward(self.norm3(x))), w
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)[0]))
        x, w = self.multihead_attn(x, memory, memory_mask)
        x = self.norm2(self.dropout(x))
        return self.norm3(x + self.dropout(self.feed_forward(x))), w


@wrong("DecoderBlock", about="cross-attention comes before self-attention")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.norm3 = LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        L = x.shape[1]
        look_back = torch.arange(L)[:, None] >= torch.arange(L)
        if self.norm_first:
            c, w = self.multihead_attn(self.norm2(x), memory, memory_mask)
            x = x + self.dropout(c)
            s = self.norm1(x)
            s, _ = self.self_attn(s, s, s, look_back)
            x = x + self.dropout(s)
            return x + self.dropout(self.feed_forward(self.norm3(x))), w
        c, w = self.multihead_attn(x, memory, memory_mask)
        x = self.norm2(x + self.dropout(c))
        s, _ = self.self_attn(x, x, x, look_back)
        x = self.norm1(x + self.dropout(s))
        return self.norm3(x + self.dropout(self.feed_forward(x))), w


@wrong(
    "DecoderBlock",
    about=("the self-attention is not causal", "the memory mask is forgotten"),
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in "123")
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.drop(self.self_attn(n, n, n)[0])
            out, w = self.multihead_attn(self.norm2(x), memory)
            x = x + self.drop(out)
            return x + self.drop(self.feed_forward(self.norm3(x))), w
        x = self.norm1(x + self.drop(self.self_attn(x, x, x)[0]))
        out, w = self.multihead_attn(x, memory)
        x = self.norm2(x + self.drop(out))
        return self.norm3(x + self.drop(self.feed_forward(x))), w


@wrong(
    "DecoderBlock",
    about=("norm_first is ignored", "returns the weights of the self-attention"),
)
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        a, weights = self.self_attn(x, x, x, causal_mask(x.shape[1]))
        x = self.norm1(x + self.dropout(a))
        b, _ = self.multihead_attn(x, memory, memory_mask)
        x = self.norm2(x + self.dropout(b))
        return self.norm3(x + self.dropout(self.feed_forward(x))), weights


class Model(nn.Module):
    """The parts of a Transformer; what is done with them is up to the variant."""

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
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim)
        self.decoder = nn.ModuleList(
            DecoderBlock(embed_dim, num_heads, hidden_dim) for _ in range(num_layers)
        )
        self.output = nn.Linear(embed_dim, target_vocab)
        self.embed_dim, self.max_length, self.pad_id = embed_dim, max_length, pad_id
        self.register_buffer(
            "pe", sinusoidal_positions(max_length, embed_dim).double(), persistent=False
        )

    def refuse(self, *sequences):
        for tokens in sequences:
            if tokens.shape[1] > self.max_length:
                raise ValueError(f"length {tokens.shape[1]} > max_length {self.max_length}")

    def place(self, embedded):
        return embedded + self.pe[: embedded.shape[1]].to(embedded.dtype)


@wrong("Transformer", about="the embeddings are not multiplied by sqrt(embed_dim)")
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        real = source != self.pad_id
        memory, _ = self.encoder(self.place(self.source_embedding(source)), real[:, None, None])
        x = self.place(self.target_embedding(target))
        for block in self.decoder:
            x, _ = block(x, memory, real)
        return self.output(x)


@wrong("Transformer", about="the positions are multiplied by sqrt(embed_dim) too")
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        scale = math.sqrt(self.embed_dim)
        mask = source.ne(self.pad_id)
        src = self.place(self.source_embedding(source)) * scale
        memory = self.encoder(src, mask.unsqueeze(1).unsqueeze(2))[0]
        tgt = self.place(self.target_embedding(target)) * scale
        for layer in self.decoder:
            tgt = layer(tgt, memory, mask)[0]
        return self.output(tgt)


@wrong("Transformer", about="the decoder may look at the padding of the source")
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        s = self.place(self.source_embedding(source) * self.embed_dim**0.5)
        t = self.place(self.target_embedding(target) * self.embed_dim**0.5)
        memory, _ = self.encoder(s, (source != self.pad_id)[:, None, None, :])
        for layer in self.decoder:
            t, _ = layer(t, memory)
        return self.output(t)


@wrong("Transformer", about="the encoder may look at the padding of the source")
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        s = self.place(self.source_embedding(source) * self.embed_dim**0.5)
        t = self.place(self.target_embedding(target) * self.embed_dim**0.5)
        memory, _ = self.encoder(s)
        for layer in self.decoder:
            t, _ = layer(t, memory, source != self.pad_id)
        return self.output(t)


@wrong("Transformer", about="returns probabilities")
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        mask = source != self.pad_id
        memory, _ = self.encoder(
            self.place(self.embed_dim**0.5 * self.source_embedding(source)), mask[:, None, None]
        )
        x = self.place(self.embed_dim**0.5 * self.target_embedding(target))
        for block in self.decoder:
            x, _ = block(x, memory, mask)
        return torch.softmax(self.output(x), dim=-1)


@wrong("Transformer", about="the length of the target is not checked")
class _(Model):
    def forward(self, source, target):
        self.refuse(source)
        mask = source != self.pad_id
        root = math.sqrt(self.embed_dim)
        memory, _ = self.encoder(
            self.place(self.source_embedding(source) * root), mask[:, None, None]
        )
        x = self.target_embedding(target) * root
        x = x + sinusoidal_positions(target.shape[1], self.embed_dim).to(x)
        for block in self.decoder:
            x, _ = block(x, memory, mask)
        return self.output(x)


@wrong("Transformer", about="pad_id is taken to be 0")
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        mask = source > 0
        s = self.place(self.source_embedding(source) * self.embed_dim**0.5)
        x = self.place(self.target_embedding(target) * self.embed_dim**0.5)
        memory, _ = self.encoder(s, mask[:, None, None])
        for block in self.decoder:
            x, _ = block(x, memory, mask)
        return self.output(x)


@wrong(
    "Transformer",
    about=(
        "the embeddings are not multiplied by sqrt(embed_dim)",
        "the decoder may look at the padding",
    ),
)
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        src_mask = (source != self.pad_id)[:, None, None, :]
        memory, _ = self.encoder(self.place(self.source_embedding(source)), src_mask)
        y = self.place(self.target_embedding(target))
        for block in self.decoder:
            y, _ = block(y, memory)
        return self.output(y)


@wrong(
    "Transformer",
    about=("nothing masks the padding of the source", "returns log-probabilities"),
)
class _(Model):
    def forward(self, source, target):
        self.refuse(source, target)
        root = self.embed_dim**0.5
        memory, _ = self.encoder(self.place(self.source_embedding(source) * root))
        y = self.place(self.target_embedding(target) * root)
        for block in self.decoder:
            y, _ = block(y, memory)
        return F.log_softmax(self.output(y), dim=-1)


@wrong("label_smoothed_loss", about="the right token gets nothing of what is shared")
def _(logits, targets, smoothing=0.1, pad_id=0):
    V = logits.shape[-1]
    logp = torch.log_softmax(logits, dim=-1)
    real = targets != pad_id
    safe = targets.masked_fill(~real, 0)
    dist = torch.full_like(logp, smoothing / (V - 1))
    dist.scatter_(-1, safe.unsqueeze(-1), 1 - smoothing)
    losses = -(dist * logp).sum(-1) * real
    return losses.sum() / real.sum().clamp(min=1)


@wrong("label_smoothed_loss", about="the mean is over padding too")
def _(logits, targets, smoothing=0.1, pad_id=0):
    logp = logits.log_softmax(-1)
    keep = targets != pad_id
    index = torch.where(keep, targets, 0)
    nll = -logp.gather(-1, index[..., None]).squeeze(-1)
    flat = -logp.mean(-1)
    loss = (1 - smoothing) * nll + smoothing * flat
    return (loss * keep).mean()


@wrong("label_smoothed_loss", about="nothing but padding gives NaN")
def _(logits, targets, smoothing=0.1, pad_id=0):
    keep = targets != pad_id
    logp = torch.log_softmax(logits[keep], dim=-1)
    right = logp[torch.arange(len(logp)), targets[keep]]
    return -((1 - smoothing) * right + smoothing * logp.mean(dim=-1)).mean()


@wrong("label_smoothed_loss", about="a pad_id that is no token breaks the gather")
def _(logits, targets, smoothing=0.1, pad_id=0):
    logp = F.log_softmax(logits, dim=-1)
    picked = logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    per_token = -(1 - smoothing) * picked - smoothing * logp.mean(-1)
    real = (targets != pad_id).to(logits.dtype)
    return (per_token * real).sum() / real.sum().clamp(min=1)


@wrong("label_smoothed_loss", about="smoothing is shared by the sum, not by V tokens")
def _(logits, targets, smoothing=0.1, pad_id=0):
    logp = torch.log_softmax(logits, -1)
    keep = targets != pad_id
    if not keep.any():
        return logits.sum() * 0
    logp = logp[keep]
    nll = -logp.gather(1, targets[keep].unsqueeze(1)).squeeze(1)
    return ((1 - smoothing) * nll - smoothing * logp.sum(-1)).mean()


@wrong("label_smoothed_loss", about="the log of a softmax, infinite for large logits")
def _(logits, targets, smoothing=0.1, pad_id=0):
    keep = targets != pad_id
    if keep.sum() == 0:
        return (logits * 0.0).sum()
    p = F.softmax(logits[keep], dim=-1)
    q = F.one_hot(targets[keep], logits.size(-1)) * (1 - smoothing) + smoothing / logits.size(-1)
    return -(q * p.log()).sum(-1).mean()


@wrong(
    "label_smoothed_loss",
    about=("the right token gets nothing of what is shared", "the mean is over padding too"),
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    n = logits.size(-1)
    lp = logits - logits.logsumexp(-1, keepdim=True)
    pad = targets == pad_id
    hot = F.one_hot(targets.masked_fill(pad, 0), n).bool()
    q = torch.where(hot, 1 - smoothing, smoothing / (n - 1)).to(lp.dtype)
    return (-(q * lp).sum(-1)).masked_fill(pad, 0).mean()


@wrong(
    "label_smoothed_loss",
    about=("the sum in place of the mean", "padding counts like any token"),
)
def _(logits, targets, smoothing=0.1, pad_id=0):
    lp = torch.log_softmax(logits, dim=-1)
    index = targets.clamp(min=0).unsqueeze(-1)
    right = lp.gather(-1, index).sum()
    return -((1 - smoothing) * right + smoothing * lp.mean(-1).sum())


@wrong("warmup_rate", about="a step below 1 is not refused")
def _(step, embed_dim, warmup_steps=4000):
    step = max(step, 1)
    return embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


@wrong("warmup_rate", about="steps count from 0")
def _(step, embed_dim, warmup_steps=4000):
    if step < 0:
        raise ValueError("step must not be negative")
    step = step + 1
    return embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


@wrong("warmup_rate", about="the larger of the two, not the smaller")
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("step >= 1")
    up = step / warmup_steps**1.5
    down = 1 / math.sqrt(step)
    return max(up, down) / math.sqrt(embed_dim)


@wrong("warmup_rate", about="goes down with 1 / step")
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError(f"step is {step}")
    peak = 1 / math.sqrt(embed_dim * warmup_steps)
    return peak * step / warmup_steps if step < warmup_steps else peak * warmup_steps / step


@wrong("warmup_rate", about=("the root of embed_dim is missing", "step 0 is not refused"))
def _(step, embed_dim, warmup_steps=4000):
    if step < 0:
        raise ValueError("negative step")
    if step == 0:
        return 0.0
    return min(step**-0.5, step * warmup_steps**-1.5) / embed_dim


def penalized(total, length, length_penalty):
    return total / ((5 + length) / 6) ** length_penalty


@wrong("beam_search", about="who stays in the beam is decided with the length penalty")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0, False)]

    def score(h):
        return penalized(h[1], len(h[0]) - 1, length_penalty) if len(h[0]) > 1 else h[1]

    for _ in range(max_length):
        if all(done for _, _, done in beam):
            break
        candidates = [h for h in beam if h[2]]
        for tokens, total, done in beam:
            if done:
                continue
            logp = torch.log_softmax(step(torch.tensor([tokens]))[0], dim=-1)
            for v, lp in enumerate(logp.tolist()):
                candidates.append((tokens + [v], total + lp, v == eos_id))
        beam = sorted(candidates, key=score, reverse=True)[:beam_width]
    best = max(beam, key=score)
    return torch.tensor(best[0][1:]), best[1]


@wrong("beam_search", about="finished hypotheses leave the beam and make room")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    alive, finished = [([], 0.0)], []
    for _ in range(max_length):
        prefixes = torch.tensor([[bos_id] + t for t, _ in alive])
        logp = torch.log_softmax(step(prefixes), dim=-1)
        grown = [
            (tokens + [v], total + logp[row, v].item())
            for row, (tokens, total) in enumerate(alive)
            for v in range(logp.shape[1])
        ]
        grown.sort(key=lambda h: -h[1])
        finished += [h for h in grown[: 2 * beam_width] if h[0][-1] == eos_id]
        alive = [h for h in grown if h[0][-1] != eos_id][:beam_width]
        if not alive:
            break
    best = max(finished + alive, key=lambda h: penalized(h[1], len(h[0]), length_penalty))
    return torch.tensor(best[0], dtype=torch.long), best[1]


@wrong("beam_search", about="the tokens begin with bos_id")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [((bos_id,), 0.0)]

    def done(tokens):
        return len(tokens) > 1 and tokens[-1] == eos_id

    for _ in range(max_length):
        pool = [h for h in beam if done(h[0])]
        going = [h for h in beam if not done(h[0])]
        if not going:
            break
        logits = step(torch.tensor([list(t) for t, _ in going]))
        for (tokens, total), row in zip(going, logits.log_softmax(-1), strict=True):
            pool.extend((tokens + (v,), total + float(p)) for v, p in enumerate(row))
        beam = sorted(pool, key=lambda h: h[1])[-beam_width:]
    best = max(beam, key=lambda h: penalized(h[1], len(h[0]) - 1, length_penalty))
    return torch.tensor(best[0]), best[1]


@wrong("beam_search", about="logits are added, not log-probabilities")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        pool = []
        ended = True
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == eos_id:
                pool.append((tokens, total))
                continue
            ended = False
            for v, s in enumerate(step(torch.tensor([tokens]))[0].tolist()):
                pool.append((tokens + [v], total + s))
        if ended:
            break
        pool.sort(key=lambda h: h[1], reverse=True)
        beam = pool[:beam_width]
    best = max(beam, key=lambda h: penalized(h[1], len(h[0]) - 1, length_penalty))
    return torch.tensor(best[0][1:]), best[1]


@wrong("beam_search", about="returns the score with the penalty")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0, False)]
    for _ in range(max_length):
        pool = [h for h in beam if h[2]]
        if len(pool) == len(beam):
            break
        open_ = [h for h in beam if not h[2]]
        logp = F.log_softmax(step(torch.tensor([h[0] for h in open_])), dim=-1)
        for i, (tokens, total, _) in enumerate(open_):
            for v in range(logp.size(1)):
                pool.append((tokens + [v], total + logp[i, v].item(), v == eos_id))
        pool.sort(key=lambda h: h[1], reverse=True)
        beam = pool[:beam_width]
    scored = [
        (penalized(total, len(tokens) - 1, length_penalty), tokens) for tokens, total, _ in beam
    ]
    score, tokens = max(scored)
    return torch.tensor(tokens[1:]), score


@wrong("beam_search", about="stops when the first hypothesis is finished")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([], 0.0)]
    for _ in range(max_length):
        pool = []
        for tokens, total in beam:
            if tokens and tokens[-1] == eos_id:
                pool.append((tokens, total))
            else:
                logits = step(torch.tensor([[bos_id, *tokens]]))
                logp = logits.log_softmax(-1).squeeze(0)
                pool += [(tokens + [v], total + logp[v].item()) for v in range(len(logp))]
        beam = sorted(pool, key=lambda h: -h[1])[:beam_width]
        if any(tokens[-1] == eos_id for tokens, _ in beam):
            break
    best = max(beam, key=lambda h: penalized(h[1], len(h[0]), length_penalty))
    return torch.tensor(best[0], dtype=torch.int64), best[1]


@wrong("beam_search", about="eos_id is cut off")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [(torch.tensor([bos_id]), 0.0)]
    for _ in range(max_length):
        pool, grew = [], False
        for seq, total in beam:
            if len(seq) > 1 and seq[-1] == eos_id:
                pool.append((seq, total))
                continue
            grew = True
            logp = torch.log_softmax(step(seq[None]), -1)[0]
            top = logp.topk(min(beam_width, len(logp)))
            for p, v in zip(top.values, top.indices, strict=True):
                pool.append((torch.cat([seq, v[None]]), total + p.item()))
        if not grew:
            break
        beam = sorted(pool, key=lambda h: h[1], reverse=True)[:beam_width]
    seq, total = max(beam, key=lambda h: penalized(h[1], len(h[0]) - 1, length_penalty))
    seq = seq[1:]
    return seq[seq != eos_id], total


@wrong("beam_search", about="the length counts bos_id")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        pool, grew = [], False
        for seq, total in beam:
            if len(seq) > 1 and seq[-1] == eos_id:
                pool.append((seq, total))
                continue
            grew = True
            logp = torch.log_softmax(step(torch.tensor(seq).unsqueeze(0)), -1).flatten()
            pool += [(seq + [v], total + p) for v, p in enumerate(logp.tolist())]
        if not grew:
            break
        beam = sorted(pool, key=lambda h: h[1], reverse=True)[:beam_width]
    seq, total = max(beam, key=lambda h: penalized(h[1], len(h[0]), length_penalty))
    return torch.tensor(seq[1:]), total


@wrong("beam_search", about=("the tokens begin with bos_id", "the penalty is forgotten"))
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beams = [(0.0, [bos_id])]
    for _ in range(max_length):
        nxt = []
        for total, seq in beams:
            if seq[1:] and seq[-1] == eos_id:
                nxt.append((total, seq))
            else:
                lp = torch.log_softmax(step(torch.tensor([seq])), dim=-1)
                nxt += [(total + lp[0, v].item(), seq + [v]) for v in range(lp.shape[-1])]
        beams = sorted(nxt, reverse=True)[:beam_width]
    return torch.tensor(beams[0][1]), beams[0][0]


@wrong(
    "beam_search",
    about=("the penalty is multiplied, not divided by", "finished ones are extended further"),
)
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beams = [([bos_id], 0.0)]
    for _ in range(max_length):
        logp = step(torch.tensor([s for s, _ in beams])).log_softmax(-1)
        pool = []
        for (seq, total), row in zip(beams, logp.tolist(), strict=True):
            for v, p in enumerate(row):
                pool.append((seq + [v], total + p))
        beams = sorted(pool, key=lambda b: b[1], reverse=True)[:beam_width]
    seq, total = max(beams, key=lambda b: b[1] * ((4 + len(b[0])) / 6) ** length_penalty)
    return torch.tensor(seq[1:]), total


@wrong("beam_search", about="where bos_id is eos_id, the empty hypothesis counts as finished")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        going = [h for h in beam if h[0][-1] != eos_id]
        if not going:
            break
        logp = torch.log_softmax(step(torch.tensor([s for s, _ in going])), dim=-1)
        pool = [h for h in beam if h[0][-1] == eos_id]
        for (seq, total), row in zip(going, logp.tolist(), strict=True):
            pool += [(seq + [v], total + p) for v, p in enumerate(row)]
        beam = sorted(pool, key=lambda h: -h[1])[:beam_width]
    seq, total = max(beam, key=lambda h: penalized(h[1], len(h[0]) - 1, length_penalty))
    return torch.tensor(seq[1:], dtype=torch.long), total


@wrong("label_smoothed_loss", about="pad_id gets nothing of what is shared")
def _(logits, targets, smoothing=0.1, pad_id=0):
    V = logits.shape[-1]
    logp = torch.log_softmax(logits, dim=-1)
    keep = targets != pad_id
    share = torch.full((V,), smoothing / V).to(logits)
    if 0 <= pad_id < V:
        share[pad_id] = 0.0
    right = logp.gather(-1, targets.masked_fill(~keep, 0).unsqueeze(-1)).squeeze(-1)
    losses = -(1 - smoothing) * right - (share * logp).sum(-1)
    return losses.masked_fill(~keep, 0.0).sum() / keep.sum().clamp(min=1)


@wrong("warmup_rate", about="returns a tensor")
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("steps count from 1")
    step = torch.tensor(float(step))
    return embed_dim**-0.5 * torch.minimum(step**-0.5, step * warmup_steps**-1.5)


@wrong("CrossAttention", about="no memory mask at all is not thought of")
class _(MultiHeadAttention):
    def forward(self, x, memory, memory_mask=None):
        mask = memory_mask[:, None, None, :]
        return super().forward(x, memory, memory, mask)


@wrong("Transformer", about="the error does not name the lengths")
class _(Model):
    def forward(self, source, target):
        if max(source.shape[1], target.shape[1]) > self.max_length:
            raise ValueError("the sequence is too long")
        real = source != self.pad_id
        root = self.embed_dim**0.5
        memory = self.encoder(
            self.place(self.source_embedding(source) * root), real[:, None, None]
        )[0]
        x = self.place(self.target_embedding(target) * root)
        for block in self.decoder:
            x = block(x, memory, real)[0]
        return self.output(x)


@wrong("DecoderBlock", about="dropout inside of the feed-forward too")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def think(self, x):
        ff = self.feed_forward
        return self.drop(ff.linear2(self.drop(F.relu(ff.linear1(x)))))

    def forward(self, x, memory, memory_mask=None):
        mask = causal_mask(x.shape[1])
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.drop(self.self_attn(n, n, n, mask)[0])
            c, w = self.multihead_attn(self.norm2(x), memory, memory_mask)
            x = x + self.drop(c)
            return x + self.think(self.norm3(x)), w
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, mask)[0]))
        c, w = self.multihead_attn(x, memory, memory_mask)
        x = self.norm2(x + self.drop(c))
        return self.norm3(x + self.think(x)), w


@wrong("beam_search", about="the log-probability is a tensor")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([bos_id], torch.tensor(0.0), False)]
    for _ in range(max_length):
        going = [h for h in beam if not h[2]]
        if not going:
            break
        logp = step(torch.tensor([h[0] for h in going])).log_softmax(-1)
        pool = [h for h in beam if h[2]]
        for (seq, total, _), row in zip(going, logp, strict=True):
            pool += [(seq + [v], total + row[v], v == eos_id) for v in range(len(row))]
        beam = sorted(pool, key=lambda h: h[1].item(), reverse=True)[:beam_width]
    seq, total, _ = max(beam, key=lambda h: penalized(h[1].item(), len(h[0]) - 1, length_penalty))
    return torch.tensor(seq[1:]), total


@wrong("CrossAttention", about="the roles of x and memory are exchanged")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        q = split_heads(self.W_q(memory), self.num_heads)
        k = split_heads(self.W_k(x), self.num_heads)
        v = split_heads(self.W_v(x), self.num_heads)
        mask = None if memory_mask is None else memory_mask[:, None, :, None]
        out, w = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(out)), w


@wrong("DecoderBlock", about="no mask for the self-attention")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in range(3))
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, memory, memory_mask=None):
        cross = None

        def look_back(y):
            return self.self_attn(y, y, y)[0]

        def look_over(y):
            nonlocal cross
            out, cross = self.multihead_attn(y, memory, memory_mask)
            return out

        parts = [
            (self.norm1, look_back),
            (self.norm2, look_over),
            (self.norm3, self.feed_forward),
        ]
        for norm, part in parts:
            if self.norm_first:
                x = x + self.dropout(part(norm(x)))
            else:
                x = norm(x + self.dropout(part(x)))
        return x, cross


@wrong("label_smoothed_loss", about="smoothing is shared among the other V - 1 tokens")
def _(logits, targets, smoothing=0.1, pad_id=0):
    V = logits.size(-1)
    logp = torch.log_softmax(logits, -1)
    keep = targets != pad_id
    safe = targets.masked_fill(~keep, 0)
    dist = torch.full_like(logp, smoothing / (V - 1))
    dist.scatter_(-1, safe.unsqueeze(-1), 1 - smoothing)
    loss = -(dist * logp).sum(-1)
    return torch.where(keep, loss, torch.zeros_like(loss)).sum() / keep.sum().clamp(min=1)


@wrong("warmup_rate", about="max in the place of min")
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("step counts from 1")
    return 1 / math.sqrt(embed_dim) * max(1 / math.sqrt(step), step / warmup_steps**1.5)


@wrong("beam_search", about="hypotheses are compared by probability per token in the beam too")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([], 0.0, False)]
    for _ in range(max_length):
        if all(done for _, _, done in beam):
            break
        candidates = [h for h in beam if h[2]]
        live = [h for h in beam if not h[2]]
        logp = step(torch.tensor([[bos_id, *t] for t, _, _ in live])).log_softmax(-1)
        for (tokens, total, _), row in zip(live, logp, strict=True):
            for v, lp in enumerate(row.tolist()):
                candidates.append(([*tokens, v], total + lp, v == eos_id))
        candidates.sort(key=lambda h: h[1] / len(h[0]), reverse=True)
        beam = candidates[:beam_width]

    def score(h):
        return h[1] / ((5 + len(h[0])) / 6) ** length_penalty

    tokens, total, _ = max(beam, key=score)
    return torch.tensor(tokens, dtype=torch.long), float(total)


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "CrossAttention": [
        (
            "chapter 7's layer, inherited",
            {"memory, memory, memory_mask)": "memory, memory)"},
            "mask-unused",
        ),
        (
            "chapter 7's layer, inherited",
            {"memory_mask.unsqueeze(1).unsqueeze(1)": "~memory_mask.unsqueeze(1).unsqueeze(1)"},
            "mask-turned-around",
        ),
        (
            "einops and einsum",
            {"-1e30": "-torch.inf", ".masked_fill(~mask, 0.0)": ""},
            "empty-row-nan",
        ),
        (
            "einops and einsum",
            {".masked_fill(~mask, 0.0)": ""},
            "empty-row-uniform",
        ),
        ("head by head", {"self.W_o(output)": "output"}, "output-unmixed"),
        (
            "head by head",
            {"for _, weights in heads], dim=1)": "for _, weights in heads], dim=1).mean(dim=1)"},
            "heads-averaged",
        ),
    ],
    "DecoderBlock": [
        (
            "a list of sublayers",
            {"lambda y: self.self_attn(y, y, y, mask)": "lambda y: self.self_attn(y, y, y)"},
            "not-causal",
        ),
        (
            "a list of sublayers",
            {"places[:, None] >= places": "places[:, None] > places"},
            "diagonal-masked",
        ),
        ("a list of sublayers", {"kept[1]": "kept[0]"}, "self-weights"),
        (
            "two branches",
            {
                "self.multihead_attn(self.norm2(x), memory, memory,": "self.multihead_attn("
                "self.norm2(x), self.norm2(memory), self.norm2(memory),"
            },
            "memory-normalized",
        ),
        (
            "two branches",
            {"x = x + drop(y)": "x = drop(y)", "self.norm2(x + drop(y))": "self.norm2(drop(y))"},
            "cross-residual-missing",
        ),
        (
            "a list of sublayers",
            {"x = x + self.drop(result)": "x = self.drop(x + result)"},
            "dropout-of-sum",
        ),
    ],
    "Transformer": [
        (
            "positions kept from the start",
            {"self.scale = embed_dim**0.5": "self.scale = 1"},
            "not-multiplied",
        ),
        (
            "positions kept from the start",
            {
                "self.source_embedding(source) * self.scale + self.positions[: source.size(1)]": ""
                "(self.source_embedding(source) + self.positions[: source.size(1)]) * self.scale",
                "self.target_embedding(target) * self.scale + self.positions[: target.size(1)]": ""
                "(self.target_embedding(target) + self.positions[: target.size(1)]) * self.scale",
            },
            "positions-multiplied",
        ),
        (
            "positions kept from the start",
            {", memory_mask=mask": ""},
            "memory-unmasked",
        ),
        (
            "torch's own layers inside",
            {"(source != self.pad_id)": "(source != 0)"},
            "pad-is-zero",
        ),
        (
            "torch's own layers inside",
            {"return self.output(x)": "return self.output(x).softmax(dim=-1)"},
            "softmax-of-logits",
        ),
        (
            "torch's own layers inside",
            {"if length > self.max_length": "if False"},
            "length-unchecked",
        ),
    ],
    "label_smoothed_loss": [
        (
            "the whole target distribution",
            {"smoothing / vocab": "smoothing"},
            "smoothing-not-shared",
        ),
        (
            "the whole target distribution",
            {"(1 - smoothing) * wanted": "wanted"},
            "right-keeps-all",
        ),
        (
            "the whole target distribution",
            {"max(int(real.sum()), 1)": "real.numel()"},
            "padding",
        ),
        (
            "the whole target distribution",
            {"max(int(real.sum()), 1)": "real.sum()"},
            "nothing-nan",
        ),
        ("logsumexp", {"max(count, 1)": "count if count else total / count"}, "nothing-nan"),
        (
            "divergence from the target and its entropy",
            {"logits.log_softmax(-1)": "logits.softmax(-1).log()"},
            "log-of-softmax",
        ),
    ],
    "warmup_rate": [
        (
            "two branches",
            {"1 / math.sqrt(embed_dim * step)": "1 / math.sqrt(embed_dim * warmup_steps)"},
            "no-fall",
        ),
        (
            "share of the peak",
            {"(embed_dim * warmup_steps)": "warmup_steps"},
            "width-missing",
        ),
        ("share of the peak", {"* min(": "* max("}, "larger-part"),
        ("two branches", {"if step < warmup_steps": "if False"}, "no-warm-up"),
    ],
    "beam_search": [
        (
            "tensors, finished rows padded with eos",
            {"min(beam_width, len(scores))": "1"},
            "width-unused",
        ),
        (
            "tensors, finished rows padded with eos",
            {"step(beam).log_softmax(dim=-1)": "step(beam)"},
            "logits-added",
        ),
        (
            "tensors, finished rows padded with eos",
            {"if ended.all()": "if ended.any()"},
            "stops-with-first",
        ),
        (
            "a heap, one prefix at a time",
            {"torch.tensor(tokens[1:])": "torch.tensor(tokens)"},
            "bos-included",
        ),
        (
            "a heap, one prefix at a time",
            {"(4 + len(one[1])) / 6": "len(one[1]) - 1"},
            "other-penalty",
        ),
        (
            "a heap, one prefix at a time",
            {"one[0] / math.pow((4 + len(one[1])) / 6, length_penalty)": "one[0]"},
            "penalty-unused",
        ),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "beam_search",
        (
            "tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** "
            "length_penalty) => tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + "
            "len(one[0])) * 6) ** length_penalty)"
        ),
    ): "All scores are multiplied by the same number, so the best stays the best.",
    (
        "beam_search",
        (
            "tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** "
            "length_penalty) => tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + "
            "len(one[0])) / 5) ** length_penalty)"
        ),
    ): "All scores are multiplied by the same number, so the best stays the best.",
    (
        "beam_search",
        (
            "tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** "
            "length_penalty) => tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + "
            "len(one[0])) / 7) ** length_penalty)"
        ),
    ): "All scores are multiplied by the same number, so the best stays the best.",
}
