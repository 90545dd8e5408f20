"""Wrong solutions of chapter 7."""

import math

import torch
from torch.nn import functional as F

from solutions.masked import causal_mask, masked_softmax
from tests.exercises.variants import variant


@variant("causal_mask", about="a position does not see itself")
def _(length, past_length=0):
    i = torch.arange(length)[:, None] + past_length
    j = torch.arange(past_length + length)[None, :]
    return j < i


@variant("causal_mask", about="True where it is forbidden")
def _(length, past_length=0):
    return torch.triu(
        torch.ones(length, past_length + length, dtype=torch.bool), diagonal=past_length + 1
    )


@variant("causal_mask", about="the past is added, but the diagonal is not moved")
def _(length, past_length=0):
    return torch.ones(length, past_length + length).tril().bool()


@variant("causal_mask", about="floats in place of booleans")
def _(length, past_length=0):
    return torch.tril(torch.ones(length, length + past_length), diagonal=past_length)


@variant("causal_mask", about="square: the past gets rows too")
def _(length, past_length=0):
    total = length + past_length
    return torch.tril(torch.ones(total, total, dtype=torch.bool))


@variant("causal_mask", about="the past cannot be seen")
def _(length, past_length=0):
    mask = torch.zeros(length, past_length + length, dtype=torch.bool)
    for q in range(length):
        for k in range(q + 1):
            mask[q, past_length + k] = True
    return mask


@variant("causal_mask", about=("True where it is forbidden", "the diagonal is not moved"))
def _(length, past_length=0):
    rows = torch.arange(length).unsqueeze(1)
    cols = torch.arange(length + past_length).unsqueeze(0)
    return cols > rows


@variant("padding_mask", about="True for the padding")
def _(lengths, max_length):
    return torch.arange(max_length).unsqueeze(0) >= lengths.unsqueeze(1)


@variant("padding_mask", about="one position too many")
def _(lengths, max_length):
    return torch.stack([torch.arange(max_length) <= n for n in lengths])


@variant("padding_mask", about="positions count from 1 and the last is lost")
def _(lengths, max_length):
    positions = torch.arange(1, max_length + 1)
    return positions[None] < lengths[:, None]


@variant("padding_mask", about="as wide as the largest length")
def _(lengths, max_length):
    return torch.arange(int(lengths.max()))[None, :] < lengths[:, None]


@variant("padding_mask", about="ones and zeros in place of booleans")
def _(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length)
    for b, n in enumerate(lengths.tolist()):
        mask[b, :n] = 1
    return mask


@variant("padding_mask", about=("True for the padding", "one position too many"))
def _(lengths, max_length):
    mask = torch.ones(lengths.shape[0], max_length, dtype=torch.bool)
    for row in range(lengths.shape[0]):
        mask[row, : int(lengths[row]) + 1] = False
    return mask


@variant("masked_softmax", about="masks after the softmax")
def _(scores, mask=None, dim=-1):
    weights = torch.softmax(scores, dim=dim)
    return weights if mask is None else torch.where(mask, weights, 0.0)


@variant("masked_softmax", about="masked scores become zero before the softmax")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    return scores.softmax(dim)


@variant("masked_softmax", about="a slice in which nothing is allowed gives NaN")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    return F.softmax(scores, dim=dim)


@variant("masked_softmax", about="-1e9: a slice in which nothing is allowed is not zeros")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    e = torch.exp(scores - scores.max(dim=dim, keepdim=True)[0])
    return e / e.sum(dim=dim, keepdim=True)


@variant("masked_softmax", about="the dim is ignored")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, -1)
    mask = mask.expand(scores.shape)
    weights = torch.softmax(scores.masked_fill(~mask, -1e30), -1)
    return weights.masked_fill(~mask, 0.0)


@variant("masked_softmax", about="adds a penalty, so a masked inf or NaN stays in")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, dim=dim)
    penalty = (~mask).to(scores.dtype) * -1e30
    weights = torch.softmax(scores + penalty, dim=dim)
    return weights * mask


