"""Checks for chapter 8, masked attention."""

import math

import torch

from autograder.checking import (
    Ask,
    agrees,
    backpropagates,
    built,
    exercise,
    misconceptions,
    prediction,
    require,
    same,
)
from autograder.checking.cases import VALUES, each_one, low_scores, masks


@exercise("causal_mask", chapter="08-masked", points=2)
def _(student, reference, draw):
    cases = {
        "no past": (draw.int(4, 7),),
        "a past": (3, draw.int(4, 7)),
        "a past shorter than the length": (5, 2),
        "one query, with a past": (1, draw.int(4, 7)),
        "one query, no past": (1, 0),
        "a long past": (2, 2100),
    }
    for case, sizes in cases.items():
        want, got = reference(*sizes), student(*sizes)
        same(got, want, case=case, call=student.last_call)


misconceptions["causal_mask"] = {
    "upside-down": (
        "The mask is upside down: a query may attend to its own position and to those after it,"
        " and not to those before. It should be its own and all before it.",
        {".tril(past_length)": ".triu(past_length)"},
    ),
    "one-too-wide": (
        "The triangle is one column too wide: a query may attend to the position after its own,"
        " too. With that, the next token is read off and need not be predicted.",
        {".tril(past_length)": ".tril(past_length + 1)"},
    ),
    "diagonal-masked": (
        "The diagonal is masked out: a position may attend to itself. The token at a position is "
        "known there; the next one is to be predicted.",
        {".tril(past_length)": ".tril(past_length - 1)"},
    ),
    "true-forbids": (
        "True stands where attending is forbidden, and False where it is allowed. In this "
        "course, as in torch's scaled_dot_product_attention, True means `may attend`.",
        {"return torch": "return ~torch"},
    ),
    "additive": (
        "These are numbers to be added to scores: 0 where attending is allowed, and -inf or "
        "another low number where it is not. The mask is boolean here: True means `may attend`.",
        {
            "torch.ones(length, past_length + length, dtype=torch.bool)": "torch.full((length, "
            "past_length + length), -math.inf)",
            ".tril(past_length)": ".triu(past_length + 1)",
        },
        {
            "torch.ones(length, past_length + length, dtype=torch.bool)": (
                "torch.full((length, past_length + length), -1e9)"
            ),
            ".tril(past_length)": ".triu(past_length + 1)",
        },
    ),
    "not-boolean": (
        "The mask holds 0 and 1 as numbers. It should be boolean, so that `~` turns it around.",
        {", dtype=torch.bool": ""},
    ),
    "past-ignored": (
        "The triangle begins at the first key, as if the queries were the first positions. They"
        " come after the past: query 0 may attend to all of the past and to itself.",
        {".tril(past_length)": ".tril()"},
    ),
    "past-missing": (
        "The past has no keys in this mask: there are past_length + length of them.",
        {
            "past_length + length": "length",
            ".tril(past_length)": ".tril()",
        },
    ),
    "past-masked": (
        "The past is masked out. It is before every query, so all of them may attend to it.",
        {
            ".tril(past_length)": ".tril(past_length) & (torch.arange(past_length + length) >= "
            "past_length)",
        },
    ),
    "past-last": (
        "The keys of the past come last in this mask. They are earlier, so they come first.",
        {".tril(past_length)": ".tril(past_length).roll(-past_length, dims=1)"},
    ),
    "past-queries": (
        "The past has queries in this mask. Its outputs are known already: only the `length` new "
        "positions ask.",
        {
            "torch.ones(length,": "torch.ones(past_length + length,",
            ".tril(past_length)": ".tril()",
        },
    ),
    "offset-backward": (
        "The triangle is moved to the wrong side. With a past its edge should be past_length "
        "columns further to the right, so that query 0 sees all of the past and itself.",
        {
            ".tril(past_length)": ".tril(-past_length)",
        },
    ),
    "transposed": (
        "Keys are the rows and queries the columns. The mask is (length, past_length + length): "
        "a row for each query, a column for each key.",
        {
            ".tril(past_length)": ".tril(past_length).T",
        },
    ),
    "length-is-total": (
        "`length` is the number of all positions here, those of the past included. The past "
        "comes on top: there should be `length` queries, and past_length + length keys.",
        {
            "torch.ones(length, past_length + length,": (
                "torch.ones(max(length - past_length, 0), length,"
            ),
        },
    ),
    "window": (
        "Each query sees a window of the latest past_length positions and itself. It may attend "
        "to all that come before it, back to the first.",
        {
            ".tril(past_length)": ".tril(past_length).triu()",
        },
    ),
    "moved-by-length": (
        "The triangle is moved by `length`. Its edge should be moved by past_length: query 0 "
        "sees the past and itself.",
        {
            ".tril(past_length)": ".tril(length)",
        },
    ),
}


@exercise("padding_mask", chapter="08-masked", points=1, mend="one-too-many")
def _(student, reference, draw):
    agrees(student, reference, torch.tensor([3, 5, 1, 4]), 7)
    agrees(student, reference, draw.integers(1, 6, 3), 6, case="other lengths")
    agrees(student, reference, torch.tensor([4, 2]), 4, case="a row without padding")
    agrees(student, reference, torch.tensor([0, 3]), 4, case="a row of padding alone")
    for lengths, most, case in (
        ([0, 0], 4, "rows of padding alone"),
        ([2], 5, "one row"),
        ([1], 1, "one row of one position"),
        ([3, 0, 2], 3, "as many rows as positions"),
    ):
        agrees(student, reference, torch.tensor(lengths), most, case=case, ask=VALUES)
    whole = torch.tensor([2, 4, 1], dtype=torch.int32)
    agrees(student, reference, whole, 4, case="lengths of int32", ask=VALUES)
    for dtype, most in ((torch.uint8, 300), (torch.int8, 140)):
        case = f"lengths of {str(dtype).removeprefix('torch.')}, in {most} positions"
        agrees(student, reference, torch.tensor([100, 3], dtype=dtype), most, case=case, ask=VALUES)


