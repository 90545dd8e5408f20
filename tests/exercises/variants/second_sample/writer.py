"""Of `solutions/writer.py`."""

import torch

from tests.exercises.variants import variant


@variant("KeyValueCache", about="appends along the axis of the heads")
class _:
    def __init__(self):
        self.keys = None
        self.values = None

    def append(self, key, value):
        if self.keys is None:
            self.keys, self.values = key, value
        else:
            self.keys = torch.cat([self.keys, key], dim=1)
            self.values = torch.cat([self.values, value], dim=1)
        return self.keys, self.values

    def __len__(self):
        return 0 if self.keys is None else self.keys.shape[2]


@variant("next_token_probabilities", about="the logits are multiplied by the temperature")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature below 0")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k below 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p outside of (0, 1]")
    if temperature == 0:
        best = (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
        return best / best.sum(-1, keepdim=True)
    p = torch.softmax(logits * temperature, -1)
    if top_k is not None:
        kth = p.topk(min(top_k, p.shape[-1]), -1).values[..., -1:]
        p = torch.where(p >= kth, p, torch.zeros_like(p))
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        s, order = p.sort(-1, descending=True)
        keep = s.cumsum(-1) - s < top_p
        p = torch.zeros_like(p).scatter(-1, order, torch.where(keep, s, torch.zeros_like(s)))
        p = p / p.sum(-1, keepdim=True)
    return p


@variant("induction_score", about="looks at the earlier token itself, not at what followed it")
def _(weights, tokens):
    B, H, L, _ = weights.shape
    total, n = torch.zeros(H, dtype=weights.dtype), 0
    for b in range(B):
        for i in range(L):
            before = [j for j in range(i) if tokens[b, j] == tokens[b, i]]
            if before:
                n += 1
                total += weights[b, :, i, before].sum(-1)
    return total / n if n else total


@variant("blockwise_attention", about="the old sum is not scaled down when the maximum grows")
def _(query, key, value, block_size, causal=False):
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    pieces = []
    for a in range(0, L, block_size):
        q = query[..., a : a + block_size, :]
        n = q.shape[-2]
        top = torch.full((*q.shape[:-1], 1), -torch.inf, dtype=q.dtype)
        total = torch.zeros_like(top)
        out = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=q.dtype)
        for b in range(0, S, block_size):
            s = q @ key[..., b : b + block_size, :].mT / D**0.5
            if causal:
                at = torch.arange(a, a + n)[:, None] + S - L
                s = s.masked_fill(torch.arange(b, b + s.shape[-1]) > at, -torch.inf)
            new = torch.maximum(top, s.detach().amax(-1, keepdim=True))
            w = torch.exp(s - new)
            out = out * torch.exp(top - new) + w @ value[..., b : b + block_size, :]
            total = total + w.sum(-1, keepdim=True)
            top = new
        pieces.append(out / total)
    return torch.cat(pieces, -2)
