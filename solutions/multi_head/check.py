"""Checks for chapter 7, multi-head attention."""

import torch
from torch import nn

from autograder.checking import (
    Ask,
    agrees,
    built,
    by,
    close,
    exercise,
    misconceptions,
    prediction,
    raises,
    require,
)
from autograder.checking.cases import VALUES, masks
from autograder.checking.comparing import of_kind
from autograder.remote.subject import Raised


@exercise("split_heads", chapter="07-multi-head", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(B=2, L=5, E=12), 3)
    agrees(student, reference, draw.normal(2, 5, 12), 12, case="a head for every feature")
    agrees(student, reference, draw.normal(2, 5, 12), 1, case="one head")
    agrees(student, reference, draw.normal(1, 7, 10), 2, case="other sizes")
    says = {"says": ("10", "4"), "case": "4 heads for 10 features"}
    raises(student, ValueError, draw.normal(2, 8, 10), 4, **says)
    says = {"says": ("4", "10"), "case": "10 heads for 4 features"}
    raises(student, ValueError, draw.normal(2, 3, 4), 10, **says)
    # Of one size all, so that another order of the axes gives numbers of the same shape.
    cube = draw.normal(3, 3, 9)
    agrees(student, reference, cube, 3, case="as many heads as positions", ask=VALUES)
    agrees(student, reference, draw.normal(1, 1, 6), 3, case="one position", ask=VALUES)


misconceptions["split_heads"] = {
    "reshaped-only": (
        "The tensor was reshaped to (B, H, L, D) in one go. That cuts the memory in its order, so "
        "a head gets a stretch of the positions with features of all heads, where it should get "
        "all positions with its own features.",
        {"x.reshape(B, L, num_heads, D).transpose(1, 2)": "x.reshape(B, num_heads, L, D)"},
    ),
    "heads-after-positions": (
        "The features are cut into heads, but the result is (B, L, H, D): the heads have to come "
        "before the positions, or else the matrix product would compare heads with heads.",
        {".transpose(1, 2)": ""},
    ),
    "dealt-out": (
        "The features are dealt out like cards: head h gets h, h + H, h + 2H and so on. It should "
        "get neighbors, features h * D to (h + 1) * D - 1.",
        {
            "x.reshape(B, L, num_heads, D).transpose(1, 2)": "x.reshape(B, L, D, num_heads)"
            ".permute(0, 3, 1, 2)",
        },
    ),
    "heads-as-size": (
        "The heads are num_heads wide, and there are E / num_heads of them. num_heads is the "
        "number of heads; their size is E divided by it.",
        {"num_heads, D)": "D, num_heads)"},
    ),
    "heads-first": (
        "The heads come first, before the batch: (H, B, L, D). The batch stays in front.",
        {
            "x.reshape(B, L, num_heads, D).transpose(1, 2)": "torch.stack(x.chunk(num_heads, "
            "dim=-1))"
        },
    ),
    "features-before-positions": (
        "Positions and features changed places inside the heads: (B, H, D, L). They should be (B, "
        "H, L, D); only keys are transposed, and later, when the scores are computed.",
        {".transpose(1, 2)": ".permute(0, 2, 3, 1)"},
    ),
    "leftover-dropped": (
        "When E is not divisible, the features left over are dropped without a word. That loses "
        "part of every vector: it should be a ValueError.",
        {
            "if rest": "if False",
            "return x": "return x[..., : num_heads * D]",
        },
    ),
    "torch-error": (
        "When E is not divisible, the error is torch's own, a RuntimeError that speaks of shapes "
        "and sizes. A ValueError that names E and num_heads says what went wrong: ask before "
        "anything is cut.",
        {"if rest": "if False"},
    ),
    "feature-pieces-reversed": (
        "The heads stand in the reverse order. Head 0 gets the first D features.",
        {
            ".transpose(1, 2)": ".transpose(1, 2).flip(1)",
        },
    ),
    "copied": (
        "Each head gets all features of every position. The features are shared out: D = E / "
        "num_heads for each head.",
        {
            "return x.reshape(B, L, num_heads, D).transpose(1, 2)": "return "
            "x.unsqueeze(1).expand(B, num_heads, L, E)",
        },
    ),
    "folded-into-batch": (
        "The heads are folded into the batch: (B * H, L, D). They have an axis of their own.",
        {
            ".transpose(1, 2)": ".transpose(1, 2).flatten(0, 1)",
        },
    ),
    "batch-and-positions": (
        "Batch and positions have changed places: (L, H, B, D). The batch stays in front.",
        {
            "return x.reshape(B, L, num_heads, D).transpose(1, 2)": "return x.reshape(B, L, "
            "num_heads, D).permute(1, 2, 0, 3)",
        },
    ),
}


@exercise("merge_heads", chapter="07-multi-head", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(B=2, H=3, L=5, D=4))
    agrees(student, reference, draw.normal(2, 1, 5, 4), case="one head")
    agrees(student, reference, draw.normal(1, 6, 7, 1), case="heads of one feature")
    cube = draw.normal(3, 3, 3, 3)
    agrees(student, reference, cube, case="as many heads as positions", ask=VALUES)
    agrees(student, reference, draw.normal(1, 3, 1, 4), case="one position", ask=VALUES)


