"""Wrong answers to chapter 2, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch.nn import functional as F

from autograder.checking.samples import wrong


@wrong("softmax", about="exp of large scores overflows")
def _(scores, dim=-1):
    e = torch.exp(scores)
    total = e.sum(dim=dim, keepdim=True)
    return torch.where(total > 0, e / total.masked_fill(total == 0, 1), 0.0)


@wrong("softmax", about="divides by the sum over everything")
def _(scores, dim=-1):
    peak = scores.amax(dim=dim, keepdim=True)
    peak = torch.where(peak.isinf(), torch.zeros_like(peak), peak)
    e = (scores - peak).exp()
    total = e.sum()
    return e / total if total > 0 else torch.zeros_like(e) * e


@wrong("softmax", about="always along the last dimension")
def _(scores, dim=-1):
    peak = scores.max(-1, keepdim=True).values
    peak = peak.masked_fill(peak == -math.inf, 0)
    e = torch.exp(scores - peak)
    total = e.sum(-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


@wrong("softmax", about="subtracts the maximum of the whole tensor")
def _(scores, dim=-1):
    top = scores.max()
    if top == -math.inf:
        return torch.zeros_like(scores)
    e = torch.exp(scores - top)
    return e / e.sum(dim=dim, keepdim=True)


@wrong("softmax", about="a slice that is all -inf gives NaN")
def _(scores, dim=-1):
    shifted = scores - scores.amax(dim, keepdim=True)
    e = shifted.exp()
    return e / e.sum(dim, keepdim=True)


@wrong("softmax", about="nan_to_num mends the values of all -inf, the gradient stays NaN")
def _(scores, dim=-1):
    m, _ = torch.max(scores, dim=dim, keepdim=True)
    e = torch.exp(scores - m)
    return torch.nan_to_num(e / torch.sum(e, dim=dim, keepdim=True), nan=0.0)


@wrong("softmax", about="torch.softmax is called")
def _(scores, dim=-1):
    empty = (scores == float("-inf")).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0.0), dim=dim).masked_fill(empty, 0.0)


@wrong("softmax", about="subtracts the maximum in place")
def _(scores, dim=-1):
    with torch.no_grad():
        peak = scores.amax(dim=dim, keepdim=True)
        peak[peak == -math.inf] = 0
        scores -= peak
    e = scores.exp()
    total = e.sum(dim=dim, keepdim=True)
    return e / torch.where(total == 0, 1.0, total)


@wrong("softmax", about=("exp of large scores overflows", "always along the last dimension"))
def _(scores, dim=-1):
    exps = torch.exp(scores)
    sums = exps.sum(-1).unsqueeze(-1)
    return exps / torch.where(sums == 0, torch.ones_like(sums), sums)


@wrong("softmax", about=("exp of large scores overflows", "all -inf gives NaN"))
def _(scores, dim=-1):
    numerator = math.e**scores
    return numerator / numerator.sum(dim=dim, keepdim=True)


@wrong("sharpen", about="the temperature is turned over")
def _(scores, sharpness):
    if sharpness < 0 or sharpness > 1:
        raise ValueError("sharpness must be in [0, 1]")
    if sharpness == 0:
        return torch.ones_like(scores) / scores.shape[-1]
    if sharpness == 1:
        best = (scores == scores.amax(-1, keepdim=True)).to(scores.dtype)
        return best / best.sum(-1, keepdim=True)
    return torch.softmax(scores * (1 - sharpness) / sharpness, dim=-1)


@wrong("sharpen", about="at 1 only the first of the largest gets the weight")
def _(scores, sharpness):
    if not 0 <= sharpness <= 1:
        raise ValueError(f"sharpness is {sharpness}")
    if sharpness == 1:
        return F.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)
    return F.softmax(scores * sharpness / (1 - sharpness), dim=-1)


@wrong("sharpen", about="the ends 0 and 1 are refused")
def _(scores, sharpness):
    if sharpness <= 0 or sharpness >= 1:
        raise ValueError("between 0 and 1, please")
    temperature = (1 - sharpness) / sharpness
    return torch.softmax(scores / temperature, dim=-1)


@wrong("sharpen", about="divides by zero at 1")
def _(scores, sharpness):
    if sharpness < 0.0 or sharpness > 1.0:
        raise ValueError("sharpness out of range")
    return torch.softmax(scores * (sharpness / (1.0 - sharpness)), -1)


@wrong("sharpen", about="does not refuse a sharpness outside of [0, 1]")
def _(scores, sharpness):
    if sharpness == 1:
        winners = torch.eq(scores, scores.max(dim=-1, keepdim=True)[0])
        return winners.to(scores) / winners.sum(dim=-1, keepdim=True)
    return torch.softmax(scores * sharpness / (1 - sharpness), dim=-1)


@wrong("sharpen", about="ties for the largest all get a weight of one")
def _(scores, sharpness):
    if sharpness > 1 or sharpness < 0:
        raise ValueError("sharpness")
    if sharpness == 1:
        return (scores == scores.max(-1, keepdim=True).values).to(scores.dtype)
    return (scores * sharpness / (1 - sharpness)).softmax(-1)


@wrong(
    "sharpen",
    about=("at 1 only the first of the largest gets the weight", "no sharpness is refused"),
)
def _(scores, sharpness):
    if sharpness >= 1:
        weights = torch.zeros_like(scores)
        return weights.scatter(-1, scores.argmax(-1, keepdim=True), 1.0)
    return torch.softmax(sharpness / (1 - sharpness) * scores, dim=-1)


@wrong("softmax_jacobian", about="only the diagonal")
def _(scores):
    p = torch.softmax(scores, dim=0)
    return torch.diag(p * (1 - p))


@wrong("softmax_jacobian", about="the sign is turned over")
def _(scores):
    p = scores.softmax(-1)
    return torch.outer(p, p) - torch.diag(p)


@wrong("softmax_jacobian", about="the weight is that of the column, twice")
def _(scores):
    w = torch.softmax(scores, dim=-1)
    identity = torch.eye(len(w), dtype=w.dtype)
    return w * (identity - w)


@wrong("softmax_jacobian", about="its own softmax overflows")
def _(scores):
    e = torch.exp(scores)
    p = e / e.sum()
    return torch.diag_embed(p) - p[:, None] * p[None, :]


@wrong("softmax_jacobian", about="the result is float32, whatever the scores are")
def _(scores):
    p = torch.softmax(scores, dim=0)
    n = p.shape[0]
    jac = torch.zeros(n, n)
    for i in range(n):
        for j in range(n):
            jac[i, j] = p[i] * (1 - p[i]) if i == j else -p[i] * p[j]
    return jac


@wrong("softmax_jacobian", about="the scores are detached")
def _(scores):
    p = torch.softmax(scores.detach(), dim=-1)
    return torch.diag(p) - p.unsqueeze(1) @ p.unsqueeze(0)


@wrong("softmax_jacobian", about="asks autograd")
def _(scores):
    return torch.autograd.functional.jacobian(
        lambda s: torch.softmax(s, dim=0), scores, create_graph=True
    )


@wrong("softmax_jacobian", about=("the sign is turned over", "its own softmax overflows"))
def _(scores):
    p = scores.exp() / scores.exp().sum()
    return torch.einsum("i,j->ij", p, p) - p.diag()


@wrong("distance_scores", about="the minus is missing")
def _(query, key):
    q2 = (query**2).sum(-1, keepdim=True)
    k2 = (key**2).sum(-1).unsqueeze(-2)
    return q2 + k2 - 2 * query @ key.transpose(-1, -2)


@wrong("distance_scores", about="the distance is not squared")
def _(query, key):
    return -torch.cdist(query, key, p=2)


@wrong("distance_scores", about="the factor 2 of the product is missing")
def _(query, key):
    q_norm = query.pow(2).sum(dim=-1)[..., :, None]
    k_norm = key.pow(2).sum(dim=-1)[..., None, :]
    return torch.einsum("...ld,...sd->...ls", query, key) - q_norm - k_norm


@wrong("distance_scores", about="makes all differences at once")
def _(query, key):
    delta = query.unsqueeze(-2) - key.unsqueeze(-3)
    return -(delta * delta).sum(-1)


@wrong("distance_scores", about="the mean over the features in place of the sum")
def _(query, key):
    cross = torch.matmul(query, key.mT)
    squares = query.square().sum(-1, keepdim=True) + key.square().sum(-1, keepdim=True).mT
    return (2 * cross - squares) / query.shape[-1]


@wrong("distance_scores", about="works without leading dimensions only")
def _(query, key):
    a = torch.sum(query * query, dim=1).reshape(-1, 1)
    b = torch.sum(key * key, dim=1).reshape(1, -1)
    return -(a + b - 2 * torch.mm(query, key.t()))


@wrong("distance_scores", about=("the minus is missing", "the distance is not squared"))
def _(query, key):
    qq = (query * query).sum(-1)[..., None]
    kk = (key * key).sum(-1)[..., None, :]
    squared = qq + kk - 2 * (query @ key.transpose(-2, -1))
    return squared.clamp(min=1e-12).sqrt()


@wrong("cosine_scores", about="a vector of zeros gives NaN")
def _(query, key):
    q = query / query.norm(dim=-1, keepdim=True)
    k = key / key.norm(dim=-1, keepdim=True)
    return q @ k.transpose(-2, -1)


@wrong("cosine_scores", about="only the queries are brought to length one")
def _(query, key):
    length = query.norm(dim=-1, keepdim=True)
    query = query / torch.where(length == 0, torch.ones_like(length), length)
    return torch.einsum("...ld,...sd->...ls", query, key)


@wrong("cosine_scores", about="divides by the squared lengths")
def _(query, key):
    dots = query @ key.mT
    lengths = (query**2).sum(-1).unsqueeze(-1) * (key**2).sum(-1).unsqueeze(-2)
    return dots / lengths.masked_fill(lengths == 0, 1.0)


@wrong("cosine_scores", about="an epsilon that is large beside short vectors")
def _(query, key):
    dots = torch.matmul(query, key.transpose(-1, -2))
    norms = query.norm(dim=-1)[..., :, None] * key.norm(dim=-1)[..., None, :]
    return dots / (norms + 1e-3)


@wrong("cosine_scores", about="the length is taken over the positions")
def _(query, key):
    q = F.normalize(query, dim=-2)
    k = F.normalize(key, dim=-2)
    return q @ k.transpose(-1, -2)


@wrong("cosine_scores", about="mends the NaN of zeros afterwards, its gradient stays NaN")
def _(query, key):
    q = query / query.pow(2).sum(-1, keepdim=True).sqrt()
    k = key / key.pow(2).sum(-1, keepdim=True).sqrt()
    return (q @ k.transpose(-2, -1)).nan_to_num(0.0)


@wrong("cosine_scores", about="compares row i with row i only")
def _(query, key):
    return F.cosine_similarity(query, key, dim=-1)


@wrong("cosine_scores", about=("only the keys are brought to length one", "zeros give NaN"))
def _(query, key):
    unit = key / torch.linalg.vector_norm(key, dim=-1, keepdim=True)
    return torch.matmul(query, unit.transpose(-2, -1))


@wrong("scaled_dot_product_scores", about="the scores are not scaled")
def _(query, key):
    return torch.einsum("...qd,...kd->...qk", query, key)


@wrong("scaled_dot_product_scores", about="divides by D, not by its root")
def _(query, key):
    d = query.shape[-1]
    return query @ key.transpose(-2, -1) / d


@wrong("scaled_dot_product_scores", about="`D ** 1 / 2` divides by D and then by 2")
def _(query, key):
    return (query @ key.mT) / query.size(-1) ** 1 / 2


@wrong("scaled_dot_product_scores", about="the root of the number of keys")
def _(query, key):
    scale = math.sqrt(key.shape[-2])
    return torch.matmul(query, key.transpose(-1, -2)) / scale


@wrong("scaled_dot_product_scores", about="works with one batch dimension only")
def _(query, key):
    return torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[2])


@wrong("scaled_dot_product_scores", about="rows are keys and columns are queries")
def _(query, key):
    return key @ query.transpose(-2, -1) / query.shape[-1] ** 0.5


@wrong(
    "scaled_dot_product_scores",
    about=("rows are keys and columns are queries", "divides by D, not by its root"),
)
def _(query, key):
    return torch.einsum("...sd,...ld->...sl", key, query) / key.size(-1)


@wrong("softmax", about="a row that is all -inf is shared equally")
def _(scores, dim=-1):
    top = scores.amax(dim=dim, keepdim=True).detach()
    exps = torch.exp(torch.where(top == -torch.inf, torch.zeros_like(scores), scores - top))
    return exps / exps.sum(dim=dim, keepdim=True)


@wrong("softmax", about="a small number in the denominator against a division by zero")
def _(scores, dim=-1):
    top = scores.detach().max(dim=dim, keepdim=True).values
    top = top.masked_fill(top == -torch.inf, 0.0)
    e = (scores - top).exp()
    return e / (e.sum(dim=dim, keepdim=True) + 1e-3)


@wrong("softmax", about=("`dim` is not read, always the last axis", "powers of two, not of e"))
def _(scores, dim=-1):
    top = scores.detach().amax(-1, keepdim=True).clamp(min=-1e30)
    e = 2 ** (scores - top)
    total = e.sum(-1, keepdim=True)
    return torch.where(total > 0, e / total.clamp(min=1e-12), torch.zeros_like(e))


@wrong("sharpen", about="the temperature upside down: scores times (1 - S) / S")
def _(scores, sharpness):
    if not 0 <= sharpness <= 1:
        raise ValueError(f"sharpness {sharpness} is not in [0, 1]")
    if sharpness == 0:
        return torch.full_like(scores, 1 / scores.shape[-1])
    if sharpness == 1:
        best = (scores == scores.max(-1, keepdim=True).values).to(scores.dtype)
        return best / best.sum(-1, keepdim=True)
    return torch.softmax(scores * (1 - sharpness) / sharpness, -1)


@wrong("softmax_jacobian", about="outer product without the diagonal")
def _(scores):
    p = torch.softmax(scores, 0)
    return -p.unsqueeze(1) * p.unsqueeze(0)


@wrong("distance_scores", about="the distance itself, not its square")
def _(query, key):
    q2 = query.pow(2).sum(-1).unsqueeze(-1)
    k2 = key.pow(2).sum(-1).unsqueeze(-2)
    d2 = (q2 + k2 - 2 * query @ key.transpose(-1, -2)).clamp(min=1e-12)
    return -d2.sqrt()


@wrong("distance_scores", about=("the sign is missing", "the product enters once, not twice"))
def _(query, key):
    return (
        (query**2).sum(-1)[..., :, None]
        + (key**2).sum(-1)[..., None, :]
        - query @ key.transpose(-1, -2)
    )


@wrong("cosine_scores", about="only the keys are brought to unit length")
def _(query, key):
    length = key.norm(dim=-1, keepdim=True)
    unit = key / torch.where(length > 0, length, torch.ones_like(length))
    return query @ unit.transpose(-2, -1)


@wrong("scaled_dot_product_scores", about="divides by the square root of the number of keys")
def _(query, key):
    return torch.einsum("...ld,...sd->...ls", query, key) / key.size(-2) ** 0.5


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "softmax": [
        (
            "slice by slice",
            {"numbers / numbers.sum()": "numbers"},
            "not-divided",
        ),
        (
            "fill empty slices first",
            {
                "dim=dim, keepdim=True).values": "dim=-1, keepdim=True).values",
                "sum(dim=dim": "sum(-1",
            },
            "dim-unused",
        ),
        (
            "slice by slice",
            {"torch.exp(row - largest)": "torch.exp(row)"},
            "overflow",
        ),
        (
            "slice by slice",
            {"if largest == -math.inf:": "if False:"},
            "empty-row-nan",
        ),
    ],
    "sharpen": [
        (
            "temperature",
            {
                "scores / temperature": "scores * sharpness",
                "if temperature == 0": "if False",
            },
            "sharpness-as-factor",
        ),
        (
            "temperature",
            {"return best / best.sum(-1, keepdim=True)": "return best"},
            "ties-not-shared",
        ),
        ("temperature", {"if sharpness < 0 or sharpness > 1:": "if False:"}, "range-unchecked"),
        (
            "mask the others with -inf",
            {"flat.softmax(dim=-1)": "F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)"},
            "one-of-ties",
        ),
    ],
    "softmax_jacobian": [
        (
            "product with delta minus weight",
            {"(torch.eye(scores.numel()).to(scores) - weights[None, :])": "(0 - weights[None, :])"},
            "diagonal-term",
        ),
        (
            "product with delta minus weight",
            {".to(scores) - weights": ".to(scores) + weights"},
            "off-diagonal-sign",
        ),
        (
            "product with delta minus weight",
            {"F.softmax(scores, dim=-1)": "F.softmax(scores, dim=-1).detach()"},
            "detached",
        ),
        (
            "einsum with the identity",
            {"scores.softmax(dim=0)": "scores"},
            "of-scores",
        ),
    ],
    "distance_scores": [
        ("einsum", {"-(query_square": "(query_square"}, "sign"),
        ("einsum", {"- 2 * cross": "- cross"}, "cross-term-once"),
        ("einsum", {"query_square[..., :, None] - 2": "0 - 2"}, "query-length-missing"),
        ("cdist", {".pow(2)": ""}, "not-squared"),
    ],
    "cosine_scores": [
        ("normalize", {"F.normalize(key, dim=-1)": "key"}, "keys-not-normalized"),
        ("einops", {"return torch": "return 1 - torch"}, "distance"),
        (
            "einops",
            {"torch.where(lengths > 0, lengths, 1.0), 0.0)": "lengths, products / lengths)"},
            "zero-nan",
        ),
        (
            "einops",
            {"query_length * key_length": "query_length**2 * key_length**2"},
            "squared-lengths",
        ),
    ],
    "scaled_dot_product_scores": [
        ("einsum", {"* query.size(-1) ** -0.5": ""}, "not-scaled"),
        ("einsum", {"-0.5": "-1"}, "scaled-by-d"),
        (
            "scale the query first",
            {"query.shape[-1]": "key.shape[-2]"},
            "number-of-keys",
        ),
        (
            "broadcast and sum",
            {
                "return products": "return torch.softmax(products",
                "(math.sqrt(key.size(-1)))": "(math.sqrt(key.size(-1))), -1)",
            },
            "softmax",
        ),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "softmax_jacobian",
        "weights = torch.softmax(scores, dim=0) => weights = torch.softmax(scores, dim=-1)",
    ): "The scores have one dimension, which is both the first and the last.",
}
