"""Checks for chapter 14, a real writer. None of them needs the published weights."""

import torch
from torch.nn import functional as F

from autograder.checking import (
    Ask,
    agrees,
    built,
    by,
    close,
    exercise,
    mend,
    misconceptions,
    raises,
    require,
)
from autograder.checking.cases import VALUES
from autograder.checking.predictions import prediction
from autograder.remote.subject import Raised


def same_names(layer, wanted, case="a new layer"):
    """The parameters have the contract's names, no more and no fewer."""
    names = set(wanted.parameters())
    found = set(layer.parameters())
    missing, extra = sorted(names - found), sorted(found - names)
    told = [f"it lacks {', '.join(missing)}"] * bool(missing)
    told += [f"{', '.join(extra)} should not be there"] * bool(extra)
    require(not told, f"{case}: of the parameters of {layer.name}, {' and '.join(told)}.")


@exercise(
    "RMSNorm",
    chapter="14-real-writer",
    points=2,
    forbidden=("rms_norm", "layer_norm", "batch_norm", "group_norm", "instance_norm", "normalize"),
)
def _(student, reference, draw):
    B, L, E = 3, 5, 8
    x = 2 * draw.normal(B=B, L=L, E=E) + 1
    layer, wanted = student(E), reference(E)
    same_names(layer, wanted)
    close(layer.parameters(), wanted.parameters(), case="a new layer", call="its parameters")
    agrees(layer, wanted, x, case="a new layer")
    weights = {"weight": draw.normal(E)}
    for each in (layer, wanted):
        each.load(weights)
    agrees(layer, wanted, x, case="with a weight")
    agrees(layer, wanted, x * 1e-3, case="short vectors")
    agrees(layer, wanted, x * 1e4, case="long vectors")
    theirs = F.rms_norm(x, (E,), weights["weight"], 1e-5)
    close(layer(x), theirs, case="torch's own", call=layer.last_call)
    agrees(layer, wanted, x[0, 0], case="one vector")
    agrees(layer, wanted, draw.normal(2, B, L, E), case="more dimensions")
    agrees(layer, wanted, torch.zeros(2, E), case="vectors of zeros")
    agrees(layer, wanted, torch.full((2, E), 3.0), case="entries that are all the same")
    layer, wanted = student(E, eps=0.5), reference(E, eps=0.5)
    agrees(layer, wanted, x, case="eps=0.5")
    agrees(layer, wanted, x * 1e-2, case="eps=0.5, short vectors", ask=VALUES)
    agrees(student(1), reference(1), draw.normal(4, 1), case="vectors of one number")
    agrees(layer, wanted, x[:1, :1], case="a batch of one vector", ask=VALUES)


