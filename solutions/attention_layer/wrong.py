"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "attend": [
        ("einsum", {"* query.numel() ** -0.5": ""}, "not-scaled"),
        ("einsum", {"query.numel() ** -0.5": "len(inputs) ** -0.5"}, "scaled-by-inputs"),
        ("loops", {"- max(scores)": ""}, "softmax-unshifted"),
        ("loops", {"math.sqrt(len(query))": "len(query)"}, "scaled-by-d"),
        ("loops", {"weight * vector": "weight * query"}, "averages-query"),
        ("from the docstring", {"weights @ inputs": "inputs[weights.argmax()] * 1"}, "hard-choice"),
        ("from the docstring", {"query.": "inputs."}, "scaled-by-inputs"),
        (
            "from the docstring",
            {"weights @ inputs": "(weights[:, None] * inputs).mean(0)"},
            "output-averaged",
        ),
    ],
    "scaled_dot_product_attention": [
        ("NaN out and in again with where", {"/ math.sqrt(query.size(-1))": ""}, "not-scaled"),
        (
            "NaN out and in again with where",
            {"allowed = mask": "allowed = ~mask"},
            "mask-turned-around",
        ),
        (
            "einsum, a large negative number, zeros after",
            {"weights = weights * mask": "pass"},
            "large-negative",
        ),
        ("nan_to_num before the output", {".nan_to_num(0.0)": ""}, "empty-row-nan"),
        ("nan_to_num before the output", {"-torch.inf": "0.0"}, "masked-score-zero"),
        ("query by query", {"query.shape[-1] ** 0.5": "S**0.5"}, "scaled-by-keys"),
        ("from the docstring", {".masked_fill(~mask, -math.inf)": "+ mask"}, "mask-added"),
        ("from the docstring", {".masked_fill(~mask, -math.inf)": "* mask"}, "masked-score-zero"),
        ("from the docstring", {"/": "*"}, "scaled_dot_product_scores.multiplied"),
    ],
    "AttentionLayer": [
        ("einsum", {"query_dim**-0.5": "input_dim**-0.5"}, "scaled-by-input"),
        ("einsum", {"dim=-1": "dim=-2"}, "softmax-over-queries"),
        ("average the inputs first, then W_v", {"/ math.sqrt(self.query_dim)": ""}, "not-scaled"),
        (
            "average the inputs first, then W_v",
            {"self.W_v(weights @ inputs)": "weights @ inputs"},
            "inputs-as-values",
        ),
        ("einsum", {"dim=-1)": "dim=-1).detach()"}, "weights-detached"),
        ("from the docstring", {"[-1": "[-2"}, "scaled_dot_product_attention.scaled-by-keys"),
        ("from the docstring", {"query_dim, bias=False": "query_dim"}, "fact.parameters"),
    ],
    "grid_to_sequence": [
        ("permute and reshape", {"features.permute(0, 2, 3, 1)": "features"}, "memory"),
        ("permute and reshape", {"0, 2, 3, 1": "0, 3, 2, 1"}, "column-order"),
        ("einops", {'"b c h w -> b (h w) c"': '"b c h w -> b (w h) c"'}, "column-order"),
        ("einops", {'"b c h w -> b (h w) c"': '"b c h w -> b c (h w)"'}, "channels-first"),
        (
            "loops",
            {"for h in range(H) for w in range(W)": "for w in range(W) for h in range(H)"},
            "column-order",
        ),
        ("from the docstring", {"features.": "features.transpose(2, 3)."}, "column-order"),
        (
            "from the docstring",
            {
                "return features.flatten(2).transpose(1, 2": (
                    "B, C, H, W = features.shape\nreturn features.reshape(B, H * W, C"
                )
            },
            "memory",
        ),
    ],
}
