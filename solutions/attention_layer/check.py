"""Checks for chapter 4, the attention layer."""

import torch

from autograder.checking import (
    agrees,
    backpropagates,
    by,
    exercise,
    misconceptions,
    prediction,
    require,
)
from autograder.checking.cases import VALUES, each_one, low_scores, masks
from autograder.remote.subject import Raised

NAMES = ("output", "weights")


@exercise("attend", chapter="04-attention-layer", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(D=8), draw.normal(S=5, D=8), names=NAMES)
    agrees(student, reference, draw.normal(D=3), draw.normal(1, D=3), names=NAMES, case="one input")
    query, inputs = 100 * torch.ones(4), 80 * (draw.permutation(5) - 2.0)[:, None].expand(5, 4)
    agrees(student, reference, query, inputs, names=NAMES, case="scores of 1e4")
    low = torch.tensor([-30.0, -10.0, -50.0, -20.0, -40.0])[:, None].expand(5, 4)
    agrees(student, reference, query, low, names=NAMES, case="scores down to -1e4")
    one = draw.normal(1), draw.normal(S=5, D=1)
    agrees(student, reference, *one, names=NAMES, case="D = 1", ask=VALUES)
    query, inputs = draw.normal(4), draw.normal(5, 4) * (torch.arange(5) != 1)[:, None]
    agrees(student, reference, query, inputs, names=NAMES, case="an input of zeros", ask=VALUES)
    agrees(student, reference, 0 * query, inputs, names=NAMES, case="a query of zeros")
    square = draw.normal(5), draw.normal(5, 5)
    agrees(student, reference, *square, names=NAMES, case="as many inputs as features", ask=VALUES)


misconceptions["attend"] = {
    "output-averaged": (
        "The weighted inputs are divided by their number, as `mean` does. The weights sum to one "
        "already: the inputs are added up, each times its weight.",
        {"weights @ inputs,": "weights @ inputs / len(inputs),"},
    ),
    "not-scaled": (
        "The scores are not divided by sqrt(D). The longer the vectors, the larger the dot "
        "products, and the more one input takes all of the weight.",
        {"/ math.sqrt(D)": ""},
    ),
    "scaled-by-d": (
        "The scores are divided by D, not by its square root. Dot products spread like sqrt(D), so "
        "dividing by D makes the weights flatter the longer the vectors are.",
        {"math.sqrt(D)": "D"},
    ),
    "scaled-by-inputs": (
        "The scores are divided by the square root of the number of inputs. What makes a dot "
        "product large is the number of its terms, and that is the length D of the vectors.",
        {"math.sqrt(D)": "math.sqrt(len(inputs))"},
    ),
    "no-softmax": (
        "The scores are used as weights without a softmax. They may be negative, and they do not "
        "sum to one, so the output is no average of the inputs.",
        {"softmax(inputs @ query / math.sqrt(D))": "inputs @ query / math.sqrt(D)"},
    ),
    "divided-by-sum": (
        "The scores were divided by their sum to make weights. Scores of both signs then give "
        "negative weights, and a sum near zero gives huge ones: that is what softmax is for.",
        {"softmax(inputs @ query / math.sqrt(D))": "inputs @ query / (inputs @ query).sum()"},
    ),
    "softmax-before-scale": (
        "The softmax comes before the division by sqrt(D), so the weights sum to 1 / sqrt(D). It "
        "is the scores that are scaled.",
        {"softmax(inputs @ query / math.sqrt(D))": "softmax(inputs @ query) / math.sqrt(D)"},
    ),
    "hard-choice": (
        "The output is the one input with the largest weight. Attention is a soft choice: it takes "
        "some of every input, and so has a slope to learn from.",
        {"weights @ inputs,": "inputs[weights.argmax()],"},
    ),
    "averages-query": (
        "The output is made of the query and not of the inputs, as where the weights are "
        "multiplied with the query. The query only asks: multiply the weights with the inputs, "
        "and add up.",
        {"weights @ inputs,": "(weights.unsqueeze(-1) * query).sum(dim=0),"},
    ),
    "softmax-unshifted": (
        "The largest score is not subtracted before exp, which can then become infinite, or zero "
        "for all scores, and the weights NaN. Take the largest score away first, as softmax does.",
        {
            "softmax(inputs @ query / math.sqrt(D))": "(inputs @ query / math.sqrt(D)).exp()\n"
            "weights = weights / weights.sum()",
        },
    ),
    "multiplied": (
        "The scores are multiplied by sqrt(D). They are to be divided by it: dot products spread "
        "like sqrt(D) already, and this makes them spread like D.",
        {
            "/ math.sqrt(D)": "* math.sqrt(D)",
        },
    ),
    "cosine": (
        "The score is made of the cosine of query and input: both were brought to length one. It "
        "is their dot product over sqrt(D), in which a long input counts more.",
        {
            "inputs @ query / math.sqrt(D)": "(inputs / inputs.norm(dim=-1, keepdim=True)) @ "
            "(query / query.norm())",
        },
        {
            "inputs @ query / math.sqrt(D)": "(inputs / inputs.norm(dim=-1, keepdim=True)) @ "
            "(query / query.norm()) / math.sqrt(D)",
        },
    ),
    "distance": (
        "The score is made of a squared distance, with a minus. It is the dot product of query "
        "and input over sqrt(D).",
        {
            "inputs @ query / math.sqrt(D)": "-(inputs - query).square().sum(dim=-1) / "
            "math.sqrt(D)",
        },
        {
            "inputs @ query / math.sqrt(D)": "-(inputs - query).square().sum(dim=-1)",
        },
        {
            "inputs @ query / math.sqrt(D)": "-(inputs - query).square().sum(dim=-1) / 2",
        },
    ),
    "scores-returned": (
        "The scores come back in the place of the weights. The weights are what softmax makes "
        "of them, and sum to one.",
        {
            "return weights @ inputs, weights": "return weights @ inputs, inputs @ query / "
            "math.sqrt(D)",
        },
    ),
    "query-added": (
        "The query was added to the output, as a residual connection does. The output is made "
        "of the inputs alone.",
        {
            "return weights @ inputs, weights": "return weights @ inputs + query, weights",
        },
    ),
    "whole-root": (
        "The root is cut to a whole number, as `math.isqrt` and `int` do it: for D = 8 the scores "
        "are divided by 2. Use `math.sqrt` as it is.",
        {
            "math.sqrt(D)": "math.isqrt(D)",
        },
    ),
    "hard-weights": (
        "The best input has all of the weight. Attention is a soft choice: softmax gives some "
        "to every input.",
        {
            "weights = softmax(inputs @ query / math.sqrt(D))": "scores = inputs @ query\n"
            "weights = (scores == scores.max()).to(inputs.dtype)",
        },
    ),
    "unweighted": (
        "The inputs are averaged or added up without the weights. Each counts as much as its "
        "weight says.",
        {
            "weights @ inputs,": "inputs.sum(dim=0),",
        },
        {
            "weights @ inputs,": "inputs.mean(dim=0),",
        },
    ),
    "entry-by-entry": (
        "Query and inputs are multiplied entry by entry, and not summed: each feature has weights "
        "of its own, (S, D). A dot product is a sum over the features, so that each input has one "
        "score, (S).",
        {
            "softmax(inputs @ query / math.sqrt(D))": "softmax(inputs * query / math.sqrt(D), 0)",
            "return weights @ inputs, weights": "return (weights * inputs).sum(dim=0), weights",
        },
    ),
    "shifted-too-far": (
        "What is subtracted before exp is too large where all scores are far below zero, as the "
        "largest absolute value is, or zero. Every exp is zero then, and so is their sum. "
        "Subtract the largest score itself, negative or not.",
        {
            "softmax(inputs @ query / math.sqrt(D))": (
                "inputs @ query / math.sqrt(D)\n"
                "weights = torch.exp(weights - weights.abs().max())\n"
                "weights = weights / weights.sum()"
            ),
        },
        {
            "softmax(inputs @ query / math.sqrt(D))": (
                "inputs @ query / math.sqrt(D)\n"
                "weights = torch.exp(weights - weights.max().clamp(min=0))\n"
                "weights = weights / weights.sum()"
            ),
        },
        {
            "softmax(inputs @ query / math.sqrt(D))": (
                "inputs @ query / math.sqrt(D)\n"
                "weights = torch.exp(weights - weights.abs().max())\n"
                "weights = (weights / weights.sum()).nan_to_num()"
            ),
        },
    ),
}


