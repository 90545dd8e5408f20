"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "RMSNorm": [
        ("the length over the root of the size", {"E = x.shape[-1]": "E = 1"}, "sum"),
        (
            "the length over the root of the size",
            {"torch.sqrt(scaled + self.eps)": "(scaled.sqrt() + self.eps)"},
            "epsilon-outside",
        ),
        (
            "einsum and a power",
            {"mean_square = ": ("x = x - x.mean(-1, True)\nmean_square = ")},
            "mean",
        ),
        ("einsum and a power", {".pow(-0.5)": ".pow(-1.0)"}, "no-root"),
        ("einsum and a power", {"torch.mul(x, self.weight)": "x"}, "weight-unused"),
        ("from the docstring", {"mean": "sum"}, "sum"),
        ("from the docstring", {"* self.weight": "* (1 + self.weight)"}, "one-plus-weight"),
        ("from the docstring", {"* torch.rsqrt(x.pow(2": "/ (x.abs("}, "absolute"),
    ],
    "SwiGLU": [
        (
            "silu by hand",
            {"self.W_up(x) * z * torch.sigmoid(z)": "self.W_up(x) * torch.sigmoid(z)"},
            "sigmoid",
        ),
        (
            "silu by hand",
            {"z = self.W_gate(x)": "z = self.W_up(x)", "self.W_up(x) * z": "self.W_gate(x) * z"},
            "branch",
        ),
        ("the module nn.SiLU", {"nn.SiLU()": "nn.ReLU()"}, "relu"),
        (
            "the module nn.SiLU",
            {("self.activation(self.W_gate(x)) * self.W_up(x)"): "self.activation(self.W_gate(x))"},
            "up-unused",
        ),
        ("from the docstring", {"silu": "gelu"}, "gelu"),
        ("from the docstring", {"*": "+"}, "added"),
        ("from the docstring", {"self.W_up(x": "F.silu(self.W_up(x)"}, "both-activated"),
    ],
    "GroupedQueryAttention": [
        (
            "groups as one more dimension",
            {
                ("self.W_q(x).view(B, L, self.groups, -1, self.D).permute(0, 2, 3, 1, 4)"): (
                    "self.W_q(x).view(B, L, -1, self.groups, self.D).permute(0, 3, 2, 1, 4)"
                ),
                '"bgrls,bgsd->blgrd"': '"bgrls,bgsd->blrgd"',
                "weights.flatten(1, 2)": "weights.transpose(1, 2).flatten(1, 2)",
            },
            "tiled",
        ),
        (
            "groups as one more dimension",
            {"math.sqrt(self.D)": "math.sqrt(x.shape[-1])"},
            "scaled-by-width",
        ),
        (
            ("a loop over heads, the cache holds keys that are not turned"),
            {"queries[head], base=self.base, start=past": "queries[head], base=self.base"},
            "query-start",
        ),
        (
            ("a loop over heads, the cache holds keys that are not turned"),
            {"places > places[past:, None]": ("places > places[: keys.shape[2] - past, None]")},
            "first-positions",
        ),
        (
            ("a loop over heads, the cache holds keys that are not turned"),
            {"torch.where(hidden, -math.inf, scores)": "scores"},
            "no-mask",
        ),
        (
            ("a loop over heads, the cache holds keys that are not turned"),
            {"return self.W_o(torch.cat(outputs, dim=-1))": "return torch.cat(outputs, -1)"},
            "output-unmixed",
        ),
        (
            "from the docstring",
            {"k.repeat_interleave(self.H // self.G, dim=": "k.repeat(1, self.H // self.G, 1,"},
            "keys-tiled",
        ),
        (
            "from the docstring",
            {
                "split_heads(self.W_v(x), self.G": (
                    "rotate_positions(split_heads(self.W_v(x), self.G), self.base, past"
                )
            },
            "values-turned",
        ),
        (
            "from the docstring",
            {
                (
                    ", past)\n"
                    "k = rotate_positions(split_heads(self.W_k(x), "
                    "self.G), self.base, past"
                ): (")\nk = rotate_positions(split_heads(self.W_k(x), self.G), self.base")
            },
            "start",
        ),
        (
            "from the docstring",
            {
                "k, v = cache.append(k, v)": "k, v = cache.append(k, v)\n"
                "k = rotate_positions(k, self.base)"
            },
            "cached-turned-again",
        ),
    ],
}
