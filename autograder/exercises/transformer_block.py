"""Checks for chapter 8, the Transformer block."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking import agrees, close, exercise, misconception, raises, require


@exercise(
    "LayerNorm",
    chapter="08-transformer-block",
    points=3,
    forbidden=("layer_norm", "batch_norm", "group_norm", "instance_norm", "rms_norm"),
)
def _(student, reference, draw):
    B, L, E = 3, 5, 8
    x = 2 * draw.normal(B=B, L=L, E=E) + 1
    layer, wanted = student(E), reference(E)
    close(layer.parameters(), wanted.parameters(), case="a new layer", call="its parameters")
    agrees(layer, wanted, x, case="a new layer", double=False)
    weights = {"weight": draw.normal(E), "bias": draw.normal(E)}
    for each in (layer, wanted):
        each.load(weights)
    agrees(layer, wanted, x, case="with weights", double=False)
    agrees(layer, wanted, x * 1e-3, case="small differences")
    theirs = F.layer_norm(x, (E,), weights["weight"], weights["bias"])
    close(layer(x), theirs, case="torch's own layer norm", call=layer.last_call)
    agrees(layer, wanted, x[0, 0], case="one vector")
    agrees(layer, wanted, draw.normal(2, B, L, E), case="more dimensions")
    agrees(layer, wanted, torch.full((2, E), 3.0), case="entries that are all the same")
    layer, wanted = student(E, eps=0.5), reference(E, eps=0.5)
    agrees(layer, wanted, x, case="eps=0.5")


@misconception(
    "LayerNorm",
    "The variance is divided by embed_dim - 1, as `var` and `std` do unless told otherwise. Here "
    "it is the mean squared difference, divided by embed_dim.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "eps stands outside the root. It belongs to the variance: sqrt(variance + eps).",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return (x - mean) / (torch.sqrt(variance) + self.eps) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "eps is missing, so a vector whose entries are all the same is divided by zero.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "eps is the number 1e-5, whatever the layer was made with.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + 1e-5) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "Mean and variance are taken over the batch, the first dimension: that is batch "
    "normalization. Here each vector is brought to mean 0 and variance 1 by itself.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=0, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=0, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "Mean and variance are taken over all positions and features together. Each position has its "
    "own.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean()
        variance = (x - mean).pow(2).mean()
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "The mean is not subtracted, only the scale is set: that is RMSNorm. Layer normalization "
    "does both.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        variance = x.pow(2).mean(dim=-1, keepdim=True)
        return x / torch.sqrt(variance + self.eps) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "The difference from the mean is divided by the variance. It should be the root of it.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return (x - mean) / (variance + self.eps) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "weight and bias are not used. They let the layer undo the normalization where that helps.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps)


@misconception(
    "LayerNorm",
    "The bias is added before the weight multiplies. It comes last: weight * normalized + bias.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return ((x - mean) / torch.sqrt(variance + self.eps) + self.bias) * self.weight


@misconception(
    "LayerNorm",
    "The weight begins with zeros, so that a new layer returns zeros and learns slowly. It "
    "begins with ones, and only the bias with zeros.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


@misconception(
    "LayerNorm",
    "Mean and variance are cut off from the gradient. They depend on x as well, and the gradient "
    "goes through them.",
)
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        mean, variance = mean.detach(), variance.detach()
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


@exercise("FeedForward", chapter="08-transformer-block", points=2)
def _(student, reference, draw):
    E, hidden = 6, 10
    weights = {
        "linear1.weight": draw.normal(hidden, E),
        "linear1.bias": draw.normal(hidden),
        "linear2.weight": draw.normal(E, hidden),
        "linear2.bias": draw.normal(E),
    }
    x = draw.normal(B=2, L=5, E=E)
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
    for other in ("tanh", "RELU"):
        raises(student, ValueError, E, hidden, other, says=(other,), case=f"activation {other!r}")


@misconception(
    "FeedForward",
    "There is no activation between the two layers. Two linear maps in a row are one linear map.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        return self.linear2(hidden)


@misconception(
    "FeedForward",
    "There is an activation after the second layer too. What is added to the residual stream "
    "should be able to take any sign.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        output = self.linear2(hidden)
        return F.relu(output) if self.activation == "relu" else F.gelu(output)


@misconception(
    "FeedForward",
    "The activation comes before the first layer, not between the two.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = x
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        return self.linear2(self.linear1(hidden))


@misconception(
    "FeedForward",
    "The activation is always relu: `activation` is not used.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden)
        return self.linear2(hidden)


@misconception(
    "FeedForward",
    "gelu is the activation unless told otherwise. It should be relu, as in the paper of 2017.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="gelu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        return self.linear2(hidden)


@misconception(
    "FeedForward",
    "gelu is computed by the approximation with tanh. The exact one, by erf, is asked for.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden, approximate="tanh")
        return self.linear2(hidden)


@misconception(
    "FeedForward",
    "The input is added to the output. The residual connection is around this layer, in the "
    "block, not in it.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        return x + self.linear2(hidden)


@misconception(
    "FeedForward",
    "linear1 and linear2 are swapped: the first widens to hidden_dim, the second goes back.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(hidden_dim, embed_dim)
        self.linear2 = nn.Linear(embed_dim, hidden_dim)

    def forward(self, x):
        hidden = self.linear2(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        return self.linear1(hidden)


@misconception(
    "FeedForward",
    "The second layer has no bias. Both layers have one.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim, bias=False)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        return self.linear2(hidden)


@misconception(
    "FeedForward",
    "An unknown activation is taken for gelu without a word. It is a ValueError when the layer "
    "is made.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        return self.linear2(hidden)


@misconception(
    "FeedForward",
    "An unknown activation raises another error than ValueError. A KeyError comes from a "
    "dictionary, and says nothing about what was wanted.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        self.activation = {"relu": F.relu, "gelu": F.gelu}[activation]
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = self.activation(hidden)
        return self.linear2(hidden)


@misconception(
    "FeedForward",
    "Capitals are overlooked: `RELU` is accepted. The contract has the two names as they are "
    "written.",
)
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        activation = activation.lower()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{activation} is neither relu nor gelu")
        self.activation = activation
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = F.relu(hidden) if self.activation == "relu" else F.gelu(hidden)
        return self.linear2(hidden)


@exercise(
    "EncoderBlock",
    chapter="08-transformer-block",
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

    x, names = draw.normal(B=B, L=L, E=E), {"names": ("output", "weights")}
    quick = names | {"contiguous": False, "double": False, "unchanged": False}
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
    layer, wanted = both(E, H, hidden, activation="gelu")
    agrees(layer, wanted, x, case="gelu", **quick)

    layer, wanted = both(E, H, hidden, dropout=0.5)
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
    raises(student, ValueError, E, H, hidden, activation="tanh", case="activation 'tanh'")

    # What is random comes last: a known mistake is recognized by what it answered before.
    layer = student(E, H, hidden, dropout=0.5, norm_first=True)
    layer.train(True)
    one, two = layer(x)[0], layer(x)[0]
    require(not torch.equal(one, two), "In training with dropout=0.5, two calls give the same.")
    ones = torch.ones(4000, 1)
    layer = student(1, 1, 1, dropout=0.25, norm_first=True)
    layer.load({name: torch.zeros([1] * value.dim()) for name, value in weights.items()})
    layer.load({"self_attn.W_o.bias": ones[0], "feed_forward.linear2.bias": 4 * ones[0]})
    layer.train(True)
    found = layer(ones.reshape(100, 40, 1))[0].flatten() - 1
    for what, value, share in (
        ("nothing", 0.0, 1 / 16),
        ("attention alone", 4 / 3, 3 / 16),
        ("feed-forward alone", 16 / 3, 3 / 16),
        ("both", 20 / 3, 9 / 16),
    ):
        here = ((found - value).abs() < 1e-3).double().mean().item()
        require(
            abs(here - share) < 0.05,
            f"In training with dropout=0.25, {share:.1%} of the entries should get {what}, scaled "
            f"by 1 / 0.75; it is {here:.1%}.",
        )


@misconception(
    "EncoderBlock",
    "There is no residual connection: what attention and feed-forward return should be added to "
    "their input.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = self.dropout(attended)
            return self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(self.dropout(attended))
        return self.norm2(self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "Only the attention has a residual connection; the feed-forward network needs one too.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "Only the feed-forward network has a residual connection; the attention needs one too.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "The second residual connection goes around the whole block: the feed-forward's output is "
    "added to what the block was given. It should be added to what the feed-forward network was "
    "given.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        given = x
        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return given + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(given + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "The norm is inside the residual connection, norm1(attention(x)) added to x. In post-norm it "
    "comes after the sum: norm1(x + attention(x)).",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = x + self.norm1(self.dropout(attended))
        return x + self.norm2(self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "norm_first has no effect: the norms always come after the sums.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads = num_heads
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "The norms always come first: norm_first=False, which is what the block does unless told "
    "otherwise, is the post-norm of the paper of 2017.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads = num_heads
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        attended, weights = attend(self.norm1(x))
        x = x + self.dropout(attended)
        return x + self.dropout(feed(self.norm2(x))), weights


@misconception(
    "EncoderBlock",
    "norm1 and norm2 are swapped: norm1 belongs to the attention, norm2 to the feed-forward "
    "network.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm2(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm1(x))), weights
        attended, weights = attend(x)
        x = self.norm2(x + self.dropout(attended))
        return self.norm1(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "One norm is used for both: the feed-forward network has its own, norm2.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm1(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm1(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "In pre-norm the residual connection starts after the norm: what is added is norm1(x), not "
    "x. Then no path through the block is free of norms.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            x = self.norm1(x)
            attended, weights = attend(x)
            x = x + self.dropout(attended)
            x = self.norm2(x)
            return x + self.dropout(feed(x)), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "In pre-norm only the queries are normalized before the attention; keys and values come from "
    "the same norm1(x).",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x, other):
            split = [
                self.self_attn[name](x if name == "W_q" else other)
                .unflatten(-1, (self.num_heads, -1))
                .transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x), x)
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x, x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "In pre-norm the feed-forward network gets x without a norm: norm2 is missing.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(x)), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "The feed-forward network comes before the attention. Attention is first, with norm1.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            x = x + self.dropout(feed(self.norm1(x)))
            attended, weights = attend(self.norm2(x))
            return x + self.dropout(attended), weights
        x = self.norm1(x + self.dropout(feed(x)))
        attended, weights = attend(x)
        return self.norm2(x + self.dropout(attended)), weights


@misconception(
    "EncoderBlock",
    "The mask is not passed on to the attention.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        mask = None

        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "The mask is turned around. nn.TransformerEncoderLayer reads True as `may not attend`; here "
    "True means `may attend`.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        mask = None if mask is None else ~mask

        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "A position that may attend to nothing gives NaN: the softmax of a row that is all -inf is "
    "zero over zero. Its weights should be zeros.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                scores = scores.masked_fill(~mask, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "The activation is always relu: `activation` is not passed on to the feed-forward network.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "There is no dropout: in training, what attention and feed-forward return should pass "
    "through it before it is added.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@misconception(
    "EncoderBlock",
    "Dropout is applied to the sum, so that it also drops entries of x. It belongs on what "
    "attention and feed-forward return, before the sum.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = self.dropout(x + attended)
            return self.dropout(x + feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(self.dropout(x + attended))
        return self.norm2(self.dropout(x + feed(x))), weights


@misconception(
    "EncoderBlock",
    "Dropout is applied to the output of the attention only; the feed-forward network's output "
    "passes through it too.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + feed(self.norm2(x)), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + feed(x)), weights


@misconception(
    "EncoderBlock",
    "An unknown activation is taken for gelu without a word. It is a ValueError when the block "
    "is made.",
)
class _(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        self.num_heads, self.norm_first = num_heads, norm_first
        names = ("W_q", "W_k", "W_v", "W_o")
        self.self_attn = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})
        self.feed_forward = nn.ModuleDict(
            {
                "linear1": nn.Linear(embed_dim, hidden_dim),
                "linear2": nn.Linear(hidden_dim, embed_dim),
            }
        )
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.activation = F.relu if activation == "relu" else F.gelu
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def attend(x):
            split = [
                self.self_attn[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name in ("W_q", "W_k", "W_v")
            ]
            scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
            if mask is not None:
                empty = ~mask.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~mask & ~empty, -math.inf)
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(empty, 0.0)
            heads = (weights @ split[2]).transpose(1, 2).flatten(-2)
            return self.self_attn["W_o"](heads), weights

        def feed(x):
            hidden = self.activation(self.feed_forward["linear1"](x))
            return self.feed_forward["linear2"](hidden)

        if self.norm_first:
            attended, weights = attend(self.norm1(x))
            x = x + self.dropout(attended)
            return x + self.dropout(feed(self.norm2(x))), weights
        attended, weights = attend(x)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(feed(x))), weights


@exercise(
    "Encoder",
    chapter="08-transformer-block",
    points=3,
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
    quick = names | {"contiguous": False, "double": False, "unchanged": False}
    mask = draw.boolean(B, 1, L, L)
    mask[..., 1] = True
    mask[1, :, 3] = False
    weights = {}
    for name, value in reference(N, E, H, hidden).parameters().items():
        weights[name] = draw.normal(*value.shape) / 2

    def both(*sizes, **more):
        layers = student(*sizes, **more), reference(*sizes, **more)
        for each in layers:
            each.load({name: weights[name] for name in layers[1].parameters()})
        return layers

    layer, wanted = both(N, E, H, hidden)
    agrees(layer, wanted, x, case=f"{N} layers", **names)
    agrees(layer, wanted, x, mask, case="a mask", **quick)
    for case, sizes, more in (
        ("pre-norm", (N, E, H, hidden), {"norm_first": True}),
        ("gelu", (2, E, H, hidden), {"activation": "gelu"}),
        ("one layer", (1, E, H, hidden), {}),
        ("no layer", (0, E, H, hidden), {}),
        ("dropout, in evaluation mode", (2, E, H, hidden), {"dropout": 0.5}),
        ("arguments by position", (2, E, H, hidden, 0.0, True, "gelu"), {}),
    ):
        layer, wanted = both(*sizes, **more)
        for each in (layer, wanted):
            each.train("dropout" not in more)
        close(layer(x, mask=mask), wanted(x, mask=mask), case=case, call=layer.last_call, **names)
    layer, wanted = both(2, E, H, hidden, dropout=1.0, norm_first=True)
    for each in (layer, wanted):
        each.train(True)
    close(layer(x), wanted(x), case="all is dropped", call=layer.last_call, **names)

    raises(student, ValueError, N, 10, 4, hidden, says=("10", "4"), case="4 heads for 10 features")
    raises(student, ValueError, N, E, H, hidden, activation="tanh", case="activation 'tanh'")
    fresh = student(2, E, H, hidden).parameters()
    extra = sorted(set(fresh) - set(weights))
    require(not extra, f"There are parameters beside those of the blocks in `layers`: {extra[:3]}.")
    one, two = (fresh[f"layers.{number}.self_attn.W_q.weight"] for number in (0, 1))
    require(not torch.equal(one, two), "Two layers begin with the same random weights.")


@misconception(
    "Encoder",
    "There is one block, used again and again: all layers share its weights. Each layer has its "
    "own.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList([block()] * num_layers)

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return x, all_weights


@misconception(
    "Encoder",
    "The layers are kept in a plain list. PyTorch does not see their parameters there, so an "
    "optimizer would not train them; nn.ModuleList is the list that it looks into.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = [block() for _ in range(num_layers)]

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return x, all_weights


@misconception(
    "Encoder",
    "There is a norm after the last layer. This encoder has none of its own; who wants one adds "
    "it.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.norm = nn.LayerNorm(embed_dim)
        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return self.norm(x), all_weights


@misconception(
    "Encoder",
    "Every layer gets the first input. Each should take what the layer before it returned.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        output = x
        for layer in self.layers:
            output, weights = run(layer, x, mask)
            all_weights.append(weights)
        return output, all_weights


@misconception(
    "Encoder",
    "The layers run in reverse order.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in reversed(self.layers):
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return x, all_weights


@misconception(
    "Encoder",
    "There is a residual connection around each block on top of those inside it.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            output, weights = run(layer, x, mask)
            x = x + output
            all_weights.append(weights)
        return x, all_weights


@misconception(
    "Encoder",
    "The weights of the last layer alone come back. All layers' are asked for, in a list.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights = weights
        return x, all_weights


@misconception(
    "Encoder",
    "The weights come back as one tensor. A list with one tensor for each layer is asked for.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return x, torch.stack(all_weights)


@misconception(
    "Encoder",
    "The output of every layer comes back. Only the last one's is asked for, and a list of the "
    "weights.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights, outputs = [], []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
            outputs.append(x)
        return torch.stack(outputs), all_weights


@misconception(
    "Encoder",
    "Only the first layer gets the mask. What is masked there is seen in the next one: every "
    "layer needs it.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
            mask = None
        return x, all_weights


@misconception(
    "Encoder",
    "The mask is not passed on to the layers.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, None)
            all_weights.append(weights)
        return x, all_weights


@misconception(
    "Encoder",
    "norm_first is not passed on to the blocks.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, False, dropout
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return x, all_weights


@misconception(
    "Encoder",
    "The activation is not passed on to the blocks.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, dropout
        self.activation = F.relu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return x, all_weights


@misconception(
    "Encoder",
    "dropout is not passed on to the blocks.",
)
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim}, num_heads {num_heads}")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation}")
        self.num_heads, self.norm_first, self.dropout = num_heads, norm_first, 0.0
        self.activation = F.relu if activation == "relu" else F.gelu

        def block():
            linears = {name: nn.Linear(embed_dim, embed_dim) for name in ("W_q", "W_k", "W_v")}
            linears["W_o"] = nn.Linear(embed_dim, embed_dim)
            feed = {"linear1": nn.Linear(embed_dim, hidden_dim)}
            feed["linear2"] = nn.Linear(hidden_dim, embed_dim)
            made = {"self_attn": nn.ModuleDict(linears), "feed_forward": nn.ModuleDict(feed)}
            made |= {"norm1": nn.LayerNorm(embed_dim), "norm2": nn.LayerNorm(embed_dim)}
            return nn.ModuleDict(made)

        self.layers = nn.ModuleList(block() for _ in range(num_layers))

    def forward(self, x, mask=None):
        def run(layer, x, mask):
            def attend(x):
                parts = [layer["self_attn"][name](x) for name in ("W_q", "W_k", "W_v")]
                heads = (self.num_heads, -1)
                query, key, value = (part.unflatten(-1, heads).transpose(1, 2) for part in parts)
                scores = query @ key.mT / math.sqrt(query.shape[-1])
                allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
                empty = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed & ~empty, -math.inf)
                weights = torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
                merged = (weights @ value).transpose(1, 2).flatten(-2)
                return drop(layer["self_attn"]["W_o"](merged)), weights

            def feed(x):
                hidden = self.activation(layer["feed_forward"]["linear1"](x))
                return drop(layer["feed_forward"]["linear2"](hidden))

            def drop(x):
                return F.dropout(x, self.dropout, self.training)

            norm1, norm2 = layer["norm1"], layer["norm2"]
            if self.norm_first:
                attended, weights = attend(norm1(x))
                x = x + attended
                return x + feed(norm2(x)), weights
            attended, weights = attend(x)
            x = norm1(x + attended)
            return norm2(x + feed(x)), weights

        all_weights = []
        for layer in self.layers:
            x, weights = run(layer, x, mask)
            all_weights.append(weights)
        return x, all_weights
