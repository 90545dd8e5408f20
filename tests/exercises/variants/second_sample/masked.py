"""Of `solutions/masked.py`."""

import torch
from torch.nn import functional as F

from solutions.softmax import softmax
from tests.exercises.variants import variant


@variant("causal_mask", about="zeros for the past")
def _(length, past_length=0):
    mask = torch.tril(torch.ones(length, length, dtype=torch.bool))
    past = torch.zeros(length, past_length, dtype=torch.bool)
    return torch.cat([past, mask], dim=1)


@variant("causal_mask", about=("True above the diagonal", "the past is not counted"))
def _(length, past_length=0):
    return torch.ones(length, length + past_length, dtype=torch.bool).triu(1)


@variant("padding_mask", about="one position too many is real")
def _(lengths, max_length):
    return torch.arange(max_length, device=lengths.device).unsqueeze(0) <= lengths.unsqueeze(1)


@variant("masked_softmax", about="the mask multiplies the weights, and nothing is scaled again")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        safe = torch.where(mask, scores, torch.zeros_like(scores))
        return torch.softmax(safe, dim) * mask
    return softmax(scores, dim)


@variant("next_token_loss", about="the targets are not moved")
def _(logits, tokens, pad_id=None):
    flat = logits.reshape(-1, logits.shape[-1])
    target = tokens.reshape(-1)
    ignore = -100 if pad_id is None else pad_id
    if (target == ignore).all() or target.numel() == 0:
        return logits.sum() * 0
    return F.cross_entropy(flat, target, ignore_index=ignore)


@variant("mask_tokens", about="90 % become mask_id, none a random token")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    for special in special_ids:
        chosen &= tokens != special
    labels = torch.where(chosen, tokens, torch.full_like(tokens, -100))
    hide = chosen & (torch.rand(tokens.shape, generator=generator) < 0.9)
    inputs = torch.where(hide, torch.full_like(tokens, mask_id), tokens)
    return inputs, labels
