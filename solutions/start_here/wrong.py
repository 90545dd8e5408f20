"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "double": [
        ("sum", {"x + x": "x + 2"}, "two-added"),
        ("stacked", {".sum(": ".prod("}, "squared"),
        ("in place, on a copy", {"x.clone()": "x"}, "changes-input"),
        ("from the docstring", {"+ x": "** 2"}, "squared"),
        ("from the docstring", {"return x +": ("x *= 2\nreturn")}, "changes-input"),
        (
            "from the docstring",
            {"x + x": "torch.cat([x, x], dim=-1)"},
            "plain.all+size+follows + plain.error.RuntimeError",
        ),
    ],
}
