"""Chapter 1."""

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
