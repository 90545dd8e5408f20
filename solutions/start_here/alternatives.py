"""Chapter 0 in other styles."""

import torch

from autograder.checking.samples import alternative


@alternative("double", "sum")
def _(x):
    return x + x


@alternative("double", "in place, on a copy")
def _(x):
    result = x.clone()
    result *= 2
    return result


@alternative("double", "stacked")
def _(x):
    return torch.stack([x, x]).sum(dim=0, dtype=x.dtype)


@alternative("double", "from the docstring")
def _(x):
    return x + x
