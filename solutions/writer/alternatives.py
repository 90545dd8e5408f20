"""Chapter 10 in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative


@alternative("KeyValueCache", "lists of pieces")
class _:
    def __init__(self):
        self.pieces = ([], [])

    def append(self, key, value):
        self.pieces[0].append(key)
        self.pieces[1].append(value)
        return torch.cat(self.pieces[0], dim=2), torch.cat(self.pieces[1], dim=2)

    def __len__(self):
        return sum(piece.size(2) for piece in self.pieces[0])


@alternative("KeyValueCache", "a list of pairs")
class _(list):
    def append(self, key, value):
        super().append((key, value))
        keys, values = zip(*self, strict=True)
        return torch.cat(keys, dim=2), torch.cat(values, dim=2)

    def __len__(self):
        return sum(key.size(2) for key, _ in self)


@alternative("KeyValueCache", "a dict of what is stored")
class _(dict):
    def append(self, key, value):
        for name, new in (("keys", key), ("values", value)):
            self[name] = torch.cat([self[name], new], dim=2) if name in self else new
        return self["keys"], self["values"]

    def __len__(self):
        return self["keys"].size(2) if "keys" in self else 0


@alternative("KeyValueCache", "an empty module at first")
class _(nn.Module):
    def __init__(self):
        super().__init__()
        self.stored = None

    def append(self, key, value):
        if self.stored is None:
            self.stored = (key[:, :, :0], value[:, :, :0])
        self.stored = tuple(
            torch.concat([old, new], dim=-2)
            for old, new in zip(self.stored, (key, value), strict=True)
        )
        return self.stored

    def __len__(self):
        return self.stored[0].shape[2] if self.stored else 0


@alternative("blockwise_attention", "blocks of keys, all queries at once")
def _(query, key, value, block_size, causal=False):
    L, S = query.shape[-2], key.shape[-2]
    scale = query.shape[-1] ** -0.5
    rows = torch.arange(L)[:, None] + (S - L)
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)[..., None]
    total, output = 0.0, 0.0
    for start in range(0, S, block_size):
        stop = min(start + block_size, S)
        scores = torch.einsum("...ld,...sd->...ls", query, key[..., start:stop, :]) * scale
        if causal:
            scores = torch.where(torch.arange(start, stop) <= rows, scores, -math.inf)
        new = torch.maximum(largest, scores.max(dim=-1, keepdim=True).values)
        kept = torch.exp(largest - new)
        exponentials = torch.exp(scores - new)
        total = total * kept + exponentials.sum(dim=-1, keepdim=True)
        output = output * kept + exponentials @ value[..., start:stop, :]
        largest = new
    return output / total


@alternative("blockwise_attention", "log-sum-exp of the blocks")
def _(query, key, value, block_size, causal=False):
    L, S = query.shape[-2], key.shape[-2]
    rows = torch.arange(S - L, S).unsqueeze(1)
    output, log_total = None, None
    pairs = zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True)
    for number, (keys, values) in enumerate(pairs):
        scores = query @ keys.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if causal:
            columns = number * block_size + torch.arange(keys.shape[-2])
            scores = scores.masked_fill(columns > rows, torch.finfo(scores.dtype).min)
        block_total = scores.logsumexp(dim=-1, keepdim=True)
        block_output = torch.softmax(scores, dim=-1) @ values
        if output is None:
            output, log_total = block_output, block_total
        else:
            share = torch.sigmoid(block_total - log_total)
            output = output + share * (block_output - output)
            log_total = torch.logaddexp(log_total, block_total)
    return output


@alternative("blockwise_attention", "two passes: the sum, then the output")
def _(query, key, value, block_size, causal=False):
    L, S = query.shape[-2], key.shape[-2]
    outputs = []
    for i in range(L):
        row = query[..., i : i + 1, :]
        last = S - L + i + 1 if causal else S
        log_total = None
        for start in range(0, last, block_size):
            scores = row @ key[..., start : min(start + block_size, last), :].mT
            block = torch.logsumexp(scores / row.shape[-1] ** 0.5, dim=-1, keepdim=True)
            log_total = block if log_total is None else torch.logaddexp(log_total, block)
        output = 0.0
        for start in range(0, last, block_size):
            own = slice(start, min(start + block_size, last))
            scores = row @ key[..., own, :].mT / row.shape[-1] ** 0.5
            output = output + torch.exp(scores - log_total) @ value[..., own, :]
        outputs.append(output)
    return torch.cat(outputs, dim=-2)


@alternative("next_token_probabilities", "sorted once, everything in that order")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k <= 0):
        raise ValueError(f"temperature {temperature}, top_k {top_k}")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError(f"top_p is {top_p}")
    ordered, order = torch.sort(logits, dim=-1, descending=True, stable=True)
    if temperature == 0:
        kept = ordered == ordered[..., :1]
        sorted_probabilities = kept.to(logits.dtype)
    else:
        sorted_probabilities = torch.softmax((ordered - ordered[..., :1]) / temperature, dim=-1)
        if top_k is not None and top_k < logits.shape[-1]:
            last = ordered[..., top_k - 1 : top_k]
            sorted_probabilities = torch.where(ordered >= last, sorted_probabilities, 0.0)
            sorted_probabilities = sorted_probabilities / sorted_probabilities.sum(-1, True)
        if top_p is not None and top_p < 1.0:
            reached = sorted_probabilities.cumsum(dim=-1) >= top_p
            # The one at which it is reached stays: shift by one.
            dropped = F.pad(reached[..., :-1], (1, 0), value=False)
            sorted_probabilities = sorted_probabilities.masked_fill(dropped, 0.0)
    sorted_probabilities = sorted_probabilities / sorted_probabilities.sum(dim=-1, keepdim=True)
    return torch.zeros_like(logits).scatter(-1, order, sorted_probabilities)


@alternative("next_token_probabilities", "row by row")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("the temperature must not be negative")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k must be at least 1")
    if top_p is not None and not (0 < top_p <= 1):
        raise ValueError("top_p must be in (0, 1]")
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        result = torch.zeros_like(row)
        if temperature == 0:
            best = torch.nonzero(row == row.max())[:, 0]
            result[best] = 1 / len(best)
            rows.append(result)
            continue
        scaled = row.double() / temperature
        order = scaled.argsort(descending=True)
        if top_k is not None:
            order = order[row[order] >= row[order[min(top_k, len(row)) - 1]]]
        chances = torch.softmax(scaled[order], dim=0)
        if top_p is not None and top_p < 1:
            number = int((chances.cumsum(0) < top_p).sum()) + 1
            order, chances = order[:number], chances[:number]
        result[order] = (chances / chances.sum()).to(row.dtype)
        rows.append(result)
    return torch.stack(rows).reshape(logits.shape)


@alternative("induction_score", "loops over queries and keys")
def _(weights, tokens):
    B, H, L, _ = weights.shape
    total, count = weights.new_zeros(H), 0
    for b in range(B):
        row = tokens[b].tolist()
        for query in range(L):
            places = [key + 1 for key in range(query) if row[key] == row[query]]
            if places:
                total = total + weights[b, :, query, places].sum(dim=-1)
                count += 1
    return total / max(count, 1)


@alternative("induction_score", "one hot, einsum, and a shift of the weights")
def _(weights, tokens):
    L = tokens.shape[-1]
    same = (tokens[:, :, None] == tokens[:, None, :]) & torch.ones(L, L).tril(-1).bool()
    shifted = torch.cat([weights[..., 1:], torch.zeros_like(weights[..., :1])], dim=-1)
    total = torch.einsum("bhls,bls->h", shifted, same.to(weights.dtype))
    queries = same.any(dim=2).sum()
    return total / queries if queries > 0 else torch.zeros_like(total)


@alternative("KeyValueCache", "from the docstring")
class _:
    def __init__(self):
        self.parts = []

    def append(self, key, value):
        self.parts.append((key, value))
        return torch.cat([k for k, _ in self.parts], dim=2), torch.cat(
            [v for _, v in self.parts], dim=2
        )

    def __len__(self):
        return sum(k.shape[2] for k, _ in self.parts)


@alternative("next_token_probabilities", "from the docstring")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p")
    if temperature == 0:
        best = (logits == logits.max(-1, keepdim=True).values).to(logits.dtype)
        return best / best.sum(-1, keepdim=True)
    logits = (logits - logits.max(-1, keepdim=True).values) / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        edge = logits.topk(top_k, dim=-1).values[..., -1:]
        logits = logits.masked_fill(logits < edge, -math.inf)
    p = logits.softmax(-1)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        before = ordered.cumsum(-1) - ordered
        kept = torch.where(before < top_p, ordered, torch.zeros_like(ordered))
        p = torch.zeros_like(p).scatter(-1, order, kept)
        p = p / p.sum(-1, keepdim=True)
    return p


@alternative("induction_score", "from the docstring")
def _(weights, tokens):
    B, H, L, _ = weights.shape
    total = torch.zeros(H, dtype=weights.dtype)
    count = 0
    for b in range(B):
        for i in range(L):
            spots = [j + 1 for j in range(i) if tokens[b, j] == tokens[b, i]]
            if spots:
                count += 1
                total = total + weights[b, :, i, spots].sum(-1)
    return total / max(count, 1)


@alternative("blockwise_attention", "from the docstring")
def _(query, key, value, block_size, causal=False):
    L, D = query.shape[-2:]
    S = key.shape[-2]
    scale = D**-0.5
    outputs = []
    for a in range(0, L, block_size):
        q = query[..., a : a + block_size, :]
        n = q.shape[-2]
        top = q.new_full((*q.shape[:-1], 1), -math.inf)
        total = torch.zeros_like(top)
        result = q.new_zeros((*q.shape[:-1], value.shape[-1]))
        for b in range(0, S, block_size):
            k = key[..., b : b + block_size, :]
            v = value[..., b : b + block_size, :]
            scores = q @ k.transpose(-1, -2) * scale
            if causal:
                rows = torch.arange(a, a + n)[:, None] + S - L
                cols = torch.arange(b, b + k.shape[-2])[None, :]
                scores = scores.masked_fill(cols > rows, -math.inf)
            new = torch.maximum(top, scores.amax(-1, keepdim=True).detach())
            safe = torch.where(torch.isinf(new), torch.zeros_like(new), new)
            p = torch.exp(scores - safe)
            shrink = torch.exp(top - safe)
            total = total * shrink + p.sum(-1, keepdim=True)
            result = result * shrink + p @ v
            top = new
        outputs.append(result / total)
    return torch.cat(outputs, dim=-2)
