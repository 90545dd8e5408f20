"""Wrong answers to chapter 0, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import torch

from autograder.checking.samples import wrong


@wrong("double", about="changes x in place")
def _(x):
    x *= 2
    return x


@wrong("double", about="squares instead of doubling")
def _(x):
    return x**2


@wrong("double", about="multiplies by a float, so integers come back as floats")
def _(x):
    return x * 2.0


@wrong("double", about="goes through numpy, which cuts the gradient")
def _(x):
    values = x.detach().numpy()
    return torch.from_numpy(values * 2)


@wrong("double", about="repeats the entries instead of doubling them")
def _(x):
    return torch.cat([x, x])


@wrong("double", about=("integers come back as floats", "the gradient is cut"))
def _(x):
    with torch.no_grad():
        return 2.0 * x


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "double": [
        ("sum", {"x + x": "x + 2"}, "two-added"),
        ("stacked", {".sum(": ".prod("}, "squared"),
        ("in place, on a copy", {"x.clone()": "x"}, "changes-input"),
    ],
}