misconceptions["RMSNorm"] = {
    "one-plus-weight": (
        "The result is multiplied by 1 + weight, as some models do, whose weights begin at zero. "
        "Here they begin at one, and the result is multiplied by the weight itself.",
        {"* self.weight": "* (1 + self.weight)"},
    ),
    "mean": (
        "The mean is subtracted first, as in a layer norm. Here nothing is subtracted: the vector "
        "is only divided by its root mean square.",
        {
            "mean_square = "
            "x.square()": "x = x - x.mean(dim=-1, keepdim=True)\nmean_square = x.square()"
        },
    ),
    "standard-deviation": (
        "The vector is divided by its standard deviation. The mean square is not the variance: no "
        "mean is subtracted inside it.",
        *[
            {"x.square().mean(dim=-1, keepdim=True)": f"x.var(dim=-1, keepdim=True{correction})"}
            for correction in (", correction=0", "")
        ],
    ),
    "sum": (
        "The squares are summed, not averaged, so the normalized vector has length 1. It should "
        "have a mean square of 1.",
        {"x.square().mean(dim=-1, keepdim=True)": "x.square().sum(dim=-1, keepdim=True)"},
    ),
    "epsilon-outside": (
        "eps stands outside the root: it belongs to the mean square, sqrt(mean(x^2) + eps).",
        {"torch.rsqrt(mean_square + self.eps)": "(1 / (torch.sqrt(mean_square) + self.eps))"},
    ),
    "no-epsilon": (
        "eps is missing. It is added to every mean square, sqrt(mean(x^2) + eps), so that also a "
        "vector of zeros, or a very short one, is divided by something.",
        {"mean_square + self.eps": "mean_square"},
        {"mean_square + self.eps": "mean_square.masked_fill(mean_square == 0, 1.0)"},
    ),
    "weight-before": (
        "The weight is applied before the norm, and counts in the mean square. It scales the "
        "vector that is already normalized.",
        {
            "mean_square = x.square()": "x = x * self.weight\nmean_square = x.square()",
            "* self.weight": "",
        },
    ),
    "multiplied": (
        "The vector is multiplied by its root mean square. It is divided by it.",
        {"torch.rsqrt(": "torch.sqrt("},
    ),
    "no-root": (
        "The vector is divided by its mean square. The root is missing.",
        {"torch.rsqrt(mean_square + self.eps)": "(1 / (mean_square + self.eps))"},
    ),
    "weight-unused": (
        "The weight is not used: the result is normalized, but never scaled.",
        {"* self.weight": ""},
    ),
    "weight-zeros": (
        "The weight is zeros at first. It should start with ones, so that a new norm only "
        "normalizes.",
        {"torch.ones(embed_dim)": "torch.zeros(embed_dim)"},
    ),
    "one-for-all": (
        "There is one mean square for the whole input. Each vector has its own, over the last "
        "axis.",
        {"x.square().mean(dim=-1, keepdim=True)": "x.square().mean()"},
    ),
    "absolute": (
        "The mean is taken of the absolute values. It is the root of the mean of the squares.",
        {
            "torch.rsqrt(mean_square + self.eps)": "(1 / (x.abs().mean(dim=-1, keepdim=True) + "
            "self.eps))"
        },
    ),
    "epsilon-fixed": (
        "eps is fixed: the one that is given when the layer is made is not used.",
        *[{"self.eps = eps": f"self.eps = {fixed}"} for fixed in ("1e-5", "1e-6", "1e-8")],
    ),
    "default-epsilon": (
        "Where no eps is given, the layer has another one than 1e-5.",
        {
            "eps: float = 1e-5": "eps: float = 1e-6",
        },
        {
            "eps: float = 1e-5": "eps: float = 1e-8",
        },
        {
            "eps: float = 1e-5": "eps: float = 1e-3",
        },
    ),
    "epsilon-as-floor": (
        "eps is a lower bound here, of the mean square or of its root, as by `clamp` or `max`. It "
        "is added to the mean square, whatever that is.",
        {
            "torch.rsqrt(mean_square + self.eps)": "torch.rsqrt(mean_square.clamp(min=self.eps))",
        },
        {
            "x * torch.rsqrt(mean_square + self.eps)": (
                "x / torch.sqrt(mean_square).clamp(min=self.eps)"
            ),
        },
    ),
    "over-positions": (
        "The mean square is taken over all positions of an example together. Each vector has its "
        "own, over the last axis.",
        {
            "x.square().mean(dim=-1": "x.square().mean(dim=(-2, -1) if x.dim() > 1 else -1",
        },
        {
            "x.square().mean(dim=-1": "x.square().mean(dim=(-2, -1)",
        },
        {
            "x.square().mean(dim=-1": "x.square().mean(dim=tuple(range(1, x.dim()))",
        },
    ),
    "along-first": (
        "The mean square is taken along another axis than the last. Each vector has its own, "
        "over its features.",
        {
            "mean(dim=-1": "mean(dim=0",
        },
        {
            "mean(dim=-1": "mean(dim=1",
        },
        {
            "mean(dim=-1": "mean(dim=-2",
        },
    ),
    "bias": (
        "A bias is added, as in a layer norm. There is one parameter, `weight`.",
        {
            "super().__init__()": (
                "super().__init__()\nself.bias = nn.Parameter(torch.zeros(embed_dim))"
            ),
            "* self.weight": "* self.weight + self.bias",
        },
    ),
    "mean-square-detached": (
        "The mean square is cut off from the gradient. It depends on x, and the gradient goes "
        "through it.",
        {
            "x.square().mean(": "x.detach().square().mean(",
        },
    ),
    "length-one": (
        "The vector is divided by its length, the root of the sum of its squares. It is the root "
        "of their mean: the result has a mean square of 1, not a length of 1.",
        {
            "x * torch.rsqrt(mean_square + self.eps)": (
                "x / (x.norm(dim=-1, keepdim=True) + self.eps)"
            ),
        },
        {
            "x * torch.rsqrt(mean_square + self.eps)": (
                "x / x.norm(dim=-1, keepdim=True).clamp(min=self.eps)"
            ),
        },
    ),
    "epsilon-after-root": (
        "eps is added to one over the root, and the mean square itself is not kept from zero. It "
        "belongs to the mean square: 1 / sqrt(mean(x^2) + eps).",
        {"torch.rsqrt(mean_square + self.eps)": "(torch.rsqrt(mean_square) + self.eps)"},
    ),
    "epsilon-after-division": (
        "eps is added to the vector after its division, and the mean square itself is not kept "
        "from zero. It belongs to the mean square: 1 / sqrt(mean(x^2) + eps).",
        {
            "x * torch.rsqrt(mean_square + self.eps)": (
                "(x * torch.rsqrt(mean_square) + self.eps)"
            ),
        },
        {
            "x * torch.rsqrt(mean_square + self.eps) * self.weight": (
                "x * torch.rsqrt(mean_square) * self.weight + self.eps"
            ),
        },
    ),
}


