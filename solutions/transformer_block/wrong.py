"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "LayerNorm": [
        ("var_mean and rsqrt", {"correction=0, ": ""}, "unbiased-variance"),
        (
            "var_mean and rsqrt",
            {"torch.rsqrt(variance + self.eps)": "1 / (variance.sqrt() + self.eps)"},
            "epsilon-outside",
        ),
        ("vector by vector", {"row - row.sum() / len(row)": "row"}, "mean-not-subtracted"),
        (
            "mean of squares minus square of mean",
            {"self.weight * normalized + self.bias": "self.weight * (normalized + self.bias)"},
            "bias-first",
        ),
        ("vector by vector", {".sqrt()": ""}, "no-root"),
        ("vector by vector", {"* self.weight + self.bias": ""}, "unscaled"),
        ("from the docstring", {"torch.sqrt(v": "(torch.sqrt(v)"}, "epsilon-outside"),
        ("from the docstring", {"x.mean(-1, keepdim=True": "x.mean("}, "slip.axis"),
        ("from the docstring", {"torch.sqrt(": "("}, "no-root"),
    ],
    "FeedForward": [
        ("activations by hand", {"return hidden": "return x + hidden"}, "residual"),
        (
            "modules from a dictionary",
            {"self.between(self.linear1(x))": "self.linear1(x)"},
            "no-activation",
        ),
        (
            "activations by hand",
            {"self.activation(x @ self": "(self.activation(x) @ self"},
            "activation-first",
        ),
        (
            "activations by hand",
            {'elif activation == "gelu":': "else:", "else: raise ValueError(": "if False: print("},
            "unknown-accepted",
        ),
        (
            "modules from a dictionary",
            {"nn.GELU": 'lambda: nn.GELU(approximate="tanh")'},
            "gelu-by-tanh",
        ),
        ("from the docstring", {"return": "return x +"}, "residual"),
        (
            "from the docstring",
            {
                ("F.gelu(h) if self.gelu else torch.relu(h)\nreturn self.linear2"): (
                    "self.linear2(h)\nreturn F.gelu(h) if self.gelu else torch.relu"
                )
            },
            "activation-last",
        ),
        ("from the docstring", {"gelu(h": 'gelu(h, approximate="tanh"'}, "gelu-by-tanh"),
    ],
    "EncoderBlock": [
        (
            "from the docstring",
            {"x = x + self.drop(h)": "x = self.norm1(x) + self.drop(h)"},
            "residual-after-norm",
        ),
        (
            "two branches",
            {
                "middle + drop(self.feed_forward(self": "x + drop(self.feed_forward(self",
                "self.norm2(middle + drop": "self.norm2(x + drop",
            },
            "outer-residual",
        ),
        (
            "two branches",
            {
                "middle = x + drop(attended)": "middle = normed + drop(attended)",
                "return middle + drop(self": (
                    "middle = self.norm2(middle)\nreturn middle + drop(self"
                ),
                "(self.norm2(middle))), weights": "(middle)), weights",
            },
            "residual-after-norm",
        ),
        (
            "two branches",
            {"drop(self.feed_forward(self.norm2(middle)))": "drop(self.feed_forward(middle))"},
            "second-norm-missing",
        ),
        (
            "everything in one forward",
            {"self.drop(self.feed_forward.linear2(hidden))": "self.feed_forward.linear2(hidden)"},
            "dropout-of-attention-only",
        ),
        (
            "everything in one forward",
            {"weights = weights * mask": "pass", "torch.finfo(scores.dtype).min": "-torch.inf"},
            "empty-row-nan",
        ),
        (
            "everything in one forward",
            {
                "inner = self.norm2(x)": "inner = self.norm1(x)",
                "else self.norm2(x)": "else self.norm1(x)",
            },
            "one-norm",
        ),
        (
            "from the docstring",
            {
                ("h, weights = self.self_attn(h, h, h, mask)\nx = x + self.drop(h"): (
                    "y, weights = self.self_attn(h, h, h, mask)\nx = h + self.drop(y"
                )
            },
            "residual-after-norm",
        ),
        ("from the docstring", {"self.drop(self.feed_forward(x))": "x"}, "doubled-residual"),
        (
            "from the docstring",
            {
                ("x = self.norm1(x + self.drop(h))\nx = self.norm2(x"): (
                    "y = x\nx = self.norm1(x + self.drop(h))\nx = self.norm2(y"
                )
            },
            "input-added-again",
        ),
        ("from the docstring", {"self.norm2(x)": "x"}, "second-norm-missing"),
    ],
    "Encoder": [
        ("append to a module list", {"nn.ModuleList()": "[]"}, "plain-list"),
        (
            "append to a module list",
            {"return x, seen": "return x, torch.stack(seen)"},
            "weights-stacked",
        ),
        (
            "any arguments, recursion",
            {"self.layers[number](x, mask)": "self.layers[number](x)"},
            "mask-unused",
        ),
        (
            "any arguments, recursion",
            {"**options) for _ in range(num_layers)]": "**options)] * num_layers"},
            "shared",
        ),
        (
            "any arguments, recursion",
            {"x, first = ": "output, first = ", "number + 1, x)": "number + 1, x + output)"},
            "outer-residual",
        ),
        ("from the docstring", {"in self.layers": "in self.layers[:-1]"}, "last-layer-skipped"),
        ("from the docstring", {"in self.layers": "in reversed(self.layers)"}, "reversed"),
        ("from the docstring", {"dropout, norm_first": "dropout, False"}, "norm-first-unused"),
        (
            "from the docstring",
            {"x, weights = block(x, mask)": ("y, weights = block(x, mask)\nx = x + y")},
            "outer-residual",
        ),
    ],
}