misconceptions["padding_mask"] = {
    "true-forbids": (
        "True stands for padding. In this course True means `may attend`; "
        "nn.MultiheadAttention's key_padding_mask has it the other way around.",
        {"positions <": "positions >="},
    ),
    "one-too-many": (
        "One position too many counts as real: positions are numbered from 0, so the last of n "
        "real ones is n - 1, and position n is padding.",
        {"positions <": "positions <="},
    ),
    "one-too-few": (
        "One position too few counts as real. Positions are numbered from 0, so the last real "
        "one of row b is lengths[b] - 1.",
        {"torch.arange(max_length,": "torch.arange(1, max_length + 1,"},
    ),
    "padding-in-front": (
        "The padding is in front. The first positions of each row should be the real ones.",
        {"positions < lengths.unsqueeze(-1)": "positions >= max_length - lengths.unsqueeze(-1)"},
        {"positions < lengths": "positions >= max_length - lengths.long()"},
    ),
    "longest-width": (
        "The mask is only as wide as the longest row. It should have max_length columns, as the "
        "batch has.",
        {"torch.arange(max_length,": "torch.arange(int(lengths.max()),"},
    ),
    "not-boolean": (
        "The mask holds 0 and 1 as numbers. It should be boolean, so that `~` turns it around.",
        {"positions < lengths.unsqueeze(-1)": "(positions < lengths.unsqueeze(-1)).float()"},
    ),
    "with-heads": (
        "The mask has dimensions for heads and queries already. Its shape is (B, max_length); who "
        "uses it adds them.",
        {
            "positions < lengths.unsqueeze(-1)": "(positions < lengths.unsqueeze(-1))[:, None, "
            "None, :]"
        },
    ),
    "transposed": (
        "Positions are the rows and the batch the columns here. The mask should be (B, "
        "max_length).",
        {"positions < lengths.unsqueeze(-1)": "positions.unsqueeze(-1) < lengths"},
    ),
    "empty-row-open": (
        "A row of length 0 gets one real position. It has none: a row of padding alone is False "
        "throughout.",
        {
            "positions < lengths.unsqueeze(-1)": "positions < lengths.clamp(min=1).unsqueeze(-1)",
        },
    ),
    "additive": (
        "These are numbers to be added to scores: 0 for what is real, and -inf or another low "
        "number for padding. The mask is boolean here: True means `may attend`.",
        {
            "return positions < lengths.unsqueeze(-1)": (
                "return torch.zeros(len(lengths), max_length).masked_fill(positions >= "
                "lengths.unsqueeze(-1), -torch.inf)"
            ),
        },
        {
            "return positions < lengths.unsqueeze(-1)": (
                "return -1e9 * (positions >= lengths.unsqueeze(-1))"
            ),
        },
    ),
    "pairs": (
        "The mask is of pairs already, queries by keys. Its shape is (B, max_length): who uses "
        "it adds the axis of the queries.",
        {
            "return positions < lengths.unsqueeze(-1)": (
                "real = positions < lengths.unsqueeze(-1)\n"
                "return real.unsqueeze(1) & real.unsqueeze(2)"
            ),
        },
    ),
    "first-length": (
        "All rows get the length of the first one. Each row has its own.",
        {
            "lengths.unsqueeze(-1)": "lengths[:1].expand_as(lengths).unsqueeze(-1)",
        },
    ),
    "longest-for-all": (
        "All rows get the length of the longest one, so that padding of shorter ones counts as "
        "real. Each row has its own length.",
        {
            "lengths.unsqueeze(-1)": "lengths.max().expand_as(lengths).unsqueeze(-1)",
        },
    ),
    "positions-overflow": (
        "The positions are counted in the dtype of the lengths, such as uint8, which is too small "
        "for max_length: past its largest number they begin again at zero or below it. Count in "
        "int64, as `torch.arange` does by itself.",
        {
            "torch.arange(max_length, device=lengths.device)": (
                "torch.arange(max_length, device=lengths.device).to(lengths.dtype)"
            ),
        },
        {
            "positions < lengths.unsqueeze(-1)": (
                "(positions + 1).to(lengths.dtype) <= lengths.unsqueeze(-1)"
            ),
        },
    ),
    "full-row-empty": (
        "A row without padding is False throughout, as where the padding is marked by a slice "
        "from the end, such as `[-n:]`, which is the whole row where n is 0. All positions of "
        "such a row are real.",
        {
            "positions < lengths.unsqueeze(-1)": (
                "(positions < lengths.unsqueeze(-1)) & (lengths != max_length).unsqueeze(-1)"
            ),
        },
    ),
    "empty-row-full": (
        "A row of length 0 is True throughout, as where its last real position, lengths - 1, is "
        "used as an index: -1 is the end of the row. It has no real position: False throughout.",
        {
            "lengths.unsqueeze(-1)": (
                "lengths.long().where(lengths > 0, max_length).unsqueeze(-1)"
            ),
        },
    ),
}


@exercise(
    "masked_softmax",
    chapter="08-masked",
    points=3,
    forbidden=("scaled_dot_product_attention",),
)
def _(student, reference, draw):
    B, L, S = 2, 5, 7
    scores = draw.normal(B=B, L=L, S=S)
    agrees(student, reference, scores, case="no mask")
    for case, size in each_one(B=B, L=L, S=S):
        some, allowed = draw.normal(*size.values()), draw.boolean(*size.values())
        agrees(student, reference, some, allowed, case=f"{case}, a mask", ask=VALUES)
    mask = draw.boolean(B, L, S)
    mask[..., 2] = True  # no row and no column is empty
    mask[:, 3] = True
    mask[0, 0, 0] = False
    agrees(student, reference, scores, mask, case="a mask")
    for shape in ((L, S), (B, 1, S)):
        mask = draw.boolean(*shape)
        mask[..., 4] = True
        agrees(student, reference, scores, mask, case="a mask that broadcasts")
    mask = draw.boolean(B, L, S)
    mask[:, 1] = True
    agrees(student, reference, scores, mask, dim=1, case="along the middle dimension")

    mask = draw.boolean(L, S)
    mask[:, 2] = True
    mask[3] = False
    agrees(student, reference, scores, mask, case="a row that is masked fully")
    nothing = torch.zeros(1, dtype=torch.bool)
    agrees(student, reference, scores, nothing, case="nothing is allowed")
    backpropagates(student, scores, nothing, case="nothing is allowed")
    column = mask.clone()
    column[:, 1] = False
    agrees(student, reference, scores, column, dim=1, case="a column that is masked fully")
    everywhere = {"dim": 1, "case": "a column that is masked fully, in a mask of all dimensions"}
    agrees(student, reference, scores, column.expand(B, L, S).clone(), **everywhere, ask=VALUES)
    mask[3, 2] = True
    mask[0, 1] = False
    zeros = torch.zeros(L, S)
    agrees(student, reference, zeros, mask, case="scores of zero, a mask", ask=VALUES)
    low = low_scores(L, S)
    last = torch.arange(S) < S - 1
    agrees(student, reference, low, last, case="allowed scores that are low", ask=VALUES)
    apart = scores - 400.0 * torch.arange(L).unsqueeze(-1)
    agrees(student, reference, apart, mask, case="rows that are far apart", ask=VALUES)
    for case, odd in {
        "masked scores of 1e4": 1e4,
        "masked scores of inf": math.inf,
        "masked scores of NaN": math.nan,
        "masked scores of -inf": -math.inf,
    }.items():
        hidden = torch.where(mask, scores, odd)
        agrees(
            student, reference, hidden, mask, case=case, ask=Ask(unchanged=False)
        )  # NaN is not NaN
    agrees(student, reference, 1e4 + scores, mask, case="all scores near 1e4", rtol=2e-3)
    # Of one size all, so that a mask along another axis gives numbers, not an error.
    cube = draw.normal(3, 3, 3, 3)
    for case, allowed in masks(draw, 3, 3, 3, 3):
        for dim in (-1, -2):
            along = f"{case}, along dimension {dim}"
            agrees(student, reference, cube, allowed, dim, case=along, ask=VALUES)
    case = "along the first dimension, a mask (3, 1)"
    agrees(student, reference, cube[0, 0], allowed[0, 0].T, dim=0, case=case, ask=VALUES)
    one = draw.normal(5), torch.tensor([True, False, True, True, False])
    agrees(student, reference, *one, case="one slice", ask=VALUES)
    case = "along the first dimension, no mask"
    agrees(student, reference, cube[0, 0], dim=0, case=case, ask=VALUES)


