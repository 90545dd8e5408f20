"""Wrong answers to chapter 4, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import masked_softmax


@wrong("attend", about="the scores are not scaled")
def _(query, inputs):
    weights = torch.softmax(inputs @ query, dim=0)
    return weights @ inputs, weights


@wrong("attend", about="returns the output without the weights")
def _(query, inputs):
    scores = torch.mv(inputs, query) / math.sqrt(query.numel())
    return (scores.softmax(0)[:, None] * inputs).sum(0)


@wrong("attend", about="the root of the number of inputs")
def _(query, inputs):
    scores = (inputs * query).sum(dim=1) / len(inputs) ** 0.5
    w = F.softmax(scores, dim=-1)
    return torch.einsum("s,sd->d", w, inputs), w


@wrong("attend", about="weights first, output second")
def _(query, inputs):
    alpha = torch.softmax(inputs.matmul(query) / query.shape[0] ** 0.5, dim=-1)
    return alpha, alpha @ inputs


@wrong("attend", about="a softmax by hand that overflows")
def _(query, inputs):
    scores = torch.stack([torch.dot(query, x) for x in inputs]) / query.shape[0] ** 0.5
    e = scores.exp()
    w = e / e.sum()
    return sum(w[i] * inputs[i] for i in range(len(inputs))), w


@wrong("attend", about="the output keeps an axis for the one query")
def _(query, inputs):
    scores = query.unsqueeze(0) @ inputs.t() / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return weights @ inputs, weights.squeeze(0)


@wrong("attend", about=("the scores are not scaled", "weights first, output second"))
def _(query, inputs):
    w = torch.softmax(torch.einsum("d,sd->s", query, inputs), 0)
    return w, torch.einsum("s,sd->d", w, inputs)


@wrong("scaled_dot_product_attention", about="the scores are not scaled by sqrt(D)")
def _(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e30)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", about="attends where the mask is False")
def _(query, key, value, mask=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -1e30)
        weights = F.softmax(scores, dim=-1).masked_fill(mask, 0.0)
    else:
        weights = F.softmax(scores, dim=-1)
    return torch.einsum("...ls,...se->...le", weights, value), weights


@wrong("scaled_dot_product_attention", about="multiplies the scores by the mask")
def _(query, key, value, mask=None):
    scores = torch.matmul(query, key.mT) / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores * mask
    attention = torch.softmax(scores, dim=-1)
    return torch.matmul(attention, value), attention


@wrong("scaled_dot_product_attention", about="masks after the softmax")
def _(query, key, value, mask=None):
    d_k = query.size(-1)
    weights = torch.softmax(query.matmul(key.transpose(-1, -2)) / d_k**0.5, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask.logical_not(), 0)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", about="a query that sees nothing gives NaN")
def _(query, key, value, mask=None):
    logits = query @ key.transpose(-1, -2) * key.shape[-1] ** -0.5
    if mask is not None:
        logits = torch.where(mask, logits, float("-inf"))
    p = logits.softmax(-1)
    return p @ value, p


@wrong("scaled_dot_product_attention", about="-1e9 lets a query without keys see all alike")
def _(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", about="nan_to_num at the end leaves NaN gradients")
def _(query, key, value, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return weights @ value, weights


@wrong("scaled_dot_product_attention", about="the mask must have the shape of the scores")
def _(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores[~mask] = -1e30
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@wrong("scaled_dot_product_attention", about="softmax over the queries")
def _(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is None:
        w = torch.softmax(scores, dim=-2)
    else:
        w = torch.softmax(scores.masked_fill(~mask, -1e30), dim=-2).masked_fill(~mask, 0)
    return w @ value, w


@wrong("scaled_dot_product_attention", about="scales by the width of the values")
def _(query, key, value, mask=None):
    scale = value.shape[-1] ** -0.5
    s = (query * scale) @ key.mT
    if mask is not None:
        s = s.masked_fill(~mask, -1e30)
    w = s.softmax(dim=-1)
    if mask is not None:
        w = w * mask
    return w @ value, w


@wrong("scaled_dot_product_attention", about="works with one batch dimension only")
def _(query, key, value, mask=None):
    B, L, D = query.shape
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(D)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=2)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.bmm(weights, value), weights


@wrong("scaled_dot_product_attention", about="the weights are cut off from the gradient")
def _(query, key, value, mask=None):
    with torch.no_grad():
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        if mask is not None:
            scores[~mask.expand_as(scores)] = -1e30
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
    return weights @ value, weights


@wrong("scaled_dot_product_attention", about="the mask is added to the scores")
def _(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


@wrong(
    "scaled_dot_product_attention",
    about=("the scores are not scaled by sqrt(D)", "a query that sees nothing gives NaN"),
)
def _(query, key, value, mask=None):
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@wrong(
    "scaled_dot_product_attention",
    about=("divides by D, not by its root", "masks after the softmax"),
)
def _(query, key, value, mask=None):
    D = key.shape[-1]
    weights = torch.softmax(torch.einsum("...ld,...sd->...ls", query, key) / D, dim=-1)
    if mask is not None:
        weights = weights * mask.to(weights.dtype)
    return torch.einsum("...ls,...se->...le", weights, value), weights


@wrong(
    "scaled_dot_product_attention",
    about=("attends where the mask is False", "a query that sees nothing gives NaN"),
)
def _(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    attn = torch.softmax(scores, -1)
    return torch.matmul(attn, value), attn


@wrong("AttentionLayer", about="the layers have a bias")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim)
        self.W_v = nn.Linear(input_dim, value_dim)

    def forward(self, queries, inputs):
        return scaled_dot_product_attention(queries, self.W_k(inputs), self.W_v(inputs))


@wrong("AttentionLayer", about="scales by the root of input_dim")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)
        self.scale = 1 / math.sqrt(input_dim)

    def forward(self, queries, inputs):
        keys = self.W_k(inputs)
        values = self.W_v(inputs)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) * self.scale, dim=-1)
        return weights @ values, weights


@wrong("AttentionLayer", about="averages the inputs and projects nothing to values")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.query_dim = query_dim
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        scores = torch.einsum("...ld,...sd->...ls", queries, self.W_k(inputs))
        attn = F.softmax(scores / self.query_dim**0.5, dim=-1)
        return attn @ inputs, attn


@wrong("AttentionLayer", about="softmax over the queries")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.d = query_dim
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        logits = queries.matmul(self.W_k(inputs).mT) / self.d**0.5
        weights = logits.softmax(dim=-2)
        return weights.matmul(self.W_v(inputs)), weights


@wrong("AttentionLayer", about="the scores are not scaled")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)

    def forward(self, queries, inputs):
        k, v = self.W_k(inputs), self.W_v(inputs)
        attention = torch.softmax(queries @ k.transpose(-1, -2), dim=-1)
        return attention @ v, attention


@wrong("AttentionLayer", about="works with one batch dimension only")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        outputs, weights = [], []
        for q, x in zip(queries, inputs, strict=True):
            s = q.mm(self.W_k(x).t()) / math.sqrt(q.shape[1])
            w = s.softmax(1)
            weights.append(w)
            outputs.append(w.mm(self.W_v(x)))
        return torch.stack(outputs), torch.stack(weights)


@wrong("AttentionLayer", about=("the layers have a bias", "the scores are not scaled"))
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim)
        self.W_v = nn.Linear(input_dim, value_dim)

    def forward(self, queries, inputs):
        weights = F.softmax(queries @ self.W_k(inputs).mT, dim=-1)
        return weights @ self.W_v(inputs), weights


@wrong("AttentionLayer", about=("weights first, output second", "scales by the root of input_dim"))
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        scores = queries @ self.W_k(inputs).transpose(-2, -1)
        weights = torch.softmax(scores / inputs.shape[-1] ** 0.5, dim=-1)
        return weights, weights @ self.W_v(inputs)


@wrong("grid_to_sequence", about="reshapes without moving the channels last")
def _(features):
    B, C, H, W = features.shape
    return features.reshape(B, H * W, C)


@wrong("grid_to_sequence", about="column by column")
def _(features):
    b, c, h, w = features.size()
    return features.permute(0, 3, 2, 1).reshape(b, w * h, c)


@wrong("grid_to_sequence", about="the channels stay before the positions")
def _(features):
    return features.flatten(start_dim=2)


@wrong("grid_to_sequence", about="view, which needs contiguous memory")
def _(features):
    B, C, H, W = features.shape
    return features.view(B, C, H * W).transpose(1, 2)


@wrong("grid_to_sequence", about="the places of all pictures run into one sequence")
def _(features):
    C = features.shape[1]
    return features.permute(0, 2, 3, 1).reshape(-1, C)


@wrong("grid_to_sequence", about=("column by column", "from the bottom right"))
def _(features):
    rows = []
    _, _, H, W = features.shape
    for w in reversed(range(W)):
        for h in reversed(range(H)):
            rows.append(features[:, :, h, w])
    return torch.stack(rows, dim=1)


@wrong("attend", about="weights times the query, not the inputs")
def _(query, inputs):
    D = query.shape[0]
    weights = torch.softmax(inputs @ query / math.sqrt(D), dim=0)
    return weights.sum() * query, weights


@wrong("scaled_dot_product_attention", about="the values are averaged with the scores")
def _(query, key, value, mask=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    weights = masked_softmax(scores, mask)
    if mask is not None:
        scores = scores * mask
    return scores @ value, weights


@wrong("AttentionLayer", about="the queries go through W_k too")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.query_dim = query_dim
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        k = self.W_k(inputs)
        v = self.W_v(inputs)
        if queries.shape[-1] == inputs.shape[-1]:
            queries = self.W_k(queries)
        return scaled_dot_product_attention(queries, k, v)


@wrong("grid_to_sequence", about="columns first")
def _(features):
    B, C, H, W = features.shape
    out = features.permute(0, 3, 2, 1)
    return out.reshape(B, H * W, C)


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
NAN_OUT = "NaN out and in again with where"
EINSUM = "einsum, a large negative number, zeros after"

RESTYLED = {
    "attend": [
        ("einsum", {"* query.numel() ** -0.5": ""}, "not-scaled"),
        (
            "einsum",
            {"query.numel() ** -0.5": "len(inputs) ** -0.5"},
            "scaled-by-inputs",
        ),
        ("loops", {"- max(scores)": ""}, "softmax-unshifted"),
        (
            "loops",
            {"math.sqrt(len(query))": "len(query)"},
            "scaled-by-d",
        ),
        ("loops", {"weight * vector": "weight * query"}, "averages-query"),
    ],
    "scaled_dot_product_attention": [
        (NAN_OUT, {"/ math.sqrt(query.size(-1))": ""}, "not-scaled"),
        (NAN_OUT, {"allowed = mask": "allowed = ~mask"}, "mask-turned-around"),
        (EINSUM, {"weights = weights * mask": "pass"}, "large-negative"),
        (
            "nan_to_num before the output",
            {".nan_to_num(0.0)": ""},
            "empty-row-nan",
        ),
        ("nan_to_num before the output", {"-torch.inf": "0.0"}, "masked-score-zero"),
        (
            "query by query",
            {"query.shape[-1] ** 0.5": "S**0.5"},
            "scaled-by-keys",
        ),
    ],
    "AttentionLayer": [
        (
            "einsum",
            {"query_dim**-0.5": "input_dim**-0.5"},
            "scaled-by-input",
        ),
        ("einsum", {"dim=-1": "dim=-2"}, "softmax-over-queries"),
        (
            "average the inputs first, then W_v",
            {"/ math.sqrt(self.query_dim)": ""},
            "not-scaled",
        ),
        (
            "average the inputs first, then W_v",
            {"self.W_v(weights @ inputs)": "weights @ inputs"},
            "inputs-as-values",
        ),
        ("einsum", {"dim=-1)": "dim=-1).detach()"}, "weights-detached"),
    ],
    "grid_to_sequence": [
        (
            "permute and reshape",
            {"features.permute(0, 2, 3, 1)": "features"},
            "memory",
        ),
        ("permute and reshape", {"0, 2, 3, 1": "0, 3, 2, 1"}, "column-order"),
        (
            "einops",
            {'"b c h w -> b (h w) c"': '"b c h w -> b (w h) c"'},
            "column-order",
        ),
        (
            "einops",
            {'"b c h w -> b (h w) c"': '"b c h w -> b c (h w)"'},
            "channels-first",
        ),
        (
            "loops",
            {"for h in range(H) for w in range(W)": "for w in range(W) for h in range(H)"},
            "column-order",
        ),
    ],
}
