"""Wrong solutions of chapter 2."""

import math

import torch
from torch.nn import functional as F

from tests.exercises.variants import variant


@variant("softmax", about="exp of large scores overflows")
def _(scores, dim=-1):
    e = torch.exp(scores)
    total = e.sum(dim=dim, keepdim=True)
    return torch.where(total > 0, e / total.masked_fill(total == 0, 1), 0.0)


@variant("softmax", about="divides by the sum over everything")
def _(scores, dim=-1):
    peak = scores.amax(dim=dim, keepdim=True)
    peak = torch.where(peak.isinf(), torch.zeros_like(peak), peak)
    e = (scores - peak).exp()
    total = e.sum()
    return e / total if total > 0 else torch.zeros_like(e) * e


@variant("softmax", about="always along the last dimension")
def _(scores, dim=-1):
    peak = scores.max(-1, keepdim=True).values
    peak = peak.masked_fill(peak == -math.inf, 0)
    e = torch.exp(scores - peak)
    total = e.sum(-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


@variant("softmax", about="subtracts the maximum of the whole tensor")
def _(scores, dim=-1):
    top = scores.max()
    if top == -math.inf:
        return torch.zeros_like(scores)
    e = torch.exp(scores - top)
    return e / e.sum(dim=dim, keepdim=True)


@variant("softmax", about="a slice that is all -inf gives NaN")
def _(scores, dim=-1):
    shifted = scores - scores.amax(dim, keepdim=True)
    e = shifted.exp()
    return e / e.sum(dim, keepdim=True)


@variant("softmax", about="nan_to_num mends the values of all -inf, the gradient stays NaN")
def _(scores, dim=-1):
    m, _ = torch.max(scores, dim=dim, keepdim=True)
    e = torch.exp(scores - m)
    return torch.nan_to_num(e / torch.sum(e, dim=dim, keepdim=True), nan=0.0)


@variant("softmax", about="torch.softmax is called")
def _(scores, dim=-1):
    empty = (scores == float("-inf")).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0.0), dim=dim).masked_fill(empty, 0.0)


@variant("softmax", about="subtracts the maximum in place")
def _(scores, dim=-1):
    with torch.no_grad():
        peak = scores.amax(dim=dim, keepdim=True)
        peak[peak == -math.inf] = 0
        scores -= peak
    e = scores.exp()
    total = e.sum(dim=dim, keepdim=True)
    return e / torch.where(total == 0, 1.0, total)


@variant("softmax", about=("exp of large scores overflows", "always along the last dimension"))
def _(scores, dim=-1):
    exps = torch.exp(scores)
    sums = exps.sum(-1).unsqueeze(-1)
    return exps / torch.where(sums == 0, torch.ones_like(sums), sums)


@variant("softmax", about=("exp of large scores overflows", "all -inf gives NaN"))
def _(scores, dim=-1):
    numerator = math.e**scores
    return numerator / numerator.sum(dim=dim, keepdim=True)


@variant("sharpen", about="the temperature is turned over")
def _(scores, sharpness):
    if sharpness < 0 or sharpness > 1:
        raise ValueError("sharpness must be in [0, 1]")
    if sharpness == 0:
        return torch.ones_like(scores) / scores.shape[-1]
    if sharpness == 1:
        best = (scores == scores.amax(-1, keepdim=True)).to(scores.dtype)
        return best / best.sum(-1, keepdim=True)
    return torch.softmax(scores * (1 - sharpness) / sharpness, dim=-1)


@variant("sharpen", about="at 1 only the first of the largest gets the weight")
def _(scores, sharpness):
    if not 0 <= sharpness <= 1:
        raise ValueError(f"sharpness is {sharpness}")
    if sharpness == 1:
        return F.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)
    return F.softmax(scores * sharpness / (1 - sharpness), dim=-1)


@variant("sharpen", about="the ends 0 and 1 are refused")
def _(scores, sharpness):
    if sharpness <= 0 or sharpness >= 1:
        raise ValueError("between 0 and 1, please")
    temperature = (1 - sharpness) / sharpness
    return torch.softmax(scores / temperature, dim=-1)


