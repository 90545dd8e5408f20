"""Checks for chapter 9, the Transformer block."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking import (
    Ask,
    agrees,
    by,
    close,
    exercise,
    misconceptions,
    prediction,
    raises,
    require,
    same,
)
from autograder.checking.cases import VALUES, masks


def _same_parameters(student, reference):
    """The names and shapes of the contract: weights cannot be put in without them."""
    wanted = {name: 0 * value for name, value in reference.parameters().items()}
    found = {name: 0 * value for name, value in student.parameters().items() if name in wanted}
    if found and found.keys() != wanted.keys():
        student.load(wanted)  # an error tells whether a name is missing, or two are one parameter
    same(found, wanted, case="a new layer", call="its set of parameters")
    return wanted


@exercise(
    "LayerNorm",
    chapter="09-transformer-block",
    points=3,
    forbidden=("layer_norm", "batch_norm", "group_norm", "instance_norm", "rms_norm"),
)
def _(student, reference, draw):
    B, L, E = 3, 5, 8
    x = 2 * draw.normal(B=B, L=L, E=E) + 1
    layer, wanted = student(E), reference(E)
    close(layer.parameters(), wanted.parameters(), case="a new layer", call="its parameters")
    agrees(layer, wanted, x, case="a new layer", ask=Ask(double=False))
    weights = {"weight": draw.normal(E), "bias": draw.normal(E)}
    for each in (layer, wanted):
        each.load(weights)
    agrees(layer, wanted, x, case="with weights", ask=Ask(double=False))
    agrees(layer, wanted, x * 1e-3, case="small differences")
    theirs = F.layer_norm(x, (E,), weights["weight"], weights["bias"])
    close(layer(x), theirs, case="torch's own layer norm", call=layer.last_call)
    agrees(layer, wanted, x[0, 0], case="one vector")
    agrees(layer, wanted, draw.normal(2, B, L, E), case="more dimensions")
    agrees(layer, wanted, torch.full((2, E), 3.0), case="entries that are all the same")
    agrees(layer, wanted, x[:1, :1], case="a batch of one vector", ask=Ask(double=False))
    sums = torch.tensor([1.0, -1.0, 0.0, 2.0, -2.0, 0.0, 3.0, -3.0]).expand(2, E)
    agrees(layer, wanted, sums, case="vectors whose entries sum to zero", ask=VALUES)
    far = 1e3 + 0.1 * draw.normal(B=B, L=L, E=E)
    case = "vectors around 1000"
    agrees(layer, wanted, far, case=case, rtol=2e-2, atol=2e-2, ask=VALUES)
    layer, wanted = student(E, eps=0.5), reference(E, eps=0.5)
    agrees(layer, wanted, x, case="eps=0.5")
    agrees(student(1), reference(1), draw.normal(4, 1), case="vectors of one number", ask=VALUES)


misconceptions["LayerNorm"] = {
    "squares-minus-square": (
        "The variance is the mean of the squares minus the square of the mean. The two are nearly "
        "the same where the mean is large, and what is left of the difference is rounding: "
        "subtract the mean first, then square.",
        {
            "centered.square().mean(dim=-1, keepdim=True)": "x.square().mean(dim=-1, keepdim=True) "
            "- x.mean(dim=-1, keepdim=True) ** 2"
        },
        {
            "centered.square().mean(dim=-1, keepdim=True)": (
                "(x.square().mean(dim=-1, keepdim=True) - x.mean(dim=-1, keepdim=True) ** "
                "2).clamp(min=0.0)"
            ),
        },
    ),
    "unbiased-variance": (
        "The sum of the squared differences is divided by embed_dim - 1, as `var` and `std` do "
        "unless told otherwise. Here the variance is the mean squared difference, divided by "
        "embed_dim.",
        {"centered.square().mean(dim=-1, keepdim=True)": "x.var(dim=-1, keepdim=True)"},
    ),
    "epsilon-outside": (
        "eps stands outside the root. It belongs to the variance: sqrt(variance + eps).",
        {"torch.sqrt(variance + self.eps)": "(torch.sqrt(variance) + self.eps)"},
        {
            "torch.sqrt(variance + self.eps)": (
                "(x.std(dim=-1, keepdim=True, correction=0) + self.eps)"
            ),
        },
    ),
    "std-plus-epsilon": (
        "The divisor is std + eps: the std divides by embed_dim - 1, as `std` does unless told "
        "otherwise, and eps stands outside the root. Here it is sqrt(variance + eps), with the "
        "mean squared difference as the variance.",
        {"torch.sqrt(variance + self.eps)": "(x.std(dim=-1, keepdim=True) + self.eps)"},
    ),
    "no-epsilon": (
        "eps is missing, so a vector whose entries are all the same is divided by zero.",
        {"variance + self.eps": "variance"},
    ),
    "epsilon-fixed": (
        "eps is a fixed number, whatever the layer was made with.",
        *[{"variance + self.eps": f"variance + {fixed}"} for fixed in ("1e-5", "1e-6", "1e-3")],
    ),
    "over-batch": (
        "Mean and variance are taken over the first dimension, as in batch normalization. Here "
        "each vector along the last dimension is brought to mean 0 and variance 1 by itself.",
        {
            "x.mean(dim=-1": "x.mean(dim=0",
            "square().mean(dim=-1": "square().mean(dim=0",
        },
    ),
    "over-all": (
        "Mean and variance are taken over all numbers of x together. Each vector along the last"
        " dimension has its own.",
        {
            "x.mean(dim=-1, keepdim=True)": "x.mean()",
            "square().mean(dim=-1, keepdim=True)": "square().mean()",
        },
    ),
    "over-positions": (
        "Mean and variance are taken over the last two dimensions, positions and features "
        "together. Each position has its own, so that a single vector can be normalized too.",
        {
            "x.mean(dim=-1": "x.mean(dim=(-2, -1)",
            "square().mean(dim=-1": "square().mean(dim=(-2, -1)",
        },
    ),
    "over-positions-if-several": (
        "Where there are several positions, mean and variance are taken over the last two "
        "dimensions, positions and features together. Each position has its own.",
        {
            "centered = x - x.mean(dim=-1": "over = (-2, -1) if x.dim() > 1 else -1\n"
            "centered = x - x.mean(dim=over",
            "square().mean(dim=-1": "square().mean(dim=over",
        },
    ),
    "mean-not-subtracted": (
        "The mean is not subtracted, and the root is of the mean of x squared, as in RMSNorm. "
        "Layer normalization subtracts the mean first, also for the variance.",
        {"x - x.mean(dim=-1, keepdim=True)": "x"},
    ),
    "mean-in-variance-only": (
        "The mean is subtracted inside the variance only. It is x minus its mean that should be"
        " divided by the root.",
        {"return centered": "return x"},
    ),
    "no-root": (
        "The difference from the mean is divided by the variance. It should be divided by the "
        "root of it.",
        {"torch.sqrt(variance + self.eps)": "(variance + self.eps)"},
    ),
    "unscaled": (
        "weight and bias are not used. They let the layer undo the normalization where that helps.",
        {"* self.weight + self.bias": ""},
    ),
    "bias-unused": (
        "The bias is not added. It comes last: weight * normalized + bias.",
        {"+ self.bias": ""},
    ),
    "bias-first": (
        "The bias is added before the weight multiplies. It should come last: weight * "
        "normalized + bias.",
        {
            "return centered": "return (centered",
            "* self.weight + self.bias": "+ self.bias) * self.weight",
        },
    ),
    "weight-zeros": (
        "The weight begins with zeros, so that a new layer returns zeros. It begins with ones, "
        "and only the bias with zeros.",
        {"torch.ones": "torch.zeros"},
    ),
    "start-swapped": (
        "The first values are swapped: zeros for the weight and ones for the bias. The weight "
        "begins with ones and the bias with zeros, so that a new layer only normalizes.",
        {
            "torch.ones": "torch.zeros",
            "torch.zeros": "torch.ones",
        },
    ),
    "statistics-detached": (
        "Mean and variance are cut off from the gradient, as by detach or under no_grad. They "
        "depend on x as well, and the gradient goes through them.",
        by(
            {"return torch": "variance, mean = variance.detach(), mean.detach()\nreturn torch"},
            style="var_mean and rsqrt",
        ),
    ),
    "one-plus-weight": (
        "The result is multiplied by 1 + weight, as by layers whose weights begin at zero. Here "
        "they begin at one: multiply by the weight itself.",
        {
            "* self.weight": "* (1 + self.weight)",
        },
    ),
    "over-all-but-first": (
        "Mean and variance are taken over all dimensions but the first, so that a whole example"
        " is normalized at once. Each vector along the last dimension has its own.",
        {
            "centered = x - x.mean(dim=-1": (
                "over = tuple(range(1, x.dim()))\ncentered = x - x.mean(dim=over"
            ),
            "square().mean(dim=-1": "square().mean(dim=over",
        },
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
            "eps: float = 1e-5": "eps: float = 1e-12",
        },
        {
            "eps: float = 1e-5": "eps: float = 1e-3",
        },
    ),
    "over-second": (
        "Mean and variance are taken along another dimension than the last: where x is (B, L, "
        "E), over the positions, feature by feature. Each position has its own, over its "
        "features.",
        {
            "x.mean(dim=-1": "x.mean(dim=min(1, x.dim() - 1)",
            "square().mean(dim=-1": "square().mean(dim=min(1, x.dim() - 1)",
        },
        {
            "x.mean(dim=-1": "x.mean(dim=1",
            "square().mean(dim=-1": "square().mean(dim=1",
        },
        {
            "x.mean(dim=-1": "x.mean(dim=-2",
            "square().mean(dim=-1": "square().mean(dim=-2",
        },
    ),
    "not-divided": (
        "The mean is subtracted, and that is all: the difference should be divided by the root "
        "of variance plus eps.",
        {
            "centered / torch.sqrt(variance + self.eps)": "centered",
        },
    ),
    "mean-deviation": (
        "The divisor is the mean size of the differences from the mean. It should be the root "
        "of the mean of their squares.",
        {
            "torch.sqrt(variance + self.eps)": (
                "(centered.abs().mean(dim=-1, keepdim=True) + self.eps)"
            ),
        },
    ),
    "epsilon-as-floor": (
        "eps is a lower bound here, as by `clamp`, `max` or `F.normalize`. It should be added "
        "to the variance, whatever that is.",
        {
            "torch.sqrt(variance + self.eps)": "torch.sqrt(variance.clamp(min=self.eps))",
        },
        {
            "torch.sqrt(variance + self.eps)": "torch.sqrt(variance).clamp(min=self.eps)",
        },
        {
            "torch.sqrt(variance + self.eps)": "torch.sqrt(variance).clamp(min=self.eps**0.5)",
        },
    ),
    "bias-ones": (
        "The bias begins with ones. It begins with zeros, so that a new layer only normalizes.",
        {
            "torch.zeros(embed_dim)": "torch.ones(embed_dim)",
        },
    ),
    "squares-summed": (
        "The squared differences are summed where they should be averaged: the variance is their "
        "mean.",
        {
            "centered.square().mean(": "centered.square().sum(",
        },
    ),
    "one-statistic-detached": (
        "The mean or the variance is cut off from the gradient, as by detach or under no_grad. "
        "Both depend on x, and the gradient goes through both.",
        {
            "variance = centered": (
                "centered = x - x.mean(dim=-1, keepdim=True)\nvariance = centered.detach()"
            ),
        },
        {
            "x.mean(dim=-1, keepdim=True)": "x.mean(dim=-1, keepdim=True).detach()",
        },
    ),
    "epsilon-after-root": (
        "eps is added to one over the root, and the variance itself is not kept from zero. It "
        "belongs to the variance: 1 / sqrt(variance + eps).",
        {
            "centered / torch.sqrt(variance + self.eps)": (
                "centered * (torch.rsqrt(variance) + self.eps)"
            )
        },
    ),
    "epsilon-after-division": (
        "eps is added to the vector after its division, and the variance itself is not kept from "
        "zero. It belongs to the variance: 1 / sqrt(variance + eps).",
        {
            "centered / torch.sqrt(variance + self.eps)": (
                "(centered / torch.sqrt(variance) + self.eps)"
            ),
        },
        {
            "centered / torch.sqrt(variance + self.eps) * self.weight": (
                "centered / torch.sqrt(variance) * self.weight + self.eps"
            ),
        },
    ),
}


@exercise("FeedForward", chapter="09-transformer-block", points=2)
def _(student, reference, draw):
    E, hidden = 6, 10
    weights = {
        "linear1.weight": draw.normal(hidden, E),
        "linear1.bias": draw.normal(hidden),
        "linear2.weight": draw.normal(E, hidden),
        "linear2.bias": draw.normal(E),
    }
    x = draw.normal(B=2, L=5, E=E)
    _same_parameters(student(E, hidden), reference(E, hidden))
    for case, more in {
        "the activation that is used unless told": {},
        "relu": {"activation": "relu"},
        "gelu": {"activation": "gelu"},
    }.items():
        layer, wanted = student(E, hidden, **more), reference(E, hidden, **more)
        for each in (layer, wanted):
            each.load(weights)
        agrees(layer, wanted, x, case=case)
        agrees(layer, wanted, x[0, 0], case=f"{case}, one vector")
        agrees(layer, wanted, 10 * x[0], case=f"{case}, large numbers", ask=VALUES)
        agrees(layer, wanted, draw.normal(2, 1, 3, E), case=f"{case}, more dimensions", ask=VALUES)
    close(layer(x[:1, :1]), wanted(x[:1, :1]), case="a batch of one", call=layer.last_call)
    for other in ("tanh", "RELU", "silu", "relu6", "gelu "):
        raises(student, ValueError, E, hidden, other, says=(other,), case=f"activation {other!r}")
    for other in ("", None):
        raises(student, ValueError, E, hidden, other, case=f"activation {other!r}")


misconceptions["FeedForward"] = {
    "none-is-relu": (
        "An activation that is None or empty is accepted. Anything but the two names is a "
        "ValueError.",
        {"if activation not in": "activation = activation or 'relu'\nif activation not in"},
    ),
    "gelu-by-sigmoid": (
        "gelu is computed as x * sigmoid(1.702 x), a quick approximation. The exact one, by erf, "
        "is asked for.",
        {"F.gelu": "lambda x: x * torch.sigmoid(1.702 * x)"},
    ),
    "no-activation": (
        "There is no activation between the two layers. Two linear maps in a row are one linear "
        "map.",
        {"self.activation(self.linear1(x))": "self.linear1(x)"},
    ),
    "activation-twice": (
        "There is an activation after the second layer too, not only between the two. What is "
        "added to the residual stream should be able to take any sign.",
        {"self.linear2(hidden)": "self.activation(self.linear2(hidden))"},
    ),
    "activation-last": (
        "The activation comes after the second layer, not between the two. What is added to the"
        " residual stream should be able to take any sign.",
        {
            "self.activation(self.linear1(x))": "self.linear1(x)",
            "self.linear2(hidden)": "self.activation(self.linear2(hidden))",
        },
    ),
    "activation-first": (
        "The activation comes before the first layer, not between the two.",
        {"self.activation(self.linear1(x))": "self.linear1(self.activation(x))"},
    ),
    "always-relu": (
        'The activation is relu, whatever `activation` says: for "gelu" it should be gelu.',
        {'F.relu if activation == "relu" else F.gelu': "F.relu"},
    ),
    "default-gelu": (
        "gelu is the activation unless told otherwise. It should be relu, as in the paper of 2017.",
        {'activation: str = "relu"': 'activation: str = "gelu"'},
    ),
    "gelu-by-tanh": (
        "gelu is computed by the approximation with tanh. The exact one, by erf, is asked for.",
        {"F.gelu": 'nn.GELU(approximate="tanh")'},
    ),
    "residual": (
        "The input is added to the output. The residual connection is around this layer, in the "
        "block, not in it.",
        {"return self": "return x + self"},
    ),
    "layers-swapped": (
        "linear1 and linear2 are swapped: the first should widen to hidden_dim, the second go "
        "back.",
        {
            "nn.Linear(embed_dim, hidden_dim)": "nn.Linear(hidden_dim, embed_dim)",
            "nn.Linear(hidden_dim, embed_dim)": "nn.Linear(embed_dim, hidden_dim)",
            "self.linear1(x)": "self.linear2(x)",
            "self.linear2(hidden)": "self.linear1(hidden)",
        },
    ),
    "no-bias": (
        "The second layer has no bias. Both layers have one.",
        {"nn.Linear(hidden_dim, embed_dim)": "nn.Linear(hidden_dim, embed_dim, bias=False)"},
    ),
    "unknown-accepted": (
        "An unknown activation is let through when the layer is made. It is a ValueError there, "
        "and not only when the layer is used.",
        {'if activation not in ("relu", "gelu"):': "if False:"},
    ),
    "other-error": (
        "An unknown activation raises another error than ValueError. A KeyError is what a "
        "dictionary raises, and says nothing about what was wanted.",
        by(
            {"if activation not in known:": "if False:"},
            style="modules from a dictionary",
        ),
    ),
    "capitals-accepted": (
        "`RELU` is accepted, as where capitals are overlooked. The contract has the two names "
        "as they are written.",
        {"if activation not in": "activation = activation.lower()\nif activation not in"},
    ),
    "any-of-torch": (
        "Other names than the two are accepted, such as tanh and silu. Anything but relu and "
        "gelu is a ValueError.",
        {
            'if activation not in ("relu", "gelu"):': (
                "if not hasattr(F, str(activation)) or not activation:"
            ),
            'F.relu if activation == "relu" else F.gelu': "getattr(F, activation)",
        },
    ),
    "no-first-bias": (
        "The first layer has no bias. Both layers have one.",
        {
            "nn.Linear(embed_dim, hidden_dim)": "nn.Linear(embed_dim, hidden_dim, bias=False)",
        },
    ),
    "no-biases": (
        "The two layers have no biases. Both have one.",
        {
            "nn.Linear(embed_dim, hidden_dim)": "nn.Linear(embed_dim, hidden_dim, bias=False)",
            "nn.Linear(hidden_dim, embed_dim)": "nn.Linear(hidden_dim, embed_dim, bias=False)",
        },
    ),
    "silu": (
        "gelu is computed as x * sigmoid(x), which is silu. gelu is x * Phi(x), by erf.",
        {
            "F.gelu": "F.silu",
        },
    ),
    "leaky": (
        "relu lets a part of negative numbers through, as leaky relu does. It is zero for all of "
        "them.",
        {
            "F.relu if": "F.leaky_relu if",
        },
    ),
    "exchanged": (
        "The two activations are exchanged: relu gives gelu, and gelu gives relu.",
        {
            'activation == "relu" else': 'activation == "gelu" else',
        },
    ),
    "always-gelu": (
        'The activation is gelu, whatever `activation` says: for "relu" it should be relu.',
        {
            'F.relu if activation == "relu" else F.gelu': "F.gelu",
        },
    ),
    "phi-alone": (
        "gelu is computed as Phi(x) alone. It is x * Phi(x): the input is a factor, too.",
        {
            "F.gelu": "lambda x: (1 + torch.erf(x / 2**0.5)) / 2",
        },
    ),
    "erf-unscaled": (
        "gelu is computed with erf(x). Phi(x) is (1 + erf(x / sqrt(2))) / 2: the root of 2 is "
        "missing.",
        {
            "F.gelu": "lambda x: x * (1 + torch.erf(x)) / 2",
        },
    ),
    "gelu-not-halved": (
        "gelu is twice as large as it should be: Phi(x) is (1 + erf(x / sqrt(2))) / 2.",
        {
            "F.gelu": "lambda x: x * (1 + torch.erf(x / 2**0.5))",
        },
    ),
}


@exercise(
    "EncoderBlock",
    chapter="09-transformer-block",
    points=5,
    forbidden=(
        "TransformerEncoderLayer",
        "_transformer_encoder_layer_fwd",
        "MultiheadAttention",
        "multi_head_attention_forward",
    ),
)
def _(student, reference, draw):
    B, H, L, E, hidden = 2, 3, 5, 12, 10
    weights, torchs = {}, {}
    for name in "qkvo":
        weights[f"self_attn.W_{name}.weight"] = draw.normal(E, E) / 2
        weights[f"self_attn.W_{name}.bias"] = draw.normal(E)
    for kind in ("weight", "bias"):
        parts = [weights[f"self_attn.W_{name}.{kind}"] for name in "qkv"]
        torchs[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
        torchs[f"self_attn.out_proj.{kind}"] = weights[f"self_attn.W_o.{kind}"]
    for name, sizes in {"linear1": (hidden, E), "linear2": (E, hidden)}.items():
        weights[f"feed_forward.{name}.weight"] = torchs[f"{name}.weight"] = draw.normal(*sizes)
        weights[f"feed_forward.{name}.bias"] = torchs[f"{name}.bias"] = draw.normal(sizes[0])
    for name in ("norm1", "norm2"):
        for kind in ("weight", "bias"):
            weights[f"{name}.{kind}"] = torchs[f"{name}.{kind}"] = draw.normal(E)

    def both(*sizes, **more):
        layers = student(*sizes, **more), reference(*sizes, **more)
        for each in layers:
            each.load(weights)
        return layers

    _same_parameters(student(E, H, hidden), reference(E, H, hidden))
    x, names = draw.normal(B=B, L=L, E=E), {"names": ("output", "weights")}
    quick = names | {"ask": Ask(contiguous=False, double=False, unchanged=False)}
    mask = draw.boolean(B, H, L, L)
    mask[..., 1] = True
    mask[0, 1, 0, 2] = False
    empty = mask.clone()
    empty[1, :, 3] = False
    causal = torch.ones(L, L, dtype=torch.bool).tril()
    for case, more in {"post-norm": {}, "pre-norm": {"norm_first": True}}.items():
        layer, wanted = both(E, H, hidden, **more)
        agrees(layer, wanted, x, case=case, **names)
        with torch.no_grad():
            theirs = nn.TransformerEncoderLayer(E, H, hidden, 0.0, batch_first=True, **more)
            theirs.load_state_dict(torchs)
            want = theirs(x, src_mask=~causal)
        got, _ = layer(x, causal)
        close(got, want, case=f"{case}, causal, torch's own layer", call=layer.last_call)
        agrees(layer, wanted, x, mask, case=f"{case}, a mask", **quick)
        padding = causal[3].reshape(1, 1, 1, L)
        agrees(layer, wanted, x, mask=padding, case=f"{case}, padding", **quick)
        agrees(layer, wanted, x, empty, case=f"{case}, nothing to attend to", **quick)
    bare = quick | {"ask": Ask(contiguous=False, double=False, unchanged=False, gradients=False)}
    agrees(layer, wanted, x[:1, :1], case="a batch of one position", **bare)
    zeros = x * (torch.arange(L) != 1)[:, None]
    agrees(layer, wanted, zeros, case="a position of zeros", **bare)
    agrees(layer, wanted, x, mask[0, 0, 0], case="a mask [L]", **bare)
    agrees(layer, wanted, x, mask[:, :1, :1], case="a mask [B, 1, 1, L]", **bare)
    agrees(layer, wanted, x, mask[:, :1], case="a mask [B, 1, L, L]", **bare)
    layer, wanted = both(E, H, hidden, activation="gelu")
    agrees(layer, wanted, x, case="gelu", **quick)

    layer, wanted = both(E, H, hidden, norm_first=False)
    close(layer(x), wanted(x), case="norm_first=False", call=layer.last_call, **names)
    # Of one size all, so that a mask along another axis gives numbers, not an error.
    cube = draw.normal(3, 3, E)
    for case, allowed in masks(draw, 3, H, 3, 3):
        agrees(layer, wanted, cube, allowed, case=case, **bare)
    agrees(layer, wanted, cube, case="no mask after a mask", **bare)
    layer, wanted = both(E, 1, hidden, 0.0, True, "gelu")
    agrees(layer, wanted, x, case="arguments by position, one head", **bare)

    layer, wanted = both(E, H, hidden, dropout=1.0)
    for each in (layer, wanted):
        each.train(False)
    close(layer(x), wanted(x), case="dropout, in evaluation mode", call=layer.last_call, **names)
    for more in ({}, {"norm_first": True}):
        case = f"all is dropped{', pre-norm' if more else ''}"
        layer, wanted = both(E, H, hidden, dropout=1.0, **more)
        for each in (layer, wanted):
            each.train(True)
        close(layer(x), wanted(x), case=case, call=layer.last_call, **names)
    says = {"says": ("10", "4"), "case": "4 heads for 10 features"}
    raises(student, ValueError, 10, 4, 8, **says)
    raises(student, ValueError, 4, 10, 8, case="10 heads for 4 features")
    raises(student, ValueError, E, H, hidden, activation="tanh", case="activation 'tanh'")

    # What is random comes last: a known mistake is recognized by what it answered before.
    layer = student(E, H, hidden, dropout=0.5, norm_first=True)
    layer.train(True)
    one, two = layer(x)[0], layer(x)[0]
    require(not torch.equal(one, two), "In training with dropout=0.5, two calls give the same.")
    ones = torch.ones(4000, 1)
    layer = student(1, 1, 1, dropout=0.25, norm_first=True)
    # Each gets 1; attention returns 1 and feed-forward 4: what is dropped before changes that.
    layer.load({name: torch.zeros([1] * value.dim()) for name, value in weights.items()})
    layer.load({f"norm{number}.bias": ones[0] for number in (1, 2)})
    layer.load({f"self_attn.W_{name}.weight": ones[:1] for name in "vo"})
    layer.load({f"feed_forward.linear{number}.weight": ones[:1] for number in (1, 2)})
    layer.load({f"feed_forward.linear{number}.bias": number * ones[0] for number in (1, 2)})
    layer.train(True)
    found = layer(ones.reshape(4000, 1, 1))[0].flatten() - 1
    for what, value, share in (
        ("nothing", 0.0, 1 / 16),
        ("attention alone", 4 / 3, 3 / 16),
        ("feed-forward alone", 16 / 3, 3 / 16),
        ("both", 20 / 3, 9 / 16),
    ):
        here = ((found - value).abs() < 1e-3).double().mean().item()
        require(
            abs(here - share) < 5 * math.sqrt(share * (1 - share) / len(ones)),
            f"In training with dropout=0.25, {share:.1%} of the entries should get {what}, scaled "
            f"by 1 / 0.75; it is {here:.1%}.",
        )
    layer = student(2, 1, 2, dropout=0.5, norm_first=True)
    layer.load({name: 0 * old for name, old in layer.parameters().items()})
    layer.load({"self_attn.W_o.bias": torch.ones(2)})
    layer.train(True)
    kept = layer(torch.zeros(300, 1, 2))[0].bool()
    require(
        bool((kept[..., 0] != kept[..., 1]).any()),
        "In training with dropout=0.5, the entries of each position are kept or dropped together. "
        "Each entry is dropped by itself.",
    )
    layer = student(2, 1, 2, dropout=0.5)
    layer.load({name: 0 * old for name, old in layer.parameters().items()})
    one = torch.ones(2)
    # Attention and feed-forward return 0 for what they get, which is 1, and not for 0 or 2.
    for name in ("self_attn.W_v", "feed_forward.linear1"):
        layer.load({f"{name}.weight": torch.eye(2), f"{name}.bias": -one})
    for name in ("self_attn.W_o", "feed_forward.linear2"):
        layer.load({f"{name}.weight": torch.eye(2)})
    layer.load({"norm1.weight": one, "norm1.bias": one, "norm2.weight": one})
    these = torch.ones(300, 1, 2)
    layer.train(False)
    still = layer(these)[0]
    layer.train(True)
    require(
        torch.equal(layer(these)[0], still),
        "In training with dropout=0.5, post-norm: where attention and feed-forward return zeros, "
        "dropout should change nothing. It is applied to what they return, and nowhere else.",
    )
    mean = found.mean().item()
    require(
        abs(mean - 5) < 0.4,
        f"In training with dropout=0.25, attention and feed-forward should add 5 on average, as in "
        f"evaluation mode; they add {mean:.2f}.",
    )


misconceptions["EncoderBlock"] = {
    "input-added-again": (
        "In post-norm the second residual connection adds the block's input again. It should "
        "add what the first norm has made: each part works on what the part before it returned.",
        {
            "seen = self.norm1(x) if self.norm_first else x": "start = x\n"
            "seen = self.norm1(x) if self.norm_first else x",
            "x = x + self.dropout(self.feed_forward(seen))": "x = (x if self.norm_first else "
            "start) + self.dropout(self.feed_forward(seen))",
        },
    ),
    "attended-added-again": (
        "The second residual connection adds what attention returned alone. It should add what "
        "the first half of the block made: the sum of x and that, in post-norm after its norm.",
        {
            "x = x + self.dropout(self.feed_forward(seen))": "x = attended + "
            "self.dropout(self.feed_forward(seen))"
        },
    ),
    "doubled-residual": (
        "x is added to itself where what a part returned, attention or feed-forward, should be "
        "added: the part has no influence.",
        {"x = x + self.dropout(attended)": "x = x + x"},
        {"x = x + self.dropout(self.feed_forward(seen))": "x = x + x"},
    ),
    "norm-first-inverted": (
        "norm_first is taken the other way around: True gives post-norm, and False pre-norm.",
        {"self.norm_first = norm_first": "self.norm_first = not norm_first"},
    ),
    "no-residual": (
        "There is no residual connection: what attention and feed-forward return should each be"
        " added to x, in pre-norm to x before its norm.",
        {
            "x = x + self.dropout(attended)": "x = self.dropout(attended)",
            "x + self.dropout(self.feed_forward": "self.dropout(self.feed_forward",
        },
    ),
    "feed-forward-residual-missing": (
        "Only the attention has a residual connection; the feed-forward network needs one too.",
        {"x + self.dropout(self.feed_forward": "self.dropout(self.feed_forward"},
    ),
    "attention-residual-missing": (
        "Only the feed-forward network has a residual connection; the attention needs one too.",
        {"x + self.dropout(attended)": "self.dropout(attended)"},
    ),
    "outer-residual": (
        "The second residual connection goes around the whole block: the feed-forward's output "
        "is added to what the block was given. It should be added to what the first half of the"
        " block returned: the attention with its residual connection and, in post-norm, its "
        "norm.",
        {
            "seen = self.norm1": "given = x\nseen = self.norm1",
            "x + self.dropout(self": "given + self.dropout(self",
        },
    ),
    "norm-inside": (
        "In post-norm a norm is inside the residual connection, as in x + norm1(attention(x)). "
        "It comes after the sum: norm1(x + attention(x)), and so for norm2.",
        by(
            {"norm(x + dropout(function(x)))": "x + norm(dropout(function(x)))"},
            style="one sublayer function",
        ),
        {
            "x = x + self.dropout(attended) if not self.norm_first: x = self.norm1(x)": (
                "x = x + (self.dropout(attended) if self.norm_first else "
                "self.norm1(self.dropout(attended)))"
            ),
        },
        {
            "x = x + self.dropout(self.feed_forward(seen)) if not self.norm_first: "
            "x = self.norm2(x)": "x = x + (self.dropout(self.feed_forward(seen)) "
            "if self.norm_first else self.norm2(self.dropout(self.feed_forward(seen))))",
        },
    ),
    "norm-first-unused": (
        "norm_first has no effect: the norms come after the sums, also where it is True.",
        {"= norm_first": "= False"},
    ),
    "always-pre-norm": (
        "The norms always come first: norm_first=False, which is what the block does unless told "
        "otherwise, is the post-norm of the paper of 2017.",
        {"= norm_first": "= True"},
    ),
    "norms-swapped": (
        "norm1 and norm2 are swapped: norm1 belongs to the attention, norm2 to the feed-forward "
        "network.",
        {
            "self.norm1(x) if": "self.norm2(x) if",
            "x = self.norm1(x)": "x = self.norm2(x)",
            "self.norm2(x) if": "self.norm1(x) if",
            "x = self.norm2(x)": "x = self.norm1(x)",
        },
    ),
    "one-norm": (
        "One norm is used for both: the feed-forward network has its own, norm2.",
        {
            "self.norm2(x) if": "self.norm1(x) if",
            "x = self.norm2(x)": "x = self.norm1(x)",
        },
    ),
    "residual-after-norm": (
        "In pre-norm a residual connection starts after its norm: norm1(x) or norm2(x) is added"
        " where x should be. Then no path through the block is free of norms.",
        {
            "x + self.dropout(attended)": "seen + self.dropout(attended)",
            "x + self.dropout(self": "seen + self.dropout(self",
        },
        {"x + self.dropout(attended)": "seen + self.dropout(attended)"},
        {"x + self.dropout(self": "seen + self.dropout(self"},
    ),
    "queries-normalized-only": (
        "In pre-norm only the queries are normalized before the attention; keys and values "
        "should come from the same norm1(x).",
        {"seen, seen, seen": "seen, x, x"},
    ),
    "second-norm-missing": (
        "In pre-norm the feed-forward network gets x without a norm: norm2 is missing.",
        {"self.norm2(x) if self.norm_first else x": "x"},
    ),
    "feed-forward-first": (
        "The feed-forward network comes before the attention. Attention is first, with norm1.",
        by(
            {
                "lambda y: self.attend(y, mask), self.norm1": "self.feed_forward, self.norm1",
                "self.feed_forward, self.norm2, "
                "self.dropout2), weights": "lambda y: self.attend(y, mask), "
                "self.norm2, self.dropout2), self.seen",
            },
            style="one sublayer function",
        ),
    ),
    "mask-unused": (
        "The mask has no effect. It should be passed on to the attention.",
        {"seen, mask)": "seen)"},
    ),
    "mask-turned-around": (
        "The mask is turned around, which nn.TransformerEncoderLayer would want: there True "
        "means `may not attend`. Here True means `may attend`.",
        by(
            {"~mask": "mask"},
            within="scaled_dot_product_attention",
        ),
    ),
    "empty-row-nan": (
        "A position that may attend to nothing gives NaN, as the softmax of a row that is all "
        "-inf does. Its weights should be zeros.",
        by(
            {".clamp(min=lowest)": "", "total.clamp(min=1)": "total"},
            within="softmax",
        ),
    ),
    "always-relu": (
        "The activation is relu whatever `activation` says: it should be passed on to the "
        "feed-forward network.",
        {"hidden_dim, activation)": "hidden_dim)"},
    ),
    "no-dropout": (
        "There is no dropout in training: what attention and feed-forward return should pass "
        "through it before it is added.",
        {"nn.Dropout(dropout)": "nn.Identity()"},
    ),
    "dropout-in-evaluation": (
        "Dropout is applied in evaluation mode too. It is for training only.",
        by(
            {"F.dropout(branch, self.rate, self.training)": "F.dropout(branch, self.rate)"},
            style="two branches",
        ),
        {"self.dropout(attended)": "nn.functional.dropout(attended, self.dropout.p)"},
        {
            "self.dropout(self.feed_forward(seen))": "nn.functional.dropout("
            "self.feed_forward(seen), self.dropout.p)"
        },
    ),
    "dropout-of-sum": (
        "Dropout is applied to the sums, so that it also drops entries of x. It belongs on what"
        " attention and feed-forward return, before each is added.",
        {
            "x + self.dropout(attended)": "self.dropout(x + attended)",
            "x + self.dropout(self.feed_forward(seen))": "self.dropout(x + "
            "self.feed_forward(seen))",
        },
    ),
    "dropout-of-attention-only": (
        "Dropout is applied to the output of the attention, but not to that of the feed-forward"
        " network, which should pass through it too.",
        {"self.dropout(self.feed_forward(seen))": "self.feed_forward(seen)"},
    ),
    "dropout-of-feed-forward-only": (
        "Dropout is applied to the output of the feed-forward network, but not to that of the "
        "attention, which should pass through it too.",
        {"x + self.dropout(attended)": "x + attended"},
    ),
    "dropout-inside": (
        "Dropout is applied inside the feed-forward network too, as between its layers, or to "
        "what goes into it. It belongs on what the network returns, and nowhere else.",
        {
            "self.feed_forward(seen)": "self.feed_forward.linear2("
            "self.dropout(self.feed_forward.activation(self.feed_forward.linear1(seen))))"
        },
        {"self.feed_forward(seen)": "self.feed_forward(self.dropout(seen))"},
        {
            "self.feed_forward(seen)": (
                "self.feed_forward(seen if self.norm_first else self.dropout(seen))"
            ),
        },
    ),
    "dropout-of-weights": (
        "Dropout is applied inside the attention too, as to its weights or values, or to what "
        "goes into it. It belongs on what the attention returns, and nowhere else.",
        by(
            {'"bhls,bshd->blhd", weights': '"bhls,bshd->blhd", self.drop(weights)'},
            style="everything in one forward",
        ),
        {"self.self_attn(seen, seen, seen,": "self.self_attn(seen, seen, self.dropout(seen),"},
    ),
    "dropout-of-positions": (
        "The entries of a position are dropped together, as by nn.Dropout1d. Dropout zeroes "
        "each entry by itself.",
        {"nn.Dropout(dropout)": "nn.Dropout1d(dropout)"},
    ),
    "dropout-unscaled": (
        "What dropout leaves is not scaled up by 1 / (1 - dropout). In training it should be, "
        "so that the mean stays what it is in evaluation mode.",
        by(
            {
                "F.dropout(branch, self.rate, self.training)": "branch * (torch.rand_like(branch) "
                ">= self.rate * self.training)"
            },
            style="two branches",
        ),
    ),
    "side-by-side": (
        "Attention and feed-forward stand side by side, in pre-norm at least: both get what the"
        " block was given. The feed-forward network should get what the attention has made of "
        "it, residual connection included.",
        {
            "seen = self.norm1(x) if self.norm_first else x": (
                "given = x\nseen = self.norm1(x) if self.norm_first else x"
            ),
            "self.norm2(x) if self.norm_first else x": (
                "self.norm2(given) if self.norm_first else x"
            ),
        },
        {
            "seen = self.norm1(x) if self.norm_first else x": (
                "given = x\nseen = self.norm1(x) if self.norm_first else x"
            ),
            "self.norm2(x) if self.norm_first else x": (
                "self.norm2(given) if self.norm_first else given"
            ),
        },
        {
            "seen = self.norm1(x) if self.norm_first else x": (
                "given = x\nseen = self.norm1(x) if self.norm_first else x"
            ),
            "self.norm2(x) if self.norm_first else x": "x if not self.norm_first else seen",
        },
    ),
    "both-norms": (
        "In pre-norm the sums are normalized as well, as in post-norm. There each norm stands "
        "before its part, and nothing normalizes the sum.",
        {
            "if not self.norm_first: x = self.norm1(x)": "x = self.norm1(x)",
            "if not self.norm_first: x = self.norm2(x)": "x = self.norm2(x)",
        },
    ),
    "last-norm-in-pre-norm": (
        "In pre-norm the sum at the end is normalized as well. There each norm stands before its "
        "part, and nothing normalizes the sum.",
        {
            "if not self.norm_first: x = self.norm2(x)": "x = self.norm2(x)",
        },
    ),
    "half-pre-norm": (
        "With norm_first=True only the attention is pre-norm, and the feed-forward network is "
        "post-norm. The option is for both.",
        {
            "seen = self.norm2(x) if self.norm_first else x": "seen = x",
            "if not self.norm_first: x = self.norm2(x)": "x = self.norm2(x)",
        },
    ),
    "half-post-norm": (
        "With norm_first=True only the feed-forward network is pre-norm, and the attention is "
        "post-norm. The option is for both.",
        {
            "seen = self.norm1(x) if self.norm_first else x": "seen = x",
            "if not self.norm_first: x = self.norm1(x)": "x = self.norm1(x)",
        },
    ),
    "first-norm-missing": (
        "In pre-norm the attention gets x without a norm: norm1 is missing.",
        {
            "self.norm1(x) if self.norm_first else x": "x",
        },
    ),
    "first-sum-not-normalized": (
        "In post-norm the sum of x and what attention returned is not normalized: norm1 is "
        "missing.",
        {
            "if not self.norm_first: x = self.norm1(x)": "",
        },
    ),
    "second-sum-not-normalized": (
        "In post-norm the last sum, with what feed-forward returned, is not normalized: norm2 is "
        "missing.",
        {
            "if not self.norm_first: x = self.norm2(x)": "",
        },
    ),
    "dropout-at-end": (
        "Dropout is applied to the result of the whole block. It belongs on what attention and "
        "feed-forward return, before each is added, and nowhere else.",
        {
            "x + self.dropout(attended)": "x + attended",
            "x + self.dropout(self.feed_forward(seen))": "x + self.feed_forward(seen)",
            "return x, weights": "return self.dropout(x), weights",
        },
    ),
    "dropout-of-input": (
        "Dropout is applied to what goes into the block or its parts. It belongs on what "
        "attention and feed-forward return, before each is added, and nowhere else.",
        {
            "x + self.dropout(attended)": "x + attended",
            "x + self.dropout(self.feed_forward(seen))": (
                "x + self.feed_forward(self.dropout(seen))"
            ),
            "seen = self.norm1(x) if self.norm_first else x": (
                "seen = self.dropout(self.norm1(x) if self.norm_first else x)"
            ),
        },
        {
            "seen = self.norm1": ("x = self.dropout(x)\nseen = self.norm1"),
        },
        {
            "self.self_attn(seen, seen, seen, mask)": (
                "self.self_attn(*3 * [self.dropout(seen)], mask)"
            ),
        },
        {
            "self.self_attn(seen, seen, seen, mask)": (
                "self.self_attn(*3 * [self.dropout(seen)], mask)"
            ),
            "self.feed_forward(seen)": "self.feed_forward(self.dropout(seen))",
        },
    ),
    "also-causal": (
        "The attention is causal, whatever the mask is. An encoder looks both ways: who may "
        "look where, the mask alone says.",
        {
            "seen = self.norm1(x)": (
                "causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()\n"
                "mask = causal if mask is None else mask & causal\n"
                "seen = self.norm1(x)"
            ),
        },
    ),
    "one-head": (
        "There is one head as wide as the whole vector, whatever num_heads is: it should be "
        "passed on to the attention.",
        {
            "MultiHeadAttention(embed_dim, num_heads)": "MultiHeadAttention(embed_dim, 1)",
        },
    ),
    "norm-epsilon": (
        "The two norms are made with another eps than 1e-5.",
        {
            "self.norm1 = LayerNorm(embed_dim)": "self.norm1 = LayerNorm(embed_dim, 1e-6)",
            "self.norm2 = LayerNorm(embed_dim)": "self.norm2 = LayerNorm(embed_dim, 1e-6)",
        },
        {
            "self.norm1 = LayerNorm(embed_dim)": "self.norm1 = LayerNorm(embed_dim, 1e-3)",
            "self.norm2 = LayerNorm(embed_dim)": "self.norm2 = LayerNorm(embed_dim, 1e-3)",
        },
        {
            "self.norm1 = LayerNorm(embed_dim)": "self.norm1 = LayerNorm(embed_dim, 1e-12)",
            "self.norm2 = LayerNorm(embed_dim)": "self.norm2 = LayerNorm(embed_dim, 1e-12)",
        },
    ),
    "values-not-normalized": (
        "In pre-norm the values are made from x as it is. Queries, keys and values should come "
        "from the same norm1(x).",
        {
            "seen, seen, seen": "seen, seen, x",
        },
    ),
    "keys-not-normalized": (
        "In pre-norm the keys are made from x as it is. Queries, keys and values should come "
        "from the same norm1(x).",
        {
            "seen, seen, seen": "seen, x, seen",
        },
    ),
    "feed-forward-of-attended": (
        "The feed-forward network gets what attention returned alone. It should get the sum, in"
        " which x is, too.",
        {
            "self.norm2(x) if self.norm_first else x": (
                "self.norm2(attended) if self.norm_first else attended"
            ),
        },
        {
            "self.norm2(x) if self.norm_first else x": (
                "self.norm2(attended) if self.norm_first else x"
            ),
        },
    ),
    "feed-forward-before-norm": (
        "In post-norm the feed-forward network gets the first sum before norm1. It should get what "
        "norm1 makes of it.",
        {
            "if not self.norm_first: x = self.norm1(x)": (
                "first_sum = x\nif not self.norm_first: x = self.norm1(x)"
            ),
            "self.norm2(x) if self.norm_first else x": (
                "self.norm2(x) if self.norm_first else first_sum"
            ),
        },
    ),
    "default-gelu": (
        "Where no activation is given, it is gelu. It should be relu, as in the paper of 2017.",
        {
            'activation: str = "relu"': 'activation: str = "gelu"',
        },
    ),
    "default-pre-norm": (
        "Where norm_first is not given, the block is pre-norm. It should be post-norm, as in the "
        "paper of 2017.",
        {
            "norm_first: bool = False": "norm_first: bool = True",
        },
    ),
    "empty-row-opened": (
        "A position that may attend to nothing attends to all here. Its weights should be zeros.",
        {
            "seen = self.norm1(x)": (
                "if mask is not None:\n"
                "    mask = mask | ~mask.any(dim=-1, keepdim=True)\n"
                "seen = self.norm1(x)"
            ),
        },
    ),
    "empty-row-itself": (
        "A position that may attend to nothing attends to itself here. Its weights should be "
        "zeros.",
        {
            "seen = self.norm1(x)": (
                "if mask is not None:\n"
                "    empty = ~mask.any(dim=-1, keepdim=True)\n"
                "    mask = mask | (empty & torch.eye(x.shape[1], dtype=torch.bool))\n"
                "seen = self.norm1(x)"
            ),
        },
    ),
    "itself-always": (
        "A position attends to itself also where the mask forbids it. Who may look where, the "
        "mask alone says.",
        {
            "seen = self.norm1(x)": (
                "if mask is not None:\n"
                "    mask = mask | torch.eye(x.shape[1], dtype=torch.bool)\n"
                "seen = self.norm1(x)"
            ),
        },
    ),
    "mask-unused-pre-norm": (
        "With norm_first the mask has no effect. It should be passed on to the attention there,"
        " too.",
        {"seen, mask)": "seen, None if self.norm_first else mask)"},
    ),
    "mask-unused-post-norm": (
        "Without norm_first the mask has no effect. It should be passed on to the attention "
        "there, too.",
        {"seen, mask)": "seen, mask if self.norm_first else None)"},
    ),
    "dropout-of-sum-post-norm": (
        "Without norm_first dropout is applied to a sum, so that it also drops entries of x. It"
        " belongs on what attention and feed-forward return, before each is added.",
        {
            "x = x + self.dropout(attended)": "x = x + self.dropout(attended) if self.norm_first "
            "else self.dropout(x + attended)",
        },
        {
            "x = x + self.dropout(self.feed_forward(seen))": "x = x + self.dropout("
            "self.feed_forward(seen)) if self.norm_first else self.dropout(x + "
            "self.feed_forward(seen))",
        },
        {
            "x = x + self.dropout(attended)": "x = x + self.dropout(attended) if self.norm_first "
            "else self.dropout(x + attended)",
            "x = x + self.dropout(self.feed_forward(seen))": "x = x + self.dropout("
            "self.feed_forward(seen)) if self.norm_first else self.dropout(x + "
            "self.feed_forward(seen))",
        },
    ),
    "dropout-of-sum-pre-norm": (
        "With norm_first dropout is applied to a sum, so that it also drops entries of x. It "
        "belongs on what attention and feed-forward return, before each is added.",
        {
            "x = x + self.dropout(attended)": "x = self.dropout(x + attended) if self.norm_first "
            "else x + self.dropout(attended)",
        },
        {
            "x = x + self.dropout(self.feed_forward(seen))": "x = self.dropout(x + "
            "self.feed_forward(seen)) if self.norm_first else x + self.dropout("
            "self.feed_forward(seen))",
        },
        {
            "x = x + self.dropout(attended)": "x = self.dropout(x + attended) if self.norm_first "
            "else x + self.dropout(attended)",
            "x = x + self.dropout(self.feed_forward(seen))": "x = self.dropout(x + "
            "self.feed_forward(seen)) if self.norm_first else x + self.dropout("
            "self.feed_forward(seen))",
        },
    ),
}


@exercise(
    "Encoder",
    chapter="09-transformer-block",
    points=3,
    mend="shared",
    forbidden=(
        "TransformerEncoder",
        "TransformerEncoderLayer",
        "_transformer_encoder_layer_fwd",
        "MultiheadAttention",
        "multi_head_attention_forward",
    ),
)
def _(student, reference, draw):
    B, H, L, E, hidden, N = 2, 2, 5, 6, 7, 3
    x, names = draw.normal(B=B, L=L, E=E), {"names": ("output", "weights")}
    quick = names | {"ask": Ask(contiguous=False, double=False, unchanged=False)}
    mask = draw.boolean(B, 1, L, L)
    mask[..., 1] = True
    mask[1, :, 3] = False
    weights = {}
    made = student(N, E, H, hidden), reference(N, E, H, hidden)
    for name, value in _same_parameters(*made).items():
        weights[name] = draw.normal(*value.shape) / 2

    def both(*sizes, **more):
        layers = student(*sizes, **more), reference(*sizes, **more)
        for each in layers:
            each.load({name: weights[name] for name in layers[1].parameters()})
        return layers

    layer, wanted = both(N, E, H, hidden)
    agrees(layer, wanted, x, case=f"{N} layers", **names)
    agrees(layer, wanted, x, mask, case="a mask", **quick)
    one = (x[:1, :1], mask[0, 0, 0, :1])
    close(layer(*one), wanted(*one), case="one position", call=layer.last_call, **names)
    for case, sizes, more in (
        ("pre-norm", (N, E, H, hidden), {"norm_first": True}),
        ("gelu", (2, E, H, hidden), {"activation": "gelu"}),
        ("one layer", (1, E, H, hidden), {}),
        ("norm_first=False", (1, E, H, hidden), {"norm_first": False}),
        ("no layer", (0, E, H, hidden), {}),
        ("dropout, in evaluation mode", (2, E, H, hidden), {"dropout": 1.0}),
        ("arguments by position", (2, E, H, hidden, 0.0, True, "gelu"), {}),
    ):
        layer, wanted = both(*sizes, **more)
        for each in (layer, wanted):
            each.train("dropout" not in more)
        close(layer(x, mask=mask), wanted(x, mask=mask), case=case, call=layer.last_call, **names)
    # Of one size all, so that a mask along another axis gives numbers, not an error.
    layer, wanted = both(1, E, 3, hidden)
    cube = draw.normal(3, 3, E)
    for case, allowed in masks(draw, 3, 3, 3, 3):
        got, want = layer(cube, allowed), wanted(cube, allowed)
        close(got, want, case=case, call=layer.last_call, **names)
    got, want = layer(cube), wanted(cube)
    close(got, want, case="no mask after a mask", call=layer.last_call, **names)
    layer, wanted = both(2, E, H, hidden, dropout=1.0, norm_first=True)
    for each in (layer, wanted):
        each.train(True)
    close(layer(x), wanted(x), case="all is dropped", call=layer.last_call, **names)

    bare = both(0, E, H, hidden)
    agrees(*bare, x, case="no layer, without a mask", **quick)
    raises(student, ValueError, N, 10, 4, hidden, says=("10", "4"), case="4 heads for 10 features")
    raises(student, ValueError, N, E, H, hidden, activation="tanh", case="activation 'tanh'")
    fresh = student(2, E, H, hidden).parameters()
    extra = sorted(set(fresh) - set(weights))
    require(not extra, f"There are parameters beside those of the blocks in `layers`: {extra[:3]}.")
    one, two = (fresh[f"layers.{number}.self_attn.W_q.weight"] for number in (0, 1))
    require(not torch.equal(one, two), "Two layers begin with the same random weights.")


misconceptions["Encoder"] = {
    "options-unused": (
        "dropout, norm_first and activation have no effect: every block is as it is by default."
        " They should be handed on to it.",
        {"hidden_dim, dropout, norm_first, activation)": "hidden_dim)"},
    ),
    "shared": (
        "There is one block, used again and again: all layers share its weights. Each layer has "
        "its own.",
        {
            "EncoderBlock(": "[EncoderBlock(",
            "activation) for _ in range(num_layers)": "activation)] * num_layers",
        },
    ),
    "plain-list": (
        "The layers are kept where PyTorch does not see their parameters, as in a plain list or"
        " a tuple, so that an optimizer would not train them; nn.ModuleList is the list that it"
        " looks into.",
        {"nn.ModuleList(": "list("},
    ),
    "last-norm": (
        "There is a norm after the last layer. This encoder has none of its own; who wants one "
        "adds it.",
        {
            "super().__init__()": "super().__init__()\nself.norm = nn.LayerNorm(embed_dim)",
            "return x": "return self.norm(x)",
        },
    ),
    "last-norm-pre": (
        "In pre-norm there is a norm after the last layer. This encoder has none of its own; who "
        "wants one adds it.",
        {
            "super().__init__()": "super().__init__()\n"
            "self.norm = nn.LayerNorm(embed_dim) if norm_first else nn.Identity()",
            "return x": "return self.norm(x)",
        },
    ),
    "first-input-each": (
        "Every layer gets the encoder's input. Each should take what the layer before it returned.",
        {
            "all_weights = []": "all_weights, given = [], x",
            "layer(x, mask)": "layer(given, mask)",
        },
    ),
    "reversed": (
        "The layers run in reverse order.",
        by(
            {"self.layers[number]": "self.layers[-1 - number]"},
            style="any arguments, recursion",
        ),
    ),
    "outer-residual": (
        "There is a residual connection around each block on top of those inside it.",
        {"x, weights = layer(x, mask)": "output, weights = layer(x, mask)\nx = x + output"},
    ),
    "last-weights-only": (
        "The weights of the last layer alone come back. All layers' are asked for, in a list.",
        {"all_weights.append(weights)": "all_weights = weights"},
        {"return x, all_weights": "return x, weights"},
    ),
    "weights-reversed": (
        "The weights come in the wrong order: the last layer's first. They are asked for from the "
        "first layer to the last.",
        {"all_weights.append(weights)": "all_weights.insert(0, weights)"},
    ),
    "weights-stacked": (
        "The weights come back as one tensor. A list with one tensor for each layer is asked for.",
        {"return x, all_weights": "return x, torch.stack(all_weights)"},
    ),
    "weights-stacked-if-any": (
        "The weights come back as one tensor, and as a list only where there is no layer. A list "
        "with one tensor for each layer is asked for.",
        {"return x, all_weights": "return x, torch.stack(all_weights) if all_weights else []"},
    ),
    "all-outputs": (
        "The output of every layer comes back. Only the last one's is asked for, and a list of the "
        "weights.",
        {
            "all_weights = []": "all_weights, outputs = [], []",
            "all_weights.append(weights)": "all_weights.append(weights)\noutputs.append(x)",
            "return x": "return torch.stack(outputs)",
        },
    ),
    "first-mask-only": (
        "Only the first layer gets the mask. What is masked there is seen in the next one: every "
        "layer needs it.",
        {"x, weights = layer(x, mask)": "x, weights = layer(x, mask)\nmask = None"},
    ),
    "first-mask-missing": (
        "The first layer does not get the mask. What is masked is seen there: every layer needs "
        "it.",
        {"layer(x, mask)": "layer(x, mask if all_weights else None)"},
    ),
    "mask-unused": (
        "The mask has no effect. It should be passed on to the layers.",
        {"layer(x, mask)": "layer(x)"},
    ),
    "norm-first-unused": (
        "norm_first has no effect. It should be passed on to the blocks.",
        {"norm_first, activation)": "activation=activation)"},
    ),
    "activation-unused": (
        "The activation has no effect. It should be passed on to the blocks.",
        {"norm_first, activation)": "norm_first)"},
        {
            "self.layers = nn.ModuleList": "EncoderBlock(embed_dim, num_heads, 1, 0.0, False, "
            "activation)\nself.layers = nn.ModuleList",
            "dropout, norm_first, activation)": "dropout, norm_first)",
        },
    ),
    "dropout-unused": (
        "dropout has no effect. It should be passed on to the blocks.",
        {"dropout, norm_first, activation)": "0.0, norm_first, activation)"},
    ),
    "weights-kept": (
        "The weights are collected in a list that is made once, as in `__init__`: it grows with"
        " every call, and what was returned before grows with it. Make a new list in each call.",
        {
            "super().__init__()": ("super().__init__()\nself.all_weights = []"),
            "all_weights = []": "all_weights = self.all_weights",
        },
    ),
    "copies": (
        "All layers begin with the same random weights, as copies of one block do, or blocks "
        "that are made after the same seed. Make each block anew.",
        {
            "self.layers = nn.ModuleList(": (
                "import copy\n"
                "one = EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, "
                "activation)\n"
                "self.layers = nn.ModuleList("
            ),
            "EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation) for": (
                "copy.deepcopy(one) for"
            ),
        },
    ),
    "arguments-exchanged": (
        "dropout and norm_first are handed on in the wrong order, so that norm_first=True "
        "becomes a dropout of 1. By their names they cannot be exchanged.",
        {
            "dropout, norm_first, activation)": "norm_first, dropout, activation)",
        },
    ),
    "first-layer-skipped": (
        "The first layer is left out: x goes on to the next one as it is.",
        {
            "for layer in self.layers:": "for layer in self.layers[1:]:",
        },
    ),
    "last-layer-skipped": (
        "The last layer is left out: what the one before it returned comes back.",
        {
            "for layer in self.layers:": "for layer in self.layers[:-1]:",
        },
    ),
    "last-mask-only": (
        "Only the last layer gets the mask. What is masked there was seen in the layers below "
        "it: every layer needs it.",
        {
            "x, weights = layer(x, mask)": (
                "x, weights = layer(x, mask if layer is self.layers[-1] else None)"
            ),
        },
    ),
    "default-pre-norm": (
        "Where norm_first is not given, the blocks are pre-norm. They should be post-norm, as in "
        "the paper of 2017.",
        {
            "norm_first: bool = False": "norm_first: bool = True",
        },
    ),
    "nothing-zeroed": (
        "Positions that may attend to nothing are set to zeros after a layer. Only what attention "
        "gives them is zero: they keep their residual and go through the feed-forward network, as "
        "the others do.",
        {
            "all_weights.append(weights)": (
                "x = x.masked_fill(~weights.any(dim=-1).any(dim=1).unsqueeze(-1), 0.0)\n"
                "all_weights.append(weights)"
            ),
        },
    ),
    "default-gelu": (
        "Where no activation is given, it is gelu. It should be relu, as in the paper of 2017.",
        {
            'activation: str = "relu"': 'activation: str = "gelu"',
        },
    ),
}


prediction(
    "tower-of-attention",
    chapter="09-transformer-block",
    question=(
        "With weights as `nn.Linear` makes them, the positions of the tower become the same, and "
        "next to nothing of the gradient arrives at its input. Which of the two is cured by "
        "orthogonal matrices, which keep every vector's length?"
    ),
    right="The gradient alone.",
    options={
        "Both.": (
            "Matrices that keep lengths keep the gradient large on its way to the input. But what "
            "makes the positions the same is the averaging, and the layers average with this "
            "initialization too."
        ),
        "The positions alone.": (
            "An average of averages is flat, however long the vectors are: the positions collapse "
            "with either initialization."
        ),
        "The gradient alone.": (
            "It shrinks because small weights make vectors shorter, going up and coming down. The "
            "positions collapse for another reason: each layer averages. (The collapse then takes "
            "away the gradient of the query's and the key's matrices, as the next figure shows.)"
        ),
        "Neither.": (
            "The gradient is multiplied by the matrices too, and orthogonal ones keep its length."
        ),
    },
)


prediction(
    "changed-behind-a-mask",
    chapter="09-transformer-block",
    question=(
        "An encoder block with a causal mask gets eight positions, 0 to 7. Its input changes at "
        "position 2. At which positions does its output change?"
    ),
    right="2 to 7",
    options={
        "2 alone": (
            "That would be so without attention: norms, feed-forward and plus signs take each "
            "position by itself."
        ),
        "0 to 2": "These are the positions that position 2 may look at. Who may look at it?",
        "2 to 7": (
            "Position 2 is seen by itself and by all that come after it, and nothing else in the "
            "block leads from one position to another."
        ),
        "0 to 7": "That would be so without the mask. With it, positions 0 and 1 cannot look at 2.",
    },
    again={
        "numbers": {"p": (2, 4, 5), "n": (6, 9, 10)},
        "question": (
            "An encoder block with a causal mask gets {n} positions. Its input changes at position"
            " {p} (counted from 1). At which positions does its output change?"
        ),
        "right": "f'{p} to {n}'",
        "options": {
            "f'{p} alone'": (
                "So it would be without attention: all else in the block takes each position by "
                "itself."
            ),
            "f'1 to {p}'": (
                "These are the positions that position {p} may look at. Who may look at it?"
            ),
            "f'{p} to {n}'": "Position {p} is seen by itself and by all that come after it.",
            "f'1 to {n}'": (
                "So it would be without the mask. With it, no earlier position can look at {p}."
            ),
        },
    },
)