@exercise("SwiGLU", chapter="14-real-writer", points=2)
def _(student, reference, draw):
    for E, hidden, case in ((6, 10, ""), (4, 4, "as many hidden features"), (5, 1, "one hidden")):
        layer, wanted = student(E, hidden), reference(E, hidden)
        same_names(layer, wanted)
        weights = {
            "W_gate.weight": draw.normal(hidden, E),
            "W_up.weight": draw.normal(hidden, E),
            "W_down.weight": draw.normal(E, hidden),
        }
        for each in (layer, wanted):
            each.load(weights)
        x = draw.normal(2, 3, E)
        agrees(layer, wanted, x, case=case)
        agrees(layer, wanted, x[0, 0], case=f"{case}, one vector".removeprefix(", "))
        close(
            layer(x * 1e4),
            wanted(x * 1e4),
            case=f"{case}, inputs of 1e4".removeprefix(", "),
            call=layer.last_call,
        )
    for shape in ((1, 1, E), (3, E), (2, 1, 3, E)):
        agrees(layer, wanted, draw.normal(*shape), case=f"inputs {shape}", ask=VALUES)
    layer, wanted = student(1, 3), reference(1, 3)
    weights = {name: draw.normal(*old.shape) for name, old in wanted.parameters().items()}
    layer.load(weights)
    wanted.load(weights)
    agrees(layer, wanted, draw.normal(2, 3, 1), case="vectors of one number", ask=VALUES)


mend("SwiGLU", "sigmoid", points=1)