@exercise(
    "scaled_dot_product_attention",
    chapter="04-attention-layer",
    points=4,
    forbidden=("scaled_dot_product_attention",),
)
def _(student, reference, draw):
    def case(text, *arguments):
        agrees(student, reference, *arguments, names=NAMES, case=text)

    query, key, value = draw.normal(2, L=3, D=8), draw.normal(2, S=5, D=8), draw.normal(2, S=5, E=6)
    case("", query, key, value)
    case("no batch", query[0], key[0], value[0])
    case("one query", query[:, :1], key, value)
    for text, size in each_one(B=2, L=3, S=5, D=8, E=6):
        B, L, S, D, E = size.values()
        some = draw.normal(B, L, D), draw.normal(B, S, D), draw.normal(B, S, E)
        agrees(student, reference, *some, names=NAMES, case=text, ask=VALUES)
    square = draw.permutation(5)[:, None] <= draw.permutation(5)
    some = draw.normal(2, 5, 8), key, value, square
    agrees(student, reference, *some, names=NAMES, case="as many queries as keys", ask=VALUES)
    agrees(student, reference, key, key, key, names=NAMES, case="one tensor for all", ask=VALUES)
    zeros = query * (torch.arange(3) != 1)[:, None], key * (torch.arange(5) != 1)[:, None], value
    agrees(student, reference, *zeros, names=NAMES, case="a query and a key of zeros", ask=VALUES)

    # Every query of this mask may attend to some keys and not to others, every key is allowed
    # for some queries and not for others, and it is not its own transpose.
    mask = torch.tensor([[1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [1, 1, 0, 1, 0]], dtype=torch.bool)
    case("a mask", query, key, value, mask)
    text = "a query and a key of zeros, and a mask"
    agrees(student, reference, *zeros, mask, names=NAMES, case=text, ask=VALUES)
    case("a mask for each example", query, key, value, torch.stack([mask, ~mask]))
    keys = torch.tensor([[[1, 1, 1, 0, 0]], [[1, 0, 0, 1, 0]]], dtype=torch.bool)
    case("a mask for all queries alike", query, key, value, keys)
    case("a mask [S]", query, key, value, keys[0, 0])

    empty = mask.clone()
    empty[1] = False
    case("a query that may attend to nothing", query, key, value, empty)
    nothing = query, key, value, torch.zeros_like(mask)
    case("nothing may be attended to", *nothing)
    backpropagates(student, *nothing, case="nothing may be attended to")

    query, key = draw.normal(2, 2, L=3, D=8), draw.normal(2, 2, S=5, D=8)
    case("two batch dimensions", query, key, draw.normal(2, 2, S=5, E=6), keys[:, None])
    some = query[:, None], key[:, None], draw.normal(2, 1, 2, S=5, E=6), keys[:, None, None]
    agrees(student, reference, *some, names=NAMES, case="three batch dimensions", ask=VALUES)

    sizes = torch.tensor([100.0, -100.0, 60.0])
    query = sizes[:, None].expand(3, 4)
    key = 20.0 * draw.permutation(5)[:, None].expand(5, 4)
    case("scores of 1e4", query, key, draw.normal(S=5, E=6), mask)
    value = draw.normal(S=5, E=6)
    low = low_scores(5)[:, None].expand(5, 4) / 2  # the product of 4 ones with it, over 2
    last = torch.arange(5) < 4
    some = torch.ones(3, 4), low, value, last
    agrees(student, reference, *some, names=NAMES, case="allowed scores that are low", ask=VALUES)
    # Of one size all, so that a mask along another axis gives numbers, not an error.
    some = draw.normal(3, 3, 3, 4), draw.normal(3, 3, 3, 4), draw.normal(3, 3, 3, 2)
    for text, allowed in masks(draw, 3, 3, 3, 3):
        agrees(student, reference, *some, allowed, names=NAMES, case=text, ask=VALUES)
    few = (*(one[0] for one in some), allowed[0, 0])
    text = "a mask (3, 3) for all examples"
    agrees(student, reference, *few, names=NAMES, case=text, ask=VALUES)


misconceptions["scaled_dot_product_attention"] = {
    "large-negative-added": (
        "A large negative number is added to masked scores, in the place of -inf. Where a query "
        "may attend to nothing all its scores get the same, so its weights still sum to one: they "
        "should be zeros.",
        *[
            {
                "scores = scores.masked_fill(~mask, -math.inf)": "scores = scores - (~mask).to("
                f"scores) * {large}"
            }
            for large in ("1e9", "1e4")
        ],
    ),
    "masked-after-shift": (
        "The softmax is taken of all scores, and what the mask leaves is divided by its sum. "
        "Beside a masked score that is far larger, all the others have been rounded to zero "
        "before: mask first.",
        {
            "weights = softmax(scores)": "scores = scaled_dot_product_scores(query, key)\n"
            "weights = softmax(scores)\n"
            "if mask is not None:\n"
            "    weights = weights * mask\n"
            "    total = weights.sum(dim=-1, keepdim=True)\n"
            "    weights = weights / total.masked_fill(total == 0, 1.0)"
        },
    ),
    "filled-then-zeroed": (
        "A masked score is a number that is meant to be small, and its weight is set to zero "
        "after the softmax. Beside allowed scores that are as low it takes a share, and the "
        "weights that remain do not sum to one: -inf takes nothing.",
        *[
            {
                "weights = softmax(scores)": "weights = softmax(scores)\n"
                "weights = weights if mask is None else weights * mask",
                "-math.inf": small,
            }
            for small in ("-100.0", "-1e3")
        ],
        {
            "weights = softmax(scores)": "weights = softmax(scores)\nweights = weights if "
            "mask is None else weights * mask",
            "-math.inf": "-1e4",
        },
    ),
    "mask-of-two-axes": (
        "A mask of one axis, [S], is not taken. It broadcasts as in every operation of torch, and "
        "hides the same keys from all queries.",
        {"masked_fill(~mask": "masked_fill(~mask.expand(*scores.shape[:-2], *mask.shape[-2:])"},
    ),
    "plus-infinity": (
        "What is masked gets plus infinity, as with one minus sign too many in `-float('-inf')`. "
        "The softmax of that is NaN, or all of the weight. It should be minus infinity.",
        {"-math.inf": "math.inf"},
        {"-math.inf": "math.inf", "softmax(scores)": "scores.softmax(dim=-1)"},
    ),
    "output-repaired": (
        "A query that may attend to nothing gets an output of zeros, but the weights that come "
        "back are NaN. They should be zeros there, so repair these, and make the output from "
        "them.",
        {
            "weights = softmax(scores)": "weights = scores.softmax(dim=-1)",
            "return weights @ value, weights": "return (weights @ value).nan_to_num(), weights",
        },
        {
            "weights = softmax(scores)": "weights = scores.softmax(dim=-1)",
            "return weights @ value, weights": "return weights.nan_to_num() @ value, weights",
        },
    ),
    "causal-unasked": (
        "Where there are as many queries as keys and no mask, a causal mask is used. Nobody asked "
        "for it: without a mask everyone may look at all.",
        {
            "if mask is not None:": "if mask is None and query.shape[-2] == key.shape[-2]:\n"
            "    mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()\n"
            "if mask is not None:"
        },
    ),
    "not-scaled": (
        "The scores are not divided by sqrt(D). The longer the vectors, the larger the dot "
        "products, and the more one key takes all of the weight.",
        by(
            {"/ math.sqrt(D)": ""},
            within="scaled_dot_product_scores",
        ),
    ),
    "scaled-by-d": (
        "The scores are divided by D, not by its square root. Dot products spread like sqrt(D), so "
        "dividing by D makes the weights flatter the longer the vectors are.",
        by(
            {"math.sqrt(D)": "D"},
            within="scaled_dot_product_scores",
        ),
    ),
    "scaled-by-value-width": (
        "The scores are divided by the square root of the values' width E. The dot product is of a "
        "query and a key, so it is their width D that makes it large.",
        {"scaled_dot_product_scores(query, key)": "query @ key.mT / math.sqrt(value.shape[-1])"},
    ),
    "scaled-by-keys": (
        "The scores are divided by the square root of the number of keys. What makes a dot product "
        "large is the number of its terms, and that is the width D of query and key.",
        by(
            {"math.sqrt(D)": "math.sqrt(key.shape[-2])"},
            within="scaled_dot_product_scores",
        ),
    ),
    "softmax-over-queries": (
        "The softmax runs along the wrong axis: here the weights of one key sum to one over the "
        "queries. It is each query that shares out its attention over all keys.",
        {"softmax(scores)": "softmax(scores, dim=-2)"},
    ),
    "softmax-before-scale": (
        "The softmax comes before the division by sqrt(D), so the weights of a query sum to "
        "1 / sqrt(D). It is the scores that are scaled.",
        {
            "scores = scaled_dot_product_scores(query, key)": "scores = query @ key.mT",
            "softmax(scores)": "softmax(scores) / math.sqrt(query.shape[-1])",
        },
    ),
    "transpose-all-axes": (
        "All axes of the key are turned around, as `.T` does, so with a batch the sizes do not "
        "fit. The last two are to be exchanged: name them, as in `transpose(-2, -1)`.",
        by(
            {"key.transpose(-2, -1)": "key.permute(*range(key.dim() - 1, -1, -1))"},
            within="scaled_dot_product_scores",
        ),
    ),
    "mask-unused": (
        "The mask is not used. What may not be attended to gets a weight all the same.",
        {"if mask is not None:": "if False:"},
    ),
    "mask-turned-around": (
        "The mask is taken the wrong way around. True means that a query may attend to the key (in "
        "nn.MultiheadAttention it means the opposite).",
        {"~mask": "mask"},
    ),
    "masked-score-zero": (
        "The score of a masked key is zero, as where scores are multiplied by the mask. Zero is a "
        "score like any other and takes its share of the softmax, often more than what may be "
        "attended to: it should be -inf.",
        {"-math.inf": "0.0"},
        {
            "-math.inf": "0.0",
            "softmax(scores)": "softmax(scores) * (1 if mask is None else mask.any(dim=-1, "
            "keepdim=True))",
        },
        {"-math.inf": "0.0", "softmax(scores)": "softmax(scores) * (1 if mask is None else mask)"},
    ),
    "masked-after-softmax": (
        "The mask is applied after the softmax. The weights that remain do not sum to one any "
        "more, and how far they fall short depends on what is hidden: set masked scores to -inf "
        "before.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": "pass",
            "softmax(scores)": "softmax(scores) * (1 if mask is None else mask)",
        },
    ),
    "mask-added": (
        "The True and False of the mask were added to the scores, as 1 and 0. To hide a key its "
        "score has to become minus infinity.",
        {"scores.masked_fill(~mask, -math.inf)": "scores + mask"},
        {
            "scores.masked_fill(~mask, -math.inf)": "scores + mask",
            "weights = softmax(scores)": "weights = softmax(scores)\n"
            "weights = weights if mask is None else weights * mask",
        },
        {
            "scores.masked_fill(~mask, -math.inf)": "scores + mask",
            "weights = softmax(scores)": "weights = softmax(scores)\n"
            "weights = weights if mask is None else weights * mask.any(dim=-1, keepdim=True)",
        },
    ),
    "empty-row-nan": (
        "A query that may attend to nothing gets NaN, as from a softmax over scores that are all "
        "-inf, or from a sum of zero that is divided by. Its output and weights should be zeros.",
        {"softmax(scores)": "scores.softmax(dim=-1)"},
    ),
    "large-negative": (
        "A query that may attend to nothing attends to everything alike, as it does where masked "
        "scores are one large negative number instead of -inf. Its weights and its output should "
        "be zeros.",
        {"-math.inf": "-1e9"},
    ),
    "nan-replaced": (
        "A query that may attend to nothing has zeros, which were put in the place of NaN, but "
        "its gradient is NaN still, as where -inf is added to scores. Let masked_fill or "
        "torch.where set the scores to -inf: no gradient passes there.",
        {
            "scores.masked_fill(~mask, -math.inf)": "scores + torch.where(mask, 0.0, -math.inf)",
            "softmax(scores)": "scores.softmax(dim=-1).nan_to_num()",
        },
    ),
    "softmax-unshifted": (
        "The largest score of each query is not subtracted before exp, which can then become "
        "infinite, or zero for all scores. Take it away first, as softmax does.",
        {
            "weights = softmax(scores)": "weights = scores.exp()\n"
            "total = weights.sum(dim=-1, keepdim=True)\n"
            "weights = weights / (total + (total == 0))",
        },
    ),
    "weights-unmasked": (
        "The weights that come back are those without the mask; only the output has it. They "
        "are to be the weights that the output was made with.",
        {
            "return weights @ value, weights": "return weights @ value, "
            "softmax(scaled_dot_product_scores(query, key))",
        },
        {
            "return weights @ value, weights": "free = "
            "softmax(scaled_dot_product_scores(query, key))\nreturn weights @ value, free if "
            "mask is None else free * mask.any(dim=-1, keepdim=True)",
        },
    ),
    "output-unmasked": (
        "The weights that come back have the mask, but the output was made without it. Both "
        "belong together.",
        {
            "return weights @ value, weights": "return "
            "softmax(scaled_dot_product_scores(query, key)) @ value, weights",
        },
    ),
    "scores-returned": (
        "The scores come back in the place of the weights. The weights are what softmax makes "
        "of them, and sum to one over the keys.",
        {
            "return weights @ value, weights": "return weights @ value, scores",
        },
        {
            "return weights @ value, weights": "return weights @ value, "
            "scaled_dot_product_scores(query, key)",
        },
    ),
    "mask-with-head-axis": (
        "A mask of three axes is given one more, as if there were heads. The mask broadcasts "
        "to (..., L, S) as it comes: change nothing in it.",
        {
            "if mask is not None:": "if mask is not None and mask.dim() == 3:\n    mask = "
            "mask.unsqueeze(1)\nif mask is not None:",
        },
    ),
    "mask-transposed": (
        "The mask is transposed: its rows are used for the keys. Rows belong to queries and "
        "columns to keys, as in the scores.",
        {
            "masked_fill(~mask": "masked_fill(~(mask if mask.dim() < 2 else mask.mT)",
        },
    ),
    "output-of-empty-row": (
        "A query that may attend to nothing has weights of zeros, but its output is the average "
        "of all values, as where the weights are set to zero after the output is made. Make it "
        "from the weights that come back.",
        {
            "-math.inf": "-1e30",
            "return weights @ value, weights": "output = weights @ value\nif mask is not "
            "None:\n    weights = weights * mask.any(dim=-1, keepdim=True)\nreturn output, "
            "weights",
        },
    ),
    "second-axis": (
        "The softmax runs along the second axis from the front. The keys lie along that one only "
        "where query and key have two axes: count from the end, dim=-1.",
        {
            "softmax(scores)": "softmax(scores, dim=1)",
        },
    ),
    "softmax-over-all": (
        "The softmax runs over queries and keys at once, so all weights of a batch's example "
        "sum to one together. The weights of each query sum to one.",
        {
            "softmax(scores)": "softmax(scores.flatten(-2)).view_as(scores)",
        },
    ),
    "query-added": (
        "The queries were added to the output, as a residual connection does. The output is "
        "made of the values alone.",
        {
            "return weights @ value, weights": "return weights @ value + (query if "
            "query.shape[-1] == value.shape[-1] else query.mean(dim=-1, keepdim=True)), "
            "weights",
        },
    ),
    "all-masked-if-one": (
        "A query that may not attend to some key gets weights of zeros. These are for a query "
        "whose whole row of the mask is False.",
        {
            "weights = softmax(scores)": "weights = softmax(scores)\nif mask is not None:\n   "
            " weights = weights * mask.all(dim=-1, keepdim=True)",
        },
    ),
    "empty-row-allowed": (
        "A query that may attend to nothing attends as if it had no mask. Its weights and its "
        "output should be zeros.",
        {
            "masked_fill(~mask,": "masked_fill(~mask & mask.any(dim=-1, keepdim=True),",
        },
    ),
    "zeros-if-all-empty": (
        "A query that may attend to nothing gets NaN where others may attend to something: "
        "weights of zeros are made only if the whole mask is False. Each such query needs them.",
        {
            "softmax(scores)": "scores.softmax(dim=-1) if mask is None or mask.any() else "
            "torch.zeros_like(scores)",
        },
    ),
    "unweighted": (
        "The values are averaged or added up without the weights. Each value counts as much as "
        "the query's weight for its key says.",
        {
            "return weights @ value": "return (0 * weights + 1 / weights.shape[-1]) @ value",
        },
        {
            "return weights @ value": "return (0 * weights + 1) @ value",
        },
    ),
    "mask-repeated": (
        "With several batch dimensions, some examples get another one's mask, as where the masks "
        "are flattened and repeated as a whole, by `repeat`. `repeat_interleave` repeats each in "
        "its turn; broadcasting needs neither.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "if mask.dim() > 2 and scores.dim() > 3:\n    flat = mask.reshape(-1, "
                "*mask.shape[-2:])\n    copies = scores[..., 0, 0].numel() // len(flat)\n    flat "
                "= flat.repeat(copies, 1, 1)\n    mask = flat.expand(-1, "
                "*scores.shape[-2:]).reshape(scores.shape)\nscores = scores.masked_fill(~mask, "
                "-math.inf)"
            ),
        },
    ),
    "filled-with-small": (
        "A masked score is a number that is meant to be small, such as -1e4. Allowed scores "
        "may be as low themselves, and beside them it takes a share: -inf takes none.",
        {
            "-math.inf": "-100.0",
            "softmax(scores)": "softmax(scores) * (1 if mask is None else mask.any(dim=-1, "
            "keepdim=True))",
        },
        {
            "-math.inf": "-1e3",
            "softmax(scores)": "softmax(scores) * (1 if mask is None else mask.any(dim=-1, "
            "keepdim=True))",
        },
        {
            "-math.inf": "-1e4",
            "softmax(scores)": "softmax(scores) * (1 if mask is None else mask.any(dim=-1, "
            "keepdim=True))",
        },
        {
            "-math.inf": "-100.0",
        },
        {
            "-math.inf": "-1e3",
        },
        {
            "-math.inf": "-1e4",
        },
    ),
    "leading-axes-merged": (
        "With no leading axis, or with several, the output, the weights or both come back with "
        "exactly one, as `bmm` wants it. Both have the leading axes of the inputs: put them back.",
        {
            "return weights @ value, weights": (
                "return weights @ value, weights.reshape(-1, *weights.shape[-2:])"
            ),
        },
        {
            "return weights @ value, weights": (
                "output = weights @ value\n"
                "output = output.reshape(-1, *output.shape[-2:])\n"
                "return output, weights.reshape(-1, *weights.shape[-2:])"
            ),
        },
        {
            "return weights @ value, weights": (
                "output = weights @ value\nreturn output.reshape(-1, *output.shape[-2:]), weights"
            ),
        },
    ),
}


