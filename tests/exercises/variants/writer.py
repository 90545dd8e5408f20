"""Wrong solutions of chapter 10."""

import math

import torch

from solutions.masked import causal_mask, masked_softmax
from tests.exercises.variants import variant


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


def _cut(p, kept, scaled=True):
    p = p * kept
    return p / p.sum(-1, keepdim=True) if scaled else p


def _next(logits, temperature, top_k, top_p, *, hotter=False, scaled=True):
    if temperature < 0 or top_k is not None and top_k < 1:
        raise ValueError(f"temperature {temperature}, top_k {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p {top_p}")
    z = logits - logits.max(-1, keepdim=True).values
    if temperature == 0:
        return _cut(torch.ones_like(z), z == 0)
    p = torch.softmax(z * temperature if hotter else z / temperature, dim=-1)
    if top_k is not None:
        smallest = z.topk(min(top_k, z.shape[-1]), dim=-1).values[..., -1:]
        p = _cut(p, z >= smallest, scaled)
    if top_p is not None and top_p < 1:
        order = p.argsort(-1, descending=True)
        ordered = p.gather(-1, order)
        enough = ordered.cumsum(-1) - ordered < top_p
        p = _cut(p, torch.zeros_like(enough).scatter(-1, order, enough), scaled)
    return p


@variant("next_token_probabilities", about="the temperature multiplies")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    return _next(logits, temperature, top_k, top_p, hotter=True)


@variant("next_token_probabilities", about="what remains is not scaled to sum to one")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    return _next(logits, temperature, top_k, top_p, scaled=False)


@variant("next_token_probabilities", about="top_p is not used")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    _next(logits, temperature, top_k, top_p)  # for its errors
    return _next(logits, temperature, top_k, None)


@variant("next_token_probabilities", about="top_k is not used")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    _next(logits, temperature, top_k, top_p)
    return _next(logits, temperature, None, top_p)


@variant("next_token_probabilities", about=("the temperature multiplies", "top_p is not used"))
def _(logits, temperature=1.0, top_k=None, top_p=None):
    _next(logits, temperature, top_k, top_p)
    return _next(logits, temperature, top_k, None, hotter=True)


def _copying(weights, tokens, after=1, first=False, every=False, total=False):
    B, H, L, _ = weights.shape
    score, count = weights.new_zeros(H), 0
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