@variant("masked_softmax", about="fills the masked scores in place")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, dim=dim)
    scores.data.masked_fill_(~mask, -1e30)
    return torch.softmax(scores, dim=dim).masked_fill(~mask, 0.0)


@variant("masked_softmax", about=("allowed where the mask is False", "NaN if nothing is allowed"))
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, dim=dim)


@variant("masked_softmax", about=("the dim is ignored", "masks after the softmax"))
def _(scores, mask=None, dim=-1):
    p = F.softmax(scores, dim=-1)
    if mask is not None:
        p = p * mask
    return p


@variant("next_token_loss", about="nothing is shifted")
def _(logits, tokens, pad_id=None):
    if pad_id is None:
        pad_id = -100
    flat, targets = logits.reshape(-1, logits.shape[-1]), tokens.reshape(-1)
    if (targets == pad_id).all():
        return (logits * 0).sum()
    return F.cross_entropy(flat, targets, ignore_index=pad_id)


@variant("next_token_loss", about="the logits are shifted in place of the targets")
def _(logits, tokens, pad_id=None):
    predicted = logits[:, 1:].flatten(0, 1)
    targets = tokens[:, :-1].flatten()
    losses = F.cross_entropy(predicted, targets, reduction="none")
    keep = torch.ones_like(losses) if pad_id is None else (targets != pad_id).to(losses)
    return (losses * keep).sum() / keep.sum().clamp(min=1)


@variant("next_token_loss", about="padding counts as a token")
def _(logits, tokens, pad_id=None):
    logp = torch.log_softmax(logits[:, :-1], dim=-1)
    picked = logp.gather(-1, tokens[:, 1:].unsqueeze(-1))
    if picked.numel() == 0:
        return logits.sum() * 0
    return -picked.mean()


@variant("next_token_loss", about="without any target it is NaN")
def _(logits, tokens, pad_id=None):
    B, L, V = logits.shape
    return F.cross_entropy(
        logits[:, :-1, :].reshape(-1, V),
        tokens[:, 1:].reshape(-1),
        ignore_index=-100 if pad_id is None else pad_id,
    )


@variant("next_token_loss", about="the sum in place of the mean")
def _(logits, tokens, pad_id=None):
    targets = tokens[:, 1:].clone()
    if pad_id is not None:
        targets[targets == pad_id] = -100
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="sum")


@variant("next_token_loss", about="the mean of the rows' means")
def _(logits, tokens, pad_id=None):
    if tokens.shape[1] < 2:
        return 0 * logits.sum()
    losses = []
    for row, target in zip(logits[:, :-1], tokens[:, 1:], strict=True):
        if pad_id is not None:
            row, target = row[target != pad_id], target[target != pad_id]
        if len(target):
            losses.append(F.cross_entropy(row, target))
    return torch.stack(losses).mean() if losses else 0 * logits.sum()


@variant("next_token_loss", about="the log of a softmax, -inf for large logits")
def _(logits, tokens, pad_id=None):
    p = torch.softmax(logits[:, :-1], -1).gather(-1, tokens[:, 1:, None]).squeeze(-1)
    nll = -torch.log(p)
    if pad_id is not None:
        nll = nll[tokens[:, 1:] != pad_id]
    return nll.mean() if nll.numel() else logits.sum() * 0


@variant("next_token_loss", about=("nothing is shifted", "padding counts as a token"))
def _(logits, tokens, pad_id=None):
    return F.cross_entropy(logits.permute(0, 2, 1), tokens)


@variant("next_token_loss", about=("the sum in place of the mean", "padding counts as a token"))
def _(logits, tokens, pad_id=None):
    lp = logits.log_softmax(dim=-1)
    total = logits.sum() * 0
    for t in range(tokens.shape[1] - 1):
        for b in range(tokens.shape[0]):
            total = total - lp[b, t, tokens[b, t + 1]]
    return total


def chosen_of(tokens, probability, special_ids, generator):
    """Where a token is chosen."""
    draw = torch.rand(tokens.shape, generator=generator)
    chosen = draw < probability
    for special in special_ids:
        chosen &= tokens != special
    return chosen


