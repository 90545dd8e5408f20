"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "split_heads": [
        ("einops", {'"b l (h d) -> b h l d"': '"b l (d h) -> b h l d"'}, "dealt-out"),
        ("chunk and stack", {"dim=1)": "dim=0)"}, "heads-first"),
        ("chunk and stack", {"dim=1)": "dim=2)"}, "heads-after-positions"),
        ("loop over slices", {"if size * num_heads != x.shape[2]": "if False"}, "leftover-dropped"),
        (
            "from the docstring",
            {("L, num_heads, E // num_heads).permute(0, 2, 1, 3"): "num_heads, L, E // num_heads"},
            "reshaped-only",
        ),
        (
            "from the docstring",
            {
                ("num_heads, E // num_heads).permute(0, 2, 1, 3"): (
                    "E // num_heads, num_heads).permute(0, 3, 1, 2"
                )
            },
            "dealt-out",
        ),
        ("from the docstring", {".permute(0, 2, 1, 3)": ""}, "heads-after-positions"),
    ],
    "merge_heads": [
        ("einops", {'"b h l d -> b l (h d)"': '"b h l d -> b l (d h)"'}, "interleaved"),
        ("einops", {'"b h l d -> b l (h d)"': '"b h l d -> b (h l) d"'}, "along-positions"),
        (
            "concatenate the heads",
            {"torch.cat(torch.unbind(x, dim=1), dim=-1)": "sum(torch.unbind(x, dim=1))"},
            "added",
        ),
        ("contiguous and view", {".contiguous()": ""}, "view-after-transpose"),
        ("contiguous and view", {".permute(0, 2, 1, 3)": ""}, "reshaped-only"),
        ("from the docstring", {"x.transpose(1, 2)": "x"}, "reshaped-only"),
        ("from the docstring", {"transpose(1, 2": "permute(0, 2, 3, 1"}, "interleaved"),
        (
            "from the docstring",
            {"transpose(1, 2).reshape(B, L, H * D": "sum(dim=1).repeat(1, 1, H"},
            "plain.cases+vectors+follows",
        ),
    ],
    "MultiHeadAttention": [
        (
            "a loop over heads",
            {"self.head_dim**-0.5": "(self.head_dim * self.num_heads) ** -0.5"},
            "scaled-by-width",
        ),
        (
            "a loop over heads",
            {"self.W_o(torch.cat(outputs, dim=-1))": "torch.cat(outputs, dim=-1)"},
            "output-unmixed",
        ),
        ("einsum over the heads", {"self.W_k(key)": "self.W_k(value := key)"}, "values-from-keys"),
        (
            "heads folded into the batch",
            {"weights.unflatten(0, shape[:2])": "weights.unflatten(0, shape[:2]).mean(dim=1)"},
            "heads-averaged",
        ),
        (
            "heads folded into the batch",
            {"if embed_dim % num_heads": "if False"},
            "divisibility-late",
        ),
        ("from the docstring", {"W_v(": "W_k("}, "values-by-key-layer"),
        (
            "from the docstring",
            {"transpose(1, 2).flatten(2": "reshape(query.shape"},
            "merge_heads.reshaped-only",
        ),
        (
            "from the docstring",
            {"math.sqrt(q.shape[-1])": "q.shape[-1]"},
            "scaled_dot_product_attention.scaled-by-d",
        ),
        ("from the docstring", {", weights": ", weights.mean(1)"}, "heads-averaged"),
        (
            "from the docstring",
            {
                "x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": "x.reshape(len(x), "
                "self.num_heads, x.shape[1], -1)",
                "transpose(1, 2).flatten(2": "reshape(query.shape",
            },
            "reshaped-both-ways",
        ),
    ],
    "from_torch": [
        (
            "load a state dict",
            {'enumerate(("W_q", "W_k", "W_v"))': 'enumerate(("W_v", "W_k", "W_q"))'},
            "other-order",
        ),
        ("load a state dict", {".to(mha.in_proj_weight.dtype)": ""}, "float64-lost"),
        (
            "one projection after the other",
            {"if mha.in_proj_bias is not None": "if False"},
            "biases-missing",
        ),
        (
            "one projection after the other",
            {"MultiHeadAttention(E, mha.num_heads)": "MultiHeadAttention(E, mha.head_dim)"},
            "head-size-as-number",
        ),
        ("from the docstring", {'"W_q", "W_k"': '"W_k", "W_q"'}, "other-order"),
        (
            "from the docstring",
            {"layer.W_o.weight.copy_(mha.out_proj.weight)": ""},
            "output-weight-left",
        ),
        (
            "from the docstring",
            {".copy_(mha.out_proj.weight)": "= mha.out_proj.weight"},
            "shared-weights",
        ),
        (
            "from the docstring",
            {"getattr(layer, name).bias.zero_()": "pass", "layer.W_o.bias.zero_()": "pass"},
            "biases-stay-random",
        ),
    ],
    "attention_parameter_count": [
        (
            "head by head",
            {
                "head_dim * (embed_dim + 1)": "head_dim * embed_dim",
                "return count + embed_dim": "return count",
            },
            "no-biases",
        ),
        (
            "head by head",
            {"+ head_dim * embed_dim": "", "return count + embed_dim": "return count"},
            "three-matrices",
        ),
        ("factored", {"return 4 * embed_dim": "return 4 * num_heads * embed_dim"}, "times-heads"),
        (
            "factored",
            {"4 * embed_dim * (embed_dim + 1)": "4 * (embed_dim * embed_dim + 1)"},
            "bias-is-one",
        ),
        ("from the docstring", {"4": "3"}, "three-matrices"),
        ("from the docstring", {"4": "4 * num_heads"}, "times-heads"),
    ],
}