misconceptions["masked_softmax"] = {
    "masked-after-shift": (
        "What is subtracted before the exponential, as the largest score, is taken of all "
        "scores, the masked ones included. Beside a masked score that is far larger, the others"
        " are rounded to zero, and dividing by their sum afterward is too late.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "powers = torch.exp(scores - scores.amax(dim, keepdim=True))\n"
                "powers = powers.masked_fill(~mask, 0.0)\n"
                "total = powers.sum(dim=dim, keepdim=True)\n"
                "return powers / total.masked_fill(total == 0, 1.0)"
            )
        },
    ),
    "plus-infinity": (
        "What is masked becomes plus infinity, as by `-float('-inf')`, which has two signs, or "
        "NaN. The softmax of its slice is then NaN, or all weight is on what is masked: it "
        "should become minus infinity.",
        {"-math.inf": "math.inf"},
        {"-math.inf": "math.inf", "softmax(scores, dim=dim)": "scores.softmax(dim=dim)"},
    ),
    "filled-then-zeroed": (
        "A masked score becomes a fixed number, such as 0 or -1e4, and only after exp or after the "
        "softmax what is masked is set to zero. Beside that number, allowed scores that are far "
        "lower lose their weight, or some of it: -inf takes nothing.",
        *[
            {
                "return softmax(scores, dim=dim)": "weights = softmax(scores, dim=dim)\n"
                "return weights if mask is None else weights * mask",
                "-math.inf": small,
            }
            for small in ("-100.0", "-1e4")
        ],
    ),
    "empty-along-last": (
        "Slices in which nothing is allowed are looked for along the last dimension, whatever "
        "`dim` is. Along another one they are missed, or others are taken for them: look along "
        "`dim`.",
        {
            "return softmax(scores, dim=dim)": "if mask is None:\n    return softmax(scores, "
            "dim=dim)\nempty = ~mask.expand_as(scores).any(dim=-1, keepdim=True)\nreturn torch."
            "softmax(scores.masked_fill(empty, 0.0), dim).masked_fill(empty, 0.0)"
        },
        {
            "return softmax(scores, dim=dim)": "if mask is None:\n    return softmax(scores, "
            "dim=dim)\nempty = ~mask.expand_as(scores).any(dim=-1, keepdim=True)\nreturn torch."
            "softmax(scores, dim).masked_fill(empty, 0.0)"
        },
    ),
    "mask-unused": (
        "The mask has no effect: masked scores keep their weights. They should be -inf before "
        "the softmax; `masked_fill`, say, returns a new tensor, and that one has to be used.",
        {"if mask is not None": "if False"},
    ),
    "mask-turned-around": (
        "The mask is read the wrong way around: True means `may attend`, so what is False has to "
        "go.",
        {"~mask": "mask"},
        {"if mask is not None:": "mask = mask if mask is None else ~mask\nif mask is not None:"},
    ),
    "masked-after-softmax": (
        "Masked scores get a weight of zero, but have a share in the sum that the softmax "
        "divides by, as where the mask is applied after it. The weights that remain do not sum "
        "to one: masked scores should be -inf before the softmax.",
        {"scores = scores.masked_fill(~mask, -math.inf)": "return softmax(scores, dim=dim) * mask"},
        {
            "scores = scores.masked_fill(~mask, "
            "-math.inf)": "return softmax(scores, dim).where(mask, 0)"
        },
        {
            "return softmax(scores, dim=dim)": "weights = softmax(scores, dim=dim)\n"
            "return weights if mask is None else weights * mask",
            "-math.inf": "0.0",
        },
    ),
    "masked-score-multiplied": (
        "The scores are multiplied by the mask. A masked score becomes 0, and 0 is a score like "
        "any other: exp(0) = 1. It has to become -inf.",
        {"scores = scores.masked_fill(~mask, -math.inf)": "scores = scores * mask"},
    ),
    "masked-score-zero": (
        "A masked score becomes 0, and 0 is a score like any other: exp(0) = 1. It has to "
        "become -inf.",
        {"-math.inf": "0.0"},
    ),
    "infinity-times-zero": (
        "-inf is multiplied by zero, as by a mask of zeros and ones, and zero times infinity is"
        " NaN: scores that are allowed are lost. `masked_fill` and `torch.where` put -inf where"
        " it belongs.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "scores = scores + (~mask).to(scores.dtype) * -math.inf\n"
                "return torch.softmax(scores, dim=dim)"
            ),
        },
    ),
    "dim-unused": (
        "The softmax runs along the last dimension, whatever `dim` is. It should run along `dim`.",
        {"dim=dim": "dim=-1"},
        {
            "return softmax(scores, dim=dim)": (
                "if mask is None:\n    return softmax(scores, dim=-1)\n"
                "empty = ~mask.expand_as(scores).any(dim=dim, keepdim=True)\n"
                "weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)\n"
                "return weights.masked_fill(~mask, 0.0)"
            )
        },
    ),
    "empty-row-nan": (
        "A slice in which nothing is allowed gives NaN, as the softmax of -inf alone does. Its "
        "weights should be zeros.",
        {"return softmax(": "return torch.softmax("},
    ),
    "large-negative": (
        "A slice in which nothing is allowed gives equal weights, as where a large negative "
        "number stands for -inf, so that all of its scores are the same. Its weights should be "
        "zeros.",
        {"-math.inf": "-1e9"},
    ),
    "nan-replaced": (
        "NaN is replaced by zero at the end. For a slice in which nothing is allowed, that "
        "mends the values, but not the gradient, which is NaN; and where a masked score of inf "
        "or NaN was not replaced, the others lose their weights. Replace masked scores before "
        "the softmax.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": "scores = scores + "
            "torch.zeros_like(scores).masked_fill(~mask, -math.inf)",
            "softmax(scores, dim=dim)": "torch.softmax(scores, dim=dim).nan_to_num()",
        },
    ),
    "masked-and-divided": (
        "The mask is applied to weights or exponentials of all scores, and the rest is divided "
        "by its sum. That works until a masked score is far larger than the others: it leaves "
        "them nothing to divide. Masked scores should be -inf before the softmax.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": "weights = softmax(scores, dim=dim) * "
            "mask\nreturn weights / weights.sum(dim=dim, keepdim=True).clamp(min=1e-30)",
        },
    ),
    "mask-added": (
        "Masked scores are not replaced, but -inf or another low number is added to them. Where"
        " a masked score is inf or NaN, the sum is no low number: it should be replaced, "
        "whatever it was.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": "scores = scores + "
            "torch.zeros_like(scores).masked_fill(~mask, -math.inf)",
        },
        {
            "if mask is not None: scores = scores.masked_fill(~mask, -math.inf)": (
                "mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else "
                "mask.expand_as(scores)\n"
                "some = mask.any(dim=dim, keepdim=True)\n"
                "penalty = torch.zeros_like(scores).masked_fill(~mask & some, -math.inf)"
            ),
            "return softmax(scores, dim=dim)": (
                "weights = torch.softmax(scores + penalty, dim=dim)\n"
                "return torch.where(mask, weights, 0.0)"
            ),
        },
    ),
    "masked-after-exp": (
        "Masked scores go through exp, and the result is replaced after it. The weights are "
        "right, but where exp of a masked score is infinite, its gradient is zero times "
        "infinity: NaN. Replace the scores before exp.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": "largest = scores.masked_fill(~mask, "
            "-math.inf).amax(dim=dim, keepdim=True).detach()\n"
            "exponentials = torch.where(mask, (scores - largest.nan_to_num(neginf=0.0)).exp(), "
            "0.0)\n"
            "return exponentials / exponentials.sum(dim=dim, keepdim=True).clamp(min=1)",
        },
    ),
    "none-fails": (
        "A mask of None ends in an error. It allows all: ask for None first.",
        {
            "if mask is not None:": "if True:",
        },
    ),
    "empty-row-opened": (
        "A slice in which nothing is allowed gets the softmax of its scores, as if all of it "
        "were allowed. Its weights should be zeros.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "mask = mask.expand_as(scores)\n"
                "scores = scores.masked_fill(~mask & mask.any(dim=dim, keepdim=True), -math.inf)"
            ),
        },
    ),
    "large-negative-added": (
        "A large negative number is added to masked scores. An infinite score stays infinite, "
        "NaN stays NaN, and where nothing is allowed the weights are not zeros: replace masked "
        "scores, by -inf.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "scores = scores + (~mask).to(scores) * -1e9"
            ),
        },
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "scores = scores + (~mask).to(scores) * -1e4"
            ),
        },
    ),
    "small-negative": (
        "A masked score becomes a fixed number such as -1e4. Beside allowed scores that are as "
        "low or lower it takes weight, and a slice in which nothing is allowed gets equal "
        "weights: -inf takes nothing.",
        {
            "-math.inf": "-1e4",
        },
        {
            "-math.inf": "-1e3",
        },
        {
            "-math.inf": "-100.0",
        },
    ),
    "mask-reduced-first": (
        "Slices in which nothing is allowed are looked for in the mask as it came. It may have "
        "fewer axes than the scores, or axes of size 1, and `dim` is an axis of the scores: "
        "broadcast it first.",
        {
            "if mask is not None: scores = scores.masked_fill(~mask, -math.inf)": (
                "if mask is None:\n"
                "    mask = torch.ones_like(scores, dtype=torch.bool)\n"
                "empty = ~mask.any(dim=dim, keepdim=True)\n"
                "scores = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)"
            ),
            "return softmax(scores, dim=dim)": (
                "return torch.softmax(scores, dim=dim).masked_fill(empty, 0.0)"
            ),
        },
        {
            "if mask is not None: scores = scores.masked_fill(~mask, -math.inf)": (
                "if mask is None:\n"
                "    return softmax(scores, dim=dim)\n"
                "weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=dim)\n"
                "return weights.where(mask.any(dim=dim, keepdim=True), 0.0)"
            ),
        },
    ),
    "divided-by-nothing": (
        "The mask is applied to weights or exponentials of all scores, and the rest is divided "
        "by its sum. Where nothing is allowed that is zero over zero: NaN, in the weights or in"
        " the gradient. Masked scores should become -inf before the softmax.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "weights = softmax(scores, dim=dim) * mask\n"
                "return (weights / weights.sum(dim=dim, keepdim=True)).nan_to_num()"
            ),
        },
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "weights = softmax(scores, dim=dim).masked_fill(~mask, 0.0)\n"
                "return weights / weights.sum(dim=dim, keepdim=True)"
            ),
        },
    ),
    "overflow": (
        "No maximum is subtracted before the exponential: exp of a score of 1e4 is infinite, "
        "and of low scores it is zero throughout. Subtract the largest allowed score of each "
        "slice first; to replace NaN afterward mends nothing.",
        {
            "return softmax(scores, dim=dim)": (
                "exps = scores.exp()\nreturn (exps / exps.sum(dim, keepdim=True)).nan_to_num()"
            ),
        },
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "exps = scores.exp() * mask\nreturn exps / exps.sum(dim, keepdim=True)"
            ),
        },
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "exps = scores.exp().masked_fill(~mask, 0.0)\n"
                "return exps / exps.sum(dim, keepdim=True)"
            ),
        },
    ),
    "one-maximum": (
        "One number is subtracted from the scores of all slices. In a slice that lies far below"
        " it, every exponential is rounded to zero: each slice has its own maximum.",
        {
            "return softmax(scores, dim=dim)": (
                "largest = scores.max().clamp(min=-1e30)\n"
                "exps = torch.exp(scores - largest)\n"
                "total = exps.sum(dim, keepdim=True)\n"
                "return exps / total.masked_fill(total == 0, 1.0)"
            ),
        },
    ),
    "indexed": (
        "The mask is used as an index, as in `scores[mask]`, which does not broadcast: it may "
        "have fewer axes than the scores, or axes of size 1. `masked_fill` and `torch.where` "
        "broadcast it.",
        {
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "scores = scores.clone()\nscores[~mask] = -math.inf"
            ),
        },
    ),
}


