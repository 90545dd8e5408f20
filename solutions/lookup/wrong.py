"""Wrong answers to chapter 1, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import torch
from torch.nn import functional as F

from autograder.checking.samples import wrong


@wrong("exact_lookup", about="one equal entry is enough for a match")
def _(query, keys, values):
    matches = (keys == query).any(dim=1)
    return values[matches].sum(dim=0)


@wrong("exact_lookup", about="only the first of several equal keys counts")
def _(query, keys, values):
    for key, value in zip(keys, values, strict=True):
        if torch.equal(key, query):
            return value
    return torch.zeros_like(values[0])


@wrong("exact_lookup", about="equal within a tolerance")
def _(query, keys, values):
    result = torch.zeros_like(values[0])
    for i in range(len(keys)):
        if torch.allclose(keys[i], query):
            result = result + values[i]
    return result


@wrong("exact_lookup", about="averages the values of equal keys")
def _(query, keys, values):
    hit = (keys == query).all(dim=-1)
    if not hit.any():
        return torch.zeros(values.shape[1], dtype=values.dtype)
    return values[hit].mean(dim=0)


@wrong("exact_lookup", about="raises a KeyError when no key is equal")
def _(query, keys, values):
    hits = (keys == query).all(-1)
    if hits.sum() == 0:
        raise KeyError("no such key")
    return hits.to(values.dtype) @ values


@wrong("exact_lookup", about="the mask of matches is float32, whatever the values are")
def _(query, keys, values):
    weights = (keys == query).all(dim=1).float()
    total = torch.zeros(values.shape[1])
    for w, v in zip(weights, values, strict=True):
        total += (w * v).float()
    return total


@wrong(
    "exact_lookup",
    about=("one equal entry is enough for a match", "averages the values of equal keys"),
)
def _(query, keys, values):
    same = torch.any(keys == query, dim=-1).to(values.dtype)
    return (same[:, None] * values).sum(0) / same.sum().clamp(min=1)


@wrong("letter_similarity", about="upper and lower case are different letters")
def _(a, b):
    longest = max(len(a), len(b))
    if longest == 0:
        return 1.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / longest


@wrong("letter_similarity", about="divides by the length of the shorter word")
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a and not b:
        return 1.0
    n = min(len(a), len(b))
    if n == 0:
        return 0.0
    count = 0
    for i in range(n):
        if a[i] == b[i]:
            count += 1
    return count / n


@wrong("letter_similarity", about="two empty words divide by zero")
def _(a, b):
    a, b = a.lower(), b.lower()
    same = sum(1 for p, q in zip(a, b, strict=False) if p == q)
    return same / max(len(a), len(b))


@wrong("letter_similarity", about="compares the sets of letters, not the positions")
def _(a, b):
    letters_a, letters_b = set(a.lower()), set(b.lower())
    if not letters_a and not letters_b:
        return 1.0
    return len(letters_a & letters_b) / max(len(letters_a), len(letters_b))


@wrong("letter_similarity", about="two empty words are not alike")
def _(a, b):
    if len(a) == 0 or len(b) == 0:
        return 0.0
    pairs = zip(a.lower(), b.lower(), strict=False)
    return sum([p == q for p, q in pairs]) / max(len(a.lower()), len(b.lower()))


@wrong("letter_similarity", about="runs past the end of the shorter word")
def _(a, b):
    a = a.lower()
    b = b.lower()
    if a == b:
        return 1.0
    matching = 0
    for i in range(max(len(a), len(b))):
        if a[i] == b[i]:
            matching += 1
    return matching / max(len(a), len(b))


@wrong(
    "letter_similarity",
    about=("upper and lower case are different letters", "divides by the shorter word"),
)
def _(a, b):
    if a == b:
        return 1.0
    shorter = min(len(a), len(b)) or 1
    return sum(a[i] == b[i] for i in range(min(len(a), len(b)))) / shorter


@wrong("weighted_average", about="does not divide by the sum of the weights")
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("weights must be positive")
    return weights @ values


@wrong("weighted_average", about="divides by the number of weights")
def _(weights, values):
    if weights.min() < 0:
        raise ValueError("negative weight")
    if weights.sum() == 0:
        raise ValueError("all weights are zero")
    return (weights.unsqueeze(1) * values).mean(dim=0)


@wrong("weighted_average", about="accepts negative weights")
def _(weights, values):
    total = weights.sum()
    if total == 0:
        raise ValueError("weights sum to zero")
    return torch.einsum("s,se->e", weights / total, values)


@wrong("weighted_average", about="a weight of zero is refused like a negative one")
def _(weights, values):
    if (weights <= 0).any():
        raise ValueError("weights must not be negative")
    w = weights / weights.sum()
    return sum(w[i] * values[i] for i in range(len(w)))


@wrong("weighted_average", about="normalizes the weights in place")
def _(weights, values):
    if bool((weights < 0).any()):
        raise ValueError("weights must be at least 0")
    if float(weights.sum()) == 0.0:
        raise ValueError("the weights sum to 0")
    weights.data /= weights.data.sum()
    return torch.matmul(weights, values)


@wrong("weighted_average", about="turns the weights into a softmax")
def _(weights, values):
    if torch.any(weights < 0):
        raise ValueError("negative")
    if torch.sum(weights) == 0:
        raise ValueError("zero")
    return F.softmax(weights, dim=0) @ values


@wrong(
    "weighted_average",
    about=("does not divide by the sum of the weights", "accepts negative weights"),
)
def _(weights, values):
    if weights.sum() == 0:
        raise ValueError("sum of weights is zero")
    out = torch.zeros_like(values[0])
    for w, row in zip(weights, values, strict=True):
        out = out + w * row
    return out


@wrong("soft_lookup", about="gives similarity the key first")
def _(query, keys, values, similarity):
    scores = torch.stack([torch.as_tensor(similarity(k, query), dtype=values.dtype) for k in keys])
    total = scores.sum()
    if total == 0:
        raise ValueError("similarities sum to zero")
    weights = scores / total
    return weights @ values, weights


@wrong("soft_lookup", about="softmax in place of dividing by the sum")
def _(query, keys, values, similarity):
    sims = [torch.as_tensor(similarity(query, key)).to(values.dtype) for key in keys]
    sims = torch.stack(sims)
    if sims.sum() == 0:
        raise ValueError("nothing is similar")
    weights = torch.softmax(sims, 0)
    return weights @ values, weights


@wrong("soft_lookup", about="torch.tensor of the similarities cuts their gradient")
def _(query, keys, values, similarity):
    s = torch.tensor(
        [torch.as_tensor(similarity(query, key)).item() for key in keys], dtype=values.dtype
    )
    if s.sum() == 0:
        raise ValueError("the similarities sum to zero")
    w = s / s.sum()
    return (w[:, None] * values).sum(0), w


@wrong("soft_lookup", about="negative similarities are cut off at zero")
def _(query, keys, values, similarity):
    raw = torch.stack([torch.as_tensor(similarity(query, k)).to(values) for k in keys])
    if raw.sum() == 0:
        raise ValueError("sum is zero")
    raw = raw.clamp(min=0)
    weights = raw / raw.sum()
    return weights @ values, weights


@wrong("soft_lookup", about="does not raise when the similarities sum to zero")
def _(query, keys, values, similarity):
    weights = torch.stack([torch.as_tensor(similarity(query, k)).to(values) for k in keys])
    weights = weights / weights.sum()
    return torch.einsum("s,se->e", weights, values), weights


@wrong("soft_lookup", about="returns the similarities, not the weights")
def _(query, keys, values, similarity):
    sims = []
    for key in keys:
        s = similarity(query, key)
        sims.append(s.to(values.dtype) if torch.is_tensor(s) else values.new_tensor(s))
    sims = torch.stack(sims)
    total = sims.sum()
    if total == 0:
        raise ValueError("total similarity is zero")
    return (sims @ values) / total, sims


@wrong("soft_lookup", about="a negative sum of similarities is refused as well")
def _(query, keys, values, similarity):
    s = torch.stack([torch.as_tensor(similarity(query, k)).to(values) for k in keys])
    if s.sum() <= 0:
        raise ValueError("sum must be positive")
    s = s / s.sum()
    return s @ values, s


@wrong(
    "soft_lookup",
    about=("softmax in place of dividing by the sum", "torch.tensor cuts the gradient"),
)
def _(query, keys, values, similarity):
    scores = [torch.as_tensor(similarity(query, key)).item() for key in keys]
    if sum(scores) == 0:
        raise ValueError("zero")
    weights = torch.softmax(torch.tensor(scores, dtype=values.dtype), dim=0)
    return torch.matmul(weights, values), weights


@wrong("kernel_regression", about="exp underflows far from all keys, and 0 / 0 is NaN")
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth must be positive")
    d2 = (x[:, None] - keys[None, :]) ** 2
    k = torch.exp(-d2 / (2 * bandwidth**2))
    return (k * values).sum(1) / k.sum(1)


@wrong("kernel_regression", about="the factor 2 is missing in the exponent")
def _(x, keys, values, bandwidth):
    if not bandwidth > 0:
        raise ValueError("bandwidth must be positive")
    diff = x.unsqueeze(1) - keys.unsqueeze(0)
    weights = torch.softmax(-((diff / bandwidth) ** 2), dim=1)
    return weights @ values


@wrong("kernel_regression", about="the bandwidth is not squared")
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth <= 0")
    out = []
    for point in x:
        logits = -((point - keys) ** 2) / (2 * bandwidth)
        out.append((torch.softmax(logits, 0) * values).sum())
    return torch.stack(out)


@wrong("kernel_regression", about="normalizes over the points instead of the keys")
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth")
    scores = -(x.view(-1, 1) - keys.view(1, -1)).pow(2) / (2 * bandwidth**2)
    return torch.softmax(scores, dim=0) @ values


@wrong("kernel_regression", about="a bandwidth of zero is accepted")
def _(x, keys, values, bandwidth):
    if bandwidth < 0:
        raise ValueError("bandwidth must not be negative")
    d = torch.abs(x[:, None] - keys)
    return torch.softmax(-d * d / (2 * bandwidth * bandwidth), dim=-1) @ values


@wrong("kernel_regression", about="an epsilon in the denominator pulls far points to zero")
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth must be > 0")
    kernel = torch.exp(-0.5 * ((x[:, None] - keys[None]) / bandwidth) ** 2)
    kernel = kernel / (kernel.sum(-1, keepdim=True) + 1e-8)
    return torch.einsum("ls,s->l", kernel, values)


@wrong(
    "kernel_regression",
    about=("the factor 2 is missing in the exponent", "does not refuse any bandwidth"),
)
def _(x, keys, values, bandwidth):
    squared = torch.square(x.reshape(-1, 1) - keys)
    return (torch.softmax(-squared / bandwidth**2, dim=1) * values).sum(dim=1)


@wrong(
    "kernel_regression",
    about=("the distance is not squared", "the bandwidth is not squared"),
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth has to be positive")
    distance = (x[:, None] - keys[None, :]).abs()
    attention = torch.softmax(-distance / (2 * bandwidth), dim=-1)
    return attention @ values


@wrong("letter_similarity", about="compares in upper case, where one letter may become two")
def _(a, b):
    a, b = a.upper(), b.upper()
    n = max(len(a), len(b))
    return 1.0 if n == 0 else sum(x == y for x, y in zip(a, b, strict=False)) / n


@wrong("letter_similarity", about="two empty words give the whole number 1")
def _(a, b):
    a, b = a.lower(), b.lower()
    if a == b:
        return 1
    return sum(a[i] == b[i] for i in range(min(len(a), len(b)))) / max(len(a), len(b))


@wrong("soft_lookup", about="takes the keys by index, where looping is all they can do")
def _(query, keys, values, similarity):
    total, sims = 0.0, []
    for i in range(len(keys)):
        s = torch.as_tensor(similarity(query, keys[i])).to(values.dtype)
        sims.append(s)
        total = total + s
    if total == 0:
        raise ValueError("similarities sum to zero")
    weights = torch.stack(sims) / total
    return weights @ values, weights


@wrong("weighted_average", about="a small sum of weights is taken for zero")
def _(weights, values):
    if (weights < 0).any():
        raise ValueError("a weight is negative")
    if weights.sum() < 1e-6:
        raise ValueError("the weights sum to zero")
    return (weights[:, None] * values).sum(dim=0) / weights.sum()


@wrong("soft_lookup", about="a small sum of similarities is taken for zero")
def _(query, keys, values, similarity):
    sims = torch.stack([torch.as_tensor(similarity(query, k)).to(values) for k in keys])
    total = torch.sum(sims)
    if torch.isclose(total, torch.zeros_like(total), atol=1e-4):
        raise ValueError("the similarities sum to zero")
    weights = sims / total
    return weights @ values, weights


@wrong("exact_lookup", about="a key equals where any of its entries does")
def _(query, keys, values):
    hit = (keys == query).any(dim=1).to(values.dtype)
    return hit @ values


@wrong("exact_lookup", about="keys that are nearly equal count too")
def _(query, keys, values):
    out = torch.zeros_like(values[0])
    for i in range(len(keys)):
        if torch.allclose(keys[i], query, atol=1e-3):
            out = out + values[i]
    return out


@wrong("letter_similarity", about="the share of the shorter word")
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a and not b:
        return 1.0
    if not a or not b:
        return 0.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / min(len(a), len(b))


@wrong("letter_similarity", about="counts letters that both have, wherever they stand")
def _(a, b):
    a, b = a.lower(), b.lower()
    if a == b == "":
        return 1.0
    n = 0
    for letter in a:
        if letter in b:
            n += 1
    return n / max(len(a), len(b))


@wrong("weighted_average", about="not divided by the sum of the weights")
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("bad weights")
    return (weights.unsqueeze(1) * values).sum(0)


@wrong("soft_lookup", about="softmax of the similarities")
def _(query, keys, values, similarity):
    sims = torch.stack([torch.as_tensor(similarity(query, k), dtype=values.dtype) for k in keys])
    if sims.sum() == 0:
        raise ValueError("similarities sum to zero")
    w = torch.softmax(sims, 0)
    return w @ values, w


@wrong("kernel_regression", about=("the 2 is missing", "the distance is not squared"))
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth must be positive")
    distance = (x.unsqueeze(1) - keys.unsqueeze(0)).abs()
    w = torch.softmax(-distance / bandwidth**2, dim=1)
    return w @ values


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "exact_lookup": [
        ("Kronecker delta", {".all(": ".any("}, "any-entry"),
        (
            "Kronecker delta",
            {"(keys == query)": "((keys - query).abs() < 1e-4)"},
            "with-tolerance",
        ),
        (
            "loop",
            {"total = total + values[i]": "return values[i]"},
            "first-only",
        ),
        ("loop", {"total + values[i]": "values[i]"}, "last-only"),
    ],
    "letter_similarity": [
        (
            "zip_longest",
            {"/ len(pairs)": "/ len(a.lower())", "if pairs else 1.0": "if a else float(a == b)"},
            "by-first",
        ),
        ("zip_longest", {"else 1.0": "else 0.0"}, "empty-zero"),
        ("tensors", {"a, b = a.lower(), b.lower()": ""}, "case-matters"),
        ("tensors", {".mean()": ".sum()"}, "not-divided"),
        (
            "loop over positions",
            {"a = a.lower()": "a = a.casefold()", "b = b.lower()": "b = b.casefold()"},
            "case-folded",
        ),
    ],
    "weighted_average": [
        ("divide at the end", {"/ weights.sum()": ""}, "not-divided"),
        ("divide at the end", {"torch.any(weights < 0) or": ""}, "negative-accepted"),
        ("broadcast", {"/ total).sum(": ").mean("}, "by-count"),
        (
            "broadcast",
            {"total = weights.sum()": "total = weights.sum().detach()"},
            "sum-detached",
        ),
        (
            "loop",
            {"if weight < 0:": "weight = abs(weight)\nif False:"},
            "negative-made-positive",
        ),
    ],
    "soft_lookup": [
        (
            "preallocated",
            {"scores / total": "scores / len(keys)"},
            "by-count",
        ),
        (
            "preallocated",
            {"(query, key)": "(key, query)"},
            "arguments-swapped",
        ),
        ("running sums", {"if total == 0:": "if False:"}, "zero-division"),
        (
            "einsum",
            {"weights / weights.sum()": "weights.softmax(0)"},
            "softmax",
        ),
        ("einsum", {"values), weights": "values)"}, "weights-missing"),
    ],
    "kernel_regression": [
        ("loop over x", {"-0.5 *": "0.5 *"}, "sign"),
        ("loop over x", {"-0.5 *": "-"}, "factor-two-missing"),
        ("logsumexp", {"bandwidth**2": "bandwidth"}, "bandwidth-not-squared"),
        (
            "loop over x",
            {"-0.5 * ((point - keys) / bandwidth) ** 2": "-(point - keys).abs() / bandwidth"},
            "laplace",
        ),
        (
            "shift by the nearest, then exp",
            {"(nearest - squared)": "-squared"},
            "far-nan",
        ),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "letter_similarity",
        (
            "return sum((x == y for x, y in zip(a, b, strict=False))) / longer => return "
            "sum((x == y for x, y in zip(b, a, strict=False))) / longer"
        ),
    ): "Whether two letters are equal does not depend on their order.",
    (
        "kernel_regression",
        (
            "distance = (x.unsqueeze(1) - keys) / bandwidth => distance = (keys - "
            "x.unsqueeze(1)) / bandwidth"
        ),
    ): "The difference is squared.",
}