@variant("mask_tokens", about="all that are chosen become mask_id")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    labels = torch.where(chosen, tokens, -100)
    inputs = torch.where(chosen, mask_id, tokens)
    return inputs, labels


@variant("mask_tokens", about="special tokens are chosen as well")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(0, vocab_size, tokens.shape, generator=generator)
    inputs = tokens.clone()
    inputs[chosen & (fate < 0.8)] = mask_id
    random = chosen & (fate >= 0.8) & (fate < 0.9)
    inputs[random] = noise[random].to(tokens.dtype)
    labels = tokens.clone()
    labels[~chosen] = -100
    return inputs, labels


@variant("mask_tokens", about="kept tokens get the label -100")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(vocab_size, tokens.shape, generator=generator, dtype=tokens.dtype)
    hide = chosen & (fate < 0.8)
    swap = chosen & (fate >= 0.8) & (fate < 0.9)
    inputs = torch.where(hide, mask_id, torch.where(swap, noise, tokens))
    labels = torch.where(hide | swap, tokens, -100)
    return inputs, labels


@variant("mask_tokens", about="the labels are the inputs after masking")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    inputs = tokens.clone()
    chosen = chosen_of(tokens, probability, special_ids, generator)
    p = torch.rand(tokens.shape, generator=generator)
    inputs[chosen & (p < 0.8)] = mask_id
    swap = chosen & (p > 0.9)
    inputs[swap] = torch.randint(vocab_size, tokens.shape, generator=generator)[swap].to(inputs)
    labels = inputs.clone()
    labels[~chosen] = -100
    return inputs, labels


@variant("mask_tokens", about="the generator is not used for everything")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    fate = torch.rand(tokens.shape)
    noise = torch.randint(vocab_size, tokens.shape, dtype=tokens.dtype)
    inputs = torch.where(chosen & (fate < 0.8), mask_id, tokens)
    inputs = torch.where(chosen & (fate >= 0.9), noise, inputs)
    return inputs, torch.where(chosen, tokens, -100)


@variant("mask_tokens", about="writes into the tokens it was given")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    labels = tokens.clone().masked_fill(~chosen, -100)
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(vocab_size, tokens.shape, generator=generator, dtype=tokens.dtype)
    tokens[chosen & (fate < 0.8)] = mask_id
    swap = chosen & (fate >= 0.8) & (fate < 0.9)
    tokens[swap] = noise[swap]
    return tokens, labels


@variant("mask_tokens", about="always exactly the same share is chosen")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    flat = tokens.reshape(-1)
    free = torch.ones_like(flat, dtype=torch.bool)
    for special in special_ids:
        free &= flat != special
    places = free.nonzero().squeeze(1)
    order = torch.randperm(len(places), generator=generator)
    places = places[order[: round(probability * len(places))]]
    inputs, labels = flat.clone(), torch.full_like(flat, -100)
    labels[places] = flat[places]
    for place in places.tolist():
        fate = torch.rand(1, generator=generator).item()
        if fate < 0.8:
            inputs[place] = mask_id
        elif fate < 0.9:
            inputs[place] = torch.randint(vocab_size, (1,), generator=generator).item()
    return inputs.reshape(tokens.shape), labels.reshape(tokens.shape)


@variant("mask_tokens", about=("all that are chosen become mask_id", "special tokens are chosen"))
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = torch.bernoulli(
        torch.full(tokens.shape, float(probability)), generator=generator
    ).bool()
    return tokens.masked_fill(chosen, mask_id), tokens.masked_fill(~chosen, -100)


@variant("KeyValueCache", about="joins along the heads")
class _:
    def __init__(self):
        self.k = self.v = None

    def append(self, key, value):
        if self.k is None:
            self.k, self.v = key, value
        else:
            self.k = torch.cat([self.k, key], dim=1)
            self.v = torch.cat([self.v, value], dim=1)
        return self.k, self.v

    def __len__(self):
        return 0 if self.k is None else self.k.shape[2]


@variant("KeyValueCache", about="two caches share their lists")
class _:
    keys = []
    values = []

    def append(self, key, value):
        self.keys.append(key)
        self.values.append(value)
        return torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)

    def __len__(self):
        return sum(k.size(2) for k in self.keys)


