"""Chapter 6."""

PARTNER = "cosine times x plus sine times the partner"

RESTYLED = {
    "sinusoidal_positions": [
        (
            "loops",
            {"math.cos(angle) if column % 2": "math.cos(angle) if column % 2 == 0"},
            "Sine and cosine are swapped",
        ),
        (
            "loops",
            {"range(length)": "range(1, length + 1)"},
            "The positions are counted from 1",
        ),
        (
            "loops",
            {"2 * (column // 2) / embed_dim": "column / embed_dim"},
            "Every column has a frequency of its own",
        ),
        (
            "stack pairs, then cut",
            {
                "torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(length, 2 * pairs)": (
                    "torch.cat([angle.sin(), angle.cos()], dim=-1)"
                )
            },
            "The sines and cosines are not interleaved",
        ),
        ("a cosine is an early sine", {"10000.0": "1000.0"}, "The base is 1000"),
    ],
    "shift_matrix": [
        (
            "block diagonal",
            {"[cos, sin]), torch.stack([-sin, cos])": "[cos, -sin]), torch.stack([sin, cos])"},
            "The rotation goes the wrong way",
        ),
        ("block diagonal", {"-2 * pair": "-pair"}, "The exponent counts the pairs by one"),
        (
            "diagonals",
            {"- torch.diag(sine, -1)": "+ torch.diag(sine, -1)"},
            "Both sines have the same sign",
        ),
        ("diagonals", {"offset / 10000": "abs(offset) / 10000"}, "The sign of the offset is lost"),
        (
            "solved from the positions themselves",
            {"offset * speed": "offset"},
            "All pairs are turned by the same angle",
        ),
    ],
    "LearnedPositions": [
        (
            "a parameter",
            {"self.positions[None, : x.size(1)] + x": "self.positions[None, : x.size(1)] * x"},
            "x is multiplied with the vectors",
        ),
        (
            "a parameter",
            {"self.positions[None, : x.size(1)]": "self.positions[: len(x), None]"},
            "The vectors are counted along the batch",
        ),
        (
            "embedding of arange",
            {"torch.arange(L, device=x.device)": "torch.zeros(L, dtype=torch.long)"},
            "All positions get the same vector",
        ),
        (
            "embedding of arange",
            {"if self.max_length < L:": "if False:"},
            "The table was looked up past its end",
        ),
        (
            "one-hot positions through a linear layer",
            {"self.one_hot[:L]": "self.one_hot[longest - L :]"},
            "A short x gets the last vectors",
        ),
    ],
    "rotate_positions": [
        (
            "complex numbers",
            {"torch.ones_like(angle), angle": "torch.ones_like(angle), -angle"},
            "The rotation goes the wrong way",
        ),
        (
            "complex numbers",
            {"torch.arange(start, start + L)": "torch.arange(start + 1, start + L + 1)"},
            "The positions are counted from 1",
        ),
        (PARTNER, {"+ partner * torch.sin(angle)": ""}, "The features were multiplied with the"),
        (PARTNER, {"-x[..., 1::2]": "x[..., 1::2]"}, "Both coordinates have a plus"),
        (PARTNER, {"/ base": "* base"}, "The sign of the exponent is missing"),
        ("a matrix for each pair", {"-2 * pair": "-pair"}, "The exponent counts the pairs by one"),
    ],
}