def no_bias(layer, sizes):
    """Fail if a linear layer of one of these names has a bias (of that size)."""
    for name, size in sizes.items():
        try:
            layer.load({f"{name}.bias": torch.zeros(size)})
        except Raised:
            continue
        require(False, f"{name} has a bias; it should be an nn.Linear with bias=False.")


@exercise("AttentionLayer", chapter="04-attention-layer", points=4)
def _(student, reference, draw):
    def layers(D, I, E):  # noqa: E741
        weights = {"W_k.weight": draw.normal(D=D, I=I), "W_v.weight": draw.normal(E=E, I=I)}
        made = student(D, I, E), reference(D, I, E)
        for layer in made:
            layer.load(weights)
        return made

    # Keys and values of one width: whoever mixes them up gets numbers, not an error.
    pair = layers(4, 6, 4)
    agrees(*pair, draw.normal(2, L=3, D=4), draw.normal(2, S=5, I=6), names=NAMES)

    pair = layers(8, 6, 3)
    queries, inputs = draw.normal(2, L=5, D=8), draw.normal(2, S=7, I=6)
    agrees(*pair, queries, inputs, names=NAMES, case="three different widths")
    agrees(*pair, queries[0], inputs[0], names=NAMES, case="no batch")
    agrees(*pair, queries[:, :1], inputs, names=NAMES, case="one query")
    agrees(*pair, queries[:, None], inputs[:, None], names=NAMES, case="two batch dimensions")
    some = queries[:, None, None], inputs[:, None, None]
    agrees(*pair, *some, names=NAMES, case="three batch dimensions", ask=VALUES)
    # Where one input has nearly all the weight, what is left of 1 is rounding, and the gradient of
    # W_k is a thousand times that.
    large = {"case": "large numbers", "rtol": 2e-3, "atol": 5e-3}
    agrees(*pair, 100 * queries, 10 * inputs, names=NAMES, **large)
    same = layers(6, 6, 6)  # queries and inputs of one width: both might go through a layer
    queries, inputs = draw.normal(2, L=5, D=6), draw.normal(2, S=7, I=6)
    agrees(*same, queries, inputs, names=NAMES, case="one width for all", ask=VALUES)
    zeros = inputs * (torch.arange(7) != 1)[:, None]
    agrees(*same, queries, zeros, names=NAMES, case="an input of zeros", ask=VALUES)
    agrees(*same, inputs, inputs, names=NAMES, case="the inputs ask themselves", ask=VALUES)
    no_bias(pair[0], {"W_k": 8, "W_v": 3})
    for text, size in each_one(B=2, L=3, S=5, D=4, I=6, E=3):
        B, L, S, D, I, E = size.values()  # noqa: E741
        some = draw.normal(B, L, D), draw.normal(B, S, I)
        agrees(*layers(D, I, E), *some, names=NAMES, case=text, ask=VALUES)


