"""Chapter 14."""

LENGTH = "the length over the root of the size"
GROUPS = "groups as one more dimension"
LOOP = "a loop over heads, the cache holds keys that are not turned"

RESTYLED = {
    "RMSNorm": [
        (LENGTH, {"E = x.shape[-1]": "E = 1"}, "sum"),
        (
            LENGTH,
            {"torch.sqrt(scaled + self.eps)": "(scaled.sqrt() + self.eps)"},
            "epsilon-outside",
        ),
        (
            "einsum and a power",
            {
                "mean_square = ": "x = x - x.mean(-1, True)\nmean_square = ",
            },
            "mean",
        ),
        ("einsum and a power", {".pow(-0.5)": ".pow(-1.0)"}, "no-root"),
        ("einsum and a power", {"torch.mul(x, self.weight)": "x"}, "weight-unused"),
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
            {"self.activation(self.W_gate(x)) * self.W_up(x)": "self.activation(self.W_gate(x))"},
            "up-unused",
        ),
    ],
    "GroupedQueryAttention": [
        (
            GROUPS,
            {
                "self.W_q(x).view(B, L, self.groups, -1, self.D).permute(0, 2, 3, 1, 4)": (
                    "self.W_q(x).view(B, L, -1, self.groups, self.D).permute(0, 3, 2, 1, 4)"
                ),
                '"bgrls,bgsd->blgrd"': '"bgrls,bgsd->blrgd"',
                "weights.flatten(1, 2)": "weights.transpose(1, 2).flatten(1, 2)",
            },
            "tiled",
        ),
        (GROUPS, {"math.sqrt(self.D)": "math.sqrt(x.shape[-1])"}, "scaled-by-width"),
        (
            LOOP,
            {"queries[head], base=self.base, start=past": "queries[head], base=self.base"},
            "query-start",
        ),
        (
            LOOP,
            {"places > places[past:, None]": "places > places[: keys.shape[2] - past, None]"},
            "first-positions",
        ),
        (LOOP, {"torch.where(hidden, -math.inf, scores)": "scores"}, "no-mask"),
        (
            LOOP,
            {"return self.W_o(torch.cat(outputs, dim=-1))": "return torch.cat(outputs, -1)"},
            "output-unmixed",
        ),
    ],
}
