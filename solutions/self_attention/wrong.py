"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "SelfAttention": [
        ("einsum, zeros where nothing is allowed", {"/ self.scale": ""}, "not-scaled"),
        (
            "einsum, zeros where nothing is allowed",
            {"mask.logical_not()": "mask", "weights = weights * mask": "weights = weights * ~mask"},
            "mask-turned-around",
        ),
        ("one product for all three", {".nan_to_num(0.0)": ""}, "empty-row-nan"),
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
        ("from the docstring", {"@ k": "@ q"}, "keys-are-queries"),
        ("from the docstring", {"(k": "(x"}, "scaled-by-width"),
        (
            "from the docstring",
            {
                "weights = torch": (
                    "me = torch.eye(x.shape[-2], dtype=torch.bool)\n"
                    "if x.shape[-2] > 1:\n"
                    "    scores = scores.masked_fill(me, "
                    "torch.finfo(scores.dtype).min)\n"
                    "weights = torch"
                )
            },
            "itself-masked",
        ),
    ],
    "equivariance_gap": [
        ("undo the order instead", {"results[0][back]": "results[0]"}, "output-unordered"),
        ("undo the order instead", {"p=math.inf": "p=2"}, "squares-added"),
        ("row by row", {".abs()": ""}, "signed"),
        (
            "row by row",
            {".abs().max()": ".abs().mean()", "max(gaps)": "sum(gaps) / len(gaps)"},
            "averaged",
        ),
        ("a permutation matrix", {"P @ first": "P.T @ first"}, "inverse"),
        ("a permutation matrix", {"result[0]": "result[-1]"}, "last-of-tuple"),
        ("from the docstring", {")[permutation]": ")"}, "output-unordered"),
        ("from the docstring", {"max": "mean"}, "averaged"),
        ("from the docstring", {"- out(x)[permutation]": "[permutation] - out(x)"}, "inverse"),
    ],
}

EQUIVALENT = {
    (
        "equivariance_gap",
        (
            "return (turned - straight[permutation]).abs().max().item() => return "
            "(straight[permutation] - turned).abs().max().item()"
        ),
    ): "Only the size of the difference counts.",
}