misconceptions["merge_heads"] = {
    "reshaped-only": (
        "The tensor was reshaped to (B, L, E) in one go. The heads are still before the positions "
        "then, so that several positions of a head come to stand in one row of the result: "
        "transpose first.",
        {".transpose(1, 2)": ""},
    ),
    "view-after-transpose": (
        "`view` cannot merge heads after a transpose: the memory is still in the old order. "
        "`reshape` copies where that is needed.",
        {".reshape(": ".view("},
    ),
    "interleaved": (
        "The features of the heads are shuffled into one another: first the first feature of every "
        "head, then the second of every head. Each head's features should stay together.",
        {".transpose(1, 2)": ".permute(0, 2, 3, 1)"},
    ),
    "averaged": (
        "The heads are averaged. They hold different features, and are put side by side; mixing "
        "them is the work of W_o.",
        {"x.transpose(1, 2).reshape(B, L, H * D)": "x.mean(dim=1)"},
    ),
    "added": (
        "The heads are added up. They hold different features, and are put side by side; mixing "
        "them is the work of W_o.",
        {"x.transpose(1, 2).reshape(B, L, H * D)": "x.sum(dim=1)"},
    ),
    "along-positions": (
        "Heads and positions are merged into one axis, of H * L rows. The heads belong side by "
        "side, along the features: (B, L, H * D).",
        {"x.transpose(1, 2).reshape(B, L, H * D)": "x.reshape(B, H * L, D)"},
        {".reshape(B, L, H * D)": ".flatten(1, 2)"},
    ),
    "not-joined": (
        "The heads and the positions changed places, but their features were not put side by side: "
        "(B, L, H, D) has a dimension too many.",
        {".reshape(B, L, H * D)": ""},
    ),
    "heads-reversed": (
        "The heads are put side by side in the reverse order. Head 0 has the first D features.",
        {
            "x.transpose(1, 2)": "x.flip(1).transpose(1, 2)",
        },
    ),
    "first-head": (
        "One head alone comes back. The features of all heads are put side by side: E = H * D.",
        {
            "x.transpose(1, 2).reshape(B, L, H * D)": "x[:, 0]",
        },
        {"x.transpose(1, 2).reshape(B, L, H * D)": "x[:, -1]"},
    ),
    "squeezed": (
        "Where a size is 1, its axis is lost, as with `squeeze()`, which takes away every axis of "
        "size 1. Only the axis of the heads goes: name it, as in `squeeze(1)`.",
        {
            "return x.transpose(1, 2).reshape(B, L, H * D)": (
                "return torch.cat([one.squeeze() for one in x.split(1, dim=1)], dim=-1)"
            ),
        },
    ),
    "positions-last": (
        "Features and positions have changed places: (B, E, L). Each position has a row of E "
        "features.",
        {
            ".reshape(B, L, H * D)": ".reshape(B, L, H * D).transpose(1, 2)",
        },
    ),
    "examples-joined": (
        "The examples of the batch are put side by side, as by a loop over the first axis. The "
        "heads are the second axis: the features of one example's heads belong in one row.",
        {"x.transpose(1, 2).reshape(B, L, H * D)": "torch.cat(list(x), dim=-1)"},
    ),
}


@exercise(
    "MultiHeadAttention",
    chapter="07-multi-head",
    points=6,
    forbidden=(
        "MultiheadAttention",
        "multi_head_attention_forward",
        "scaled_dot_product_attention",
    ),
)
def _(student, reference, draw):
    B, H, L, S, E = 2, 3, 5, 7, 12
    layer, wanted = student(E, H), reference(E, H)
    weights = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        weights[f"{name}.weight"] = draw.normal(E, E) / 2
        weights[f"{name}.bias"] = draw.normal(E)
    for each in (layer, wanted):
        each.load(weights)
    query = draw.normal(B=B, L=L, E=E)
    key, value = draw.normal(B=B, S=S, E=E), draw.normal(B=B, S=S, E=E)
    names = {"names": ("output", "weights")}
    quick = names | {"ask": Ask(contiguous=False, double=False, unchanged=False)}
    agrees(layer, wanted, query, key, value, **names)
    agrees(layer, wanted, query, query, query, case="self-attention", **quick)
    for of, some in (
        ("query and key", (key, key, value)),
        ("query and value", (key, value, key)),
        ("key and value", (query, key, key)),
    ):
        agrees(layer, wanted, *some, case=f"one tensor for {of}", **names | {"ask": VALUES})
    one = query[:, :1], key[:, :1], value[:, :1]
    agrees(layer, wanted, *one, case="one query, one key", names=names["names"], ask=VALUES)

    zeros = key * (torch.arange(S) != 1)[:, None]
    agrees(layer, wanted, query, zeros, value, case="a key of zeros", **names | {"ask": VALUES})

    mask = draw.boolean(L, S)
    mask[:, 2] = True  # no row is empty
    agrees(layer, wanted, query, key, value, mask, case="a mask [L, S]", **quick)
    # Where a masked score is far larger than the others, the mask comes too late after softmax.
    large = names | {"case": "large queries, and a mask", "rtol": 2e-3, "atol": 5e-3}
    agrees(layer, wanted, 50 * query, key, value, mask, **large | {"ask": VALUES})
    padding = draw.boolean(B, 1, 1, S)
    padding[..., 4] = True
    agrees(layer, wanted, query, key, value, mask=padding, case="a mask [B, 1, 1, S]", **quick)
    full = draw.boolean(B, H, L, S)
    full[..., 1] = True
    agrees(layer, wanted, query, key, value, full, case="a mask for each head", **quick)
    agrees(layer, wanted, query, key, value, full[0], case="a mask [H, L, S]", **quick)
    full[1, :, 3] = False
    full[0, 1, 0] = False
    agrees(layer, wanted, query, key, value, full, case="rows with nothing to attend to", **names)
    nothing = torch.zeros(1, 1, 1, 1, dtype=torch.bool)
    agrees(layer, wanted, query, key, value, nothing, case="nothing to attend to", **quick)
    # Of one size all, so that a mask along another axis gives numbers, not an error.
    some = [draw.normal(3, 3, E) for _ in range(3)]
    few = names | {"ask": VALUES}
    for case, allowed in masks(draw, 3, 3, 3, 3):
        agrees(layer, wanted, *some, allowed, case=case, **few)
    agrees(layer, wanted, *some, case="no mask after a mask", **few)

    for heads, case in ((1, "one head"), (E, f"{E} heads")):
        layer, wanted = student(E, heads), reference(E, heads)
        for each in (layer, wanted):
            each.load(weights)
        agrees(layer, wanted, query[:1], key[:1], value[:1], case=case, **quick)
    raises(student, ValueError, 10, 4, says=("10", "4"), case="4 heads for 10 features")
    raises(student, ValueError, 4, 10, says=("4", "10"), case="10 heads for 4 features")