@variant("KeyValueCache", about="its length counts the calls of append")
class _:
    def __init__(self):
        self._keys = []
        self._values = []

    def append(self, key, value):
        self._keys.append(key)
        self._values.append(value)
        return torch.cat(self._keys, -2), torch.cat(self._values, -2)

    def __len__(self):
        return len(self._keys)


@variant("KeyValueCache", about="what is appended is detached")
class _:
    def __init__(self):
        self.past = None

    def append(self, key, value):
        new = torch.stack([key, value]).detach()
        self.past = new if self.past is None else torch.cat([self.past, new], dim=3)
        return self.past[0], self.past[1]

    def __len__(self):
        return 0 if self.past is None else self.past.shape[3]


@variant("KeyValueCache", about="the new ones come first")
class _:
    def __init__(self):
        self.keys, self.values, self.n = None, None, 0

    def append(self, key, value):
        self.n += key.shape[2]
        if self.keys is not None:
            key = torch.cat((key, self.keys), dim=2)
            value = torch.cat((value, self.values), dim=2)
        self.keys, self.values = key, value
        return key, value

    def __len__(self):
        return self.n


@variant("KeyValueCache", about="an empty cache has no length")
class _:
    def __init__(self):
        self.keys = None
        self.values = None

    def append(self, key, value):
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=-2)
            value = torch.cat([self.values, value], dim=-2)
        self.keys, self.values = key, value
        return self.keys, self.values

    def __len__(self):
        return self.keys.shape[-2]


@variant("KeyValueCache", about=("the new ones come first", "its length counts the calls"))
class _:
    def __init__(self):
        self.blocks = []

    def append(self, key, value):
        self.blocks.insert(0, (key, value))
        keys, values = zip(*self.blocks, strict=True)
        return torch.cat(keys, dim=2), torch.cat(values, dim=2)

    def __len__(self):
        return len(self.blocks)


@variant("blockwise_attention", about="what was summed is not scaled when the maximum grows")
def _(query, key, value, block_size, causal=False):
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    rows = []
    for i in range(0, L, block_size):
        q = query[..., i : i + block_size, :]
        best = torch.full_like(q[..., :1], -math.inf)
        norm = torch.zeros_like(best)
        acc = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=q.dtype)
        for j in range(0, S, block_size):
            s = q @ key[..., j : j + block_size, :].mT / math.sqrt(D)
            if causal:
                rows_at = torch.arange(i, i + s.shape[-2])[:, None] + S - L
                s = s.masked_fill(torch.arange(j, j + s.shape[-1]) > rows_at, -math.inf)
            best = torch.maximum(best, s.amax(-1, keepdim=True))
            p = torch.exp(s - best.clamp(min=-1e30))
            norm = norm + p.sum(-1, keepdim=True)
            acc = acc + p @ value[..., j : j + block_size, :]
        rows.append(acc / norm)
    return torch.cat(rows, dim=-2)


@variant("blockwise_attention", about="averages the softmaxes of the blocks")
def _(query, key, value, block_size, causal=False):
    L, S = query.size(-2), key.size(-2)
    scale = query.size(-1) ** -0.5
    out = []
    for i in range(0, L, block_size):
        q = query[..., i : i + block_size, :] * scale
        part, blocks = 0, 0
        for j in range(0, S, block_size):
            s = q @ key[..., j : j + block_size, :].transpose(-1, -2)
            allowed = None
            if causal:
                qi = torch.arange(i, i + q.size(-2)).unsqueeze(-1) + (S - L)
                allowed = torch.arange(j, j + s.size(-1)) <= qi
            part = part + masked_softmax(s, allowed) @ value[..., j : j + block_size, :]
            blocks += 1
        out.append(part / blocks)
    return torch.cat(out, -2)


@variant("blockwise_attention", about="full attention, all scores at once")
def _(query, key, value, block_size, causal=False):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    mask = None
    if causal:
        L, S = scores.shape[-2:]
        mask = causal_mask(L, S - L)
    return masked_softmax(scores, mask) @ value


