"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "softmax": [
        ("slice by slice", {"numbers / numbers.sum()": "numbers"}, "not-divided"),
        (
            "fill empty slices first",
            {
                "dim=dim, keepdim=True).values": "dim=-1, keepdim=True).values",
                "sum(dim=dim": "sum(-1",
            },
            "dim-unused",
        ),
        ("slice by slice", {"torch.exp(row - largest)": "torch.exp(row)"}, "overflow"),
        ("slice by slice", {"if largest == -math.inf:": "if False:"}, "empty-row-nan"),
        ("from the docstring", {"torch.exp": "2.0 **"}, "base-two"),
        ("from the docstring", {"max": "min"}, "shift-by-minimum"),
        (
            "from the docstring",
            {
                ("return powers / torch.where(total == 0, torch.ones_like(total), total"): (
                    "even = torch.full_like(powers, 1 / "
                    "scores.shape[dim])\n"
                    "return torch.where(total == 0, even, powers / "
                    "torch.where(total == 0, torch.ones_like(total), "
                    "total)"
                )
            },
            "large-negative",
        ),
        (
            "from the docstring",
            {"highest = scores.max": "scores = scores.clamp(min=-1e4)\nhighest = scores.max"},
            "replaced-by-small",
        ),
    ],
    "sharpen": [
        (
            "temperature",
            {"scores / temperature": "scores * sharpness", "if temperature == 0": "if False"},
            "sharpness-as-factor",
        ),
        ("temperature", {"scores / temperature": "scores * sharpness"}, "sharpness-as-factor"),
        (
            "temperature",
            {"return best / best.sum(-1, keepdim=True)": "return best"},
            "ties-not-shared",
        ),
        ("temperature", {"if sharpness < 0 or sharpness > 1:": "if False:"}, "range-unchecked"),
        (
            "mask the others with -inf",
            {"flat.softmax(dim=-1)": ("F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)")},
            "one-of-ties",
        ),
    ],
    "softmax_jacobian": [
        (
            "product with delta minus weight",
            {
                (
                    "(torch.eye(scores.numel()).to(scores) - weights[None, :])"
                ): "(0 - weights[None, :])"
            },
            "diagonal-term",
        ),
        (
            "product with delta minus weight",
            {".to(scores) - weights": ".to(scores) + weights"},
            "off-diagonal-sign",
        ),
        (
            "product with delta minus weight",
            {"F.softmax(scores, dim=-1)": "F.softmax(scores, dim=-1).detach()"},
            "detached",
        ),
        ("einsum with the identity", {"scores.softmax(dim=0)": "scores"}, "of-scores"),
        ("from the docstring", {"-": "+"}, "off-diagonal-sign"),
        ("from the docstring", {") - torch.outer(p, p": "* (1 - p)"}, "diagonal-only"),
        ("from the docstring", {"diag(p": "eye(len(p), dtype=p.dtype"}, "ones-on-diagonal"),
    ],
    "distance_scores": [
        ("einsum", {"-(query_square": "(query_square"}, "sign"),
        ("einsum", {"- 2 * cross": "- cross"}, "cross-term-once"),
        ("einsum", {"query_square[..., :, None] - 2": "0 - 2"}, "query-length-missing"),
        ("cdist", {".pow(2)": ""}, "not-squared"),
        ("from the docstring", {"2 * query": "query"}, "cross-term-once"),
        (
            "from the docstring",
            {
                "2 * query @ key.transpose(-1, -2) - qq - kk": (
                    "query @ key.transpose(-1, -2) - qq / 2 - kk / 2"
                )
            },
            "halved",
        ),
        (
            "from the docstring",
            {
                "2 * query @ key.transpose(-1, -2) - qq - kk": (
                    "(2 * query @ key.transpose(-1, -2) - qq - kk) / query.shape[-1]"
                )
            },
            "averaged",
        ),
    ],
    "cosine_scores": [
        ("normalize", {"F.normalize(key, dim=-1)": "key"}, "keys-not-normalized"),
        ("einops", {"return torch": "return 1 - torch"}, "distance"),
        (
            "einops",
            {"torch.where(lengths > 0, lengths, 1.0), 0.0)": "lengths, products / lengths)"},
            "zero-nan",
        ),
        (
            "einops",
            {"query_length * key_length": "query_length**2 * key_length**2"},
            "squared-lengths",
        ),
        ("from the docstring", {"unit(key)": "key"}, "keys-not-normalized"),
        ("from the docstring", {")).sqrt(": ")"}, "squared-lengths"),
        (
            "from the docstring",
            {
                "unit(query) @ unit(key).transpose(-1, -2": (
                    "torch.acos((unit(query) @ unit(key).transpose(-1, -2)).clamp(-1, 1)"
                )
            },
            "angle",
        ),
    ],
    "scaled_dot_product_scores": [
        ("einsum", {"* query.size(-1) ** -0.5": ""}, "not-scaled"),
        ("einsum", {"-0.5": "-1"}, "scaled-by-d"),
        ("scale the query first", {"query.shape[-1]": "key.shape[-2]"}, "number-of-keys"),
        (
            "broadcast and sum",
            {
                "return products": "return torch.softmax(products",
                "(math.sqrt(key.size(-1)))": "(math.sqrt(key.size(-1))), -1)",
            },
            "softmax",
        ),
        ("from the docstring", {"query.size(-1": "key.size(-2"}, "number-of-keys"),
        ("from the docstring", {"d ** 0.5": "int(d ** 0.5)"}, "whole-root"),
        ("from the docstring", {"d**0.5": "(d / 2)"}, "slip.half"),
    ],
}

EQUIVALENT = {
    (
        "softmax_jacobian",
        "weights = torch.softmax(scores, dim=0) => weights = torch.softmax(scores, dim=-1)",
    ): "The scores have one dimension, which is both the first and the last.",
}