misconceptions["MultiHeadAttention"] = {
    "scaled-by-width": (
        "The scores are divided by sqrt(embed_dim). A head's dot products have embed_dim / "
        "num_heads terms, so that is the number under the root.",
        {
            "split_heads(self.W_q(query), self.num_heads)": "split_heads(self.W_q(query), "
            "self.num_heads) / self.num_heads**0.5",
        },
    ),
    "output-unmixed": (
        "W_o is not applied: the heads lie side by side as they are. The output is what W_o makes "
        "of them.",
        {"self.W_o(merge_heads(heads))": "merge_heads(heads)"},
    ),
    "values-from-keys": (
        "The values are made from the input `key`. They have an input of their own, `value`, "
        "which may be another.",
        {
            "key = split_heads(self.W_k(key), self.num_heads)": "value = key\n"
            "key = split_heads(self.W_k(key), self.num_heads)",
        },
    ),
    "values-by-key-layer": (
        "The values are made by W_k. They should be made by W_v: what is looked for and what is "
        "found have weights of their own.",
        {"self.W_v(value)": "self.W_k(value)"},
    ),
    "softmax-over-queries": (
        "The softmax runs over the queries: the weights of all queries for one key sum to one. It "
        "should be the weights of all keys for one query.",
        by(
            {
                "masked_fill(~mask,": "masked_fill(~mask & mask.any(dim=-1, keepdim=True),",
                "weights = softmax(scores)": "weights = torch.softmax(scores, dim=-2)\n"
                "weights = weights * (1 if mask is None else mask.any(dim=-1, keepdim=True))",
            },
            within="scaled_dot_product_attention",
        ),
    ),
    "softmax-over-heads": (
        "The heads compete with each other: the softmax runs over the heads. Within each head, the "
        "weights of all keys for one query should sum to one.",
        by(
            {
                "masked_fill(~mask,": "masked_fill(~mask & mask.any(dim=-1, keepdim=True),",
                "weights = softmax(scores)": "weights = torch.softmax(scores, dim=1)\n"
                "weights = weights * (1 if mask is None else mask.any(dim=-1, keepdim=True))",
            },
            within="scaled_dot_product_attention",
        ),
    ),
    "one-head": (
        "There are no heads in here: the attention is over all features at once, as if num_heads "
        "were 1, and the same weights stand there for every head.",
        {
            "split_heads(self.W_q(query), self.num_heads)": "split_heads(self.W_q(query), 1)",
            "split_heads(self.W_k(key), self.num_heads)": "split_heads(self.W_k(key), 1)",
            "split_heads(self.W_v(value), self.num_heads)": "split_heads(self.W_v(value), 1)",
            "heads, weights = scaled_dot_product_attention(query, key, value, mask)": "wide = "
            "query.expand(-1, self.num_heads, -1, -1), key.expand(-1, self.num_heads, -1, -1)\n"
            "heads, weights = scaled_dot_product_attention(*wide, value.expand(-1, self.num_heads, "
            "-1, -1), mask)\nheads = heads.mean(dim=1, keepdim=True)",
        },
    ),
    "heads-averaged": (
        "The weights that come back are the mean over the heads. Each head has its own, (B, H, L, "
        "S); torch's layer averages them unless told otherwise.",
        {
            "self.W_o(merge_heads(heads)), weights": "self.W_o(merge_heads(heads)), "
            "weights.mean(dim=1)"
        },
    ),
    "zeroed-after-output": (
        "Where the heads of a query may attend to nothing, its output is set to zero after W_o. It "
        "is these heads that are zeros, before W_o, and its bias is added to what W_o makes of "
        "all.",
        {
            "return self.W_o(merge_heads(heads)), weights": "output = "
            "self.W_o(merge_heads(heads))\n"
            "if mask is not None:\n"
            "    nothing = ~mask.expand(weights.shape).any(dim=-1, keepdim=True).any(dim=1)\n"
            "    output = output.masked_fill(nothing, 0.0)\n"
            "return output, weights",
        },
        {
            "return self.W_o(merge_heads(heads)), weights": "output = "
            "self.W_o(merge_heads(heads))\n"
            "if mask is not None:\n"
            "    nothing = ~mask.expand(weights.shape).any(dim=-1, keepdim=True).all(dim=1)\n"
            "    output = output.masked_fill(nothing, 0.0)\n"
            "return output, weights",
        },
        {
            "return self.W_o(merge_heads(heads)), weights": "if mask is not None:\n"
            "    nothing = ~mask.expand(weights.shape).any(dim=-1, keepdim=True)\n"
            '    heads = heads.masked_fill(nothing, float("nan"))\n'
            "return self.W_o(merge_heads(heads)).nan_to_num(), weights",
        },
    ),
    "divisibility-late": (
        "An embed_dim that is not divisible by num_heads is accepted when the layer is made. It "
        "should be a ValueError at once, in `__init__`, naming both numbers, whatever comes of it "
        "later.",
        {"if embed_dim % num_heads": "if False"},
    ),
    "heads-dealt-out": (
        "The features are dealt out like cards, and collected like that: head h has h, h + H, "
        "h + 2H and so on. It should have neighbors, features h * D to (h + 1) * D - 1.",
        {
            "query = split_heads(self.W_q(query), self.num_heads)": "def dealt(x):\n    "
            "return x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)\nquery = "
            "dealt(self.W_q(query))",
            "split_heads(self.W_k(key), self.num_heads)": "dealt(self.W_k(key))",
            "split_heads(self.W_v(value), self.num_heads)": "dealt(self.W_v(value))",
            "merge_heads(heads)": "heads.permute(0, 2, 3, 1).flatten(2)",
        },
    ),
    "mask-with-head-axis": (
        "A mask is given one more axis, for the heads. It broadcasts to (B, H, L, S) as it comes: "
        "whoever gives it has put that axis in where it is needed.",
        {
            "value, mask)": "value, None if mask is None else mask.unsqueeze(1))",
        },
        {
            "value, mask)": "value, mask.unsqueeze(1) if mask is not None and mask.dim() == 3 "
            "else mask)",
        },
    ),
    "mask-turned-around": (
        "The mask is taken the wrong way around, as torch's layer takes it. True means that a "
        "query may attend.",
        {
            "value, mask)": "value, None if mask is None else ~mask)",
        },
    ),
    "mask-not-handed-on": (
        "The mask is not used: what is hidden gets weight all the same. Hand it on to the "
        "attention.",
        {
            "value, mask)": "value)",
        },
    ),
    "keys-from-query": (
        "The keys are made from the input `query`. They have an input of their own, `key`, which "
        "may be another.",
        {
            "self.W_k(key)": "self.W_k(asked)",
            "query = split_heads(": "asked = query\nquery = split_heads(",
        },
    ),
    "keys-by-query-layer": (
        "The keys are made by W_q. They should be made by W_k: what asks and what is found have "
        "weights of their own.",
        {
            "self.W_k(key)": "self.W_q(key)",
        },
    ),
    "key-value-swapped": (
        "W_k and W_v are swapped: the keys are made with W_v, and the values with W_k.",
        {
            "self.W_k(key)": "self.W_v(key)",
            "self.W_v(value)": "self.W_k(value)",
        },
    ),
    "query-added": (
        "The query was added to the output, as a residual connection does. That comes with "
        "the Transformer's block, not here.",
        {
            "return self.W_o(merge_heads(heads)), weights": "return "
            "self.W_o(merge_heads(heads)) + asked, weights",
            "query = split_heads(": "asked = query\nquery = split_heads(",
        },
    ),
    "scaled-by-heads": (
        "The scores are divided by the root of the number of heads. A head's dot products "
        "have D terms: it is D that stands under the root.",
        {
            "split_heads(self.W_q(query), self.num_heads)": "split_heads(self.W_q(query), "
            "self.num_heads) * (query.shape[-1] / self.num_heads / self.num_heads) ** 0.5",
        },
    ),
    "mask-for-heads-one": (
        "All heads get one and the same mask, though the mask that is given has one for each. "
        "Each head has its own, (B, H, L, S): use it as it comes.",
        {
            "value, mask)": "value, mask.all(dim=1, keepdim=True) if mask is not None and "
            "mask.dim() == 4 else mask)",
        },
        {
            "value, mask)": "value, mask.any(dim=1, keepdim=True) if mask is not None and "
            "mask.dim() == 4 else mask)",
        },
        {
            "value, mask)": "value, mask[:, :1] if mask is not None and mask.dim() == 4 else mask)",
        },
    ),
    "mask-of-batch": (
        "A mask of two axes is taken for one of [B, S], with a row for each example. It "
        "broadcasts to (B, H, L, S) from the last axis on, so its rows belong to the queries.",
        {
            "value, mask)": "value, mask[:, None, None, :] if mask is not None and mask.dim() "
            "== 2 else mask)",
        },
    ),
    "scores-returned": (
        "The scores come back in the place of the weights. The weights are what softmax makes "
        "of them, and each row sums to one.",
        {
            "return self.W_o(merge_heads(heads)), weights": "return "
            "self.W_o(merge_heads(heads)), query @ key.transpose(-2, -1) / query.shape[-1] ** "
            "0.5",
        },
    ),
    "weights-unmasked": (
        "The weights that come back are those without the mask; only the output has it. They "
        "are to be the weights that the output was made with.",
        {
            "return self.W_o(merge_heads(heads)), weights": "return "
            "self.W_o(merge_heads(heads)), scaled_dot_product_attention(query, key, value)[1]",
        },
    ),
    "heads-summed-weights": (
        "The weights of the heads were added up. Each head has its own, (B, H, L, S).",
        {
            "return self.W_o(merge_heads(heads)), weights": "return "
            "self.W_o(merge_heads(heads)), weights.sum(dim=1)",
        },
    ),
    "weights-of-first-head": (
        "Only the first head's weights come back. Each head has its own, (B, H, L, S).",
        {
            "return self.W_o(merge_heads(heads)), weights": "return "
            "self.W_o(merge_heads(heads)), weights[:, 0]",
        },
    ),
    "reshaped-both-ways": (
        "Queries, keys and values were reshaped to (B, H, L, D) in one go, and the heads back to "
        "(B, L, E). A head then gets a stretch of the positions with features of all heads: "
        "`split_heads` and `merge_heads` transpose as well.",
        {
            "query = split_heads(self.W_q(query), self.num_heads)": "def cut(x):\n    return "
            "x.reshape(x.shape[0], self.num_heads, x.shape[1], -1)\n"
            "query = cut(self.W_q(query))",
            "split_heads(self.W_k(key), self.num_heads)": "cut(self.W_k(key))",
            "split_heads(self.W_v(value), self.num_heads)": "cut(self.W_v(value))",
            "merge_heads(heads)": "heads.reshape(len(heads), heads.shape[2], -1)",
        },
    ),
    "not-split": (
        "Queries, keys and values are not cut into heads: there is one attention over all "
        "features, and its weights have no axis for heads, (B, L, S). They are (B, H, L, S).",
        {
            "split_heads(self.W_q(query), self.num_heads)": "self.W_q(query)",
            "split_heads(self.W_k(key), self.num_heads)": "self.W_k(key)",
            "split_heads(self.W_v(value), self.num_heads)": "self.W_v(value)",
            "merge_heads(heads)": "heads",
        },
    ),
    "output-bias-missing": (
        "The bias of W_o is left out of the output. Call the layer, or add it to the product.",
        {"self.W_o(merge_heads(heads))": "merge_heads(heads) @ self.W_o.weight.T"},
    ),
    "not-projected": (
        "The inputs are cut into heads as they come: W_q, W_k and W_v are not used. Queries, keys "
        "and values are what these three make of the inputs.",
        {"self.W_q(query)": "query", "self.W_k(key)": "key", "self.W_v(value)": "value"},
    ),
    "weight-not-transposed": (
        "Something is multiplied by a matrix as it lies in `weight`. An nn.Linear keeps the "
        "transpose there: call the layer, or multiply by `weight.T` and add the bias.",
        {"self.W_o(merge_heads(heads))": "merge_heads(heads) @ self.W_o.weight + self.W_o.bias"},
        {"self.W_q(query)": "query @ self.W_q.weight + self.W_q.bias"},
        {"self.W_k(key)": "key @ self.W_k.weight + self.W_k.bias"},
        {"self.W_v(value)": "value @ self.W_v.weight + self.W_v.bias"},
        {
            "self.W_q(query)": "query @ self.W_q.weight + self.W_q.bias",
            "self.W_k(key)": "key @ self.W_k.weight + self.W_k.bias",
            "self.W_v(value)": "value @ self.W_v.weight + self.W_v.bias",
        },
        {
            "self.W_q(query)": "query @ self.W_q.weight + self.W_q.bias",
            "self.W_k(key)": "key @ self.W_k.weight + self.W_k.bias",
            "self.W_v(value)": "value @ self.W_v.weight + self.W_v.bias",
            "self.W_o(merge_heads(heads))": "merge_heads(heads) @ self.W_o.weight + self.W_o.bias",
        },
    ),
    "self-attention-shortcut": (
        "Self-attention is assumed where query and key are one tensor, or look alike, and the "
        "values are then made from the query. `value` may be another: ask about all three, or "
        "project each by itself.",
        {
            "query = split_heads(": (
                "value = key if key is query else value\nquery = split_heads("
            ),
        },
        *[
            {
                "query = split_heads(": (
                    f"if {alike}:\n    key = value = query\nquery = split_heads("
                )
            }
            for alike in ("torch.equal(key, query)", "key.shape == query.shape")
        ],
    ),
    "output-bias-repeated": (
        "The bias of W_o is added more than once, as where each head goes through its columns of "
        "W_o together with the bias, and the results are added up. Add it once.",
        {
            "self.W_o(merge_heads(heads))": (
                "self.W_o(merge_heads(heads)) + (self.num_heads - 1) * self.W_o.bias"
            ),
        },
        {
            "self.W_o(merge_heads(heads))": "self.W_o(merge_heads(heads)) + self.W_o.bias",
        },
    ),
    "query-scaled-early": (
        "The scaling leaves out the bias of W_q, as where `query` is divided before it goes "
        "through W_q. Divide what W_q returns, or the scores.",
        {
            "self.W_q(query)": (
                "self.W_q(query) + ((query.shape[-1] / self.num_heads) ** 0.5 - 1) * self.W_q.bias"
            ),
        },
        {
            "self.W_q(query)": (
                "self.W_q(query) + ((query.shape[-1] / self.num_heads) ** 0.25 - 1) * self.W_q.bias"
            ),
            "self.W_k(key)": (
                "self.W_k(key) + ((query.shape[-1] / self.num_heads) ** 0.25 - 1) * self.W_k.bias"
            ),
        },
    ),
}