@exercise("next_token_loss", chapter="08-masked", points=3)
def _(student, reference, draw):
    B, L, V = 3, 6, 9
    logits, tokens = draw.normal(B=B, L=L, V=V), draw.integers(0, V, B=B, L=L)
    tokens[:, 2] = torch.tensor([0, 3, 5])
    agrees(student, reference, logits, tokens)
    agrees(student, reference, logits[:1, :2], tokens[:1, :2], case="one target")

    padded = draw.integers(4, V, B=B, L=L)
    padded[0, 3:] = 3
    padded[2, 5:] = 3
    agrees(student, reference, logits, padded, pad_id=3, case="padding at the end")
    padded = draw.integers(4, V, B=B, L=L)
    padded[1, :2] = 3
    agrees(student, reference, logits, padded, 3, case="padding in front")
    padded = draw.integers(1, V, B=B, L=L)
    padded[1, 2:] = 0
    agrees(student, reference, logits, padded, pad_id=0, case="pad_id=0")

    close_call = {"case": "logits of 1e4", "rtol": 0.002, "ask": Ask(double=False)}
    agrees(student, reference, 1e4 * draw.normal(B=B, L=L, V=V), tokens, **close_call)
    padded[:, 1:] = 0
    agrees(student, reference, logits, padded, pad_id=0, case="targets that are all padding")
    backpropagates(student, logits, padded, 0, case="targets that are all padding")
    backpropagates(student, logits[:, :1], tokens[:, :1], case="texts of one token")
    agrees(student, reference, logits[:, :1], tokens[:, :1], case="texts of one token")


