"""Chapter 4."""

NAN_OUT = "NaN out and in again with where"
EINSUM = "einsum, a large negative number, zeros after"

RESTYLED = {
    "attend": [
        ("einsum", {"* query.numel() ** -0.5": ""}, "The scores are not divided by sqrt(D)"),
        (
            "einsum",
            {"query.numel() ** -0.5": "len(inputs) ** -0.5"},
            "The scores are divided by the square",
        ),
        ("loops", {"- max(scores)": ""}, "The softmax is made of exp without a shift"),
        (
            "loops",
            {"math.sqrt(len(query))": "len(query)"},
            "The scores are divided by D, not by its",
        ),
        ("loops", {"weight * vector": "weight * query"}, "The output is the average of the query"),
    ],
    "scaled_dot_product_attention": [
        (NAN_OUT, {"/ math.sqrt(query.size(-1))": ""}, "The scores are not divided by sqrt(D)"),
        (NAN_OUT, {"allowed = mask": "allowed = ~mask"}, "The mask is taken the wrong way around"),
        (EINSUM, {"weights = weights * mask": "pass"}, "A masked score is a large negative number"),
        (
            "nan_to_num before the output",
            {".nan_to_num(0.0)": ""},
            "A query that may attend to nothing",
        ),
        ("nan_to_num before the output", {"-torch.inf": "0.0"}, "A masked score was set to zero"),
        (
            "query by query",
            {"query.shape[-1] ** 0.5": "S**0.5"},
            "The scores are divided by the square root of the number",
        ),
    ],
    "AttentionLayer": [
        (
            "einsum",
            {"query_dim**-0.5": "input_dim**-0.5"},
            "The scores are scaled by the wrong size: the square root of input_dim",
        ),
        ("einsum", {"dim=-1": "dim=-2"}, "The softmax runs along the wrong axis"),
        (
            "average the inputs first, then W_v",
            {"/ math.sqrt(self.query_dim)": ""},
            "The scores are not divided",
        ),
        (
            "average the inputs first, then W_v",
            {"self.W_v(weights @ inputs)": "weights @ inputs"},
            "The inputs are averaged",
        ),
        ("einsum", {"dim=-1)": "dim=-1).detach()"}, "The weights are cut off"),
    ],
    "grid_to_sequence": [
        (
            "permute and reshape",
            {"features.permute(0, 2, 3, 1)": "features"},
            "The numbers are read off",
        ),
        ("permute and reshape", {"0, 2, 3, 1": "0, 3, 2, 1"}, "The grid is read column by column"),
        (
            "einops",
            {'"b c h w -> b (h w) c"': '"b c h w -> b (w h) c"'},
            "The grid is read column by column",
        ),
        (
            "einops",
            {'"b c h w -> b (h w) c"': '"b c h w -> b c (h w)"'},
            "The channels come before the positions",
        ),
        (
            "loops",
            {"for h in range(H) for w in range(W)": "for w in range(W) for h in range(H)"},
            "The grid is read column by column",
        ),
    ],
}