def _same_numbers(one, other):
    return one is not None and one.shape == other.shape and torch.equal(one.to(other), other)


@exercise("from_torch", chapter="07-multi-head", points=2, mend="bias-of-out-proj")
def _(student, reference, draw):
    def source(embed_dim, num_heads, options, weights):
        mha = nn.MultiheadAttention(embed_dim, num_heads, **options)
        mha.to(weights["in_proj_weight"].dtype).load_state_dict(weights)
        return mha.eval()

    def wider(embed_dim, num_heads, options):
        return nn.MultiheadAttention(embed_dim, num_heads, **options)

    B, H, L, S, E = 2, 3, 5, 7, 12
    weights = {
        "in_proj_weight": draw.normal(3 * E, E) / 2,
        "in_proj_bias": draw.normal(3 * E),
        "out_proj.weight": draw.normal(E, E) / 2,
        "out_proj.bias": draw.normal(E),
    }
    inputs = draw.normal(B=B, L=L, E=E), draw.normal(B=B, S=S, E=E), draw.normal(B=B, S=S, E=E)

    def others_than(case, mine, theirs):
        other = [name for name, one in theirs.items() if not _same_numbers(mine.get(name), one)]
        weights = [name for name in other if name.endswith("weight")]
        turned = weights and all(_same_numbers(mine.get(name), theirs[name].T) for name in weights)
        taken = torch.cat([one.flatten() for one in theirs.values()])
        drawn = [
            name
            for name in other
            if name in mine and not torch.isin(mine[name].to(taken), taken).all()
        ]
        require(
            not other,
            f"{case}: of the layer's parameters, {' and '.join(other)} "
            f"{'are' if other[1:] else 'is'} not what the source has in their place.",
            how=" and ".join(other)
            + (", transposed" if turned else "")
            + (f", {' and '.join(drawn)} of numbers that the source has not" if drawn else ""),
        )
        return other

    def compare(case, inputs, weights, num_heads=H, **options):
        bound = {"embed_dim": E, "num_heads": num_heads, "options": options, "weights": weights}
        wanted, layer = reference(built(source, **bound)), student(built(source, **bound))
        other = others_than(case, layer.parameters(), wanted.parameters())
        want, got = wanted(*inputs), layer(*inputs)
        if other:  # what comes of it may hang on what was drawn
            require(True, "")
        else:
            close(got, want, names=("output", "weights"), case=case, call=layer.last_call)

    compare("a source with batch_first=True", inputs, weights, batch_first=True)
    compare("a source with batch_first=False", inputs, weights, batch_first=False)
    compare("a source with one head", inputs, weights, num_heads=1, batch_first=True)
    plain = {name: weight for name, weight in weights.items() if "bias" not in name}
    compare("a source without bias", inputs, plain, bias=False, batch_first=True)
    double = {name: weight.double() for name, weight in weights.items()}
    wide = tuple(tensor.double() for tensor in inputs)
    compare("a float64 source", wide, double, batch_first=True)
    halves = {name: weight.half() for name, weight in weights.items()}
    compare("a float16 source", tuple(tensor.half() for tensor in inputs), halves, batch_first=True)
    for name in ("kdim", "vdim"):
        other = built(wider, embed_dim=E, num_heads=H, options={name: 8})
        raises(student, ValueError, other, case=f"a source with {name}=8")
    other = built(wider, embed_dim=E, num_heads=H, options={"kdim": 8, "vdim": 8})
    raises(student, ValueError, other, case="a source with kdim=8 and vdim=8")

    def folded(embed_dim, num_heads, row):
        """A source in which one number or row in memory stands for all: it cannot take others."""
        mha = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        for part, size in ((mha, 3 * embed_dim), (mha.out_proj, embed_dim)):
            name = "in_proj_" if part is mha else ""
            setattr(part, f"{name}weight", nn.Parameter(row.expand(size, embed_dim)))
            setattr(part, f"{name}bias", nn.Parameter(row[:1].expand(size)))
        return mha.eval()

    bound = {"embed_dim": E, "num_heads": H, "row": draw.normal(E)}
    layer, wanted = student(built(folded, **bound)), reference(built(folded, **bound))
    others_than("one number for all", layer.parameters(), wanted.parameters())
    others = {name: draw.normal(*old.shape) / 2 for name, old in wanted.parameters().items()}
    wanted.load(others)
    own = True
    try:
        layer.load(others)
    except Raised:
        own = False
    require(
        own,
        "The layer that from_torch returns has no weights of its own: other values cannot be put "
        "into it without changing the source's.",
    )
    case = "other weights, put into the layer: they alone decide, not the source"
    close(layer(*inputs), wanted(*inputs), names=("output", "weights"), case=case)


