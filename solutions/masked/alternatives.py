"""Chapter 8 in other styles."""

import math

import torch
from torch.nn import functional as F

from autograder.checking.samples import alternative


@alternative("causal_mask", "compare positions")
def _(length, past_length=0):
    queries = past_length + torch.arange(length)
    return queries[:, None] >= torch.arange(past_length + length)[None, :]


@alternative("causal_mask", "loops")
def _(length, past_length=0):
    mask = torch.zeros(length, past_length + length, dtype=torch.bool)
    for i in range(length):
        for j in range(past_length + i + 1):
            mask[i, j] = True
    return mask


@alternative("causal_mask", "a past that is all open, and a triangle")
def _(length, past_length=0):
    past = torch.ones((length, past_length))
    return torch.cat([past, torch.tril(torch.ones((length, length)))], dim=1) == 1


@alternative("padding_mask", "row by row")
def _(lengths, max_length):
    rows = [[position < int(length) for position in range(max_length)] for length in lengths]
    return torch.tensor(rows)


@alternative("padding_mask", "count with cumsum")
def _(lengths, max_length):
    counted = torch.ones(len(lengths), max_length, dtype=torch.int64).cumsum(dim=1)
    return counted.le(lengths.reshape(-1, 1))


@alternative("masked_softmax", "fill empty slices first")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return F.softmax(scores, dim=dim)
    mask = mask.expand(scores.shape)
    empty = ~mask.any(dim=dim, keepdim=True)
    scores = torch.where(mask, scores, -math.inf)
    return scores.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)


@alternative("masked_softmax", "exponentials times the mask")
def _(scores, mask=None, dim=-1):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    exponentials = torch.exp(scores - scores.amax(dim, keepdim=True)) * mask
    total = exponentials.sum(dim, keepdim=True)
    return exponentials / (total + (total == 0))


@alternative("masked_softmax", "softmax, then zero what is masked")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, dim=dim)
    weights = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=dim)
    return weights.masked_fill(~mask, 0)


@alternative("next_token_loss", "ignore_index and a sum")
def _(logits, tokens, pad_id=None):
    ignored = -100 if pad_id is None else pad_id
    targets = tokens[:, 1:].reshape(-1)
    predicted = logits[:, :-1, :].reshape(-1, logits.size(-1))
    total = F.cross_entropy(predicted, targets, ignore_index=ignored, reduction="sum")
    count = (targets != ignored).sum()
    return total / max(int(count), 1)


@alternative("next_token_loss", "gather log-probabilities")
def _(logits, tokens, pad_id=None):
    log_probabilities = logits[:, :-1].log_softmax(dim=-1)
    targets = tokens[:, 1:]
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)
    if pad_id is not None:
        losses = losses * (targets != pad_id)
        return losses.sum() / (targets != pad_id).sum().clamp(min=1)
    return losses.sum() / max(targets.numel(), 1)


@alternative("next_token_loss", "loops")
def _(logits, tokens, pad_id=None):
    total, count = logits.sum() * 0, 0
    for text, predicted in zip(tokens, logits, strict=True):
        for position in range(len(text) - 1):
            target = text[position + 1]
            if pad_id is None or target != pad_id:
                scores = predicted[position]
                total = total + torch.logsumexp(scores, dim=0) - scores[target]
                count += 1
    return total / count if count else total


@alternative("mask_tokens", "three rounds of coins")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    labels, inputs = tokens.clone(), tokens.clone()
    chances = torch.full(labels.shape, probability)
    special = torch.zeros_like(labels, dtype=torch.bool)
    for number in special_ids:
        special |= labels == number
    chosen = torch.bernoulli(chances.masked_fill(special, 0.0), generator=generator).bool()
    labels[~chosen] = -100
    masked = torch.bernoulli(torch.full(labels.shape, 0.8), generator=generator).bool() & chosen
    inputs[masked] = mask_id
    coin = torch.bernoulli(torch.full(labels.shape, 0.5), generator=generator).bool()
    replaced = coin & chosen & ~masked
    words = torch.randint(vocab_size, (int(replaced.sum()),), generator=generator)
    inputs[replaced] = words.to(inputs.dtype)
    return inputs, labels


@alternative("mask_tokens", "one number decides all")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    number = torch.rand(tokens.shape, generator=generator, dtype=torch.float64)
    special = torch.isin(tokens, torch.tensor(list(special_ids), dtype=tokens.dtype))
    number = number.masked_fill(special, 2.0)
    words = torch.randint(0, vocab_size, tokens.shape, generator=generator).type_as(tokens)
    inputs = torch.where(number < 0.9 * probability, words, tokens)
    inputs = torch.where(number < 0.8 * probability, mask_id, inputs)
    labels = torch.where(number < probability, tokens, -100)
    return inputs, labels


@alternative("causal_mask", "from the docstring")
def _(length, past_length=0):
    query = torch.arange(length)[:, None] + past_length
    key = torch.arange(past_length + length)[None, :]
    return key <= query


@alternative("padding_mask", "from the docstring")
def _(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


@alternative("masked_softmax", "from the docstring")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, dim=dim)
    mask = mask.expand_as(scores) if mask.shape != scores.shape else mask
    some = mask.any(dim=dim, keepdim=True)
    filled = torch.where(mask, scores, torch.full_like(scores, -math.inf))
    filled = torch.where(some, filled, torch.zeros_like(filled))
    weights = torch.softmax(filled, dim=dim)
    return torch.where(mask, weights, torch.zeros_like(weights))


@alternative("next_token_loss", "from the docstring")
def _(logits, tokens, pad_id=None):
    predictions = logits[:, :-1]
    targets = tokens[:, 1:]
    real = torch.ones_like(targets, dtype=torch.bool) if pad_id is None else targets != pad_id
    logp = torch.log_softmax(predictions, dim=-1)
    picked = logp.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]
    return -(picked * real).sum() / real.sum().clamp(min=1)


@alternative("mask_tokens", "from the docstring")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    def draw():
        return torch.rand(tokens.shape, generator=generator)

    special = torch.zeros_like(tokens, dtype=torch.bool)
    for number in special_ids:
        special |= tokens == number
    chosen = (draw() < probability) & ~special
    what = draw()
    labels = torch.where(chosen, tokens, torch.full_like(tokens, -100))
    random = torch.randint(0, vocab_size, tokens.shape, generator=generator).to(tokens.dtype)
    inputs = torch.where(chosen & (what < 0.8), torch.full_like(tokens, mask_id), tokens)
    inputs = torch.where(chosen & (what >= 0.8) & (what < 0.9), random, inputs)
    return inputs, labels