misconceptions["AttentionLayer"] = {
    "key-value-swapped": (
        "W_k and W_v are swapped: the keys are made with W_v, and the values with W_k. Keys are "
        "what the queries are compared with; values are what comes out.",
        {
            "self.W_k(inputs)": "self.W_v(inputs)",
            "value = self.W_v(inputs)": "value = self.W_k(inputs)",
        },
    ),
    "not-scaled": (
        "The scores are not divided by sqrt(query_dim). The wider queries and keys are, the more "
        "one input takes all of the weight.",
        by(
            {"/ math.sqrt(D)": ""},
            within="scaled_dot_product_scores",
        ),
    ),
    "scaled-by-input": (
        "The scores are scaled by the wrong size: the square root of input_dim. The dot product "
        "is of a query and a key, and both are query_dim wide.",
        {"(queries, key": "(queries * math.sqrt(queries.shape[-1] / inputs.shape[-1]), key"},
    ),
    "scaled-by-value": (
        "The scores are scaled by the wrong size: the square root of value_dim. The dot product "
        "is of a query and a key, and both are query_dim wide.",
        {"(queries, key": "(queries * math.sqrt(queries.shape[-1] / value.shape[-1]), key"},
    ),
    "softmax-over-queries": (
        "The softmax runs along the wrong axis: here the weights of one input sum to one over the "
        "queries. It is each query that shares out its attention over all inputs.",
        by(
            {"softmax(scores)": "softmax(scores, dim=-2)"},
            within="scaled_dot_product_attention",
        ),
    ),
    "keys-as-values": (
        "The keys are used as values, in the place of what W_v makes of the inputs. A layer could "
        "then answer only with what it is found by, and its output is query_dim wide, where "
        "value_dim is asked for.",
        {"value = self.W_v(inputs)": "value = key"},
    ),
    "inputs-as-values": (
        "The inputs are averaged as they are, without W_v. The output is as wide as the inputs "
        "then; it should be value_dim wide.",
        {"value = self.W_v(inputs)": "value = inputs"},
    ),
    "has-bias": (
        "W_k or W_v, or both, have a bias. One in W_k changes no weight at all (it adds the same "
        "to all scores of a query), and the contract says bias=False for both.",
        {
            "query_dim, bias=False)": "query_dim)\nnn.init.zeros_(self.W_k.bias)",
            "value_dim, bias=False)": "value_dim)\nnn.init.zeros_(self.W_v.bias)",
        },
    ),
    "weights-detached": (
        "The weights are cut off from the gradient, so W_k never learns and nothing reaches the "
        "queries. Leave out `.detach()`, or `no_grad`.",
        by(
            {"weights = softmax(scores)": "weights = softmax(scores).detach()"},
            within="scaled_dot_product_attention",
        ),
    ),
    "inputs-as-keys": (
        "The inputs are the keys as they are, without W_k. That fits only where they are as "
        "wide as the queries: keys are query_dim wide.",
        {
            "key = self.W_k(inputs)": "key = inputs",
        },
    ),
    "values-of-keys": (
        "The values are made from the keys, by W_v after W_k. They are made from the inputs: "
        "W_v goes from input_dim to value_dim.",
        {
            "value = self.W_v(inputs)": "value = self.W_v(key)",
        },
    ),
    "queries-by-w-k": (
        "The queries go through W_k as well. They are used as they come.",
        {
            "(queries, key, value)": "(self.W_k(queries), key, value)",
        },
    ),
    "scores-returned": (
        "The scores come back in the place of the weights. The weights are what softmax makes "
        "of them, and sum to one over the inputs.",
        {
            "return scaled_dot_product_attention(queries, key, value)": "output, _ = "
            "scaled_dot_product_attention(queries, key, value)\nreturn output, queries @ "
            "key.transpose(-2, -1) / queries.shape[-1] ** 0.5",
        },
    ),
    "output-by-query": (
        "The queries were added to the output, as a residual connection does. The output is "
        "made of the values alone.",
        {
            "return scaled_dot_product_attention(queries, key, value)": "output, weights = "
            "scaled_dot_product_attention(queries, key, value)\nreturn (output + queries if "
            "output.shape == queries.shape else output + queries.mean(dim=-1, keepdim=True)), "
            "weights",
        },
    ),
    "weight-not-transposed": (
        "The inputs are multiplied by a matrix as it lies in `weight`. An nn.Linear keeps the "
        "transpose there: call the layer, or multiply by `weight.T`.",
        {
            "self.W_k(inputs)": "inputs @ self.W_k.weight",
            "self.W_v(inputs)": "inputs @ self.W_v.weight",
        },
        {"self.W_k(inputs)": "inputs @ self.W_k.weight"},
        {"self.W_v(inputs)": "inputs @ self.W_v.weight"},
    ),
    "leading-axes-merged": (
        "With no leading axis, or with several, the output, the weights or both come back with "
        "exactly one, as `bmm` wants it. Both have the leading axes of the inputs: put them back.",
        {
            "return scaled_dot_product_attention(queries, key, value)": (
                "output, weights = scaled_dot_product_attention(queries, key, value)\n"
                "return output, weights.reshape(-1, *weights.shape[-2:])"
            ),
        },
        {
            "return scaled_dot_product_attention(queries, key, value)": (
                "output, weights = scaled_dot_product_attention(queries, key, value)\n"
                "output = output.reshape(-1, *output.shape[-2:])\n"
                "return output, weights.reshape(-1, *weights.shape[-2:])"
            ),
        },
        {
            "return scaled_dot_product_attention(queries, key, value)": (
                "output, weights = scaled_dot_product_attention(queries, key, value)\n"
                "return output.reshape(-1, *output.shape[-2:]), weights"
            ),
        },
    ),
}