misconceptions["from_torch"] = {
    "biases-stay-random": (
        "Where the source has no biases, those of the new layer are not zeros, but stay what they "
        "were drawn as. Set all four to zero then.",
        {"ours.bias.zero_()": "pass"},
    ),
    "other-order": (
        "A part of in_proj_weight went to another projection than its own. Torch has the queries "
        "first, then the keys, then the values.",
        {"layer.W_q, layer.W_k, layer.W_v": "layer.W_v, layer.W_k, layer.W_q"},
        {
            "layer.W_q, layer.W_k, layer.W_v": "layer.W_k, layer.W_q, layer.W_v",
        },
        {
            "layer.W_q, layer.W_k, layer.W_v": "layer.W_q, layer.W_v, layer.W_k",
        },
        {
            "mha.in_proj_weight.chunk(3)": "[mha.in_proj_weight[: mha.embed_dim]] * 3",
        },
    ),
    "transposed": (
        "Matrices are transposed on the way. Torch stores them as nn.Linear does, output features "
        "first, so each can be copied as it is.",
        {
            "ours.weight.copy_(weight)": "ours.weight.copy_(weight.T)",
            "copy_(mha.out_proj.weight)": "copy_(mha.out_proj.weight.T)",
        },
        {"ours.weight.copy_(weight)": "ours.weight.copy_(weight.T)"},
    ),
    "inputs-left": (
        "W_q, W_k and W_v keep the matrices that they were drawn with: in_proj_weight is not "
        "copied. It holds the three, one below the other.",
        {"ours.weight.copy_(weight)": "pass"},
        {"ours.weight.copy_(weight)": "pass", "ours.bias.copy_(bias)": "pass"},
    ),
    "biases-missing": (
        "The biases of the source are not copied. Those of queries, keys and values stand in "
        "in_proj_bias, a third for each, and that of W_o in out_proj.bias.",
        {"if mha.in_proj_bias is not None": "if False"},
    ),
    "bias-of-out-proj": (
        "The bias of out_proj is not copied to W_o: the other three are copied.",
        {"layer.W_o.bias.copy_(mha.out_proj.bias)": ""},
    ),
    "cut-by-heads": (
        "All three projections got other rows of in_proj_weight than their own, as where they are "
        "cut head by head, or every third is taken. All rows of the queries come first, then "
        "those of the keys, then those of the values.",
        {
            "with torch.no_grad()": "def in_heads(rows):\n"
            "    cut = rows.unflatten(0, (mha.num_heads, 3, -1)).transpose(0, 1)\n"
            "    return cut.reshape(3, mha.embed_dim, *rows.shape[1:])\nwith torch.no_grad()",
            "mha.in_proj_weight.chunk(3)": "in_heads(mha.in_proj_weight)",
            "mha.in_proj_bias.chunk(3)": "in_heads(mha.in_proj_bias)",
        },
        {"mha.in_proj_weight.chunk(3)": "[mha.in_proj_weight[first::3] for first in range(3)]"},
        {
            "layer.W_q, layer.W_k, layer.W_v": "layer.W_k, layer.W_v, layer.W_q",
        },
    ),
    "head-size-as-number": (
        "The size of a head is given where the layer expects the number of heads.",
        {"mha.num_heads)": "mha.head_dim)"},
    ),
    "dimension-order": (
        "The source's order of dimensions was kept: with batch_first=False the layer takes (L, B, "
        "E). The course's layer is batch first, whatever the source was.",
        {
            "return layer": "forward = layer.forward\n"
            "if not mha.batch_first:\n"
            "    def turned(*inputs):\n"
            "        output, weights = forward(*(x.transpose(0, 1) for x in inputs))\n"
            "        return output.transpose(0, 1), weights\n"
            "    layer.forward = turned\n"
            "return layer",
        },
    ),
    "no-bias-unexpected": (
        "A source without bias is not expected: its in_proj_bias and its out_proj.bias are None. "
        "The biases of this layer should be zeros then.",
        {"if mha.in_proj_bias is not None": "if True"},
        {
            "if mha.in_proj_bias is not None": "layer.W_o.bias.copy_(mha.out_proj.bias)\n"
            "if mha.in_proj_bias is not None"
        },
    ),
    "float64-lost": (
        "The layer is float32 whatever the source is, and refuses the inputs of a float64 or a "
        "float16 source. Its dtype should follow the source.",
        {".to(mha.in_proj_weight)": ""},
    ),
    "kdim-accepted": (
        "A source with a kdim or vdim of its own is not refused with a ValueError. It has no "
        "in_proj_weight, but three matrices of other shapes: ask for both before anything is "
        "copied.",
        {"if mha.kdim != mha.embed_dim or mha.vdim != mha.embed_dim": "if False"},
        {
            "if mha.kdim != mha.embed_dim or mha.vdim != mha.embed_dim": "if False",
            "mha.in_proj_weight.chunk(3)": "mha.in_proj_weight[:].chunk(3)",
        },
    ),
    "shared-weights": (
        "Weights of the layer are those of the source: whoever trains one of them changes the "
        "other. The numbers should be copied, as by `copy_` or `clone`.",
        {
            "ours.weight.copy_(weight)": "ours.weight.data = weight.data",
            "layer.W_o.weight.copy_(mha.out_proj.weight)": "layer.W_o.weight = mha.out_proj.weight",
        },
        {"layer.W_o.weight.copy_(mha.out_proj.weight)": ("layer.W_o.weight = mha.out_proj.weight")},
        {"layer.W_o.bias.copy_(mha.out_proj.bias)": "layer.W_o.bias = mha.out_proj.bias"},
    ),
    "vdim-accepted": (
        "Only kdim is looked at. A source with a vdim of its own does not fit either: that is a "
        "ValueError too.",
        {"or mha.vdim != mha.embed_dim": ""},
        {
            "or mha.vdim != mha.embed_dim": "",
            "mha.in_proj_weight.chunk(3)": "mha.in_proj_weight[:].chunk(3)",
        },
    ),
    "output-transposed": (
        "The matrix of out_proj is transposed on the way. Torch stores it as nn.Linear does, "
        "output features first, so it fits as it is.",
        {
            "copy_(mha.out_proj.weight)": "copy_(mha.out_proj.weight.T)",
        },
    ),
    "output-left": (
        "W_o keeps the matrix that it was drawn with: nothing of out_proj is copied, neither the "
        "weight nor the bias.",
        {
            "layer.W_o.weight.copy_(mha.out_proj.weight)": "pass",
            "layer.W_o.bias.copy_(mha.out_proj.bias)": "pass",
        },
    ),
    "columns-cut": (
        "The numbers of in_proj_weight are read along its columns. It holds the three projections "
        "one below the other: cut its rows, a third for each.",
        {
            "mha.in_proj_weight.chunk(3)": "mha.in_proj_weight.T.reshape(3, mha.embed_dim, "
            "mha.embed_dim)",
        },
    ),
    "kdim-only-unlooked": (
        "Only vdim is looked at. A source with a kdim of its own does not fit either: that is "
        "a ValueError too.",
        {
            "mha.kdim != mha.embed_dim or": "",
        },
        {
            "mha.kdim != mha.embed_dim or": "",
            "mha.in_proj_weight.chunk(3)": "mha.in_proj_weight[:].chunk(3)",
        },
    ),
    "one-head": (
        "The layer is made with one head, whatever the source has. The matrices are of the "
        "same size, but the heads share them out in another way.",
        {
            "mha.num_heads)": "1)",
        },
    ),
    "output-weight-left": (
        "The matrix of out_proj is not copied: W_o keeps what it was drawn as.",
        {
            "layer.W_o.weight.copy_(mha.out_proj.weight)": "pass",
        },
    ),
    "output-bias-random": (
        "Where the source has no biases, that of W_o is not zeros, but stays what it was drawn "
        "as. Set it to zero then, as the other three.",
        {
            "(*projections, layer.W_o)": "projections",
        },
    ),
    "input-biases-random": (
        "Where the source has no biases, those of W_q, W_k and W_v are not zeros, but stay what "
        "they were drawn as. Set them to zero then, as that of W_o.",
        {
            "(*projections, layer.W_o)": "(layer.W_o,)",
        },
    ),
    "input-biases-missing": (
        "The biases of the queries, keys and values are not copied: they stand in "
        "in_proj_bias, a third for each.",
        {
            "ours.bias.copy_(bias)": "pass",
        },
    ),
    "both-needed": (
        "A source is refused only where kdim and vdim both differ from embed_dim. One of them is "
        "enough: join the two questions with `or`.",
        {
            "mha.embed_dim or mha.vdim": "mha.embed_dim and mha.vdim",
        },
        {
            "mha.embed_dim or mha.vdim": "mha.embed_dim and mha.vdim",
            "mha.in_proj_weight.chunk(3)": "mha.in_proj_weight[:].chunk(3)",
        },
    ),
}


