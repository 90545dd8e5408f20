"""Of `solutions/softmax.py`."""

import torch

from tests.exercises.variants import variant


@variant("softmax", about="a row that is all -inf is shared equally")
def _(scores, dim=-1):
    top = scores.amax(dim=dim, keepdim=True).detach()
    exps = torch.exp(torch.where(top == -torch.inf, torch.zeros_like(scores), scores - top))
    return exps / exps.sum(dim=dim, keepdim=True)


@variant("softmax", about="a small number in the denominator against a division by zero")
def _(scores, dim=-1):
    top = scores.detach().max(dim=dim, keepdim=True).values
    top = top.masked_fill(top == -torch.inf, 0.0)
    e = (scores - top).exp()
    return e / (e.sum(dim=dim, keepdim=True) + 1e-3)


@variant("softmax", about=("`dim` is not read, always the last axis", "powers of two, not of e"))
def _(scores, dim=-1):
    top = scores.detach().amax(-1, keepdim=True).clamp(min=-1e30)
    e = 2 ** (scores - top)
    total = e.sum(-1, keepdim=True)
    return torch.where(total > 0, e / total.clamp(min=1e-12), torch.zeros_like(e))


@variant("sharpen", about="the temperature upside down: scores times (1 - S) / S")
def _(scores, sharpness):
    if not 0 <= sharpness <= 1:
        raise ValueError(f"sharpness {sharpness} is not in [0, 1]")
    if sharpness == 0:
        return torch.full_like(scores, 1 / scores.shape[-1])
    if sharpness == 1:
        best = (scores == scores.max(-1, keepdim=True).values).to(scores.dtype)
        return best / best.sum(-1, keepdim=True)
    return torch.softmax(scores * (1 - sharpness) / sharpness, -1)


@variant("softmax_jacobian", about="outer product without the diagonal")
def _(scores):
    p = torch.softmax(scores, 0)
    return -p.unsqueeze(1) * p.unsqueeze(0)


@variant("distance_scores", about="the distance itself, not its square")
def _(query, key):
    q2 = query.pow(2).sum(-1).unsqueeze(-1)
    k2 = key.pow(2).sum(-1).unsqueeze(-2)
    d2 = (q2 + k2 - 2 * query @ key.transpose(-1, -2)).clamp(min=1e-12)
    return -d2.sqrt()


@variant("distance_scores", about=("the sign is missing", "the product enters once, not twice"))
def _(query, key):
    return (
        (query**2).sum(-1)[..., :, None]
        + (key**2).sum(-1)[..., None, :]
        - query @ key.transpose(-1, -2)
    )


@variant("cosine_scores", about="only the keys are brought to unit length")
def _(query, key):
    length = key.norm(dim=-1, keepdim=True)
    unit = key / torch.where(length > 0, length, torch.ones_like(length))
    return query @ unit.transpose(-2, -1)


@variant("scaled_dot_product_scores", about="divides by the square root of the number of keys")
def _(query, key):
    return torch.einsum("...ld,...sd->...ls", query, key) / key.size(-2) ** 0.5