@variant("sharpen", about="divides by zero at 1")
def _(scores, sharpness):
    if sharpness < 0.0 or sharpness > 1.0:
        raise ValueError("sharpness out of range")
    return torch.softmax(scores * (sharpness / (1.0 - sharpness)), -1)


@variant("sharpen", about="does not refuse a sharpness outside of [0, 1]")
def _(scores, sharpness):
    if sharpness == 1:
        winners = torch.eq(scores, scores.max(dim=-1, keepdim=True)[0])
        return winners.to(scores) / winners.sum(dim=-1, keepdim=True)
    return torch.softmax(scores * sharpness / (1 - sharpness), dim=-1)


@variant("sharpen", about="ties for the largest all get a weight of one")
def _(scores, sharpness):
    if sharpness > 1 or sharpness < 0:
        raise ValueError("sharpness")
    if sharpness == 1:
        return (scores == scores.max(-1, keepdim=True).values).to(scores.dtype)
    return (scores * sharpness / (1 - sharpness)).softmax(-1)


@variant(
    "sharpen",
    about=("at 1 only the first of the largest gets the weight", "no sharpness is refused"),
)
def _(scores, sharpness):
    if sharpness >= 1:
        weights = torch.zeros_like(scores)
        return weights.scatter(-1, scores.argmax(-1, keepdim=True), 1.0)
    return torch.softmax(sharpness / (1 - sharpness) * scores, dim=-1)


@variant("softmax_jacobian", about="only the diagonal")
def _(scores):
    p = torch.softmax(scores, dim=0)
    return torch.diag(p * (1 - p))


@variant("softmax_jacobian", about="the sign is turned over")
def _(scores):
    p = scores.softmax(-1)
    return torch.outer(p, p) - torch.diag(p)


@variant("softmax_jacobian", about="the weight is that of the column, twice")
def _(scores):
    w = torch.softmax(scores, dim=-1)
    identity = torch.eye(len(w), dtype=w.dtype)
    return w * (identity - w)


@variant("softmax_jacobian", about="its own softmax overflows")
def _(scores):
    e = torch.exp(scores)
    p = e / e.sum()
    return torch.diag_embed(p) - p[:, None] * p[None, :]


@variant("softmax_jacobian", about="the result is float32, whatever the scores are")
def _(scores):
    p = torch.softmax(scores, dim=0)
    n = p.shape[0]
    jac = torch.zeros(n, n)
    for i in range(n):
        for j in range(n):
            jac[i, j] = p[i] * (1 - p[i]) if i == j else -p[i] * p[j]
    return jac


@variant("softmax_jacobian", about="the scores are detached")
def _(scores):
    p = torch.softmax(scores.detach(), dim=-1)
    return torch.diag(p) - p.unsqueeze(1) @ p.unsqueeze(0)


@variant("softmax_jacobian", about="asks autograd")
def _(scores):
    return torch.autograd.functional.jacobian(
        lambda s: torch.softmax(s, dim=0), scores, create_graph=True
    )


@variant("softmax_jacobian", about=("the sign is turned over", "its own softmax overflows"))
def _(scores):
    p = scores.exp() / scores.exp().sum()
    return torch.einsum("i,j->ij", p, p) - p.diag()


@variant("distance_scores", about="the minus is missing")
def _(query, key):
    q2 = (query**2).sum(-1, keepdim=True)
    k2 = (key**2).sum(-1).unsqueeze(-2)
    return q2 + k2 - 2 * query @ key.transpose(-1, -2)


@variant("distance_scores", about="the distance is not squared")
def _(query, key):
    return -torch.cdist(query, key, p=2)


@variant("distance_scores", about="the factor 2 of the product is missing")
def _(query, key):
    q_norm = query.pow(2).sum(dim=-1)[..., :, None]
    k_norm = key.pow(2).sum(dim=-1)[..., None, :]
    return torch.einsum("...ld,...sd->...ls", query, key) - q_norm - k_norm


@variant("distance_scores", about="makes all differences at once")
def _(query, key):
    delta = query.unsqueeze(-2) - key.unsqueeze(-3)
    return -(delta * delta).sum(-1)


