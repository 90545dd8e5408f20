"""Chapter 1."""

RESTYLED = {
    "exact_lookup": [
        ("Kronecker delta", {".all(": ".any("}, "A key counts as equal when one of its entries"),
        (
            "Kronecker delta",
            {"(keys == query)": "((keys - query).abs() < 1e-4)"},
            "Keys that are only nearly equal",
        ),
        (
            "loop",
            {"total = total + values[i]": "return values[i]"},
            "The search stops at the first",
        ),
        ("loop", {"total + values[i]": "values[i]"}, "Of several equal keys only the last"),
    ],
    "letter_similarity": [
        (
            "zip_longest",
            {"/ len(pairs)": "/ len(a)", "if pairs else 1.0": "if a else float(a == b)"},
            "The count is divided by the length of the first",
        ),
        ("zip_longest", {"else 1.0": "else 0.0"}, "Two empty words scored 0"),
        ("tensors", {"a, b = a.lower(), b.lower()": ""}, "A capital and its small letter"),
        ("tensors", {".mean()": ".sum()"}, "The equal positions are counted, but not"),
        (
            "loop over positions",
            {"a = a.lower()": "a = a.casefold()", "b = b.lower()": "b = b.casefold()"},
            "Case is ignored by folding",
        ),
    ],
    "weighted_average": [
        ("divide at the end", {"/ weights.sum()": ""}, "The weights are used as they come"),
        ("divide at the end", {"torch.any(weights < 0) or": ""}, "A negative weight was accepted"),
        ("broadcast", {"/ total).sum(": ").mean("}, "The weighted sum is divided by the number"),
        (
            "broadcast",
            {"total = weights.sum()": "total = weights.sum().detach()"},
            "The values are right",
        ),
        (
            "loop",
            {"if weight < 0:": "weight = abs(weight)\nif False:"},
            "The sign of a negative weight",
        ),
    ],
    "soft_lookup": [
        (
            "preallocated",
            {"scores / total": "scores / len(keys)"},
            "The similarities are divided by the",
        ),
        (
            "preallocated",
            {"(query, key)": "(key, query)"},
            "`similarity` is called with the key first",
        ),
        ("running sums", {"if total == 0:": "if False:"}, "When no key is similar"),
        (
            "einsum",
            {"weights / weights.sum()": "weights.softmax(0)"},
            "The similarities went through a",
        ),
        ("einsum", {"values), weights": "values)"}, "The result is right, but the weights do not"),
    ],
    "kernel_regression": [
        ("loop over x", {"-0.5 *": "0.5 *"}, "The minus sign is missing"),
        ("loop over x", {"-0.5 *": "-"}, "The factor 2 under the squared"),
        ("logsumexp", {"bandwidth**2": "bandwidth"}, "The squared distance is divided by the"),
        (
            "loop over x",
            {"-0.5 * ((point - keys) / bandwidth) ** 2": "-(point - keys).abs() / bandwidth"},
            "The weight falls with the",
        ),
        (
            "shift by the nearest, then exp",
            {"(nearest - squared)": "-squared"},
            "Far from all keys every exp",
        ),
    ],
}
