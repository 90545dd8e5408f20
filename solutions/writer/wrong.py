"""Wrong answers to chapter 10, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch

from autograder.checking.samples import wrong
from solutions.masked import causal_mask, masked_softmax


@wrong("KeyValueCache", about="joins along the heads")
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


@wrong("KeyValueCache", about="two caches share their lists")
class _:
    keys = []
    values = []

    def append(self, key, value):
        self.keys.append(key)
        self.values.append(value)
        return torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)

    def __len__(self):
        return sum(k.size(2) for k in self.keys)


@wrong("KeyValueCache", about="its length counts the calls of append")
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


@wrong("KeyValueCache", about="what is appended is detached")
class _:
    def __init__(self):
        self.past = None

    def append(self, key, value):
        new = torch.stack([key, value]).detach()
        self.past = new if self.past is None else torch.cat([self.past, new], dim=3)
        return self.past[0], self.past[1]

    def __len__(self):
        return 0 if self.past is None else self.past.shape[3]


@wrong("KeyValueCache", about="the new ones come first")
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


@wrong("KeyValueCache", about="an empty cache has no length")
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


@wrong("KeyValueCache", about=("the new ones come first", "its length counts the calls"))
class _:
    def __init__(self):
        self.blocks = []

    def append(self, key, value):
        self.blocks.insert(0, (key, value))
        keys, values = zip(*self.blocks, strict=True)
        return torch.cat(keys, dim=2), torch.cat(values, dim=2)

    def __len__(self):
        return len(self.blocks)


@wrong("blockwise_attention", about="what was summed is not scaled when the maximum grows")
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


@wrong("blockwise_attention", about="averages the softmaxes of the blocks")
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


@wrong("blockwise_attention", about="full attention, all scores at once")
def _(query, key, value, block_size, causal=False):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    mask = None
    if causal:
        L, S = scores.shape[-2:]
        mask = causal_mask(L, S - L)
    return masked_softmax(scores, mask) @ value


@wrong("blockwise_attention", about="no running maximum, exp overflows")
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


@wrong("blockwise_attention", about="the causal mask is aligned at the first key")
def _(query, key, value, block_size, causal=False):
    def allowed(i, j):
        return j <= i if causal else j >= 0 * i

    return online(query, key, value, block_size, allowed, query.shape[-1] ** -0.5)


@wrong("blockwise_attention", about="the scores are not scaled")
def _(query, key, value, block_size, causal=False):
    past = key.shape[-2] - query.shape[-2]

    def allowed(i, j):
        return (j <= i + past) | (not causal)

    return online(query, key, value, block_size, allowed, 1.0)


@wrong("blockwise_attention", about="the keys that do not fill a block are left out")
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


@wrong(
    "blockwise_attention",
    about=("the scores are not scaled", "the causal mask is aligned at the first key"),
)
def _(query, key, value, block_size, causal=False):
    def allowed(i, j):
        return torch.ge(i, j) if causal else torch.ones_like(i + j, dtype=torch.bool)

    return online(query, key, value, block_size, allowed, 1)


@wrong(
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


@wrong("KeyValueCache", about="a float32 buffer, whatever is appended")
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


@wrong("next_token_probabilities", about="the temperature multiplies")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    return _next(logits, temperature, top_k, top_p, hotter=True)


@wrong("next_token_probabilities", about="what remains is not scaled to sum to one")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    return _next(logits, temperature, top_k, top_p, scaled=False)


@wrong("next_token_probabilities", about="top_p is not used")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    _next(logits, temperature, top_k, top_p)  # for its errors
    return _next(logits, temperature, top_k, None)


@wrong("next_token_probabilities", about="top_k is not used")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    _next(logits, temperature, top_k, top_p)
    return _next(logits, temperature, None, top_p)


@wrong("next_token_probabilities", about=("the temperature multiplies", "top_p is not used"))
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


@wrong("induction_score", about="the weight on the earlier token itself, not on what follows it")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, after=0)


@wrong("induction_score", about="only the first earlier place counts")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, first=True)


@wrong("induction_score", about="the mean is over all queries")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, every=True)


@wrong("induction_score", about="the sum over the queries, not their mean")
def _(weights, tokens):
    return _copying(weights.detach(), tokens, total=True)


@wrong("induction_score", about=("the earlier token itself", "the mean is over all queries"))
def _(weights, tokens):
    return _copying(weights.detach(), tokens, after=0, every=True)


@wrong("KeyValueCache", about="appends along the axis of the heads")
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


@wrong("next_token_probabilities", about="the logits are multiplied by the temperature")
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


@wrong("induction_score", about="looks at the earlier token itself, not at what followed it")
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


@wrong("blockwise_attention", about="the old sum is not scaled down when the maximum grows")
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


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "KeyValueCache": [
        (
            "lists of pieces",
            {"torch.cat(self.pieces[0], dim=2), torch.cat(self.pieces[1], dim=2)": "key, value"},
            "new-returned",
        ),
        (
            "lists of pieces",
            {"sum(piece.size(2) for piece in self.pieces[0])": "len(self.pieces[0])"},
            "length-in-calls",
        ),
        (
            "an empty module at first",
            {"[old, new]": "[new, old]"},
            "in-front",
        ),
        (
            "an empty module at first",
            {" if self.stored else 0": ""},
            "empty-fails",
        ),
        (
            "an empty module at first",
            {"self.stored[0].shape[2]": "self.stored[0].shape[0]"},
            "length-of-batch",
        ),
    ],
    "blockwise_attention": [
        ("blocks of keys, all queries at once", {"* scale": ""}, "not-scaled"),
        ("blocks of keys, all queries at once", {"total * kept": "total"}, "outputs-only-rescaled"),
        ("blocks of keys, all queries at once", {"+ (S - L)": ""}, "first-positions"),
        (
            "blocks of keys, all queries at once",
            {
                "kept = torch.exp(largest - new)": "kept = 1.0",
                "torch.exp(scores - new)": "torch.exp(scores)",
            },
            "no-maximum",
        ),
        (
            "two passes: the sum, then the output",
            {"if causal else S": "if False else S"},
            "causal-unused",
        ),
    ],
    "next_token_probabilities": [
        (
            "sorted once, everything in that order",
            {"/ temperature, dim=-1": "* temperature, dim=-1"},
            "temperature",
        ),
        (
            "sorted once, everything in that order",
            {"(ordered - ordered[..., :1]) / temperature": "ordered"},
            "temperature-unused",
        ),
        (
            "sorted once, everything in that order",
            {"dropped = F.pad(reached[..., :-1], (1, 0), value=False)": "dropped = reached"},
            "crossing",
        ),
        (
            "row by row",
            {"result[best] = 1 / len(best)": "result[best[0]] = 1"},
            "zero-first-only",
        ),
        ("row by row", {"(chances / chances.sum())": "chances"}, "top-p-not-divided"),
    ],
    "induction_score": [
        (
            "loops over queries and keys",
            {"places = [key + 1 for": "places = [key for"},
            "after",
        ),
        (
            "loops over queries and keys",
            {"count += 1": "count += len(places)"},
            "mean-of-pairs",
        ),
        (
            "one hot, einsum, and a shift of the weights",
            {"/ queries if queries > 0 else torch.zeros_like(total)": "/ queries"},
            "nothing-nan",
        ),
        (
            "one hot, einsum, and a shift of the weights",
            {"queries = same.any(dim=2).sum()": "queries = torch.tensor(tokens.numel())"},
            "mean",
        ),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "next_token_probabilities",
        "probabilities = softmax(scores, dim=-1) => probabilities = softmax(scores)",
    ): "The default is the last dimension.",
    (
        "next_token_probabilities",
        (
            "ordered, order = probabilities.sort(dim=-1, descending=True) => ordered, order = "
            "probabilities.sort(descending=True)"
        ),
    ): "The default is the last dimension.",
    (
        "next_token_probabilities",
        (
            "kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:] => kth = "
            "logits.topk(min(top_k, logits.shape[-1])).values[..., -1:]"
        ),
    ): "The default is the last dimension.",
    (
        "next_token_probabilities",
        ("scores = (logits - largest) / temperature => scores = (logits + largest) / temperature"),
    ): "The softmax does not change when all scores move by the same number.",
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None:",
    ): "A top_p of 1 keeps all.",
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None and top_p <= 1:",
    ): "A top_p of 1 keeps all.",
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None and top_p < 2:",
    ): "A top_p of 1 keeps all.",
    (
        "next_token_probabilities",
        (
            "kept = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < "
            "top_p) => kept = torch.ones_like(before, dtype=torch.bool).scatter(-1, order, "
            "before < top_p)"
        ),
    ): "Every place is written.",
    (
        "blockwise_attention",
        "output = total = 0.0 => output = total = 1.0",
    ): "The first block scales whatever was there before it by exp(-inf), which is 0.",
}
