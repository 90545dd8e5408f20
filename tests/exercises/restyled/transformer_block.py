"""Chapter 9."""

RESTYLED = {
    "LayerNorm": [
        ("var_mean and rsqrt", {"correction=0, ": ""}, "The variance is divided by embed_dim - 1"),
        (
            "var_mean and rsqrt",
            {"torch.rsqrt(variance + self.eps)": "1 / (variance.sqrt() + self.eps)"},
            "eps stands outside the root",
        ),
        ("vector by vector", {"row - row.sum() / len(row)": "row"}, "The mean is not subtracted"),
        (
            "mean of squares minus square of mean",
            {"self.weight * normalized + self.bias": "self.weight * (normalized + self.bias)"},
            "The bias is added before the weight",
        ),
        ("vector by vector", {".sqrt()": ""}, "The difference from the mean is divided"),
        ("vector by vector", {"* self.weight + self.bias": ""}, "weight and bias are not used"),
    ],
    "FeedForward": [
        ("activations by hand", {"return hidden": "return x + hidden"}, "The input is added"),
        (
            "modules from a dictionary",
            {"self.between(self.linear1(x))": "self.linear1(x)"},
            "There is no activation between",
        ),
        (
            "activations by hand",
            {"self.activation(x @ self": "(self.activation(x) @ self"},
            "The activation comes before",
        ),
        (
            "activations by hand",
            {'elif activation == "gelu":': "else:", "else: raise ValueError(": "if False: print("},
            "An unknown activation is accepted",
        ),
        (
            "modules from a dictionary",
            {"nn.GELU": 'lambda: nn.GELU(approximate="tanh")'},
            "gelu is computed by the approximation",
        ),
    ],
    "EncoderBlock": [
        (
            "two branches",
            {
                "middle + drop(self.feed_forward(self": "x + drop(self.feed_forward(self",
                "self.norm2(middle + drop": "self.norm2(x + drop",
            },
            "The second residual connection",
        ),
        (
            "two branches",
            {
                "middle = x + drop(attended)": "middle = normed + drop(attended)",
                "return middle + drop(self": "middle = self.norm2(middle)\n"
                "return middle + drop(self",
                "(self.norm2(middle))), weights": "(middle)), weights",
            },
            "In pre-norm the residual connection starts",
        ),
        (
            "two branches",
            {"drop(self.feed_forward(self.norm2(middle)))": "drop(self.feed_forward(middle))"},
            "In pre-norm the feed-forward network gets x without",
        ),
        (
            "everything in one forward",
            {"self.drop(self.feed_forward.linear2(hidden))": "self.feed_forward.linear2(hidden)"},
            "Dropout is applied to the output of the attention only",
        ),
        (
            "everything in one forward",
            {"weights = weights * mask": "pass", "torch.finfo(scores.dtype).min": "-torch.inf"},
            "A position that may attend to nothing gives NaN",
        ),
        (
            "everything in one forward",
            {
                "inner = self.norm2(x)": "inner = self.norm1(x)",
                "else self.norm2(x)": "else self.norm1(x)",
            },
            "One norm is used for both",
        ),
    ],
    "Encoder": [
        (
            "append to a module list",
            {"nn.ModuleList()": "[]"},
            "The layers are kept in a plain list",
        ),
        (
            "append to a module list",
            {"return x, seen": "return x, torch.stack(seen)"},
            "The weights come back as one tensor. A",
        ),
        (
            "any arguments, recursion",
            {"self.layers[number](x, mask)": "self.layers[number](x)"},
            "The mask is not passed",
        ),
        (
            "any arguments, recursion",
            {"**options) for _ in range(num_layers)]": "**options)] * num_layers"},
            "There is one block",
        ),
        (
            "any arguments, recursion",
            {"x, first = ": "output, first = ", "number + 1, x)": "number + 1, x + output)"},
            "There is a residual connection around",
        ),
    ],
}
