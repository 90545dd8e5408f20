"""Chapter 14."""

LENGTH = "the length over the root of the size"
GROUPS = "groups as one more dimension"
LOOP = "a loop over heads, the cache holds keys that are not turned"

RESTYLED = {
    "RMSNorm": [
        (LENGTH, {"E = x.shape[-1]": "E = 1"}, "The squares are summed, not averaged"),
        (
            LENGTH,
            {"torch.sqrt(scaled + self.eps)": "(scaled.sqrt() + self.eps)"},
            "eps stands outside the root",
        ),
        (
            "einsum and a power",
            {
                "mean_square = ": "x = x - x.mean(-1, True)\nmean_square = ",
            },
            "The mean is subtracted first",
        ),
        ("einsum and a power", {".pow(-0.5)": ".pow(-1.0)"}, "The vector is divided by its mean"),
        ("einsum and a power", {"torch.mul(x, self.weight)": "x"}, "The weight is not used"),
    ],
    "SwiGLU": [
        (
            "silu by hand",
            {"self.W_up(x) * z * torch.sigmoid(z)": "self.W_up(x) * torch.sigmoid(z)"},
            "The gate goes through a sigmoid",
        ),
        (
            "silu by hand",
            {"z = self.W_gate(x)": "z = self.W_up(x)", "self.W_up(x) * z": "self.W_gate(x) * z"},
            "silu is applied to what W_up gives",
        ),
        ("the module nn.SiLU", {"nn.SiLU()": "nn.ReLU()"}, "The gate goes through a relu"),
        (
            "the module nn.SiLU",
            {"self.activation(self.W_gate(x)) * self.W_up(x)": "self.activation(self.W_gate(x))"},
            "W_up is not used",
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
            "The key heads are tiled",
        ),
        (GROUPS, {"math.sqrt(self.D)": "math.sqrt(x.shape[-1])"}, "The scores are divided by sqrt"),
        (
            LOOP,
            {"queries[head], base=self.base, start=past": "queries[head], base=self.base"},
            "With a cache queries and keys are not at their places",
        ),
        (
            LOOP,
            {"places > places[past:, None]": "places > places[: keys.shape[2] - past, None]"},
            "The mask covers the first positions only",
        ),
        (LOOP, {"torch.where(hidden, -math.inf, scores)": "scores"}, "There is no mask"),
        (
            LOOP,
            {"return self.W_o(torch.cat(outputs, dim=-1))": "return torch.cat(outputs, -1)"},
            "W_o is not applied",
        ),
    ],
}