misconceptions["next_token_loss"] = {
    "in-bits": (
        "The loss is in bits, by the logarithm to the base 2. In nats it is the natural logarithm.",
        {"return total / real": "return total / math.log(2) / real"},
    ),
    "not-shifted": (
        "Logits are compared with the token at their own position, which the model has seen. "
        "They are about the next one.",
        {"logits[:, :-1], tokens[:, 1:]": "logits, tokens"},
        {
            "logits[:, :-1], tokens[:, 1:]": "logits[:, :-1], tokens[:, :-1]",
        },
        {
            "logits[:, :-1], tokens[:, 1:]": "logits[:, 1:], tokens[:, 1:]",
        },
    ),
    "shifted-back": (
        "The shift by one goes the wrong way: the logits are compared with the token before them. "
        "They are about the token after them.",
        {"logits[:, :-1], tokens[:, 1:]": "logits[:, 1:], tokens[:, :-1]"},
    ),
    "summed": (
        "The sum is returned. The loss is the mean over the targets, so that it does not depend on "
        "the size of the batch.",
        {"return total / real.sum().clamp(min=1)": "return total"},
    ),
    "by-all-tokens": (
        "The number by which the sum is divided counts the first token of each text, too. It is"
        " no target, nor is padding: divide by the number of real targets.",
        {"real.sum().clamp(min=1)": "tokens.numel()"},
        {
            "real.sum().clamp(min=1)": (
                "(tokens.numel() if pad_id is None else (tokens != pad_id).sum().clamp(min=1))"
            ),
        },
    ),
    "not-averaged": (
        "One loss for each target comes back. The mean over them is asked for, a scalar.",
        {
            "return total / real.sum().clamp(min=1)": "return F.cross_entropy(predicted.mT, "
            'targets, reduction="none")',
        },
    ),
    "padding-counted": (
        "Padding is predicted as if it were text. With a pad_id, targets that are padding "
        "should be left out, of the sum and of the number it is divided by.",
        {"if pad_id is None": "if True"},
    ),
    "by-all-positions": (
        "Padding adds nothing to the sum, but the sum is divided by the number of all targets, "
        "padding included. The mean should be over the real targets: else more padding makes a "
        "smaller loss.",
        {
            'total = F.cross_entropy(predicted[real], targets[real], reduction="sum")': "losses = "
            'F.cross_entropy(predicted.mT, targets, reduction="none")',
            "return total / real.sum().clamp(min=1)": "return (losses * real).mean()",
        },
    ),
    "mean-of-rows": (
        "Each text has its own mean, and these are averaged, so that a token of a short text "
        "counts more. The mean is over all real targets of the batch.",
        {
            'total = F.cross_entropy(predicted[real], targets[real], reduction="sum")': "losses = "
            'F.cross_entropy(predicted.mT, targets, reduction="none")',
            "return total / real.sum().clamp(min=1)": "return ((losses * real).sum(dim=1) / "
            "real.sum(dim=1).clamp(min=1)).mean()",
        },
    ),
    "input-padding": (
        "Positions whose input is padding are left out. What counts is the target, one further: a "
        "real token after padding is predicted, and padding after a real token is not.",
        {"else targets != pad_id": "else tokens[:, :-1] != pad_id"},
    ),
    "pad-zero-is-none": (
        "A pad_id of 0 is treated as none at all. As a condition, 0 is false, in `if pad_id` as"
        " in `pad_id or -100`: ask whether it is None.",
        {"if pad_id is None": "if not pad_id"},
    ),
    "log-of-softmax": (
        "The logarithm is taken of a softmax. For large logits some probabilities are rounded to "
        "zero, and the loss is infinite. Log and softmax belong in one function.",
        {
            'F.cross_entropy(predicted[real], targets[real], reduction="sum")': ""
            "-torch.log(torch.softmax(predicted[real], dim=-1)).gather(-1, "
            "targets[real].unsqueeze(-1)).sum()",
        },
    ),
    "nothing-nan": (
        "Without any target the loss is NaN, as a mean over nothing is, and one such batch "
        "spoils all weights. The loss should be 0 then.",
        {".clamp(min=1)": ""},
    ),
    "two-further": (
        "The logits are compared with the token two positions further. They are about the next "
        "one.",
        {
            "logits[:, :-1], tokens[:, 1:]": "logits[:, :-2], tokens[:, 2:]",
        },
    ),
    "by-texts": (
        "The sum of all losses is divided by the number of texts. The mean is over the targets:"
        " each of them counts the same.",
        {
            "real.sum().clamp(min=1)": "len(tokens)",
        },
    ),
    "rolled": (
        "The targets are rolled around: the last logits of each text are compared with its first "
        "token. They predict nothing: leave them out.",
        {
            "logits[:, :-1], tokens[:, 1:]": "logits, tokens.roll(-1, dims=1)",
        },
    ),
    "both-real": (
        "A target counts only where its input is real too. A real token after padding is "
        "predicted, and counts.",
        {
            "else targets != pad_id": "else (targets != pad_id) & (tokens[:, :-1] != pad_id)",
        },
    ),
    "up-to-first-padding": (
        "A text ends at its first padding here. Padding may stand in front: each target that is"
        " not padding counts.",
        {
            "else targets != pad_id": "else (tokens != pad_id).long().cumprod(dim=1)[:, 1:].bool()",
        },
    ),
    "by-number-of-real": (
        "Padding, or what is real, is only counted, which is right where padding comes last. It"
        " may stand in front: which targets are real, each target says.",
        {
            "else targets != pad_id": (
                "else torch.arange(targets.shape[1]) < (targets != pad_id).sum(dim=1, keepdim=True)"
            ),
        },
        {
            "else targets != pad_id": (
                "else torch.arange(targets.shape[1]) < (tokens != pad_id).sum(dim=1, "
                "keepdim=True) - 1"
            ),
        },
    ),
    "no-softmax": (
        "The logits are used as if they were log-probabilities. A log-softmax makes them so.",
        {
            'F.cross_entropy(predicted[real], targets[real], reduction="sum")': (
                "F.nll_loss(predicted[real], targets[real], reduction='sum')"
            ),
        },
    ),
    "softmax-twice": (
        "The softmax was taken twice. `F.cross_entropy` and `log_softmax` take it themselves, "
        "and want logits, not probabilities.",
        {
            "predicted[real], targets[real], reduction": (
                "predicted[real].softmax(dim=-1), targets[real], reduction"
            ),
        },
    ),
    "zero-is-padding": (
        "Without a pad_id, token 0 is taken for padding. None means that all targets count.",
        {
            "torch.ones_like(targets, dtype=torch.bool) if pad_id is None else targets != pad_id": (
                "targets != (pad_id or 0)"
            ),
        },
    ),
    "perplexity": (
        "The exponential of the loss comes back, which is the perplexity. The loss itself is "
        "asked for, in nats.",
        {
            "return total / real.sum().clamp(min=1)": (
                "return (total / real.sum().clamp(min=1)).exp()"
            ),
        },
    ),
    "axes-reshaped": (
        "The logits were reshaped to (B, V, L - 1), which mixes positions and vocabulary. "
        "`F.cross_entropy` wants the classes second: transpose, or make it (N, V).",
        {
            'total = F.cross_entropy(predicted[real], targets[real], reduction="sum")': (
                "losses = F.cross_entropy(predicted.reshape(len(targets), logits.shape[2], -1), "
                'targets, reduction="none")\n'
                "total = (losses * real).sum()"
            ),
        },
    ),
    "by-steps": (
        "The sum is divided by L - 1, the number of targets in one text. The mean is over all "
        "real targets of the whole batch.",
        {
            "real.sum().clamp(min=1)": "max(targets.shape[1], 1)",
        },
    ),
    "nothing-number": (
        "Without any target a plain number comes back, which is no tensor and has no gradient. A "
        "sum over no losses is 0, too, and hangs on the logits.",
        {
            "total =": ("if not real.any():\n    return 0.0\ntotal ="),
        },
    ),
    "joined-before-shift": (
        "The texts are joined into one before the shift, so that the last logits of a text are "
        "compared with the first token of the next text. They predict nothing: shift within each "
        "text first.",
        {
            "logits[:, :-1], tokens[:, 1:]": "logits.flatten(0, 1)[:-1], tokens.flatten()[1:]",
        },
        {
            "logits[:, :-1], tokens[:, 1:]": "logits.flatten(0, 1), tokens.flatten().roll(-1)",
        },
    ),
}