@exercise("attention_parameter_count", chapter="07-multi-head", points=1)
def _(student, reference, draw):
    heads, head_dim = draw.int(5, 9), draw.int(10, 20)
    sizes = [(heads * head_dim, heads), (512, 8), (512, 1), (2, 1), (768, 12)]
    for embed_dim, num_heads in sizes:
        want, got = reference(embed_dim, num_heads), student(embed_dim, num_heads)
        close(got, want, call=student.last_call, rtol=0.0, atol=0.0)
        of_kind(got, int, "", student.last_call)
    require(
        not student.steps(8, 2),
        "attention_parameter_count makes tensors. The contract asks for a closed form: no layer is "
        "built.",
    )


misconceptions["attention_parameter_count"] = {
    "bias-of-one-head": (
        "A bias is counted as that of a single head, embed_dim / num_heads numbers. The output of "
        "each matrix has embed_dim features, and each of these has a bias.",
        {"+ embed_dim)": "+ embed_dim // num_heads)"},
        {
            "4 * (embed_dim * embed_dim + embed_dim)": "4 * embed_dim * embed_dim "
            "+ 3 * (embed_dim // num_heads) + embed_dim"
        },
    ),
    "output-bias-missing": (
        "One of the four biases is missing, or each is counted too small: W_q, W_k, W_v and W_o "
        "all have one, of embed_dim numbers.",
        {"4 * (embed_dim * embed_dim + embed_dim)": "4 * embed_dim * embed_dim + 3 * embed_dim"},
    ),
    "no-biases": (
        "The biases are missing: each nn.Linear has one number more for each of its outputs.",
        {"+ embed_dim)": ")"},
    ),
    "heads-cut-first": (
        "The matrices of a head are counted as if it got only its own embed_dim / num_heads "
        "features. A head makes its features from all embed_dim of them: together W_q, W_k and "
        "W_v have embed_dim rows and columns each.",
        {
            "4 * (embed_dim * embed_dim + embed_dim)": (
                "3 * num_heads * ((embed_dim // num_heads) ** 2 + embed_dim // num_heads) "
                "+ embed_dim * embed_dim + embed_dim"
            ),
        },
        {
            "4 * (embed_dim * embed_dim + embed_dim)": (
                "4 * num_heads * ((embed_dim // num_heads) ** 2 + embed_dim // num_heads)"
            ),
        },
    ),
    "times-heads": (
        "The count is multiplied by the number of heads. The heads share out the same matrices: "
        "more heads, but smaller ones.",
        {"4 *": "4 * num_heads *"},
    ),
    "three-matrices": (
        "Three matrices are counted with their biases. There are four: W_q, W_k, W_v and, to mix "
        "the heads at the end, W_o.",
        {"4 *": "3 *"},
    ),
    "one-head-only": (
        "W_q, W_k and W_v are counted for one head only. Their rows are those of all heads "
        "together: embed_dim.",
        {
            "return 4 * (embed_dim * embed_dim + embed_dim)": "one = embed_dim // num_heads\n"
            "return 3 * (embed_dim * one + one) + embed_dim * embed_dim + embed_dim",
        },
    ),
    "bias-is-one": (
        "The bias of an nn.Linear is counted as one number. It has one for each output, which are "
        "embed_dim numbers.",
        {"+ embed_dim)": "+ 1)"},
    ),
    "float": (
        "The number is right, but it is a float, as where something is divided by / on the way. A "
        "count is a whole number.",
        {"embed_dim * embed_dim": "embed_dim * (embed_dim / num_heads) * num_heads"},
    ),
    "full-width-heads": (
        "Every head is counted with matrices of full width. The heads share them: head h has D "
        "rows of each.",
        {
            "4 * (embed_dim * embed_dim + embed_dim)": "(3 * num_heads + 1) * (embed_dim * "
            "embed_dim + embed_dim)"
        },
    ),
    "output-per-head": (
        "W_o is counted as one head wide. It mixes the features of all heads: embed_dim by "
        "embed_dim.",
        {
            "return 4 * (embed_dim * embed_dim + embed_dim)": "return 3 * (embed_dim * "
            "embed_dim + embed_dim) + embed_dim * (embed_dim // num_heads) + embed_dim",
        },
    ),
    "input-biases-missing": (
        "One bias alone is counted, of embed_dim numbers. Each of the four projections has one: "
        "mind the parentheses where all four are counted at once.",
        {
            "4 * (embed_dim * embed_dim + embed_dim)": "4 * embed_dim * embed_dim + embed_dim",
        },
    ),
    "one-matrix": (
        "One matrix with its bias is counted. There are four: W_q, W_k, W_v and W_o.",
        {
            "4 *": "1 *",
        },
    ),
    "five-matrices": (
        "Five matrices are counted. There are four: W_q, W_k, W_v and W_o.",
        {
            "4 *": "5 *",
        },
    ),
    "two-biases": (
        "Each matrix is counted with twice the bias that it has. An nn.Linear has one number more "
        "for each of its outputs, and none for its inputs.",
        {
            "+ embed_dim)": "+ 2 * embed_dim)",
        },
    ),
    "layer-built": (
        "What is counted is built first, a layer or its matrices. The contract wants the count in "
        "closed form, from the two numbers alone: for a large embed_dim no memory would hold the "
        "layer.",
        {
            "return 4 * (embed_dim * embed_dim + embed_dim)": "return sum(each.numel() for each "
            "in nn.MultiheadAttention(embed_dim, num_heads).parameters())",
        },
    ),
    "one-head-each": (
        "All four matrices are counted for one head only: embed_dim times embed_dim / num_heads, "
        "with as many biases. The heads share out matrices of embed_dim by embed_dim.",
        {
            "return 4 * (embed_dim * embed_dim + embed_dim)": "one = embed_dim // num_heads\n"
            "return 4 * (embed_dim * one + one)",
        },
    ),
}

