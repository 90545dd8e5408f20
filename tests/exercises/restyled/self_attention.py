"""Chapter 5."""

UNDONE = "undo the order instead"

RESTYLED = {
    "SelfAttention": [
        (
            "einsum, zeros where nothing is allowed",
            {"/ self.scale": ""},
            "not-scaled",
        ),
        (
            "einsum, zeros where nothing is allowed",
            {"mask.logical_not()": "mask", "weights = weights * mask": "weights = weights * ~mask"},
            "mask-turned-around",
        ),
        (
            "one product for all three",
            {".nan_to_num(0.0)": ""},
            "empty-row-nan",
        ),
        (
            "one product for all three",
            {"query, key, value = F": "key, query, value = F"},
            "query-key-swapped",
        ),
        (
            "one product for all three",
            {"* self.sizes[0] ** -0.5": "* self.sizes[2] ** -0.5"},
            "scaled-by-value",
        ),
    ],
    "equivariance_gap": [
        (UNDONE, {"results[0][back]": "results[0]"}, "output-unordered"),
        (UNDONE, {"p=math.inf": "p=2"}, "squares-added"),
        ("row by row", {".abs()": ""}, "signed"),
        (
            "row by row",
            {".abs().max()": ".abs().mean()", "max(gaps)": "sum(gaps) / len(gaps)"},
            "averaged",
        ),
        (
            "a permutation matrix",
            {"P @ first": "P.T @ first"},
            "inverse",
        ),
        (
            "a permutation matrix",
            {"result[0]": "result[-1]"},
            "last-of-tuple",
        ),
    ],
}