@exercise("mask_tokens", chapter="08-masked", points=4, behavior=True)
def _(student, reference, draw):
    def seeded(seed, drawn=0):
        generator = torch.Generator()
        generator.manual_seed(seed)
        torch.rand(drawn, generator=generator)
        return generator

    def random(**more):
        return {"generator": built(seeded, seed=draw.int(0, 2**31)), **more}

    def rate(found, low, high, what):
        few = found <= low
        sentence = f"{what} should be about {(low + high) / 2:.3f}: {'only ' * few}{found:.3f}."
        require(low < found < high, sentence, how="too few" if few else "too many")

    mask_id, vocab_size, special = 3, 1000, (0, 1, 2)
    tokens = draw.integers(4, vocab_size, 200, 200)  # limits below are 6 standard deviations
    (inputs, labels), left = student.with_inputs(tokens, mask_id, vocab_size, **random())
    call = student.last_call
    wanted = dict(zip(("inputs", "labels"), reference(tokens, mask_id, vocab_size), strict=True))
    for name, got in {"inputs": inputs, "labels": labels}.items():
        like = wanted[name]
        require(
            isinstance(got, torch.Tensor) and (got.shape, got.dtype) == (like.shape, like.dtype),
            f"{call}: {name} should be whole numbers of the shape of tokens, (200, 200).",
        )
    require(bool((left["0"] == tokens).all()), f"{call} changes its input: work on a copy.")
    chosen = labels != -100
    share = chosen.double().mean().item()
    rate(share, 0.139, 0.161, "The share of tokens with a label other than -100")
    require(
        bool((labels == tokens)[chosen].all()),
        "Where a label is not -100, it should be the token as it was.",
    )
    require(
        bool((inputs == tokens)[~chosen].all()),
        "Where the label is -100, the token should stay as it is: only chosen tokens change.",
    )
    changed, masked = inputs != tokens, inputs == mask_id
    rate(masked[chosen].double().mean().item(), 0.768, 0.832, "Of the chosen, the share of mask_id")
    others = (changed & ~masked)[chosen].double().mean().item()
    rate(others, 0.076, 0.124, "Of the chosen, the share of random tokens")
    words = inputs[changed & ~masked]
    different = len(words.unique())
    require(
        different >= min(len(words) / 2, 250),
        f"Only {different} different ones are among {len(words)} random tokens. Each place should "
        "get its own.",
    )
    for dim, lines in ((1, "row"), (0, "column")):
        deviation = chosen.double().sum(dim=dim).std().item()
        rate(
            deviation,
            3.0,
            7.2,
            f"Each token is chosen independently of the others, so the number of chosen ones in a "
            f"{lines} of 200 varies; its standard deviation",
        )

    more = {"probability": 0.4, "special_ids": special}
    tokens = draw.integers(0, 6, 200, 200)
    inputs, labels = student(tokens, mask_id, vocab_size, **random(**more))
    ordinary, chosen = tokens > 2, labels != -100
    for one in special:
        require(
            not bool(chosen[tokens == one].any()),
            f"Token {one} of special_ids {special} is chosen: it should never be.",
        )
    require(bool((inputs == tokens)[~chosen].all()), "Only chosen tokens may change.")
    share = chosen[ordinary].double().mean().item()
    rate(share, 0.378, 0.422, "With probability=0.4, the share of ordinary tokens that are chosen")
    inputs, labels = student(tokens, mask_id, vocab_size, **random(probability=0.0))
    same((inputs, labels), (tokens, torch.full_like(tokens, -100)), case="probability=0")
    inputs, labels = student(tokens, mask_id, vocab_size, **random(probability=1.0))
    same(labels, tokens, case="labels for probability=1")
    for dim, lines in ((1, "row"), (0, "column")):
        deviation = (inputs == mask_id).double().sum(dim=dim).std().item()
        rate(
            deviation,
            3.6,
            7.4,
            "What becomes of a chosen token is independent of the others, so with probability 1 "
            f"the number of mask_id in a {lines} of 200 varies; its standard deviation",
        )

    tokens = torch.full((40000,), 7)
    inputs, labels = student(tokens, mask_id, 10, **random(probability=1.0, special_ids=[0]))
    for token in range(10):
        expected = 0.01 + 0.8 * (token == mask_id) + 0.1 * (token == 7)
        slack = 0.003 if expected < 0.02 else 0.012
        found = (inputs == token).double().mean().item()
        rate(
            found,
            expected - slack,
            expected + slack,
            f"The random tokens are uniform over the whole vocabulary, special ones too: with "
            f"vocab_size 10, probability 1 and all tokens 7, the share of {token}",
        )
    require(bool(((inputs >= 0) & (inputs < 10)).all()), "A random token is not in the vocabulary.")

    tokens = torch.zeros(40000, dtype=torch.int64)
    inputs, _ = student(tokens, 1, 2, **random(probability=1.0))
    rate(
        (inputs == 0).double().mean().item(),
        0.135,
        0.165,
        "The random tokens are uniform over the whole vocabulary, mask_id and the token itself too:"
        " with vocab_size 2, mask_id 1, probability 1 and all tokens 0, the share of 0",
    )
    turned = draw.integers(4, vocab_size, 3, 5).T
    found = student(turned, mask_id, vocab_size, **random(probability=0.0))
    same(found, (turned, torch.full_like(turned, -100)), case="tokens that are not contiguous")

    cube = draw.integers(4, vocab_size, 2, 3, 4)
    one = torch.tensor(7)
    found = student(one, mask_id, vocab_size, **random(probability=0.0))
    same(found, (one, torch.tensor(-100)), case="a single token")
    found = student(cube, mask_id, vocab_size, **random(probability=0.0))
    same(found, (cube, torch.full_like(cube, -100)), case="tokens of three dimensions")

    tokens = torch.full((40000,), 7)
    seed, other = draw.int(0, 2**30), draw.int(2**30, 2**31)
    one, two, three = (
        student(tokens, mask_id, vocab_size, generator=built(seeded, seed=number))
        for number in (seed, seed, other)
    )
    for what, found, limit in (
        ("are chosen", two[1] != one[1], 0),
        # Of those that are random, one in a thousand is mask_id.
        ("become mask_id", (two[0] == mask_id) != (one[0] == mask_id), 100),
        ("are random, or which they are", two[0] != one[0], 0),
    ):
        require(
            int(found.sum()) <= limit,
            f"With two generators of the same seed, it is not the same tokens that {what}.",
        )
    require(not torch.equal(one[1], three[1]), "Generators of two seeds give the same labels.")
    used = student(tokens, mask_id, vocab_size, generator=built(seeded, seed=seed, drawn=5))
    require(
        not torch.equal(one[1], used[1]),
        "A generator that was drawn from before gives the labels that a new one of its seed gives: "
        "it should go on where it stands.",
    )
    for got in student(tokens.int(), mask_id, vocab_size, **random()):
        require(got.dtype == torch.int32, "Given int32 tokens, mask_tokens returns another dtype.")
    one, two = student(tokens, mask_id, vocab_size), student(tokens, mask_id, vocab_size)
    require(
        not torch.equal(one[1], two[1]),
        "Called twice without a generator, mask_tokens gives the same labels.",
    )

    def without_special(seed):
        torch.manual_seed(seed)
        return []

    drawn = [
        student(tokens, mask_id, vocab_size, special_ids=built(without_special, seed=seed))
        for _ in range(2)
    ]
    require(
        all(torch.equal(*pair) for pair in zip(*drawn, strict=True)),
        "Without a generator, mask_tokens draws from another one than torch's global one: with "
        "the same seed there, the result is another one.",
    )
    numbers = {
        int((student(tokens[:200], mask_id, vocab_size, **random())[1] != -100).sum())
        for _ in range(12)  # the likeliest number comes 12 times in one of 10**10 checks
    }
    require(len(numbers) > 1, "Of 200 tokens, mask_tokens chooses the same number at every call.")
    many = 10**6  # words, so that none of the random ones is mask_id
    fates = [student(tokens[:200], mask_id, many, **random(probability=1.0))[0] for _ in range(12)]
    for what, numbers in (
        ("mask_id", {int((inputs == mask_id).sum()) for inputs in fates}),
        (
            "a random token",
            {int(((inputs != mask_id) & (inputs != 7)).sum()) for inputs in fates},
        ),
    ):
        require(
            len(numbers) > 1,
            f"Of 200 chosen tokens, mask_tokens makes the same number {what} at every call.",
        )


