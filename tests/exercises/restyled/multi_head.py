"""Chapter 7."""

RESTYLED = {
    "split_heads": [
        (
            "einops",
            {'"b l (h d) -> b h l d"': '"b l (d h) -> b h l d"'},
            "The features are dealt out",
        ),
        ("chunk and stack", {"dim=1)": "dim=0)"}, "The heads come first"),
        ("chunk and stack", {"dim=1)": "dim=2)"}, "The features are cut into heads, but"),
        (
            "loop over slices",
            {"if size * num_heads != x.shape[2]": "if False"},
            "When E is not divisible, the features",
        ),
    ],
    "merge_heads": [
        (
            "einops",
            {'"b h l d -> b l (h d)"': '"b h l d -> b l (d h)"'},
            "The features of the heads are shuffled",
        ),
        (
            "einops",
            {'"b h l d -> b l (h d)"': '"b h l d -> b (h l) d"'},
            "The heads are put one behind the other",
        ),
        (
            "concatenate the heads",
            {"torch.cat(torch.unbind(x, dim=1), dim=-1)": "sum(torch.unbind(x, dim=1))"},
            "The heads are added up",
        ),
        ("contiguous and view", {".contiguous()": ""}, "`view` cannot merge heads"),
        ("contiguous and view", {".permute(0, 2, 1, 3)": ""}, "The tensor was reshaped"),
    ],
    "MultiHeadAttention": [
        (
            "a loop over heads",
            {"self.head_dim**-0.5": "(self.head_dim * self.num_heads) ** -0.5"},
            "The scores are divided by sqrt(embed_dim)",
        ),
        (
            "a loop over heads",
            {"self.W_o(torch.cat(outputs, dim=-1))": "torch.cat(outputs, dim=-1)"},
            "W_o is not applied",
        ),
        (
            "einsum over the heads",
            {"self.W_k(key)": "self.W_k(value := key)"},
            "The values are made from the keys",
        ),
        (
            "heads folded into the batch",
            {"weights.unflatten(0, shape[:2])": "weights.unflatten(0, shape[:2]).mean(dim=1)"},
            "The weights that come back are the mean",
        ),
        (
            "heads folded into the batch",
            {"if embed_dim % num_heads": "if False"},
            "An embed_dim that is not divisible",
        ),
    ],
    "from_torch": [
        (
            "load a state dict",
            {'enumerate(("W_q", "W_k", "W_v"))': 'enumerate(("W_v", "W_k", "W_q"))'},
            "The three parts",
        ),
        ("load a state dict", {".to(mha.in_proj_weight.dtype)": ""}, "A float64 source"),
        (
            "one projection after the other",
            {"if mha.in_proj_bias is not None": "if False"},
            "The biases of the source",
        ),
        (
            "one projection after the other",
            {"MultiHeadAttention(E, mha.num_heads)": "MultiHeadAttention(E, mha.head_dim)"},
            "The size of a head",
        ),
    ],
    "attention_parameter_count": [
        (
            "head by head",
            {
                "head_dim * (embed_dim + 1)": "head_dim * embed_dim",
                "return count + embed_dim": "return count",
            },
            "The biases are missing",
        ),
        (
            "head by head",
            {"+ head_dim * embed_dim": "", "return count + embed_dim": "return count"},
            "There are four matrices",
        ),
        (
            "factored",
            {"return 4 * embed_dim": "return 4 * num_heads * embed_dim"},
            "The count is multiplied",
        ),
        (
            "factored",
            {"4 * embed_dim * (embed_dim + 1)": "4 * (embed_dim * embed_dim + 1)"},
            "The bias of an nn.Linear",
        ),
    ],
}