@exercise("grid_to_sequence", chapter="04-attention-layer", points=1, mend="memory")
def _(student, reference, draw):
    agrees(student, reference, draw.normal(B=2, C=5, H=3, W=4))
    agrees(student, reference, draw.normal(1, C=6, H=5, W=3), case="one picture, more rows")
    agrees(student, reference, draw.normal(3, 1, H=2, W=2), case="one channel")
    for case, size in each_one(B=2, C=5, H=3, W=4):
        agrees(student, reference, draw.normal(*size.values()), case=case, ask=VALUES)
    cube = draw.normal(2, 3, 3, 3)
    agrees(student, reference, cube, case="as many channels as rows and columns", ask=VALUES)


misconceptions["grid_to_sequence"] = {
    "memory": (
        "The numbers are read off in memory order and cut into pieces of C. A piece then runs "
        "along neighboring places of a channel, where it should hold all channels of one place.",
        {"features.reshape(B, C, H * W).transpose(1, 2)": "features.reshape(B, H * W, C)"},
    ),
    "column-order": (
        "The grid is read column by column. Row by row, the place to the right comes next: "
        "position h * W + w.",
        {"features.reshape(": "features.mT.reshape("},
    ),
    "channels-first": (
        "The channels come before the positions: [B, C, H * W]. In a sequence the positions come "
        "first, each with its vector.",
        {".transpose(1, 2)": ""},
    ),
    "still-a-grid": (
        "The channels are last, but the grid is still a grid: [B, H, W, C]. Rows and columns are "
        "to be merged into one axis of positions.",
        {"reshape(B, C, H * W).transpose(1, 2)": "permute(0, 2, 3, 1)"},
    ),
    "batch-merged": (
        "The places of all pictures are merged into one sequence: [B * H * W, C]. Every picture "
        "has a sequence of its own.",
        {".transpose(1, 2)": ".transpose(1, 2).flatten(0, 1)"},
    ),
    "reversed": (
        "The grid is read row by row, but from the bottom right backward. Position 0 is the "
        "top left.",
        {".transpose(1, 2)": ".flip(-1).transpose(1, 2)"},
    ),
    "bottom-first": (
        "The rows are read from the bottom up. Position 0 is the top left, and the row below "
        "it comes next.",
        {
            "features.reshape(": "features.flip(2).reshape(",
        },
    ),
    "right-first": (
        "Each row is read from right to left. Position 0 is the top left, and the place to "
        "the right of it comes next.",
        {
            "features.reshape(": "features.flip(3).reshape(",
        },
    ),
    "rows-merged-with-channels": (
        "The channels are merged with the rows, and the columns are the positions: (B, W, C * "
        "H). Rows and columns are the positions, and a vector holds the C channels alone.",
        {
            "features.reshape(B, C, H * W)": "features.reshape(B, C * H, W)",
        },
    ),
    "averaged": (
        "The grid was averaged along its rows or its columns. Every place of the grid has a "
        "position of its own.",
        {
            "features.reshape(B, C, H * W)": "features.mean(dim=-1)",
        },
        {
            "features.reshape(B, C, H * W)": "features.mean(dim=-2)",
        },
    ),
    "steps-of-height": (
        "A row of the grid is begun H places after the one before it, as by h * H + w. It holds W "
        "places: position h * W + w.",
        {
            "return features.reshape(B, C, H * W).transpose(1, 2)": (
                "sequence = features.new_zeros(B, H * W, C)\n"
                "for h in range(H):\n"
                "    for w in range(W):\n"
                "        sequence[:, h * H + w] = features[:, :, h, w]\n"
                "return sequence"
            ),
        },
    ),
}