misconceptions["mask_tokens"] = {
    "random-without-generator": (
        "The random tokens, or which of the chosen become random, are drawn without the "
        "generator, so the same seed gives other inputs each time. All that is drawn should "
        "come from it.",
        {"vocab_size, tokens.shape, generator=generator, dtype": "vocab_size, tokens.shape, dtype"},
    ),
    "changes-input": (
        "The tokens given are changed in place. Whoever called still needs them: work on a copy.",
        {
            "inputs = tokens.masked_fill(": "labels = tokens.masked_fill(~chosen, -100)\n"
            "inputs = tokens.masked_fill_(",
            "inputs = torch.where(chosen & (fate > 8), random, inputs)": "replaced = chosen & "
            "(fate > 8)\n"
            "inputs[replaced] = random[replaced]",
            "return inputs, tokens.masked_fill(~chosen, -100)": "return inputs, labels",
        },
    ),
    "all-labeled": (
        "Every token is a label. Only those that were chosen are to be predicted; the labels of "
        "all others are -100, which the loss ignores.",
        {"tokens.masked_fill(~chosen, -100)": "tokens.clone()"},
    ),
    "labels-inverted": (
        "The labels are -100 where a token was chosen, and the token elsewhere: it should be the "
        "other way around.",
        {"~chosen": "chosen"},
    ),
    "labels-of-inputs": (
        "Not all labels are the tokens as they were, as where labels are taken from the inputs,"
        " in which chosen tokens are mask_id or random already. Take them from the tokens that "
        "were given.",
        {"tokens.masked_fill(~chosen": "inputs.masked_fill(~chosen"},
    ),
    "unchanged-unlabeled": (
        "A chosen token that stays as it is has no label. It is to be predicted like the other "
        "chosen ones: that is why it was chosen.",
        {"~chosen": "~chosen | (inputs == tokens)"},
    ),
    "only-masked-labeled": (
        "Only the tokens that became mask_id have a label. Those that are random now, and those "
        "that stayed, were chosen as well: all that are chosen are to be predicted.",
        {"~chosen": "~(chosen & (fate < 8))"},
    ),
    "of-all-tokens": (
        "Tokens change that were not chosen, as where shares of 80 or 10 percent are taken of "
        "all tokens. They are shares of the chosen ones.",
        {
            "chosen & (fate < 8)": "fate < 8",
            "chosen & (fate > 8)": "fate > 8",
        },
    ),
    "all-masked": (
        "Every chosen token becomes mask_id. That is true of 80 percent; 10 percent become a "
        "random token, and 10 percent stay.",
        {
            "chosen & (fate < 8)": "chosen",
            "inputs = torch.where(chosen & (fate > 8), random, inputs)": "",
        },
    ),
    "tenth-of-rest": (
        "Too few of the chosen become random, as where 10 percent are taken of what is left "
        "after mask_id, or where none do. It should be 10 percent of the chosen, half of what "
        "is left.",
        {"(fate > 8)": "(fate >= 8) & (torch.rand(tokens.shape, generator=generator) < 0.1)"},
    ),
    "none-stays": (
        "Too many of the chosen become random, as where all 20 percent do that do not become "
        "mask_id. Half of these should stay as they are.",
        {"fate > 8": "fate >= 8"},
    ),
    "same-number-per-row": (
        "The same number of tokens is chosen in every row. Each token should be chosen by its own "
        "chance, independently of the others.",
        {
            "chosen = torch.bernoulli(chances, generator=generator).bool()": "order = "
            "torch.rand(tokens.shape, generator=generator).argsort(dim=-1).argsort(dim=-1)\n"
            "chosen = (order < probability * tokens.shape[-1]) & (chances > 0)",
        },
        {
            "chosen = torch.bernoulli(chances, generator=generator).bool()": "order = torch.rand("
            "tokens.shape, generator=generator).masked_fill(chances == 0, 2.0)\n"
            "chosen = order.argsort(dim=-1).argsort(dim=-1) < probability * tokens.shape[-1]",
        },
    ),
    "exact-share": (
        "The same number of tokens is chosen at every call, as where exactly that share of them"
        " is taken. Each should be chosen by its own chance, so that their number varies.",
        {
            "chosen = torch.bernoulli(chances, generator=generator).bool()": "order = "
            "torch.rand(tokens.numel(), "
            "generator=generator).argsort().argsort().view(tokens.shape)\n"
            "chosen = (order < round(probability * tokens.numel())) & (chances > 0)",
        },
        {
            "chosen = torch.bernoulli(chances, generator=generator).bool()": "order = torch.rand("
            "tokens.shape, generator=generator).masked_fill(chances == 0, 2.0).flatten()\n"
            "chosen = order.argsort().argsort().view(tokens.shape) < probability * tokens.numel()",
        },
    ),
    "same-places": (
        "The same places are chosen in every row: what was drawn for one row is used for the "
        "whole batch.",
        {
            "torch.bernoulli(chances, generator=generator).bool()": "torch.rand(tokens.shape[-1], "
            "generator=generator) < chances",
        },
    ),
    "special-chosen": (
        "Special tokens are chosen like all others: special_ids does not keep them from it. A "
        "model learns nothing from predicting padding.",
        {"chances[tokens == special] = 0.0": "pass"},
    ),
    "special-changed": (
        "Special tokens have no labels, but are changed in the inputs all the same. They should"
        " be left alone in both.",
        {
            "chances[tokens == special] = 0.0": "pass",
            "~chosen": "~chosen | torch.isin(tokens, torch.tensor(special_ids, "
            "dtype=tokens.dtype))",
        },
    ),
    "fixed-probability": (
        "The probability is always 0.15, whatever the caller asks for.",
        {"probability, device": "0.15, device"},
    ),
    "one-random-token": (
        "One random token is drawn for all places. Each place should get its own.",
        {"vocab_size, tokens.shape, generator": "vocab_size, (1,), generator"},
    ),
    "random-row": (
        "The random tokens of one row are used for the whole batch. Each place should get its own.",
        {"vocab_size, tokens.shape, generator": "vocab_size, tokens.shape[-1:], generator"},
    ),
    "last-token-never": (
        "The last token of the vocabulary is never drawn. The random tokens are uniform over 0 "
        "to vocab_size - 1; the upper bound of `torch.randint` is not among what it draws.",
        {"vocab_size, tokens.shape, generator": "vocab_size - 1, tokens.shape, generator"},
    ),
    "token-zero-never": (
        "Token 0 is never drawn. The random tokens are uniform over the whole vocabulary.",
        {"vocab_size, tokens.shape, generator": "1, vocab_size, tokens.shape, generator"},
    ),
    "random-over-masked": (
        "Fewer than 80 percent of the chosen are mask_id in the end, and more than 10 percent "
        "stay as they were, as where some that are mask_id already become random. The three "
        "shares exclude one another: each chosen token has one fate.",
        {
            "chosen & (fate > 8)": "chosen & (torch.rand(tokens.shape, generator=generator) < 0.1)",
        },
    ),
    "one-fate": (
        "All chosen tokens have the same fate: what becomes of them is drawn once for the whole"
        " batch. Each token has its own.",
        {
            "torch.randint(10, tokens.shape, generator": "torch.randint(10, (1,), generator",
        },
    ),
    "fates-of-row": (
        "What becomes of the chosen tokens is drawn for one row and used for the whole batch. Each "
        "token has its own fate.",
        {
            "torch.randint(10, tokens.shape, generator": (
                "torch.randint(10, tokens.shape[-1:], generator"
            ),
        },
    ),
    "shares-exchanged": (
        "Most of the chosen become random, and too few mask_id, as where the shares are "
        "exchanged. It should be 80 percent mask_id and 10 percent random.",
        {
            "fate < 8": "fate < 1",
            "fate > 8": "fate > 1",
        },
    ),
    "seed-set": (
        "Without a generator, every call draws the same, as where a seed is set inside, or a "
        "new torch.Generator is made, which begins with the same seed each time. Torch's global"
        " one should go on where it stands.",
        {
            "chances =": ("if generator is None:\n    torch.manual_seed(0)\nchances ="),
        },
        {
            "chances =": ("generator = generator or torch.Generator()\nchances ="),
        },
    ),
    "int64": (
        "Given int32 tokens, a result has another dtype, or both have. `torch.randint` and "
        "`torch.full` make int64 unless they are told otherwise, and `torch.where` takes the "
        "larger of two. Both results have the dtype of `tokens`.",
        {
            "dtype=tokens.dtype, ": "",
        },
        {
            "tokens.masked_fill(~chosen, -100)": "tokens.long().masked_fill(~chosen, -100)",
        },
        {
            "dtype=tokens.dtype, ": "",
            "tokens.masked_fill(~chosen, -100)": "tokens.long().masked_fill(~chosen, -100)",
        },
    ),
    "generator-replaced": (
        "Every call draws the same, whatever generator is given, as where a seed is set inside or "
        "a new generator is made. All that is drawn should come from the one that is given, as it "
        "stands.",
        {"chances =": "generator = torch.Generator().manual_seed(0)\nchances ="},
    ),
    "special-never-drawn": (
        "Special tokens are never drawn as random ones. The random tokens are uniform over the "
        "whole vocabulary.",
        {
            "inputs = torch.where(chosen & (fate > 8)": (
                "for special in special_ids:\n"
                "    random = torch.where(random == special, random + 1, random)\n"
                "inputs = torch.where(chosen & (fate > 8)"
            ),
        },
        {
            "random = torch.randint(": (
                "allowed = [one for one in range(vocab_size) if one not in special_ids]\n"
                "random = torch.randint("
            ),
            "vocab_size, tokens.shape, generator": "len(allowed), tokens.shape, generator",
            "inputs = tokens.masked_fill(": (
                "random = torch.tensor(allowed, dtype=tokens.dtype)[random.long()]\n"
                "inputs = tokens.masked_fill("
            ),
        },
    ),
    "never-itself": (
        "The random token is never the one that stood there. It is uniform over the whole "
        "vocabulary, so by chance it may be the same.",
        {
            "inputs = torch.where(chosen & (fate > 8)": (
                "random = torch.where(random == tokens, (random + 1) % vocab_size, random)\n"
                "inputs = torch.where(chosen & (fate > 8)"
            ),
        },
        {
            "inputs = torch.where(chosen & (fate > 8)": (
                "further = torch.randint(1, vocab_size, tokens.shape, generator=generator)\n"
                "random = (tokens + further.to(tokens.dtype)) % vocab_size\n"
                "inputs = torch.where(chosen & (fate > 8)"
            ),
        },
    ),
    "mask-never-drawn": (
        "mask_id is never drawn as a random token. The random tokens are uniform over the whole "
        "vocabulary.",
        {
            "inputs = torch.where(chosen & (fate > 8)": (
                "random = torch.where(random == mask_id, (random + 1) % vocab_size, random)\n"
                "inputs = torch.where(chosen & (fate > 8)"
            ),
        },
        {
            "vocab_size, tokens.shape, generator": "vocab_size - 1, tokens.shape, generator",
            "inputs = torch.where(chosen & (fate > 8)": (
                "random = random + (random >= mask_id)\ninputs = torch.where(chosen & (fate > 8)"
            ),
        },
    ),
    "first-special-only": (
        "Only the first of special_ids is left alone. None of them should be chosen.",
        {
            "for special in special_ids:": "for special in special_ids[:1]:",
        },
    ),
    "viewed": (
        "`view` fails here for tokens that do not lie in a row in memory, as those of a "
        "transposed tensor. `reshape` does not.",
        {
            "chances =": ("tokens.view(-1)\nchances ="),
        },
    ),
    "fate-without-generator": (
        "What becomes of a chosen token is drawn without the generator, so the same seed gives "
        "other inputs each time.",
        {
            "torch.randint(10, tokens.shape, generator=generator,": (
                "torch.randint(10, tokens.shape,"
            ),
        },
    ),
    "other-label": (
        "Tokens that were not chosen have another label than -100. It is -100 that the loss "
        "leaves out.",
        {
            "~chosen, -100": "~chosen, 0",
        },
    ),
    "chosen-without-generator": (
        "Which tokens are chosen is not drawn from the generator, so the same seed chooses "
        "others each time. All that is drawn should come from it.",
        {
            "torch.bernoulli(chances, generator=generator)": "torch.bernoulli(chances)",
        },
    ),
    "exact-fates": (
        "Of the chosen tokens, the same number becomes mask_id at every call, as where exactly "
        "80% of them are taken. What becomes of each is decided by its own chance, so that their "
        "number varies.",
        {
            "fate = torch.randint(10, tokens.shape, generator=generator, device=tokens.device)": (
                "order = torch.rand(tokens.shape, generator=generator).masked_fill(~chosen, "
                "2.0).flatten()\nfate = order.argsort().argsort().view(tokens.shape) * 10 // "
                "max(int(chosen.sum()), 1)"
            ),
        },
    ),
    "ninety-percent": (
        "More than 80 percent of the chosen become mask_id, and too few stay as they are: 80 "
        "percent become mask_id, 10 percent random, and 10 percent stay.",
        {
            "fate < 8": "fate <= 8",
        },
    ),
}