@variant("distance_scores", about="the mean over the features in place of the sum")
def _(query, key):
    cross = torch.matmul(query, key.mT)
    squares = query.square().sum(-1, keepdim=True) + key.square().sum(-1, keepdim=True).mT
    return (2 * cross - squares) / query.shape[-1]


@variant("distance_scores", about="works without leading dimensions only")
def _(query, key):
    a = torch.sum(query * query, dim=1).reshape(-1, 1)
    b = torch.sum(key * key, dim=1).reshape(1, -1)
    return -(a + b - 2 * torch.mm(query, key.t()))


@variant("distance_scores", about=("the minus is missing", "the distance is not squared"))
def _(query, key):
    qq = (query * query).sum(-1)[..., None]
    kk = (key * key).sum(-1)[..., None, :]
    squared = qq + kk - 2 * (query @ key.transpose(-2, -1))
    return squared.clamp(min=1e-12).sqrt()


@variant("cosine_scores", about="a vector of zeros gives NaN")
def _(query, key):
    q = query / query.norm(dim=-1, keepdim=True)
    k = key / key.norm(dim=-1, keepdim=True)
    return q @ k.transpose(-2, -1)


@variant("cosine_scores", about="only the queries are brought to length one")
def _(query, key):
    length = query.norm(dim=-1, keepdim=True)
    query = query / torch.where(length == 0, torch.ones_like(length), length)
    return torch.einsum("...ld,...sd->...ls", query, key)


@variant("cosine_scores", about="divides by the squared lengths")
def _(query, key):
    dots = query @ key.mT
    lengths = (query**2).sum(-1).unsqueeze(-1) * (key**2).sum(-1).unsqueeze(-2)
    return dots / lengths.masked_fill(lengths == 0, 1.0)


@variant("cosine_scores", about="an epsilon that is large beside short vectors")
def _(query, key):
    dots = torch.matmul(query, key.transpose(-1, -2))
    norms = query.norm(dim=-1)[..., :, None] * key.norm(dim=-1)[..., None, :]
    return dots / (norms + 1e-3)


@variant("cosine_scores", about="the length is taken over the positions")
def _(query, key):
    q = F.normalize(query, dim=-2)
    k = F.normalize(key, dim=-2)
    return q @ k.transpose(-1, -2)


@variant("cosine_scores", about="mends the NaN of zeros afterwards, its gradient stays NaN")
def _(query, key):
    q = query / query.pow(2).sum(-1, keepdim=True).sqrt()
    k = key / key.pow(2).sum(-1, keepdim=True).sqrt()
    return (q @ k.transpose(-2, -1)).nan_to_num(0.0)


@variant("cosine_scores", about="compares row i with row i only")
def _(query, key):
    return F.cosine_similarity(query, key, dim=-1)


@variant("cosine_scores", about=("only the keys are brought to length one", "zeros give NaN"))
def _(query, key):
    unit = key / torch.linalg.vector_norm(key, dim=-1, keepdim=True)
    return torch.matmul(query, unit.transpose(-2, -1))


@variant("scaled_dot_product_scores", about="the scores are not scaled")
def _(query, key):
    return torch.einsum("...qd,...kd->...qk", query, key)


@variant("scaled_dot_product_scores", about="divides by D, not by its root")
def _(query, key):
    d = query.shape[-1]
    return query @ key.transpose(-2, -1) / d


@variant("scaled_dot_product_scores", about="`D ** 1 / 2` divides by D and then by 2")
def _(query, key):
    return (query @ key.mT) / query.size(-1) ** 1 / 2


@variant("scaled_dot_product_scores", about="the root of the number of keys")
def _(query, key):
    scale = math.sqrt(key.shape[-2])
    return torch.matmul(query, key.transpose(-1, -2)) / scale


@variant("scaled_dot_product_scores", about="works with one batch dimension only")
def _(query, key):
    return torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[2])


@variant("scaled_dot_product_scores", about="rows are keys and columns are queries")
def _(query, key):
    return key @ query.transpose(-2, -1) / query.shape[-1] ** 0.5


@variant(
    "scaled_dot_product_scores",
    about=("rows are keys and columns are queries", "divides by D, not by its root"),
)
def _(query, key):
    return torch.einsum("...sd,...ld->...sl", key, query) / key.size(-1)
