"""Wrong solutions of chapter 0."""

import torch

from tests.exercises.variants import variant


@variant("double", about="changes x in place")
def _(x):
    x *= 2
    return x


@variant("double", about="squares instead of doubling")
def _(x):
    return x**2


@variant("double", about="multiplies by a float, so integers come back as floats")
def _(x):
    return x * 2.0


@variant("double", about="goes through numpy, which cuts the gradient")
def _(x):
    values = x.detach().numpy()
    return torch.from_numpy(values * 2)


@variant("double", about="repeats the entries instead of doubling them")
def _(x):
    return torch.cat([x, x])


@variant("double", about=("integers come back as floats", "the gradient is cut"))
def _(x):
    with torch.no_grad():
        return 2.0 * x