prediction(
    "zero-in-place-of-minus-infinity",
    chapter="08-masked",
    question=(
        "The scores of a query are -3, -4 and -5, and the last key is forbidden. Somebody sets its "
        "score to 0 in place of minus infinity. How much weight does it get?"
    ),
    right=0.94,
    options={
        0.0: (
            "Zero feels like nothing. Among scores it is only a number, and here it is the largest "
            "of the three."
        ),
        0.09: (
            "That is its weight with its own score: exp(-5), divided by the sum of all three "
            "exponentials. A score of 0 has raised it."
        ),
        0.33: "That would be so if all three scores were 0. The other two are far below.",
        0.94: "The exponentials are 0.050, 0.018 and 1, so the forbidden key has 1 / 1.068.",
    },
    again={
        "numbers": {"a": (1, 2, 4, 5)},
        "question": (
            "The scores of a query are {-a}, {-a - 1} and {-a - 2}, and the last key is forbidden."
            " Somebody sets its score to 0 in place of minus infinity. How much weight does it "
            "get?"
        ),
        "right": "round(1 / (1 + math.exp(-a) + math.exp(-a - 1)), 2)",
        "options": {
            "0.0": (
                "Zero feels like nothing. Among scores it is only a number, and here it is the "
                "largest."
            ),
            "0.09": "That is its weight with its own score. A score of 0 has raised it.",
            "0.33": "So it would be if all three scores were 0. The other two are below.",
            "round(1 / (1 + math.exp(-a) + math.exp(-a - 1)), 2)": (
                "The exponentials are {math.exp(-a):.3f}, {math.exp(-a - 1):.3f} and 1, so the "
                "forbidden key has 1 / {1 + math.exp(-a) + math.exp(-a - 1):.3f}."
            ),
        },
    },
)

prediction(
    "share-of-mask-tokens",
    chapter="08-masked",
    question="In BERT's recipe, what share of all tokens is replaced by the mask token?",
    right=0.12,
    options={
        0.12: "0.15 are chosen, and 0.8 of these become the mask token.",
        0.15: "That many are chosen, and the model is asked for all of them. Not all are replaced.",
        0.8: (
            "That is a share of the chosen tokens. With four out of five gone, there would be "
            "little left to guess from."
        ),
        0.135: "Another 0.015 of all tokens become random ones, which is not the mask token.",
    },
    again={
        "numbers": {"chosen": (0.1, 0.2, 0.3, 0.4), "masked": (0.5, 0.7, 0.9)},
        "question": (
            "A recipe like BERT's chooses {chosen:g} of all tokens and replaces {masked:g} of "
            "these by the mask token. What share of all tokens is replaced by it?"
        ),
        "right": "round(chosen * masked, 3)",
        "options": {
            "round(chosen * masked, 3)": (
                "{chosen:g} are chosen, and {masked:g} of these become the mask token."
            ),
            "chosen": (
                "So many are chosen, and the model is asked for all of them. Not all are replaced."
            ),
            "masked": "That is a share of the chosen tokens, not of all.",
        },
    },
)