misconceptions["SwiGLU"] = {
    "silu-by-exp": (
        "silu is written with exp, as x e^x / (1 + e^x), and that is infinity over infinity for a "
        "large x. `F.silu`, or x * torch.sigmoid(x), stays finite.",
        {
            "gate = F.silu(self.W_gate(x))": "gate = self.W_gate(x)\n"
            "gate = gate * gate.exp() / (1 + gate.exp())"
        },
    ),
    "branch": (
        "The activation is applied to what W_up gives. It is the gate that goes through silu, and "
        "the other hidden vector stays as it is.",
        {
            "F.silu(self.W_gate(x))": "self.W_gate(x)",
            "gate * self.W_up(x)": "gate * F.silu(self.W_up(x))",
        },
        {
            "F.silu(self.W_gate(x))": "self.W_gate(x)",
            "gate * self.W_up(x)": "gate * torch.sigmoid(self.W_up(x))",
        },
    ),
    "both-activated": (
        "Both hidden vectors are activated. silu belongs to the gate alone.",
        {"gate * self.W_up(x)": "gate * F.silu(self.W_up(x))"},
    ),
    "no-activation": (
        "No activation is used: the gate should go through silu.",
        {"F.silu(self.W_gate(x))": "self.W_gate(x)"},
    ),
    "after-product": (
        "silu comes after the product. It activates the gate before it is multiplied.",
        {
            "F.silu(self.W_gate(x))": "self.W_gate(x)",
            "gate * self.W_up(x)": "F.silu(gate * self.W_up(x))",
        },
    ),
    "sigmoid": (
        "The gate goes through a sigmoid. silu(z) is z * sigmoid(z): the gate itself is a "
        "factor too.",
        {"F.silu(": "torch.sigmoid("},
    ),
    "relu": (
        "The gate goes through a relu. It should be silu, which lets a little through below zero.",
        {"F.silu(": "F.relu("},
    ),
    "gelu": (
        "The gate goes through gelu. That is GEGLU, a sister of this network; here it is silu.",
        {"F.silu(": "F.gelu("},
        {"F.silu(self.W_gate(x))": 'F.gelu(self.W_gate(x), approximate="tanh")'},
    ),
    "added": (
        "The two hidden vectors are added. They are multiplied, feature by feature: that "
        "makes a gate.",
        {"gate * self.W_up(x)": "gate + self.W_up(x)"},
    ),
    "up-unused": (
        "W_up is not used: the gate goes through silu, and is not multiplied by anything. The "
        "other hidden vector, W_up x, is the second factor.",
        {"gate * self.W_up(x)": "gate"},
    ),
    "residual": (
        "The input is added to the result. The residual connection belongs to the block, not "
        "in here.",
        {"return self.W_down(gate * self.W_up(x))": "return x + self.W_down(gate * self.W_up(x))"},
    ),
    "gate-unused": (
        "W_gate is not used: what W_up gives goes through silu, and nothing is multiplied.",
        {
            "gate * self.W_up(x)": "F.silu(self.W_up(x))",
        },
    ),
    "gate-twice": (
        "Both hidden vectors are made by W_gate, or both by W_up. Each has its own matrix.",
        {
            "gate * self.W_up(x)": "gate * self.W_gate(x)",
        },
        {
            "self.W_gate(x)": "self.W_up(x)",
        },
    ),
    "tanh": (
        "The gate goes through tanh. It should be silu.",
        {
            "F.silu(": "torch.tanh(",
        },
    ),
    "softplus": (
        "The gate goes through softplus. silu(z) is z * sigmoid(z).",
        {
            "F.silu(": "F.softplus(",
        },
    ),
    "silu-scaled": (
        "The gate goes through z * sigmoid(1.702 z), which stands for gelu. silu(z) is z * "
        "sigmoid(z).",
        {
            "F.silu(self.W_gate(x))": "self.W_gate(x)",
            "gate * self.W_up(x)": "gate * torch.sigmoid(1.702 * gate) * self.W_up(x)",
        },
    ),
    "activated-at-the-end": (
        "The result goes through silu. It is the gate alone that does.",
        {
            "return self.W_down(gate * self.W_up(x))": (
                "return F.silu(self.W_down(gate * self.W_up(x)))"
            ),
        },
        {
            "F.silu(self.W_gate(x))": "self.W_gate(x)",
            "return self.W_down(gate * self.W_up(x))": (
                "return F.silu(self.W_down(gate * self.W_up(x)))"
            ),
        },
    ),
    "limited": (
        "Large numbers are cut off at a bound before they are multiplied, as by `clamp`. The "
        "product of large numbers may be large: inputs of 1e4 stay finite without a bound.",
        {
            "self.W_gate(x)": "self.W_gate(x).clamp(max=7.0)",
            "self.W_up(x)": "self.W_up(x).clamp(-7.0, 7.0)",
        },
        {
            "self.W_gate(x)": "self.W_gate(x).clamp(-10.0, 10.0)",
            "self.W_up(x)": "self.W_up(x).clamp(-10.0, 10.0)",
        },
        {
            "self.W_gate(x)": "self.W_gate(x).clamp(max=7.0)",
        },
    ),
    "normalized-gate": (
        "The gate goes through a softmax over its features. It is silu, feature by feature.",
        {
            "F.silu(self.W_gate(x))": "self.W_gate(x).softmax(dim=-1)",
        },
    ),
}


def filled_cache(layer, pieces, num_kv_heads, head_dim):
    """A cache that the layer has filled with pieces of a text, one after another."""

    class Cache:
        def __init__(self):
            self.held = None

        def append(self, key, value):
            for name, new in (("keys", key), ("values", value)):
                if new.dim() != 4 or new.shape[1] != num_kv_heads or new.shape[3] != head_dim:
                    raise ValueError(
                        f"the cache was given {name} of shape {list(new.shape)}, wanted "
                        f"[B, {num_kv_heads}, L, {head_dim}]: the key heads, each once"
                    )
            if self.held is not None:
                key = torch.cat([self.held[0], key], dim=-2)
                value = torch.cat([self.held[1], value], dim=-2)
            self.held = key, value
            return key, value

        def __len__(self):
            return 0 if self.held is None else self.held[0].shape[-2]

    cache = Cache()
    for piece in pieces:
        before = len(cache)
        layer(piece, cache)
        if len(cache) != before + piece.shape[1]:
            raise ValueError(
                f"while the cache was filled, it came to hold {len(cache)} positions, wanted "
                f"{before + piece.shape[1]}: what comes is appended once, also to an empty cache"
            )
    if pieces:
        layer(pieces[0], Cache())  # another text in between
    return cache