prediction(
    "attention-output",
    chapter="04-attention-layer",
    question=(
        "Queries have the shape (4, 10, 64), keys (4, 50, 64), values (4, 50, 7). What is the "
        "shape of the output?"
    ),
    right=(4, 10, 7),
    options={
        (4, 10, 7): "One row for each query, as wide as a value; the keys are gone.",
        (4, 10, 64): (
            "Attention is often drawn as something that changes queries, and then the output "
            "would be as wide as they are. But it is made of values."
        ),
        (4, 10, 50): "These are the weights: one for each pair of a query and a key.",
        (4, 50, 7): "These are the values. There is one output for each query, not for each key.",
    },
    again={
        "numbers": {"L": (6, 9, 12), "S": (20, 30, 40), "D": (16, 32), "V": (3, 5, 8)},
        "question": (
            "Four sentences are one batch. Queries have the shape (4, {L}, {D}), keys (4, {S}, "
            "{D}), values (4, {S}, {V}). What is the shape of the output?"
        ),
        "right": "(4, L, V)",
        "options": {
            "(4, L, V)": (
                "One row for each of the {L} queries, as wide as a value; the {S} keys are gone."
            ),
            "(4, L, D)": "That is as wide as the queries are. But the output is made of values.",
            "(4, L, S)": "These are the weights: one for each pair of a query and a key.",
            "(4, S, V)": (
                "These are the values. There is one output for each query, not for each key."
            ),
        },
    },
)