prediction(
    "reshape-in-one-go",
    chapter="07-multi-head",
    question=(
        "`x` is (1, 4, 6): four positions with six features. What does head 0 get from "
        "`x.reshape(1, 2, 4, 3)`?"
    ),
    right="Positions 0 and 1, with all their features.",
    options={
        "All four positions, with features 0 to 2.": (
            "That is what a head should get, and the shape fits it. But a reshape keeps the order "
            "in memory, in which a position's features stand together."
        ),
        "Positions 0 and 1, with all their features.": (
            "Head 0 is the first half of the new shape, so it gets the first twelve numbers: two "
            "positions of six."
        ),
        "All four positions, with features 0, 2 and 4.": (
            "A reshape skips no number. Head 0 gets the first twelve, in their order."
        ),
    },
    again={
        "numbers": {"L": (4, 6, 8), "E": (6, 8, 10)},
        "question": (
            "`x` is (1, {L}, {E}): {L} positions with {E} features. What does head 0 get from "
            "`x.reshape(1, 2, {L}, {E // 2})`?"
        ),
        "right": "f'Positions 0 to {L // 2 - 1}, with all their features.'",
        "options": {
            "f'All {L} positions, with features 0 to {E // 2 - 1}.'": (
                "That is what a head should get, and the shape fits it. But a reshape keeps the "
                "order in memory, in which a position's features stand together."
            ),
            "f'Positions 0 to {L // 2 - 1}, with all their features.'": (
                "Head 0 is the first half of the new shape, so it gets the first {L * E // 2} "
                "numbers: {L // 2} positions of {E}."
            ),
            "f'All {L} positions, with every other feature.'": (
                "A reshape skips no number. Head 0 gets the first {L * E // 2}, in their order."
            ),
        },
    },
)

prediction(
    "one-head-four-relations",
    chapter="07-multi-head",
    question=(
        "A single head as wide as the layer, a linear reader, four relations; a guess is right "
        "one time in ten. What does the model answer after training?"
    ),
    right="One relation well, the others far less well.",
    options={
        "All four well.": (
            "One average can hold four answers. But a linear reader gets only the one with the "
            "tallest bar."
        ),
        "All four in four or five of ten cases.": (
            "On average that would happen if the weights were even and the reader took the tallest "
            "bar. In our runs training made one answer's bar taller than the others. We did not "
            "look into why."
        ),
        "One relation well, the others far less well.": (
            "One of the four gets the largest share of the weight, and a linear reader gets the "
            "answer with the tallest bar. (In the first run the shares were 0.38 for the first "
            "card and 0.31 for the one before; a card in two relations counts in both.)"
        ),
        "None well.": "Even one average has room for one answer, which a linear reader can get.",
    },
)