@exercise(
    "GroupedQueryAttention",
    chapter="14-real-writer",
    points=6,
    forbidden=(
        "MultiheadAttention",
        "multi_head_attention_forward",
        "scaled_dot_product_attention",
    ),
)
def _(student, reference, draw):
    names = {"names": ("output", "weights")}
    quick = names | {"ask": Ask(contiguous=False, double=False, unchanged=False)}

    def both(embed_dim, num_heads, num_kv_heads, **more):
        """The student's layer and the reference's, with the same weights."""
        kv_dim = embed_dim // num_heads * num_kv_heads
        weights = {
            "W_q.weight": draw.normal(embed_dim, embed_dim),
            "W_k.weight": draw.normal(kv_dim, embed_dim),
            "W_v.weight": draw.normal(kv_dim, embed_dim),
            "W_o.weight": draw.normal(embed_dim, embed_dim),
        }
        made = [each(embed_dim, num_heads, num_kv_heads, **more) for each in (student, reference)]
        same_names(*made)
        for each in made:
            each.load({name: weight / 4 for name, weight in weights.items()})
        return made

    E, H, K = 24, 6, 2
    layer, wanted = both(E, H, K)
    x = draw.normal(B=3, L=7, E=E)
    agrees(layer, wanted, x, **names)
    agrees(layer, wanted, x[:1, :1], case="one position", **quick)
    zeros = x * (torch.arange(7) != 1)[:, None]
    agrees(layer, wanted, zeros, case="a position of zeros", **names, ask=VALUES)

    def cached(each, *pieces):
        return built(filled_cache, layer=each, pieces=list(pieces), num_kv_heads=K, head_dim=E // H)

    def with_cache(*pieces, case):
        """The last piece, when a cache holds the others."""
        *past, new = pieces
        want = wanted(new, cached(wanted, *past))
        close(layer(new, cached(layer, *past)), want, case=case, call=layer.last_call, **names)
        want = wanted.gradients(new, cached(wanted, *past))
        found = layer.gradients(new, cached(layer, *past))
        close(
            found.inputs["0"],
            want.inputs["0"],
            case=case,
            call="The gradient that reaches x",
            rtol=1e-3,
            atol=1e-3,
        )

    with_cache(x, case="an empty cache")
    with_cache(x[:, :6], x[:, 6:], case="six positions in the cache, one new")
    with_cache(x[:, :2], x[:, 2:], case="two positions in the cache, five new")
    with_cache(x[:, :3], x[:, 3:4], x[:, 4:], case="a cache that was filled in two steps")

    agrees(layer, wanted, x, case="no cache after a cache", **names, ask=VALUES)
    layer, wanted = both(E, H, K, base=50.0)
    agrees(layer, wanted, x, case="another base", **quick)
    with_cache(x[:, :2], x[:, 2:], case="another base, two positions in the cache")
    for num_heads, num_kv_heads, case in (
        (3, 3, "a key head for each head"),
        (6, 1, "one key head for all"),
        (1, 1, "one head"),
        (12, 4, "heads of two features"),
    ):
        layer, wanted = both(E, num_heads, num_kv_heads)
        agrees(layer, wanted, x[:1], case=case, **quick)

    raises(student, ValueError, 10, 4, 2, says=("10", "4"), case="4 heads for 10 features")
    raises(student, ValueError, 4, 10, 5, says=("4", "10"), case="10 heads for 4 features")
    raises(student, ValueError, 12, 6, 4, says=("6", "4"), case="4 key heads for 6 heads")
    raises(student, ValueError, 12, 2, 4, says=("2", "4"), case="4 key heads for 2 heads")
    x = draw.normal(1, 2, 9)
    try:  # when it is made or when it is called
        student(9, 3, 1)(x)
        refused = False
    except Raised as raised:
        refused = "ValueError" in raised.bases
    require(refused, "Heads of three features make no pairs: that should raise ValueError.")


misconceptions["GroupedQueryAttention"] = {
    "past-read-late": (
        "With a cache the queries are turned as if they stood as many places further on as there "
        "are new positions, as where the length of the cache is asked after `append`. Ask before.",
        {
            "query = rotate_positions(query, self.base, start=past)": "later = past + ("
            "0 if cache is None else x.shape[1])\n"
            "query = rotate_positions(query, self.base, start=later)"
        },
        {
            "query = rotate_positions(query, self.base, start=past)": "later = past + ("
            "0 if cache is None else x.shape[1])\n"
            "query = rotate_positions(query, self.base, start=later)",
            "causal_mask(x.shape[1], past)": "causal_mask(x.shape[1], later)[:, : key.shape[2]]",
        },
    ),
    "cached-turned-again": (
        "What comes out of the cache is turned again, though it went in turned. A key is turned "
        "once, at its own place in the text.",
        {
            "key, value = cache.append(key, value)": "key, value = cache.append(key, value)\n"
            "key = rotate_positions(key, self.base)"
        },
    ),
    "cache-unmasked": (
        "With a cache every position may attend to every other. That is right for one new token; "
        "where several come at once, the earlier of them must not see the later ones, with an "
        "empty cache too.",
        {
            "heads, weights = scaled_dot_product_attention": "mask = mask if cache is None else "
            "torch.ones_like(mask)\nheads, weights = scaled_dot_product_attention"
        },
    ),
    "tiled": (
        "The key heads are tiled, 0, 1, 0, 1, ..., as by `repeat` or h % num_kv_heads. "
        "Neighboring query heads share a key head, 0, 0, 0, 1, 1, 1: use `repeat_interleave`.",
        {
            "key = key.repeat_interleave(sharing, dim=1)": "key = key.repeat(1, sharing, 1, 1)",
            "value = "
            "value.repeat_interleave(sharing, dim=1)": "value = value.repeat(1, sharing, 1, 1)",
        },
    ),
    "keys-tiled": (
        "The values are shared by neighbors, but the keys are tiled, 0, 1, 0, 1, as by `repeat`: "
        "both belong to the same key head.",
        {"key = key.repeat_interleave(sharing, dim=1)": "key = key.repeat(1, sharing, 1, 1)"},
    ),
    "values-tiled": (
        "The keys are shared by neighbors, but the values are tiled, 0, 1, 0, 1, as by `repeat`: "
        "both belong to the same key head.",
        {
            "value = value.repeat_interleave(sharing, dim=1)": "value = value.repeat(1, sharing, "
            "1, 1)"
        },
    ),
    "start": (
        "With a cache the positions start at 0 again. The first new position is the number of "
        "those in the cache.",
        {
            "query = rotate_positions(query, self.base, start=past)": "query = rotate_positions("
            "query, self.base)",
            "key = rotate_positions(key, self.base, start=past)": "key = rotate_positions("
            "key, self.base)",
        },
    ),
    "query-start": (
        "With a cache queries and keys are not at their places: either the new query is turned as "
        "if it were at position 0, or all keys, when they come out of the cache, as if the first "
        "of them were at the new position.",
        {
            "query = rotate_positions(query, self.base, start=past)": "query = rotate_positions("
            "query, self.base)"
        },
    ),
    "key-start": (
        "With a cache the new keys are turned as if the first of them were at position 0. They "
        "stand after those in the cache, like their queries.",
        {
            "key = rotate_positions(key, self.base, start=past)": "key = rotate_positions("
            "key, self.base)"
        },
    ),
    "values-turned": (
        "The values are turned too. Positions belong into the scores: queries and keys alone are "
        "turned.",
        {
            "key = rotate_positions(key, self.base, start=past)": "key = rotate_positions("
            "key, self.base, start=past)\nvalue = rotate_positions(value, self.base, start=past)"
        },
    ),
    "turned-before-split": (
        "The vectors are turned before they are cut into heads. Each head of D features has "
        "angles of its own, from the fastest to the slowest: cut first.",
        {
            "split_heads(self.W_q(x), self.num_heads)": "split_heads(rotate_positions(self.W_q(x), "
            "self.base, start=past), self.num_heads)",
            "split_heads(self.W_k(x), self.num_kv_heads)": "split_heads(rotate_positions(self.W_k("
            "x), self.base, start=past), self.num_kv_heads)",
            "query = rotate_positions(query, self.base, start=past)": "",
            "key = rotate_positions(key, self.base, start=past)": "",
        },
    ),
    "not-turned": (
        "Nothing is turned: this layer does not know the order of the positions before it.",
        {
            "query = rotate_positions(query, self.base, start=past)": "",
            "key = rotate_positions(key, self.base, start=past)": "",
        },
    ),
    "keys-not-turned": (
        "The keys are not turned, only the queries. The score then depends on the query's "
        "position, not on the distance.",
        {"key = rotate_positions(key, self.base, start=past)": ""},
    ),
    "base-unused": (
        "`base` is not used: the angles have the base 10000 whatever was asked for.",
        {
            "query = rotate_positions(query, self.base, start=past)": "query = rotate_positions("
            "query, start=past)",
            "key = rotate_positions(key, self.base, start=past)": "key = rotate_positions("
            "key, start=past)",
        },
    ),
    "no-mask": (
        "There is no mask: positions attend to what comes after them.",
        {"(query, key, value, mask)": "(query, key, value)"},
    ),
    "past-masked": (
        "The mask has no past: either what the cache held is hidden, or the shapes do not fit. "
        "Each new position attends to all before it, so `causal_mask` takes their number as well.",
        {
            "mask = causal_mask(x.shape[1], past)": "mask = F.pad(causal_mask(x.shape[1]), (past, "
            "0))"
        },
        {", past).to": ").to"},
    ),
    "first-positions": (
        "With a cache the mask is that of the first positions of the text, although the new "
        "queries stand further on: query i is at position P + i, and sees all keys up to there.",
        {
            "mask = causal_mask(x.shape[1], past)": "mask = F.pad(causal_mask(x.shape[1]), (0, "
            "past))"
        },
    ),
    "cache-open": (
        "Where the cache holds something, every position may attend to every other, also to new "
        "ones that come later. The mask is needed there too, as soon as more than one position is "
        "new.",
        {
            "scaled_dot_product_attention(query, key, value, mask)": "scaled_dot_product_attention("
            "query, key, value, mask if past == 0 else None)"
        },
    ),
    "scaled-by-width": (
        "The scores are divided by sqrt(embed_dim). A head's dot products have D = embed_dim / "
        "num_heads terms, so D belongs under the root.",
        {
            "scaled_dot_product_attention(query, key, value, mask)": "scaled_dot_product_attention("
            "query / self.num_heads**0.5, key, value, mask)"
        },
    ),
    "scaled-by-key-width": (
        "The scores are divided by the root of the key heads' common width, num_kv_heads * D. It "
        "is D, the width of one head.",
        {
            "scaled_dot_product_attention(query, key, value, mask)": "scaled_dot_product_attention("
            "query / self.num_kv_heads**0.5, key, value, mask)"
        },
    ),
    "cache-repeated": (
        "The cache is given keys and values in another shape than (B, num_kv_heads, L, D), as "
        "before the heads are split, or after they are repeated. Append between the two: it holds "
        "each key head once.",
        {
            "if cache is not None: key, value = cache.append(key, value)": "",
            "mask = causal_mask": "if cache is not None:\n"
            "    key, value = cache.append(key, value)\n"
            "mask = causal_mask",
        },
    ),
    "new-only": (
        "Only the new keys and values are attended to, although the cache holds earlier ones: use "
        "what `append` returns.",
        {
            "key, value = cache.append(key, value)": "cache.append(key, value)",
            ", past).to": ").to",
        },
    ),
    "length-after": (
        "With a cache queries and keys are turned as if they stood as many places further on as "
        "there are new positions, as where its length is asked after `append`. Ask before.",
        {
            "past = 0 if cache is None else len(cache)": "past = 0 if cache is None else "
            "len(cache) + x.shape[1]",
            "causal_mask(x.shape[1], past)": "causal_mask(x.shape[1], past - x.shape[1] * "
            "(cache is not None))",
        },
    ),
    "output-unmixed": (
        "W_o is not applied: the heads' outputs are put side by side, and the output is what W_o "
        "makes of them.",
        {"self.W_o(merge_heads(heads))": "merge_heads(heads)"},
    ),
    "halves": (
        "Features are paired with those half a head away, as some libraries do. `rotate_positions` "
        "pairs neighbors, and so do the weights that this layer is for.",
        by(
            {
                "first, second = x[..., 0::2], x[..., 1::2]": "first, second = x.chunk(2, dim=-1)",
                "turned.flatten(start_dim=-2)": "turned.transpose(-2, -1).flatten(start_dim=-2)",
            },
            within="rotate_positions",
        ),
    ),
    "divisibility-unchecked": (
        "A num_heads that num_kv_heads does not divide is let through, such as 6 with 4: then the "
        "heads cannot share out the key heads evenly. It should be a ValueError that names both "
        "numbers.",
        {'("num_heads", num_heads, "num_kv_heads", num_kv_heads),': ""},
    ),
    "empty-cache-is-false": (
        "The cache does not hold all that came. What comes is appended to an empty one, too: `if "
        "cache` is false where its length is 0, so ask whether it is None.",
        {
            "if cache is not None:": "if cache:",
        },
        {
            "0 if cache is None else len(cache)": "len(cache) if cache else 0",
            "if cache is not None:": "if cache:",
        },
    ),
    "appended-twice": (
        "The new keys and values are appended twice. Once is enough: `append` gives back all of "
        "both.",
        {
            "key, value = cache.append(key, value)": (
                "cache.append(key, value)\nkey, value = cache.append(key, value)"
            ),
        },
    ),
    "embed-dim-unchecked": (
        "An embed_dim that num_heads does not divide is let through, such as 10 with 4. It should "
        "be a ValueError that names both numbers.",
        {
            '("embed_dim", embed_dim, "num_heads", num_heads),': "",
        },
    ),
    "queries-not-turned": (
        "The queries are not turned, only the keys. The score then depends on the key's "
        "position, not on the distance.",
        {
            "query = rotate_positions(query, self.base, start=past)": "",
        },
    ),
    "unscaled": (
        "The scores are not divided by sqrt(D), where D = embed_dim / num_heads.",
        {
            "scaled_dot_product_attention(query, key, value, mask)": (
                "scaled_dot_product_attention(query * query.shape[-1] ** 0.5, key, value, mask)"
            ),
        },
    ),
    "turned-the-other-way": (
        "Queries are turned one way and keys the other: the score then depends on the sum of two "
        "positions, not on their distance.",
        {
            "key = rotate_positions(key, self.base, start=past)": (
                "key = rotate_positions(key * torch.tensor([1.0, -1.0]).repeat(key.shape[-1] // "
                "2).to(key), self.base, start=past)\n"
                "key = key * torch.tensor([1.0, -1.0]).repeat(key.shape[-1] // 2).to(key)"
            ),
        },
        {
            "query = rotate_positions(query, self.base, start=past)": (
                "query = rotate_positions(query * torch.tensor([1.0, -1.0]).repeat("
                "query.shape[-1] // 2).to(query), self.base, start=past)\n"
                "query = query * torch.tensor([1.0, -1.0]).repeat(query.shape[-1] // 2).to(query)"
            ),
        },
    ),
    "diagonal-masked": (
        "A position does not attend to itself, but for the first of the text. Each should attend "
        "to itself and to all before it.",
        {
            "causal_mask(x.shape[1], past)": (
                "(causal_mask(x.shape[1], past).tril(past - 1) | (torch.arange(past + "
                "x.shape[1]) == 0))"
            ),
        },
    ),
    "heads-of-last-group": (
        "The query heads are grouped from the end: the first of them use the last key head. Head "
        "h uses key head h // (num_heads / num_kv_heads).",
        {
            "key = key.repeat_interleave(sharing, dim=1)": (
                "key = key.flip(1).repeat_interleave(sharing, dim=1)"
            ),
            "value = value.repeat_interleave(sharing, dim=1)": (
                "value = value.flip(1).repeat_interleave(sharing, dim=1)"
            ),
        },
    ),
    "first-key-head": (
        "All query heads use the first key head. Each group of neighbors has its own.",
        {
            "key = key.repeat_interleave(sharing, dim=1)": (
                "key = key[:, :1].expand(-1, self.num_heads, -1, -1)"
            ),
            "value = value.repeat_interleave(sharing, dim=1)": (
                "value = value[:, :1].expand(-1, self.num_heads, -1, -1)"
            ),
        },
    ),
    "key-heads-averaged": (
        "The key heads are averaged, and all query heads use their mean. Each group of neighbors "
        "has a key head of its own.",
        {
            "key = key.repeat_interleave(sharing, dim=1)": (
                "key = key.mean(dim=1, keepdim=True).expand(-1, self.num_heads, -1, -1)"
            ),
            "value = value.repeat_interleave(sharing, dim=1)": (
                "value = value.mean(dim=1, keepdim=True).expand(-1, self.num_heads, -1, -1)"
            ),
        },
    ),
    "group-weights": (
        "The weights are averaged over the query heads that share a key head. Each query head "
        "has its own, (B, num_heads, L, S).",
        {
            "return self.W_o(merge_heads(heads)), weights": (
                "return self.W_o(merge_heads(heads)), weights.unflatten(1, (-1, "
                "sharing)).mean(dim=2)"
            ),
        },
    ),
}


prediction(
    "mask-taken-away",
    chapter="14-real-writer",
    question=(
        "The model was trained with the causal mask, on two trillion tokens. Now the mask is taken "
        "away, and every position may attend to what comes after it. The mean loss over a "
        "paragraph's next tokens was 3.7 nats. What becomes of it?"
    ),
    right="It falls far below 3.7.",
    options={
        "It rises: the model never saw what comes after.": (
            "The layers do get vectors that training never gave them. But the answers are among "
            "them, and some heads find them."
        ),
        "It stays the same: no head learned to look ahead.": (
            "None was trained to. But an induction head looks right after a copy of the token that "
            "asks. Without the mask the token itself is such a copy, and what stands right after "
            "it is the answer."
        ),
        "It falls far below 3.7.": (
            "The answers now stand in the text, and some heads find them. Which ones, and whether "
            "they are the ones that copy, is this chapter's last exercise."
        ),
    },
)
