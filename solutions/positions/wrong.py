"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "sinusoidal_positions": [
        (
            "loops",
            {"math.cos(angle) if column % 2": "math.cos(angle) if column % 2 == 0"},
            "swapped",
        ),
        ("loops", {"range(length)": "range(1, length + 1)"}, "from-one"),
        ("loops", {"2 * (column // 2) / embed_dim": "column / embed_dim"}, "own-frequency"),
        (
            "stack pairs, then cut",
            {
                ("torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(length, 2 * pairs)"): (
                    "torch.cat([angle.sin(), angle.cos()], dim=-1)"
                )
            },
            "not-interleaved",
        ),
        ("a cosine is an early sine", {"10000.0": "1000.0"}, "base-thousand"),
        ("from the docstring", {"sin(), angle.cos": "cos(), angle.sin"}, "swapped"),
        ("from the docstring", {"(column // 2 * 2)": "column"}, "own-frequency"),
        ("from the docstring", {"arange(length": "arange(1, length + 1"}, "from-one"),
    ],
    "shift_matrix": [
        (
            "block diagonal",
            {"[cos, sin]), torch.stack([-sin, cos])": "[cos, -sin]), torch.stack([sin, cos])"},
            "backward",
        ),
        ("block diagonal", {"-2 * pair": "-pair"}, "exponent-halved"),
        ("diagonals", {"- torch.diag(sine, -1)": "+ torch.diag(sine, -1)"}, "same-sign"),
        ("diagonals", {"offset / 10000": "abs(offset) / 10000"}, "sign-lost"),
        ("solved from the positions themselves", {"offset * speed": "offset"}, "one-angle"),
        (
            "from the docstring",
            {
                ("math.sin(a)\nM[i + 1, i], M[i + 1, i + 1] = -"): (
                    "-math.sin(a)\nM[i + 1, i], M[i + 1, i + 1] ="
                )
            },
            "backward",
        ),
        ("from the docstring", {"= offset": "= abs(offset)"}, "sign-lost"),
    ],
    "LearnedPositions": [
        (
            "a parameter",
            {"self.positions[None, : x.size(1)] + x": "self.positions[None, : x.size(1)] * x"},
            "multiplied",
        ),
        (
            "a parameter",
            {"self.positions[None, : x.size(1)]": "self.positions[: len(x), None]"},
            "along-batch",
        ),
        (
            "embedding of arange",
            {"torch.arange(L, device=x.device)": "torch.zeros(L, dtype=torch.long)"},
            "one-vector",
        ),
        ("embedding of arange", {"if self.max_length < L:": "if False:"}, "index-error"),
        (
            "one-hot positions through a linear layer",
            {"self.one_hot[:L]": "self.one_hot[longest - L :]"},
            "last-vectors",
        ),
        ("from the docstring", {"[:L": "[-L:"}, "last-vectors"),
        (
            "one-hot positions through a linear layer",
            {"x.shape[-2]": "x.shape[0]"},
            "length-of-batch",
        ),
        (
            "from the docstring",
            {"table = nn.Parameter(": 'register_buffer("table",'},
            "not-a-parameter",
        ),
        ("from the docstring", {"+": "*"}, "multiplied"),
    ],
    "rotate_positions": [
        (
            "complex numbers",
            {"torch.ones_like(angle), angle": "torch.ones_like(angle), -angle"},
            "clockwise",
        ),
        (
            "complex numbers",
            {"torch.arange(start, start + L)": "torch.arange(start + 1, start + L + 1)"},
            "from-one",
        ),
        (
            "cosine times x plus sine times the partner",
            {"+ partner * torch.sin(angle)": ""},
            "cosine-only",
        ),
        (
            "cosine times x plus sine times the partner",
            {"-x[..., 1::2]": "x[..., 1::2]"},
            "both-plus",
        ),
        ("cosine times x plus sine times the partner", {"/ base": "* base"}, "exponent-sign"),
        ("a matrix for each pair", {"-2 * pair": "-pair"}, "exponent-halved"),
        (
            "from the docstring",
            {
                (
                    "0::2], x[..., 1::2]\n"
                    "return torch.stack([a * c - b * s, a * s + b * "
                    "c], dim=-1).flatten(-2"
                ): (
                    ": D // 2], x[..., D // 2 :]\n"
                    "return torch.cat([a * c - b * s, a * s + b * "
                    "c], dim=-1"
                )
            },
            "halves",
        ),
        ("from the docstring", {"(start, start +": "("}, "start-unused"),
        ("from the docstring", {"- b * s, a * s + b * c": "+ b * s, b * c - a * s"}, "clockwise"),
    ],
}

EQUIVALENT = {
    (
        "LearnedPositions",
        "return x + self.table.weight[:L] => return x - self.table.weight[:L]",
    ): "The first values of the vectors are free and random, and so are their signs.",
}