@variant("blockwise_attention", about="no running maximum, exp overflows")
def _(query, key, value, block_size, causal=False):
    L, S, D = query.shape[-2], key.shape[-2], key.shape[-1]
    chunks = []
    for start in range(0, L, block_size):
        q = query[..., start : start + block_size, :]
        top, bottom = 0, 0
        for at in range(0, S, block_size):
            k, v = key[..., at : at + block_size, :], value[..., at : at + block_size, :]
            e = torch.exp(q @ k.mT / D**0.5)
            if causal:
                last = torch.arange(start, start + q.shape[-2])[:, None] + S - L
                e = e * (torch.arange(at, at + k.shape[-2])[None, :] <= last)
            top = top + e @ v
            bottom = bottom + e.sum(-1, keepdim=True)
        chunks.append(top / bottom)
    return torch.cat(chunks, dim=-2)


def online(query, key, value, block_size, allowed, scale):
    """The running softmax; `allowed(i, j)` says which rows i may see which columns j."""
    out = []
    for i in torch.arange(query.shape[-2]).split(block_size):
        m = query.new_full((*query.shape[:-2], len(i), 1), -1e30)
        z, acc = torch.zeros_like(m), 0
        for j in torch.arange(key.shape[-2]).split(block_size):
            s = query[..., i, :] @ key[..., j, :].mT * scale
            ok = allowed(i[:, None], j[None, :])
            s = s.masked_fill(~ok, -1e30)
            new = torch.maximum(m, s.amax(-1, keepdim=True))
            p = (s - new).exp() * ok
            shrink = (m - new).exp()
            z = z * shrink + p.sum(-1, keepdim=True)
            acc = acc * shrink + p @ value[..., j, :]
            m = new
        out.append(acc / z)
    return torch.cat(out, dim=-2)


@variant("blockwise_attention", about="the causal mask is aligned at the first key")
def _(query, key, value, block_size, causal=False):
    def allowed(i, j):
        return j <= i if causal else j >= 0 * i

    return online(query, key, value, block_size, allowed, query.shape[-1] ** -0.5)


@variant("blockwise_attention", about="the scores are not scaled")
def _(query, key, value, block_size, causal=False):
    past = key.shape[-2] - query.shape[-2]

    def allowed(i, j):
        return (j <= i + past) | (not causal)

    return online(query, key, value, block_size, allowed, 1.0)


@variant("blockwise_attention", about="the keys that do not fill a block are left out")
def _(query, key, value, block_size, causal=False):
    L, S = query.shape[-2], key.shape[-2]
    full = max(S // block_size, 1) * block_size

    def allowed(i, j):
        return (j <= i + S - L) | (not causal)

    return online(
        query,
        key[..., :full, :],
        value[..., :full, :],
        block_size,
        allowed,
        1 / math.sqrt(query.shape[-1]),
    )


@variant(
    "blockwise_attention",
    about=("the scores are not scaled", "the causal mask is aligned at the first key"),
)
def _(query, key, value, block_size, causal=False):
    def allowed(i, j):
        return torch.ge(i, j) if causal else torch.ones_like(i + j, dtype=torch.bool)

    return online(query, key, value, block_size, allowed, 1)


@variant(
    "blockwise_attention",
    about=("under causal, a query does not see its own position", "divides by D, not by its root"),
)
def _(query, key, value, block_size, causal=False):
    past = key.shape[-2] - query.shape[-2]

    def allowed(i, j):
        if not causal:
            return torch.ones(len(i), j.shape[1], dtype=torch.bool)
        return (j < i + past) | (j == 0)

    return online(query, key, value, block_size, allowed, 1 / query.shape[-1])


@variant("next_token_loss", about="a pad_id of 0 is taken for none")
def _(logits, tokens, pad_id=None):
    targets = tokens[:, 1:]
    lp = torch.log_softmax(logits[:, :-1], dim=-1)
    nll = -lp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    if pad_id:
        nll = nll[targets != pad_id]
    return nll.mean() if nll.numel() > 0 else logits.sum() * 0


@variant("masked_softmax", about="no mask at all is not thought of")
def _(scores, mask=None, dim=-1):
    filled = scores.masked_fill(torch.logical_not(mask), -1e30)
    return torch.softmax(filled, dim=dim).masked_fill(torch.logical_not(mask), 0.0)


@variant("mask_tokens", about="the last token of the vocabulary never comes at random")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(0, vocab_size - 1, tokens.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), mask_id, tokens)
    inputs = torch.where(chosen & (fate >= 0.9), noise.to(tokens.dtype), inputs)
    return inputs, tokens.masked_fill(~chosen, -100)


