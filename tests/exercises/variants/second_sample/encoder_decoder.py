"""Of `solutions/encoder_decoder.py`."""

import math

import torch
from torch import nn

from solutions.attention_layer import scaled_dot_product_attention
from solutions.encoder_decoder import CrossAttention
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.transformer_block import FeedForward, LayerNorm
from tests.exercises.variants import variant


@variant("CrossAttention", about="the roles of x and memory are exchanged")
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


@variant("DecoderBlock", about="no mask for the self-attention")
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


@variant("label_smoothed_loss", about="smoothing is shared among the other V - 1 tokens")
def _(logits, targets, smoothing=0.1, pad_id=0):
    V = logits.size(-1)
    logp = torch.log_softmax(logits, -1)
    keep = targets != pad_id
    safe = targets.masked_fill(~keep, 0)
    dist = torch.full_like(logp, smoothing / (V - 1))
    dist.scatter_(-1, safe.unsqueeze(-1), 1 - smoothing)
    loss = -(dist * logp).sum(-1)
    return torch.where(keep, loss, torch.zeros_like(loss)).sum() / keep.sum().clamp(min=1)


@variant("warmup_rate", about="max in the place of min")
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("step counts from 1")
    return 1 / math.sqrt(embed_dim) * max(1 / math.sqrt(step), step / warmup_steps**1.5)


@variant("beam_search", about="hypotheses are compared by probability per token in the beam too")
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