prediction(
    "words-without-places",
    chapter="04-attention-layer",
    question=(
        "Nothing in the model knows a place, so a picture and its copy with the halves swapped "
        "give the same logits. One picture in ten has the same digit twice. If the model reads "
        "every digit perfectly, what share of all words can it get right at best?"
    ),
    right=0.55,
    options={
        0.55: (
            "All words of the one picture in ten whose digits are the same, and half of the "
            "others: 0.1 + 0.9 / 2."
        ),
        0.5: "Half of them where the digits differ. Where they are the same, both words are right.",
        1.0: (
            "It knows which two digits there are. But it gives the same two words for both orders, "
            "and one of the two pictures has them the other way around."
        ),
        0.1: "This is guessing among ten words without having seen the picture.",
    },
    again={
        "numbers": {"k": (2, 4, 5, 20)},
        "question": (
            "A model is to name the two digits of a picture in their order. It reads both "
            "perfectly and knows no places. One picture in {k} has the same digit twice. What "
            "share of its answers can be right at best?"
        ),
        "right": "round(1 / k + (1 - 1 / k) / 2, 4)",
        "options": {
            "round(1 / k + (1 - 1 / k) / 2, 4)": (
                "All of the pictures whose digits are the same, and half of the others: {1 / k:g} "
                "+ {1 - 1 / k:g} / 2."
            ),
            "0.5": (
                "Half of them where the digits differ. Where they are the same, both orders are "
                "right."
            ),
            "1.0": "It knows which two digits there are, but not which of them stands on the left.",
            "0.1": "That is what guessing among ten answers would give.",
        },
    },
)