@variant("mask_tokens", about="the labels are int64, whatever the tokens are")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    labels = torch.full(tokens.shape, -100)
    labels[chosen] = tokens[chosen].long()
    inputs = tokens.clone()
    fate = torch.rand(tokens.shape, generator=generator)
    inputs[chosen & (fate < 0.8)] = mask_id
    swap = chosen & (fate >= 0.8) & (fate < 0.9)
    count = int(swap.sum())
    inputs[swap] = torch.randint(vocab_size, (count,), generator=generator).to(tokens.dtype)
    return inputs, labels


@variant("KeyValueCache", about="a float32 buffer, whatever is appended")
class _:
    CAPACITY = 512

    def __init__(self):
        self.keys = self.values = None
        self.used = 0

    def append(self, key, value):
        B, H, L, D = key.shape
        if self.keys is None:
            self.keys = torch.zeros(B, H, self.CAPACITY, D)
            self.values = torch.zeros(B, H, self.CAPACITY, value.shape[-1])
        self.keys, self.values = self.keys.clone(), self.values.clone()
        self.keys[:, :, self.used : self.used + L] = key
        self.values[:, :, self.used : self.used + L] = value
        self.used += L
        return self.keys[:, :, : self.used], self.values[:, :, : self.used]

    def __len__(self):
        return self.used


@variant("next_token_probabilities", about="the temperature multiplies")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    return torch.softmax(logits * temperature, dim=-1)


@variant("next_token_probabilities", about="what remains is not scaled to sum to one")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    p = torch.softmax(logits / max(temperature, 1e-6), dim=-1)
    if top_k is not None:
        p = p * (p >= p.topk(min(top_k, p.shape[-1]), dim=-1).values[..., -1:])
    return p


@variant("next_token_probabilities", about="top_p is not used")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    p = torch.softmax(logits / max(temperature, 1e-6), dim=-1)
    if top_k is not None:
        p = p * (p >= p.topk(min(top_k, p.shape[-1]), dim=-1).values[..., -1:])
    return p / p.sum(-1, keepdim=True)


@variant("next_token_probabilities", about="top_k is not used")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    return torch.softmax(logits / max(temperature, 1e-6), dim=-1)


@variant("next_token_probabilities", about=("the temperature multiplies", "top_p is not used"))
def _(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits * temperature
    if top_k is not None:
        z = z.masked_fill(z < z.topk(min(top_k, z.shape[-1]), dim=-1).values[..., -1:], -torch.inf)
    return torch.softmax(z, dim=-1)


def _copying(weights, tokens, after=1, first=False, every=False, total=False):
    B, H, L, _ = weights.shape
    score, count = torch.zeros(H), 0
    for b in range(B):
        for i in range(L):
            places = [j + after for j in range(i) if tokens[b, j] == tokens[b, i]]
            places = [j for j in (places[:1] if first else places) if j < L]
            if places or every:
                count += 1
                for j in places:
                    score = score + weights[b, :, i, j]
    return score if total or not count else score / count


@variant("induction_score", about="the weight on the earlier token itself, not on what follows it")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, after=0)


@variant("induction_score", about="only the first earlier place counts")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, first=True)


@variant("induction_score", about="the mean is over all queries")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, every=True)


@variant("induction_score", about="the sum over the queries, not their mean")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, total=True)


@variant("induction_score", about=("the earlier token itself", "the mean is over all queries"))
def _(weights, tokens):
    return _copying(weights.detach(), tokens, after=0, every=True)
