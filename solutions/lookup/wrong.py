"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "exact_lookup": [
        ("Kronecker delta", {".all(": ".any("}, "any-entry"),
        ("Kronecker delta", {"(keys == query)": "((keys - query).abs() < 1e-4)"}, "with-tolerance"),
        ("loop", {"total = total + values[i]": "return values[i]"}, "first-only"),
        ("loop", {"total + values[i]": "values[i]"}, "last-only"),
        ("from the docstring", {"all": "any"}, "any-entry"),
        (
            "from the docstring",
            {
                ("return (values * hits[:, None].to(values.dtype)).sum"): (
                    "if not hits.any():\n"
                    "    return torch.zeros_like(values[0])\n"
                    "return values[hits].mean"
                )
            },
            "averaged",
        ),
        (
            "from the docstring",
            {
                ("return (values * hits[:, None].to(values.dtype)).sum(dim=0)"): (
                    "where = hits.nonzero()\n"
                    "if len(where) == 0:\n"
                    "    return values.sum(0) * 0\n"
                    "return values[where[-1, 0]] * 1"
                )
            },
            "last-only",
        ),
        ("from the docstring", {"values.dtype": "query.dtype"}, "dtype-of-keys"),
        ("Kronecker delta", {"values.dtype": "keys.dtype"}, "dtype-of-keys"),
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
        ("from the docstring", {"/ longest": "/ ((len(a) + len(b)) / 2)"}, "by-mean-length"),
        (
            "from the docstring",
            {("== second:\n    same"): ("!= second:\n    break\nsame")},
            "common-beginning",
        ),
        (
            "from the docstring",
            {
                ("first, second in zip(a, b, strict=False):\n    if first == second"): (
                    "letter in a:\n    if letter in b"
                )
            },
            "anywhere",
        ),
        (
            "zip_longest",
            {"b.lower()))": 'b.lower(), fillvalue=" "))'},
            "filled-with-spaces",
        ),
        ("from the docstring", {"/ longest": ""}, "not-divided"),
    ],
    "weighted_average": [
        ("divide at the end", {"/ weights.sum()": ""}, "not-divided"),
        ("divide at the end", {"torch.any(weights < 0) or": ""}, "negative-accepted"),
        ("broadcast", {"/ total).sum(": ").mean("}, "by-count"),
        ("broadcast", {"total = weights.sum()": "total = weights.sum().detach()"}, "sum-detached"),
        ("loop", {"if weight < 0:": ("weight = abs(weight)\nif False:")}, "negative-made-positive"),
        ("from the docstring", {"/ total": "/ (weights > 0).sum()"}, "by-nonzero-count"),
        ("from the docstring", {"<": "<="}, "zero-refused"),
        ("from the docstring", {"/ total": "/ weights.max()"}, "by-largest"),
    ],
    "soft_lookup": [
        ("preallocated", {"scores / total": "scores / len(keys)"}, "by-count"),
        ("preallocated", {"(query, key)": "(key, query)"}, "arguments-swapped"),
        ("running sums", {"if total == 0:": "if False:"}, "zero-division"),
        ("einsum", {"weights / weights.sum()": "weights.softmax(0)"}, "softmax"),
        ("einsum", {"values), weights": "values)"}, "weights-missing"),
        (
            "from the docstring",
            {"total =": ("scores = scores.clamp(min=0)\ntotal =")},
            "negative-to-zero + fault.asked",
        ),
        ("from the docstring", {"@ values, weights": ", weights @ values"}, "fault.in_order"),
        (
            "from the docstring",
            {
                (
                    "torch.as_tensor(similarity(query, key), dtype=values.dtype)"
                ): "torch.as_tensor(similarity(query, key)).to(values.dtype)"
            },
            "float-rounded",
        ),
        ("from the docstring", {"/ total": "/ scores.abs().sum()"}, "by-absolute-sum"),
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
        ("shift by the nearest, then exp", {"(nearest - squared)": "-squared"}, "far-nan"),
        ("from the docstring", {"distance ** 2": "distance.abs()"}, "laplace"),
        ("from the docstring", {"1": "0"}, "over-the-points"),
        ("from the docstring", {"2 * bandwidth": "(2 * bandwidth)"}, "two-squared"),
        (
            "from the docstring",
            {"x[:, None] - keys[None, :]": "torch.sqrt((x[:, None] - keys[None, :]) ** 2)"},
            "root-of-square",
        ),
    ],
}

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
