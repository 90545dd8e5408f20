"""Checks for chapter 2, softmax."""

import math

import torch

from autograder.checking import (
    Ask,
    agrees,
    by,
    exercise,
    holds_at_most,
    mend,
    misconceptions,
    raises,
    require,
)
from autograder.checking.cases import VALUES, each_one, low_scores, without_a_loop
from autograder.checking.predictions import prediction

LIBRARY = ("softmax", "log_softmax", "scaled_dot_product_attention")


@exercise("softmax", chapter="02-softmax", points=2, forbidden=LIBRARY)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=5, S=7))
    agrees(student, reference, draw.normal(S=7), case="one slice")
    agrees(student, reference, draw.normal(B=2, L=5, S=7), dim=1, case="along the middle dimension")
    agrees(student, reference, draw.normal(L=5, S=7), dim=0, case="along the first dimension")
    for case, size in each_one(L=5, S=7):
        agrees(student, reference, draw.normal(*size.values()), case=case, ask=VALUES)

    loose = {"rtol": 2e-3}  # float32 keeps scores of 1e4 to three decimals
    high = 1e4 + draw.normal(L=3, S=4)
    agrees(student, reference, high, case="scores of 1e4", **loose)
    agrees(student, reference, -high, case="scores of -1e4", **loose)
    levels = torch.tensor([[1e4], [0.0], [-1e4]]) + draw.normal(L=3, S=4)
    agrees(student, reference, levels, case="one slice high, one low", **loose)
    agrees(student, reference, 1e4 * draw.normal(L=3, S=4), case="scores from -1e4 to 1e4", **loose)

    holes = draw.normal(L=3, S=4)
    holes[0, 1] = holes[2, 0] = holes[2, 3] = -math.inf
    agrees(student, reference, holes, case="some scores -inf")
    holes[1] = -math.inf
    agrees(student, reference, holes, case="a slice that is all -inf")
    agrees(student, reference, torch.zeros(2, 3), case="scores of zero")
    apart = torch.tensor([[0.0, -16.0, -24.0], [8.0, -8.0, 8.0]])
    agrees(student, reference, apart, case="scores that differ by 16 and 24")
    low = low_scores(3, 4)
    low[:, -1] = -math.inf
    agrees(student, reference, low, case="scores of -1e4 beside -inf", ask=VALUES)
    cube = draw.normal(B=2, L=5, S=3)
    cube[0, :, 1] = cube[1, 2] = -math.inf
    case = "a slice along the middle dimension that is all -inf"
    agrees(student, reference, cube, 1, case=case, ask=Ask(contiguous=False, unchanged=False))
    agrees(student, reference, cube, -2, case=f"{case}, which is -2", ask=VALUES)
    agrees(student, reference, cube[0, :, 1], case="one slice that is all -inf", ask=VALUES)
    agrees(student, reference, draw.normal(2, 3, 1, 1), 1, case="four dimensions", ask=VALUES)


misconceptions["softmax"] = {
    "replaced-by-small": (
        "A score of -inf counts like a low number such as -1e4. Scores may be as low themselves, "
        "and beside them it takes a share of the whole: it should take none.",
        {"lowest = torch.finfo(scores.dtype).min": "scores, lowest = scores.clamp(min=-1e4), -1e4"},
        {
            "lowest = torch.finfo(scores.dtype).min": "empty = (scores == "
            "-math.inf).all(dim=dim, keepdim=True)\nscores = scores.masked_fill(scores == "
            "-math.inf, -1e4)\nlowest = -1e9",
            "return exponentials / total.clamp(min=1)": "return (exponentials / "
            "total).masked_fill(empty, 0.0)",
        },
        {
            "lowest = torch.finfo(scores.dtype).min": "lowest = -1e9\nscores = "
            "scores.masked_fill(scores == -math.inf, -1e4)",
        },
        {
            "lowest = torch.finfo(scores.dtype).min": "blocked = scores == -math.inf\n"
            "scores, lowest = scores.masked_fill(blocked, -1e4), -1e9",
            "return exponentials / total.clamp(min=1)": "return (exponentials / "
            "total).masked_fill(blocked, 0.0)",
        },
    ),
    "base-two": (
        "The powers have the base 2, not e: the weights are flatter than softmax's.",
        {".exp()": ".exp2()"},
    ),
    "shift-by-minimum": (
        "The scores are shifted by their smallest, not by their largest. Then the largest is "
        "positive still, and its exp infinite where the scores are far apart.",
        {
            "scores.amax(dim=dim, keepdim=True).clamp(min=lowest)": "scores.masked_fill(scores == "
            "-math.inf, math.inf).amin(dim=dim, keepdim=True).clamp(max=-lowest)",
            ".clamp(min=1)": ".clamp(min=1e-30)",
        },
        {
            "scores.amax(dim=dim, keepdim=True).clamp(min=lowest)": "scores.amin(dim=dim, "
            "keepdim=True)\nlargest = largest.masked_fill(largest == -math.inf, 0.0)",
            ".clamp(min=1)": ".clamp(min=1e-30)",
        },
    ),
    "not-divided": (
        "The exponentials are not divided by their sum, so they are positive, but are no shares "
        "of a whole: each slice should sum to one.",
        {"/ total.clamp(min=1)": ""},
    ),
    "sum-of-all": (
        "The exponentials are divided by the sum over the whole tensor. Every slice along `dim` "
        "should sum to one by itself.",
        {
            "scores.amax(dim=dim, keepdim=True)": "scores.max()",
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum()",
        },
        {"exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum()"},
    ),
    "no-exp": (
        "The scores themselves are divided by their sum, without exp. With scores of both signs "
        "that gives negative weights, and a sum near zero gives huge ones.",
        {"exponentials / total.clamp(min=1)": "scores / scores.sum(dim=dim, keepdim=True)"},
    ),
    "dim-unused": (
        "The weights sum to one along the last dimension, whatever `dim` is. The caller says "
        "along which dimension they compete.",
        {
            "scores.amax(dim=dim, keepdim=True)": "scores.amax(dim=-1, keepdim=True)",
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum(dim=-1, keepdim=True)",
        },
    ),
    "overflow": (
        "exp of a large score is infinite, and exp of a very low one is zero: no shares can be "
        "made of these. Adding the same number to all scores of a slice changes nothing, so "
        "subtract the largest first.",
        {"(scores - largest).exp()": "scores.exp()", "total.clamp(min=1)": "total"},
        {
            "(scores - largest).exp()": "scores.exp()",
            "total.clamp(min=1)": "torch.where(largest > lowest, total, 1.0)",
        },
        {
            "(scores - largest).exp()": "scores.exp()",
            "total.clamp(min=1)": "torch.where(total > 0, total, 1.0)",
        },
    ),
    "cut-off": (
        "Scores, or their exponentials, were cut off at a bound. All that is beyond it then looks "
        "equal, although the differences are what softmax is about: with the largest score of a "
        "slice subtracted, exp needs no bound.",
        {
            "(scores - largest).exp()": "scores.clamp(-80, 80).exp()",
            "total.clamp(min=1)": "total",
        },
        {
            "(scores - largest).exp()": "scores.clamp(max=80).exp()",
            "total.clamp(min=1)": "torch.where(total > 0, total, 1.0)",
        },
        *[
            {
                "(scores - largest).exp()": (
                    f"scores.clamp(-{bound}, {bound}).exp().masked_fill(scores == -math.inf, 0.0)"
                ),
                "total.clamp(min=1)": "torch.where(total > 0, total, 1.0)",
            }
            for bound in (50, 60, 80)
        ],
    ),
    "shift-of-all": (
        "The scores are shifted by the largest score of the whole tensor. In a slice far below it "
        "every exp is rounded to zero: each slice needs a shift of its own.",
        {"scores.amax(dim=dim, keepdim=True)": "scores.max()", "total.clamp(min=1)": "total"},
        {
            "scores.amax(dim=dim, keepdim=True)": "scores.max()",
            "total.clamp(min=1)": "torch.where(total > 0, total, 1.0)",
        },
        {
            "scores.amax(dim=dim, keepdim=True)": "scores.max()",
            "total.clamp(min=1)": "(total + (scores == -math.inf).all(dim=dim, keepdim=True))",
        },
    ),
    "sum-detached": (
        "The sum in the denominator is cut off from the gradient. The values are right, but every "
        "score has a part in the sum, and should feel it.",
        {
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.detach().sum(dim=dim, "
            "keepdim=True)"
        },
        {
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.detach().sum(dim=dim, "
            "keepdim=True)",
            ".clamp(min=lowest)": ".clamp(min=lowest).detach()",
        },
    ),
    "empty-row-nan": (
        "A slice that is all -inf gives NaN: either -inf is subtracted from -inf, or zero is "
        "divided by a sum of zero. Such a slice has nothing to choose from, and its weights "
        "should be zeros.",
        by(
            {
                "scores.masked_fill(empty, 0.0)": "scores",
                "weights.masked_fill(empty, 0.0)": "weights",
            },
            style="fill empty slices first",
        ),
    ),
    "large-negative": (
        "In a slice that is all -inf the weights come out equal, as they do where -inf is replaced "
        "by one large negative number. Such a slice has nothing to choose from: its weights should "
        "be zeros.",
        {
            "lowest = torch.finfo(scores.dtype).min": "lowest = -1e9\n"
            "scores = scores.clamp(min=lowest)"
        },
    ),
    "nan-replaced": (
        "In a slice that is all -inf the gradient is NaN: a step on the way is NaN there, or its "
        "derivative is, and numbers that are put in at the end do not take that out of the "
        "gradient. It should not arise in the first place.",
        {
            ".clamp(min=lowest)": "",
            "exponentials / total.clamp(min=1)": "(exponentials / total).nan_to_num()",
        },
    ),
    "sum-along-last": (
        "The exponentials are divided by their sum along the last dimension, whatever `dim` "
        "is. It is along `dim` that the weights should sum to one.",
        {
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum(dim=-1, keepdim=True)",
        },
    ),
    "first-dimension": (
        "The weights sum to one along the first dimension, whatever `dim` is. The caller says "
        "along which dimension they compete.",
        {
            "scores.amax(dim=dim, keepdim=True)": "scores.amax(dim=0, keepdim=True)",
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum(dim=0, keepdim=True)",
        },
    ),
    "second-dimension": (
        "The weights sum to one along the second dimension, whatever `dim` is. The caller "
        "says along which dimension they compete, and there may be only one.",
        {
            "scores.amax(dim=dim, keepdim=True)": "scores.amax(dim=1, keepdim=True)",
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum(dim=1, keepdim=True)",
        },
    ),
    "mean-for-sum": (
        "The exponentials are divided by their mean, so each slice sums to its number of "
        "scores. Divide by the sum.",
        {
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.mean(dim=dim, keepdim=True)",
            ".clamp(min=1)": ".clamp(min=1e-30)",
        },
    ),
    "by-count": (
        "The exponentials are divided by the number of scores in a slice. Divide by the sum of the "
        "exponentials: then the slice sums to one.",
        {"total.clamp(min=1)": "scores.shape[dim]"},
    ),
    "logarithms": (
        "The logarithms of the weights come back. The weights themselves are asked for, which "
        "lie from 0 to 1.",
        {
            "return exponentials / total.clamp(min=1)": "return scores - largest - total.log()",
        },
    ),
    "sigmoid": (
        "Each score goes through a sigmoid by itself, so the weights of a slice do not sum to "
        "one: raising one score should lower the weights of the others.",
        {
            "return exponentials / total.clamp(min=1)": "return torch.sigmoid(scores)",
        },
    ),
    "squares": (
        "The squares of the scores are divided by their sum. A square forgets the sign, so "
        "that a very low score gets as much weight as a very high one: it is exp that makes "
        "the weights.",
        {
            "return exponentials / total.clamp(min=1)": "return scores**2 / "
            "(scores**2).sum(dim=dim, keepdim=True)",
        },
    ),
    "epsilon-in-sum": (
        "A small number is added to the sum of the exponentials, so the weights sum to a little "
        "less than one. With the largest score subtracted the sum is at least 1: only a slice "
        "that is all -inf needs another divisor.",
        {
            "total.clamp(min=1)": "(total + 1e-8)",
        },
        {
            "total.clamp(min=1)": "(total + 1e-6)",
        },
        {
            "total.clamp(min=1)": "(total + 1e-5)",
        },
        {
            "total.clamp(min=1)": "(total + 1e-3)",
        },
    ),
    "keepdim-forgotten": (
        "The largest scores, or the sums, have lost their axis, so they are lined up with another "
        "one. Keep it with keepdim=True: each slice has its own largest score and its own sum.",
        {
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum(dim=dim)",
        },
        {
            "exponentials.sum(dim=dim, keepdim=True)": "exponentials.sum(dim=dim)",
            "scores.amax(dim=dim, keepdim=True)": "scores.amax(dim=dim)",
        },
        {"scores.amax(dim=dim, keepdim=True)": "scores.amax(dim=dim)"},
    ),
    "shift-by-mean": (
        "The scores are shifted by something below their largest, such as their mean. The largest "
        "may still lie far above that, and its exp is infinite then: subtract the largest.",
        {
            "scores.amax(dim=dim, keepdim=True).clamp(min=lowest)": "(scores.masked_fill(scores == "
            "-math.inf, 0.0).sum(dim=dim, keepdim=True) / (scores > -math.inf).sum(dim=dim, "
            "keepdim=True).clamp(min=1))",
            ".clamp(min=1)": ".clamp(min=1e-30)",
        },
        {
            "scores.amax(dim=dim, keepdim=True).clamp(min=lowest)": "scores.mean(dim=dim, "
            "keepdim=True)",
            "total.clamp(min=1)": "total",
        },
    ),
}


@exercise("sharpen", chapter="02-softmax", points=2)
def _(student, reference, draw):
    scores = draw.normal(L=3, S=5)
    agrees(student, reference, scores, draw.float(0.6, 0.8), case="sharper than softmax")
    agrees(student, reference, scores, draw.float(0.2, 0.4), case="flatter than softmax")
    agrees(student, reference, draw.normal(S=5), 0.7, case="one slice")
    agrees(student, reference, draw.normal(2, L=3, S=5), 0.3, case="a batch")
    agrees(student, reference, scores, 0.0, case="sharpness 0")
    scores = torch.stack([draw.permutation(5) - 2.0 for _ in range(6)])  # no two are close
    scores = scores.reshape(2, 3, 5)
    agrees(student, reference, scores, 1.0, case="sharpness 1")
    scores[0, 1, :3] = 4.0
    scores[1, 2] = -1.0
    # The limit has a jump where scores tie, so no gradient is asked for there.
    agrees(student, reference, scores, 1.0, case="sharpness 1, with ties", ask=Ask(gradients=False))
    near = torch.tensor([[1.0, 0.995, -2.0], [0.5, 0.5 - 2**-20, 0.5 - 2**-18]])
    agrees(student, reference, near, 1.0, case="sharpness 1, scores that nearly tie", ask=VALUES)
    precise = torch.tensor([[1.0, 1 - 2**-50, -2.0]], dtype=torch.float64)
    case = "sharpness 1, float64 scores that nearly tie"
    agrees(student, reference, precise, 1.0, case=case, ask=VALUES)
    close_to_1 = 1e-3 * draw.normal(L=3, S=5)
    agrees(student, reference, close_to_1, 0.995, case="sharpness 0.995", ask=VALUES)
    raises(student, ValueError, scores, -0.1, case="a sharpness below 0")
    raises(student, ValueError, scores, 1.1, case="a sharpness above 1")
    raises(student, ValueError, scores, -1e-6, case="a sharpness just below 0")
    raises(student, ValueError, scores, 1 + 1e-6, case="a sharpness just above 1")
    agrees(student, reference, 1e-3 * close_to_1, 1 - 1e-6, case="sharpness 0.999999", ask=VALUES)
    far = 1000.0 * torch.stack([draw.permutation(5) for _ in range(3)])
    agrees(student, reference, far, 1e-4, case="sharpness 0.0001", ask=VALUES)
    agrees(student, reference, far, 0.7, case="scores that differ by thousands")
    agrees(student, reference, scores[0, 1], 1.0, case="one slice with ties", ask=VALUES)
    for case, size in each_one(L=3, S=5):
        agrees(student, reference, draw.normal(*size.values()), 0.6, case=case, ask=VALUES)
    many = draw.normal(2, 1, L=3, S=5)
    agrees(student, reference, many, 0.6, case="two batch dimensions", ask=VALUES)


misconceptions["sharpen"] = {
    "nearly-one-at-most": (
        "At sharpness 1 the scores are only multiplied by a large number, as where 1 - s is kept "
        "from zero by a small one: those near the largest have a share as well. There, all the "
        "weight is on the largest.",
        *[
            {
                "if sharpness == 1:": "if False:",
                "(1 - sharpness)": f"max(1 - sharpness, {small})",
            }
            for small in ("1e-3", "1e-6", "1e-9", "1e-12")
        ],
        *[
            {
                "if sharpness == 1:": "if False:",
                "scores * (sharpness / (1 - sharpness))": "scores / max((1 - sharpness) / "
                f"max(sharpness, 1e-9), {small})",
            }
            for small in ("1e-3", "1e-6")
        ],
        *[
            {"if sharpness == 1:": f"sharpness = min(sharpness, 1 - {small})\nif sharpness == 1:"}
            for small in ("1e-6", "1e-5", "1e-4", "1e-3")
        ],
        *[
            {
                "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-6)\nif sharpness == 1:",
                "scores * (sharpness / (1 - sharpness))": steeper,
            }
            for steeper in (
                "scores * sharpness / (1 - sharpness)",
                "(scores - scores.amax(dim=-1, keepdim=True)) * (sharpness / (1 - sharpness))",
            )
        ],
        {
            "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-6)\nif sharpness == 1:",
            "scores * (sharpness / (1 - sharpness))": "scores / ((1 - sharpness) / "
            "max(sharpness, 1e-9))",
        },
        {
            "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-5)\nif sharpness == 1:",
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness)",
        },
        {
            "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-5)\nif sharpness == 1:",
            "scores * (sharpness / (1 - sharpness))": "scores / ((1 - sharpness) / "
            "max(sharpness, 1e-9))",
        },
        {
            "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-4)\nif sharpness == 1:",
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness)",
        },
        {
            "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-4)\nif sharpness == 1:",
            "scores * (sharpness / (1 - sharpness))": "scores / ((1 - sharpness) / "
            "max(sharpness, 1e-9))",
        },
        {
            "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-3)\nif sharpness == 1:",
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness)",
        },
        {
            "if sharpness == 1:": "sharpness = min(sharpness, 1 - 1e-3)\nif sharpness == 1:",
            "scores * (sharpness / (1 - sharpness))": "scores / ((1 - sharpness) / "
            "max(sharpness, 1e-9))",
        },
    ),
    "temperature-one-minus": (
        "The temperature is 1 - s. It should be (1 - s) / s, which is 1 for a sharpness of one "
        "half and grows without bound toward 0.",
        {"sharpness / (1 - sharpness)": "1 / (1 - sharpness)"},
        {"sharpness / (1 - sharpness)": "(sharpness > 0) / (1 - sharpness)"},
    ),
    "largest-of-all": (
        "At sharpness 1 the scores are compared with the largest of the whole tensor. Each slice "
        "has its own largest.",
        {
            "scores.amax(dim=-1, keepdim=True)": "scores.max()",
            "winners.to(scores.dtype) / winners.sum(dim=-1, keepdim=True)": "winners.to(scores.dty"
            "pe) / winners.sum(dim=-1, keepdim=True).clamp(min=1)",
        },
    ),
    "wrong-way": (
        "The slider works the wrong way around: the scores are multiplied by the temperature (1 - "
        "s) / s, not divided by it, so a larger sharpness gives flatter weights.",
        {
            "if sharpness == 1:": "if sharpness == 0:",
            "sharpness / (1 - sharpness)": "(1 - sharpness) / sharpness",
        },
        {
            "(sharpness / (1 - sharpness))": "(1 - sharpness) / sharpness if sharpness else "
            "scores * 0"
        },
    ),
    "nearly-tied-share": (
        "At sharpness 1 scores that are only nearly the largest share the weight. Those alone "
        "share it that are exactly the largest.",
        *[
            {
                "scores == scores.amax(dim=-1, keepdim=True)": "scores >= scores.amax(dim=-1, "
                f"keepdim=True) - {small}"
            }
            for small in ("1e-6", "1e-5", "1e-4", "1e-3", "1e-2")
        ],
    ),
    "nearly-one-is-one": (
        "A sharpness of nearly 1 is taken for 1. Below 1 it is the softmax of scores * s / (1 - "
        "s), however near to 1 it is.",
        {"if sharpness == 1:": "if sharpness > 0.999:"},
        {"if sharpness == 1:": "if sharpness > 0.99:"},
        {"if sharpness == 1:": "if sharpness > 0.9:"},
    ),
    "epsilon-in-divisor": (
        "A small number is added to 1 - s, or to the temperature, which makes the weights too "
        "flat where s is near 1. Leave it out, and treat 1 as a case of its own.",
        *[
            {"(1 - sharpness)": f"(1 - sharpness + {small})", "if sharpness == 1:": condition}
            for small in ("1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4")
            for condition in ("if False:", "if sharpness > 1 - 1e-9:")
        ],
        *[
            {
                "scores * (sharpness / (1 - sharpness))": "scores / ((1 - sharpness) / "
                f"max(sharpness, 1e-9) + {small})",
                "if sharpness == 1:": condition,
            }
            for small in ("1e-8", "1e-6")
            for condition in ("if False:", "if sharpness == 1:")
        ],
        {
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness + 1e-9)",
            "if sharpness == 1:": "if False:",
        },
        {
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness + 1e-8)",
            "if sharpness == 1:": "if False:",
        },
        {
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness + 1e-6)",
            "if sharpness == 1:": "if False:",
        },
        {
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness + 1e-5)",
            "if sharpness == 1:": "if False:",
        },
    ),
    "sharpness-as-factor": (
        "The scores are multiplied by the sharpness alone, which below 1 gives flatter weights "
        "than the usual softmax. The factor is s / (1 - s): it grows without bound toward 1.",
        {
            "if sharpness == 1:": "if False:",
            "(sharpness / (1 - sharpness))": "sharpness",
        },
        {"(sharpness / (1 - sharpness))": "sharpness"},
    ),
    "mixed": (
        "The plain average and the maximum are mixed in proportion: between the ends, all scores "
        "below the largest get the same weight, whatever they are. It is softmax that makes the "
        "weights there.",
        {
            "if sharpness == 1:": "if True:",
            "return winners.to(scores.dtype)": "share = (1 - sharpness) / scores.shape[-1]\n"
            "return share + sharpness * winners.to(scores.dtype)",
        },
    ),
    "sharpened-after": (
        "The weights were computed first and sharpened afterwards, without making them sum to one "
        "again. The factor belongs to the scores, before the softmax.",
        {"* (sharpness / (1 - sharpness)), dim=-1)": ", dim=-1) ** (sharpness / (1 - sharpness))"},
    ),
    "first-dimension": (
        "The weights sum to one along the first dimension. The scores that compete with one "
        "another lie along the last one.",
        {
            "scores.amax(dim=-1, keepdim=True)": "scores.amax(dim=0, keepdim=True)",
            "winners.sum(dim=-1, keepdim=True)": "winners.sum(dim=0, keepdim=True)",
            "(1 - sharpness)), dim=-1)": "(1 - sharpness)), dim=0)",
        },
    ),
    "division-by-zero": (
        "At sharpness 1 something is divided by zero, or the factor is infinite. This end of the "
        "slider needs a case of its own: the limit, in which the largest score takes all.",
        {"if sharpness == 1:": "if False:"},
        {
            "if sharpness == 1:": "if False:",
            "scores * (sharpness / (1 - sharpness))": "scores * sharpness / (1 - sharpness)",
        },
        {  # by the softmax of this chapter, which gives zeros where all scores are -inf
            "if sharpness == 1:": "if False:",
            "torch.softmax(scores * (sharpness / (1 - sharpness)), dim=-1)": (
                "torch.softmax(scores * sharpness / (1 - sharpness), dim=-1)"
                ".masked_fill((scores < 0).all(dim=-1, keepdim=True) & (sharpness == 1), 0.0)"
            ),
        },
    ),
    "one-of-ties": (
        "At sharpness 1 only one of several equal largest scores gets the weight, as `argmax` "
        "picks one. Equal scores should have equal weights, even in the limit.",
        by(
            {
                "return best / best.sum(-1, keepdim=True)": "first = best.argmax(dim=-1)\n"
                "return F.one_hot(first, best.shape[-1]) + 0 * best"
            },
            style="temperature",
        ),
    ),
    "ties-not-shared": (
        "At sharpness 1 each of several equal largest scores gets the weight 1, so the weights "
        "sum to more than one. They should share it.",
        {"/ winners.sum(dim=-1, keepdim=True)": ""},
    ),
    "range-unchecked": (
        "A sharpness outside of 0 to 1 was accepted. No temperature belongs to it: that is a "
        "ValueError.",
        {"if not 0 <= sharpness <= 1:": "if False:"},
    ),
    "zero-refused": (
        "A sharpness of 0 is refused. The limit belongs to the range: all weights are equal there.",
        {
            "if not 0 <= sharpness <= 1:": "if not 0 < sharpness <= 1:",
        },
    ),
    "one-refused": (
        "A sharpness of 1 is refused. The limit belongs to the range: the largest score has "
        "all the weight there.",
        {
            "if not 0 <= sharpness <= 1:": "if not 0 <= sharpness < 1:",
        },
    ),
    "above-accepted": (
        "A sharpness above 1 was accepted; only one below 0 is refused. No temperature "
        "belongs to either: that is a ValueError.",
        {
            "if not 0 <= sharpness <= 1:": "if sharpness < 0:",
        },
    ),
    "below-accepted": (
        "A sharpness below 0 was accepted; only one above 1 is refused. No temperature "
        "belongs to either: that is a ValueError.",
        {
            "if not 0 <= sharpness <= 1:": "if sharpness > 1:",
        },
    ),
    "ones-at-zero": (
        "At sharpness 0 every weight is 1. They should be equal and sum to one: 1 / S each.",
        {
            "if sharpness == 1:": "if sharpness == 0:\n    return torch.ones_like(scores)\nif "
            "sharpness == 1:",
        },
    ),
    "by-rows-at-zero": (
        "At sharpness 0 each weight is 1 over the size of the first dimension. The scores "
        "that compete lie along the last one: 1 / S each.",
        {
            "if sharpness == 1:": "if sharpness == 0:\n    return torch.ones_like(scores) / "
            "len(scores)\nif sharpness == 1:",
        },
    ),
    "ties-by-count": (
        "At sharpness 1 the largest score gets 1 / S, not all of the weight. Divide by the "
        "number of scores that tie for the largest.",
        {
            "/ winners.sum(dim=-1, keepdim=True)": "/ scores.shape[-1]",
        },
    ),
    "largest-of-first-dimension": (
        "At sharpness 1 the scores are compared with the largest along the first dimension. "
        "The scores that compete with one another lie along the last one.",
        {
            "scores.amax(dim=-1, keepdim=True)": "scores.amax(dim=0, keepdim=True)",
            "winners.sum(dim=-1, keepdim=True)": "winners.sum(dim=-1, keepdim=True).clamp(min=1)",
        },
    ),
    "scores-at-one": (
        "At sharpness 1 the largest score itself comes back at its place. The weights are "
        "asked for: one there, shared where scores tie.",
        {
            "return winners.to(scores.dtype) / winners.sum(dim=-1, keepdim=True)": "return "
            "scores * winners",
        },
    ),
    "by-all-at-zero": (
        "At sharpness 0 each weight is 1 over the number of all scores. Those of one slice "
        "sum to one: 1 / S each, where S is the size of the last dimension.",
        {
            "if sharpness == 1:": "if sharpness == 0:\n    return torch.ones_like(scores) / "
            "scores.numel()\nif sharpness == 1:",
        },
    ),
    "keepdim-forgotten": (
        "At sharpness 1 the largest scores, or the numbers of those that tie, have lost their "
        "axis, so they are lined up with another one. Keep it with keepdim=True.",
        {
            "winners.sum(dim=-1, keepdim=True)": "winners.sum(dim=-1)",
        },
        {
            "scores.amax(dim=-1, keepdim=True)": "scores.amax(dim=-1)",
        },
        {
            "winners.sum(dim=-1, keepdim=True)": "winners.sum(dim=-1)",
            "scores.amax(dim=-1, keepdim=True)": "scores.amax(dim=-1)",
        },
    ),
    "squared-slider": (
        "The factor before the scores is s / (1 - s) squared. It is s / (1 - s) itself.",
        {
            "sharpness / (1 - sharpness)": "(sharpness / (1 - sharpness)) ** 2",
        },
    ),
    "slider-of-root": (
        "The factor before the scores is the root of s / (1 - s). It is s / (1 - s) itself.",
        {
            "sharpness / (1 - sharpness)": "(sharpness / (1 - sharpness)) ** 0.5",
        },
    ),
    "temperature-at-zero": (
        "At sharpness 0 the temperature (1 - s) / s divides by zero. Either this end has a case of "
        "its own, in which all weights are equal, or the scores are multiplied by s / (1 - s).",
        {"scores * (sharpness / (1 - sharpness))": "scores / ((1 - sharpness) / sharpness)"},
    ),
    "temperature-at-both-ends": (
        "Both ends of the slider divide by zero: at sharpness 0 the temperature (1 - s) / s does, "
        "and at 1 the temperature is zero itself, and the scores are divided by it. At 0 all "
        "weights are equal, and at 1 the largest score takes all.",
        {
            "if sharpness == 1:": "if False:",
            "scores * (sharpness / (1 - sharpness))": "scores / ((1 - sharpness) / sharpness)",
        },
        {
            "if sharpness == 1:": "if False:",
            "torch.softmax(scores * (sharpness / (1 - sharpness)), dim=-1)": (
                "torch.softmax(scores / ((1 - sharpness) / sharpness), dim=-1)"
                ".masked_fill((scores < 0).all(dim=-1, keepdim=True) & (sharpness == 1), 0.0)"
            ),
        },
    ),
    "sharpness-as-temperature": (
        "The sharpness is taken for the temperature: the scores are divided by s, so a larger "
        "sharpness gives flatter weights. The temperature is (1 - s) / s.",
        {"scores * (sharpness / (1 - sharpness))": "scores / max(sharpness, 1e-9)"},
        {"scores * (sharpness / (1 - sharpness))": "scores / sharpness"},
        {
            "if sharpness == 1:": "if False:",
            "scores * (sharpness / (1 - sharpness))": "scores / sharpness",
        },
        {
            "if sharpness == 1:": "if False:",
            "scores * (sharpness / (1 - sharpness))": "scores / max(sharpness, 1e-9)",
        },
    ),
    "error-returned": (
        "The ValueError is returned as a result. An error is raised: write `raise ValueError(...)` "
        "in place of `return`.",
        {
            'raise ValueError(f"sharpen: sharpness is {sharpness}, wanted from 0 to 1")': "return "
            "ValueError",
        },
    ),
}


@exercise(
    "softmax_jacobian",
    chapter="02-softmax",
    points=2,
    forbidden=("softmax_backward_data", "grad", "backward", "jacobian", "make_dual"),
)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(S=6))
    agrees(student, reference, 3 * draw.normal(S=4), case="steeper scores")
    agrees(student, reference, draw.normal(1), case="one score")
    agrees(student, reference, 1e4 + draw.normal(S=6), case="scores of 1e4", rtol=2e-3)
    agrees(student, reference, torch.full((5,), 2.0), case="equal scores")
    far = 1000.0 * (draw.permutation(8) - 8)
    agrees(student, reference, far, case="scores that differ by thousands")


misconceptions["softmax_jacobian"] = {
    "ones-on-diagonal": (
        "Ones stand on the diagonal where the weights belong: it is weights[i] - weights[i] ** 2 "
        "there.",
        {"torch.diag(weights)": "torch.eye(len(weights)).to(weights)"},
    ),
    "of-log-softmax": (
        "This is the Jacobian of log-softmax: the ones on the diagonal should be the weights, and "
        "the row of weights should be multiplied by them.",
        {
            "torch.diag(weights) - torch.outer(weights, weights)": "torch.eye(len(weights))"
            ".to(weights) - weights"
        },
    ),
    "diagonal-only": (
        "The matrix is zero beside its diagonal, as if each weight knew only its own score. The "
        "weights sum to one: when one score rises, all the other weights fall.",
        {"- torch.outer(weights, weights)": "* (1 - weights)"},
    ),
    "vector": (
        "Only the derivative of each weight by its own score came back, as a vector. The other "
        "scores change it too: there are S * S derivatives.",
        {"torch.diag(weights) - torch.outer(weights, weights)": "weights * (1 - weights)"},
    ),
    "off-diagonal-sign": (
        "The sign beside the diagonal is wrong: raising a score lowers the weights of the others, "
        "by -weights[i] * weights[j]. Every column of the matrix should sum to zero.",
        {"- torch.outer": "+ torch.outer"},
        {
            "torch.diag(weights) - torch.outer(weights, weights)": "(torch.diag(weights) - "
            "torch.outer(weights, weights)).abs()",
        },
    ),
    "sign": (
        "The whole matrix has the wrong sign: a weight falls here when its own score rises. The "
        "derivative of a weight by its own score is positive.",
        {
            "torch.diag(weights) - torch.outer(weights, weights)": "torch.outer(weights, weights) "
            "- torch.diag(weights)"
        },
    ),
    "same-weight-twice": (
        "In a product of two weights the same one stands twice. Beside the diagonal, row i and "
        "column j belong to two of them: -weights[i] * weights[j].",
        {"torch.outer(weights, weights)": "weights.square()"},
        {"torch.outer(weights, weights)": "weights.square()[:, None]"},
    ),
    "diagonal-term": (
        "The diagonal lacks a term: a weight also grows with its own score, not only shrinks with "
        "the others. Every column of the matrix should sum to zero.",
        {"torch.diag(weights) -": "-"},
    ),
    "diagonal-everywhere": (
        "The term that belongs to the diagonal was added everywhere: the Kronecker delta in the "
        "formula is one only where row and column are the same, and zero elsewhere.",
        {
            "torch.diag(weights) - torch.outer(weights, weights)": "torch.outer(weights, 1 - "
            "weights)"
        },
        {
            "torch.diag(weights) - torch.outer(weights, weights)": "torch.outer(1 - weights, "
            "weights)",
        },
    ),
    "of-scores": (
        "The formula was applied to the scores. What stands in it are the weights, which the "
        "scores have to be turned into first.",
        {"torch.softmax(scores, dim=0)": "scores"},
    ),
    "detached": (
        "The values are right, but the result is cut off from the scores, so no gradient flows "
        "through it: keep every step inside autograd.",
        {"torch.softmax(scores, dim=0)": "torch.softmax(scores.detach(), dim=0)"},
    ),
    "overflow": (
        "For scores of 1e4 the exponentials overflow, and the whole matrix is NaN. The weights "
        "have to be computed in the safe way.",
        {"torch.softmax(scores, dim=0)": "scores.exp() / scores.exp().sum()"},
    ),
    "weights-not-multiplied": (
        "Each row has the weights subtracted as they come. What is subtracted in row i and "
        "column j is a product of two weights, weights[i] * weights[j].",
        {
            "torch.outer(weights, weights)": "weights",
        },
    ),
    "upper-half": (
        "Only one half of the matrix is filled, on one side of the diagonal. Each weight "
        "moves with every score: the other half is its mirror image.",
        {
            "return torch.diag(weights) - torch.outer(weights, weights)": "return "
            "(torch.diag(weights) - torch.outer(weights, weights)).triu()",
        },
        {
            "return torch.diag(weights) - torch.outer(weights, weights)": "return "
            "(torch.diag(weights) - torch.outer(weights, weights)).tril()",
        },
    ),
    "diagonal-zero": (
        "The diagonal is zero. A weight moves with its own score, too: weights[i] * (1 - "
        "weights[i]).",
        {
            "return torch.diag(weights) - torch.outer(weights, weights)": "return "
            "torch.diag(weights.square()) - torch.outer(weights, weights)",
        },
    ),
    "sum-of-weights": (
        "Beside the diagonal stand sums of two weights. It is their product, with a minus: "
        "-weights[i] * weights[j].",
        {
            "torch.outer(weights, weights)": "(weights[:, None] + weights)",
        },
    ),
    "outer-with-scores": (
        "The product has the scores in the place of one of the weights. It is a product of "
        "two weights.",
        {
            "torch.outer(weights, weights)": "torch.outer(weights, scores)",
        },
    ),
    "delta-of-values": (
        "Where two scores are equal, the weight is added beside the diagonal as well, as when the "
        "Kronecker delta asks whether two weights are equal. It asks whether i and j are.",
        {
            "torch.diag(weights)": "weights * (weights[:, None] == weights)",
        },
    ),
}


@exercise("distance_scores", chapter="02-softmax", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=5, D=8), draw.normal(S=7, D=8))
    batch = draw.normal(B=2, L=5, D=8), draw.normal(B=2, S=7, D=8)
    agrees(student, reference, *batch, case="a batch")
    many = draw.normal(2, 3, L=5, D=8), draw.normal(2, 3, S=7, D=8)
    agrees(student, reference, *many, case="two batch dimensions")
    more = [one[:, None] for one in many]
    agrees(student, reference, *more, case="three batch dimensions", ask=VALUES)
    agrees(student, reference, draw.normal(1, 4), draw.normal(1, 4), case="one query, one key")
    query, key = draw.normal(L=5, D=8), draw.normal(S=7, D=8)
    key[2] = query[3]
    agrees(student, reference, query, key, case="a query that equals a key")
    agrees(student, reference, key, key, case="one tensor for both", ask=VALUES)
    zeros = query * (torch.arange(5) != 1)[:, None], key * (torch.arange(7) != 4)[:, None]
    agrees(student, reference, *zeros, case="a query and a key of zeros")
    without_a_loop(
        student, *((draw.normal(n, n, 4 * n), draw.normal(n, n + 1, 4 * n)) for n in (2, 12))
    )
    for case, size in each_one(L=5, S=7, D=8):
        L, S, D = size.values()
        agrees(student, reference, draw.normal(L, D), draw.normal(S, D), case=case, ask=VALUES)

    L, S, D = 24, 28, 16
    largest = student.largest(draw.normal(L, D), draw.normal(S, D))
    require(
        largest < L * S * D,
        f"With {L} queries and {S} keys of {D} entries, distance_scores makes a tensor of "
        f"{largest} numbers on the way; the contract allows none of L * S * D = {L * S * D}. "
        f"The scores alone are {L * S}.",
    )
    # Whatever library and thread it is held by: half of it, in half precision, is too much.
    L, S, D = 384, 384, 512
    query, key = (draw.normal(size, 32).repeat(1, D // 32) for size in (L, S))
    holds_at_most(
        student,
        L * S * D // 4,
        query,
        key,
        want=lambda got: (
            got[::64, ::64] if isinstance(got, torch.Tensor) and got.shape == (L, S) else got,
            -(query[::64, None] - key[None, ::64]).square().sum(-1),
        ),
        sentence=f"more than {L * S * D // 4 // 2**20} MiB were held at once; the contract allows "
        f"no intermediate result of L * S * D = {L * S * D} elements.",
    )


misconceptions["distance_scores"] = {
    "key-axis-last": (
        "The squared lengths of the keys have their new axis at the end, like those of the "
        "queries, so that they are lined up with the queries. Key j belongs to column j: (1, S).",
        {"key.square().sum(dim=-1).unsqueeze(-2)": "key.square().sum(dim=-1).unsqueeze(-1)"},
    ),
    "halved": (
        "All is divided by two. Some books define the score so; here it is the whole squared "
        "distance, with a minus.",
        {
            "return 2 * products - query_square - key_square": "return products - "
            "(query_square + key_square) / 2"
        },
    ),
    "sign": (
        "The sign is missing: these are distances, and the farthest key gets the highest score. A "
        "near key should score higher than a far one.",
        {"2 * products - query_square - key_square": "query_square + key_square - 2 * products"},
    ),
    "not-squared": (
        "The distance is not squared: a square root was taken. The contract is minus the squared "
        "distance, which needs no root and has a gradient everywhere.",
        {"2 * products - query_square - key_square": "-torch.cdist(query, key)"},
        {
            "2 * products - query_square - key_square": "-(query_square + key_square - 2 * "
            "products).clamp(min=0).sqrt()"
        },
    ),
    "not-squared-bounded": (
        "The distance is not squared: a square root was taken, with a bound or a small number "
        "under it. The squared distance needs neither.",
        {
            "2 * products - query_square - key_square": "-(query_square + key_square - 2 * "
            "products).clamp(min=1e-12).sqrt()"
        },
    ),
    "cross-term-once": (
        "The cross term is there once only. Multiply out the square of a difference: the product "
        "of the two stands in it twice.",
        {"2 * products": "products"},
    ),
    "query-length-missing": (
        "The squared length of the query is missing. It is the same for all keys and so makes no "
        "difference after a softmax, but without it the scores are not the distances asked for.",
        {"- query_square": ""},
    ),
    "averaged": (
        "The squared differences are averaged over the D entries. A squared distance is their sum.",
        {
            "2 * products - query_square - key_square": "products * 2 / query.shape[-1] "
            "- query.square().mean(-1)[..., :, None] - key.square().mean(-1)[..., None, :]"
        },
    ),
    "same-position-only": (
        "Each query is compared with the key at the same position only. Every query needs a score "
        "for every key, and there may be more keys than queries.",
        {"2 * products - query_square - key_square": "-(query - key).square().sum(dim=-1)"},
    ),
    "transposed-as-matrix": (
        "The keys are transposed as if they were a single matrix. With a batch in front, only the "
        "last two dimensions should change places.",
        {"key.transpose(-2, -1)": "key.t()"},
    ),
    "loop": (
        "The values are right, but a loop makes them, such as one over the queries. The contract "
        "asks for none: the products of all queries with all keys are one matrix product.",
        {
            "return 2 * products - query_square - key_square": "return torch.stack([-((row[..., "
            "None, :] - key) ** 2).sum(dim=-1) for row in query.unbind(-2)], dim=-2)"
        },
    ),
    "all-differences": (
        "The values are right, but L * S * D numbers are held at once to get L * S, such as all "
        "differences of queries and keys. Multiply the square out, and let a product of matrices "
        "sum over the entries.",
        {
            "2 * products - query_square - key_square": "-(query.unsqueeze(-2) - key.unsqueeze(-3))"
            ".square().sum(dim=-1)"
        },
    ),
    "key-length-missing": (
        "The squared length of the keys is missing. It differs from key to key, so that long "
        "keys score too high: only the query's is the same along a row.",
        {
            "- key_square": "",
        },
    ),
    "lengths-missing": (
        "The squared lengths are missing, and only the dot product is left, or twice of it. The "
        "squared distance is the squared length of the query, plus that of the key, minus twice "
        "their product.",
        {
            "return 2 * products - query_square - key_square": "return 2 * products",
        },
        {"return 2 * products - query_square - key_square": "return products"},
    ),
    "lengths-not-squared": (
        "The lengths of query and key stand where their squares should: (q - k)^2 is q^2 - 2 "
        "q k + k^2.",
        {
            "query.square().sum(dim=-1)": "query.norm(dim=-1)",
            "key.square().sum(dim=-1)": "key.norm(dim=-1)",
        },
    ),
    "sums-compared": (
        "The sums of the entries are compared: query and key are summed first, and the "
        "difference is squared then. Square the difference of each entry, and then sum.",
        {
            "return 2 * products - query_square - key_square": "return "
            "-(query.sum(dim=-1)[..., :, None] - key.sum(dim=-1)[..., None, :]).square()",
        },
    ),
    "city-block": (
        "The differences are summed without their signs, not squared. The squared Euclidean "
        "distance is the sum of their squares.",
        {
            "return 2 * products - query_square - key_square": "return -torch.cdist(query, "
            "key, p=1)",
        },
    ),
    "kernel": (
        "The scores went through exp, as in a kernel. They are to be minus the squared "
        "distances themselves.",
        {
            "return 2 * products - query_square - key_square": "return (2 * products - "
            "query_square - key_square).exp()",
        },
    ),
    "softmax": (
        "A softmax was applied as well. These are the scores; turning them into weights is "
        "the next step.",
        {
            "return 2 * products - query_square - key_square": "return torch.softmax(2 * "
            "products - query_square - key_square, dim=-1)",
        },
    ),
    "transposed": (
        "The scores lie the wrong way around: a row for each key. A row should hold the "
        "scores of one query.",
        {
            "return 2 * products - query_square - key_square": "return (2 * products - "
            "query_square - key_square).transpose(-2, -1)",
        },
    ),
    "over-root": (
        "The scores are divided by sqrt(D), as dot products are. The contract asks for minus "
        "the squared distance, and for nothing else.",
        {
            "return 2 * products - query_square - key_square": "return (2 * products - "
            "query_square - key_square) / math.sqrt(query.shape[-1])",
        },
    ),
    "lengths-added": (
        "The squared lengths have the same sign as twice the product. Minus the squared distance "
        "is twice the product less both of them.",
        {
            "return 2 * products - query_square - key_square": "return 2 * products + "
            "query_square + key_square",
        },
        {
            "return 2 * products - query_square - key_square": "return -(2 * products + "
            "query_square + key_square)",
        },
    ),
    "squared-product": (
        "Minus the square of the dot product came back. It is the difference of query and key "
        "that is squared.",
        {
            "return 2 * products - query_square - key_square": "return -(products**2)",
        },
    ),
    "negative-cut-off": (
        "The scores are cut off at a bound, such as -1. A squared distance may be as large as it "
        "is.",
        {
            "return 2 * products - query_square - key_square": "return (2 * products - "
            "query_square - key_square).clamp(min=-1)",
        },
    ),
    "centered-apart": (
        "Queries and keys are not all moved by the same vector before they are compared, as where "
        "each of the two is centered at its own mean. That changes the distances: move all by one "
        "vector, or none.",
        {
            "query_square = query.square()": (
                "query = query - query.mean(dim=-2, keepdim=True)\n"
                "key = key - key.mean(dim=-2, keepdim=True)\n"
                "query_square = query.square()"
            ),
        },
        {
            "query_square = query.square()": (
                "key = key - key.mean(dim=-2, keepdim=True)\nquery_square = query.square()"
            ),
        },
        {
            "query_square = query.square()": (
                "query = query - query.mean(dim=-1, keepdim=True)\n"
                "key = key - key.mean(dim=-1, keepdim=True)\n"
                "query_square = query.square()"
            ),
        },
        {
            "query_square = query.square()": (
                "query = query - query.mean(dim=-2, keepdim=True)\nquery_square = query.square()"
            ),
        },
    ),
}


@exercise("cosine_scores", chapter="02-softmax", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=5, D=8), draw.normal(S=7, D=8))
    long, short = 20 * draw.normal(L=5, D=8), 0.05 * draw.normal(S=7, D=8)
    agrees(student, reference, long, short, case="long queries, short keys")
    batch = draw.normal(B=2, L=5, D=8), draw.normal(B=2, S=7, D=8)
    agrees(student, reference, *batch, case="a batch")
    many = draw.normal(2, 3, L=5, D=8), draw.normal(2, 3, S=7, D=8)
    agrees(student, reference, *many, case="two batch dimensions")
    more = [one[:, None] for one in many]
    agrees(student, reference, *more, case="three batch dimensions", ask=VALUES)
    for case, size in each_one(L=5, S=7, D=8):
        L, S, D = size.values()
        agrees(student, reference, draw.normal(L, D), draw.normal(S, D), case=case, ask=VALUES)
    agrees(student, reference, short, short, case="one tensor for both", ask=VALUES)
    tiny = 1e-7 * draw.normal(L=5, D=8), 1e-6 * draw.normal(S=7, D=8)
    agrees(student, reference, *tiny, case="vectors of length 1e-7 and 1e-6", ask=VALUES)
    far = 1e6 * short, 0.1 * tiny[1]
    agrees(student, reference, *far, case="long queries, keys of length 1e-7", ask=VALUES)
    sums = torch.tensor([[0.0, 1.0, -1.0], [3.0, 4.0, -7.0], [0.0, -1.0, -2.0]])
    agrees(student, reference, sums, sums.flip(1), case="vectors whose entries sum to zero")

    query, key = draw.normal(L=5, D=8), draw.normal(S=7, D=8)
    query[1] = 0.0
    key[4] = 0.0
    case = "a query and a key of zeros"
    # The direction of zeros is anyone's choice, and so is its gradient: it must be finite.
    agrees(student, reference, query, key, case=case, ask=Ask(gradients=False))
    gradients = student.gradients(query, key).inputs
    require(
        all(torch.isfinite(gradient).all() for gradient in gradients.values()),
        f"{case}: the scores are finite, but a gradient is not (NaN or infinite).",
    )


misconceptions["cosine_scores"] = {
    "angle": (
        "The angle comes back, not its cosine: vectors in the same direction get 0, and opposite "
        "ones the largest score.",
        {
            "return query @ key.transpose(-2, -1)": "return (query @ key.transpose(-2, -1))"
            ".clamp(-1, 1).acos()"
        },
        {
            "return query @ key.transpose(-2, -1)": "return (query @ key.transpose(-2, -1))"
            ".clamp(-1 + 1e-7, 1 - 1e-7).acos()"
        },
    ),
    "negative-cut-off": (
        "Negative cosines are cut off at zero. A cosine of -1 means the opposite direction, which "
        "is less alike than no direction in common.",
        {
            "return query @ key.transpose(-2, -1)": "return (query @ key.transpose(-2, "
            "-1)).clamp(min=0)"
        },
    ),
    "absolute": (
        "The absolute value of the cosine comes back: opposite directions count as alike.",
        {"return query @ key.transpose(-2, -1)": "return (query @ key.transpose(-2, -1)).abs()"},
    ),
    "plain-products": (
        "These are plain dot products: a long vector scores higher than a short one in the same "
        "direction. The cosine depends on the direction alone.",
        {
            "query = query / (query_length + (query_length == 0))": "",
            "key = key / (key_length + (key_length == 0))": "",
        },
    ),
    "keys-not-normalized": (
        "Only the queries were brought to length one. The length of a key should make no "
        "difference either.",
        {"key = key / (key_length + (key_length == 0))": ""},
    ),
    "queries-not-normalized": (
        "Only the keys were brought to length one. The length of a query should make no difference "
        "either.",
        {"query = query / (query_length + (query_length == 0))": ""},
    ),
    "squared-lengths": (
        "The dot products are divided by the squared lengths. The cosine is the dot product over "
        "the product of the two lengths, so a vector scores 1 with itself.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.square().sum(dim=-1, keepdim=True)",
            "key.norm(dim=-1, keepdim=True)": "key.square().sum(dim=-1, keepdim=True)",
        },
    ),
    "one-length": (
        "Many vectors were divided by one length, that of all of them together. Every vector has "
        "a length of its own.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.norm()",
            "key.norm(dim=-1, keepdim=True)": "key.norm()",
        },
    ),
    "length-across": (
        "The length was taken across the vectors, entry by entry, and not along each vector: the "
        "entries of a vector lie along the last dimension.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.norm(dim=-2, keepdim=True)",
            "key.norm(dim=-1, keepdim=True)": "key.norm(dim=-2, keepdim=True)",
        },
    ),
    "same-position-only": (
        "Each query is compared with the key at the same position only. Every query needs a score "
        "for every key, and there may be more keys than queries: give them axes of their own.",
        {"query @ key.transpose(-2, -1)": "(query * key).sum(dim=-1)"},
    ),
    "distance": (
        "This is the cosine distance, one minus the cosine: vectors in the same direction get 0. A "
        "score should be highest for them.",
        {"query @ key.transpose(-2, -1)": "1 - query @ key.transpose(-2, -1)"},
    ),
    "short-cut-off": (
        "The cosines of short vectors are too near zero, as when a length, or the product of two, "
        "is kept above some bound or counts as zero below it. Only a length of zero needs another "
        "number in its place.",
        *[
            {
                "(query_length + (query_length == 0))": f"query_length.clamp(min={small})",
                "(key_length + (key_length == 0))": f"key_length.clamp(min={small})",
            }
            for small in ("1e-1", "1e-2", "1e-3", "1e-4")
        ],
        *[
            {
                "query = query / (query_length + (query_length == 0))": "",
                "key = key / (key_length + (key_length == 0))": "",
                "query @ key.transpose(-2, -1)": "query @ key.transpose(-2, -1) / "
                f"(query_length * key_length.transpose(-2, -1)).clamp(min={small})",
            }
            for small in ("1e-12", "1e-8", "1e-6")
        ],
        *[
            {
                "(query_length + (query_length == 0))": (
                    f"query_length.masked_fill(query_length < {small}, math.inf)"
                ),
                "(key_length + (key_length == 0))": (
                    f"key_length.masked_fill(key_length < {small}, math.inf)"
                ),
            }
            for small in ("1e-6", "1e-4", "1e-3")
        ],
    ),
    "zero-nan": (
        "A vector of zeros was divided by its length, and zero over zero is NaN. It has no "
        "direction and should score 0 with everything.",
        {
            "(query_length + (query_length == 0))": "query_length",
            "(key_length + (key_length == 0))": "key_length",
        },
    ),
    "nan-replaced": (
        "The gradient of a vector of zeros is NaN: it still goes through zero over zero, or "
        "through the root of zero, whose slope is infinite. To replace or to bound what comes of "
        "that is too late: it should not arise in the first place.",
        {
            "(query_length + (query_length == 0))": "query_length",
            "(key_length + (key_length == 0))": "key_length",
            "query @ key.transpose(-2, -1)": "(query @ key.transpose(-2, -1)).nan_to_num()",
        },
    ),
    "length-plus-epsilon": (
        "A small number was added to the lengths, or to their product. Beside a short vector it "
        "is not small, and the cosine shrinks: it may only be there where a length is zero.",
        *[
            change
            for small in ("1e-8", "1e-6", "1e-5", "1e-4", "1e-3")
            for change in (
                {
                    "(query_length == 0)": small,
                    "(key_length == 0)": small,
                },
                {
                    "query = query / (query_length + (query_length == 0))": "",
                    "key = key / (key_length + (key_length == 0))": "",
                    "query @ key.transpose(-2, -1)": "query @ key.transpose(-2, -1) / "
                    f"(query_length * key_length.transpose(-2, -1) + {small})",
                },
            )
        ],
    ),
    "second-axis": (
        "The length is taken along the second axis from the front. That fits where nothing "
        "leads; the entries of a vector lie along the last axis.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.norm(dim=1, keepdim=True)",
            "key.norm(dim=-1, keepdim=True)": "key.norm(dim=1, keepdim=True)",
        },
    ),
    "zeros-alike": (
        "Two vectors of zeros score 1 with one another. A vector of zeros has no direction: "
        "it scores 0 with everything, another one of zeros too.",
        {
            "return query @ key.transpose(-2, -1)": "zeros = (query_length == 0) & "
            "(key_length == 0).transpose(-2, -1)\nreturn query @ key.transpose(-2, -1) + "
            "zeros.to(query.dtype)",
        },
    ),
    "zeros-score-one": (
        "A vector of zeros scores 1 with everything. It has no direction, and so is like "
        "nothing: it scores 0.",
        {
            "return query @ key.transpose(-2, -1)": "zeros = (query_length == 0) | "
            "(key_length == 0).transpose(-2, -1)\nreturn query @ key.transpose(-2, -1) + "
            "zeros.to(query.dtype)",
        },
    ),
    "shifted-to-positive": (
        "The cosines were moved to the range from 0 to 1. A cosine goes from -1 to 1, and "
        "vectors with a right angle between them score 0.",
        {
            "return query @ key.transpose(-2, -1)": "return (query @ key.transpose(-2, -1) + "
            "1) / 2",
        },
    ),
    "by-sum-of-sizes": (
        "The vectors were divided by the sum of the sizes of their entries. Their length is "
        "the root of the sum of squares.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.abs().sum(dim=-1, keepdim=True)",
            "key.norm(dim=-1, keepdim=True)": "key.abs().sum(dim=-1, keepdim=True)",
        },
    ),
    "mean-of-squares": (
        "The vectors were divided by the root of the mean of their squares, so a vector "
        "scores D with itself. Their length is the root of the sum.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.square().mean(dim=-1, keepdim=True).sqrt()",
            "key.norm(dim=-1, keepdim=True)": "key.square().mean(dim=-1, keepdim=True).sqrt()",
        },
    ),
    "centered": (
        "The mean of its entries was subtracted from each vector, which gives the "
        "correlation. The cosine is of the vectors as they come.",
        {
            "query_length = query": "query = query - query.mean(dim=-1, keepdim=True)\nkey = "
            "key - key.mean(dim=-1, keepdim=True)\nquery_length = query",
        },
    ),
    "by-root-of-lengths": (
        "The dot products are divided by the root of the two lengths' product. They are to be "
        "divided by the product itself, so that a vector scores 1 with itself.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.norm(dim=-1, keepdim=True).sqrt()",
            "key.norm(dim=-1, keepdim=True)": "key.norm(dim=-1, keepdim=True).sqrt()",
        },
    ),
    "over-root": (
        "The cosines are divided by sqrt(D), too. They lie from -1 to 1 already, however long "
        "the vectors are.",
        {
            "return query @ key.transpose(-2, -1)": "return query @ key.transpose(-2, -1) / "
            "math.sqrt(query.shape[-1])",
        },
    ),
    "softmax": (
        "A softmax was applied as well. These are the scores; turning them into weights is "
        "the next step.",
        {
            "return query @ key.transpose(-2, -1)": "return torch.softmax(query @ "
            "key.transpose(-2, -1), dim=-1)",
        },
    ),
    "transposed": (
        "The scores lie the wrong way around: a row for each key. A row should hold the "
        "scores of one query.",
        {
            "return query @ key.transpose(-2, -1)": "return key @ query.transpose(-2, -1)",
        },
    ),
    "squared": (
        "The square of the cosine comes back: opposite directions count as alike.",
        {
            "return query @ key.transpose(-2, -1)": "return (query @ key.transpose(-2, "
            "-1)).square()",
        },
    ),
    "queries-zero-nan": (
        "A query of zeros is divided by its length, and zero over zero is NaN. Only the keys "
        "are kept from that.",
        {
            "(query_length + (query_length == 0))": "query_length",
        },
    ),
    "keys-zero-nan": (
        "A key of zeros is divided by its length, and zero over zero is NaN. Only the queries "
        "are kept from that.",
        {
            "(key_length + (key_length == 0))": "key_length",
        },
    ),
    "keepdim-forgotten": (
        "The lengths have lost their axis, so they are lined up with another one where they "
        "divide. Keep it with keepdim=True: each vector is divided by its own length.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.norm(dim=-1)",
            "key.norm(dim=-1, keepdim=True)": "key.norm(dim=-1)",
        },
    ),
    "one-zero-entry": (
        "A vector with a zero among its entries scores 0 here, as if it had no direction. Only a "
        "vector whose entries are all zero has none.",
        {
            "query = query / (query_length + (query_length == 0))": (
                "query = query / (query_length + (query_length == 0)) * (query != 0).all(dim=-1, "
                "keepdim=True)"
            ),
            "key = key / (key_length + (key_length == 0))": (
                "key = key / (key_length + (key_length == 0)) * (key != 0).all(dim=-1, "
                "keepdim=True)"
            ),
        },
    ),
    "lengths-detached": (
        "The lengths are cut off from the gradient, as by `.detach()`. The values are right, but "
        "an entry changes the length of its vector, too, and so the gradient lacks what flows "
        "through that.",
        {
            "query.norm(dim=-1, keepdim=True)": "query.norm(dim=-1, keepdim=True).detach()",
            "key.norm(dim=-1, keepdim=True)": "key.norm(dim=-1, keepdim=True).detach()",
        },
    ),
    "epsilon-under-root": (
        "A small number is added under the root of the lengths. Beside a short vector it is "
        "not small, and the cosine shrinks: it may only be there where a length is zero.",
        {
            "query.norm(dim=-1, keepdim=True)": "(query.square().sum(dim=-1, keepdim=True) + "
            "1e-12).sqrt()",
            "key.norm(dim=-1, keepdim=True)": "(key.square().sum(dim=-1, keepdim=True) + "
            "1e-12).sqrt()",
        },
        {
            "query.norm(dim=-1, keepdim=True)": "(query.square().sum(dim=-1, keepdim=True) + "
            "1e-10).sqrt()",
            "key.norm(dim=-1, keepdim=True)": "(key.square().sum(dim=-1, keepdim=True) + "
            "1e-10).sqrt()",
        },
        {
            "query.norm(dim=-1, keepdim=True)": "(query.square().sum(dim=-1, keepdim=True) + "
            "1e-8).sqrt()",
            "key.norm(dim=-1, keepdim=True)": "(key.square().sum(dim=-1, keepdim=True) + "
            "1e-8).sqrt()",
        },
        {
            "query.norm(dim=-1, keepdim=True)": "(query.square().sum(dim=-1, keepdim=True) + "
            "1e-6).sqrt()",
            "key.norm(dim=-1, keepdim=True)": "(key.square().sum(dim=-1, keepdim=True) + "
            "1e-6).sqrt()",
        },
    ),
}


@exercise("scaled_dot_product_scores", chapter="02-softmax", points=1)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=5, D=8), draw.normal(S=7, D=8))
    agrees(student, reference, draw.normal(L=7, D=3), draw.normal(S=4, D=3), case="more queries")
    batch = draw.normal(B=2, L=5, D=8), draw.normal(B=2, S=7, D=8)
    agrees(student, reference, *batch, case="a batch")
    agrees(student, reference, batch[1], batch[1], case="one tensor for both", ask=VALUES)
    many = draw.normal(2, 3, L=5, D=8), draw.normal(2, 3, S=7, D=8)
    agrees(student, reference, *many, case="two batch dimensions")
    more = [one[:, None] for one in many]
    agrees(student, reference, *more, case="three batch dimensions", ask=VALUES)
    agrees(student, reference, draw.normal(1, 4), draw.normal(1, 4), case="one query, one key")
    long = 30 * draw.normal(L=6, D=8), draw.normal(S=6, D=8)
    agrees(student, reference, *long, case="as many queries as keys, long ones", ask=VALUES)
    for case, size in each_one(L=5, S=7, D=8):
        L, S, D = size.values()
        agrees(student, reference, draw.normal(L, D), draw.normal(S, D), case=case, ask=VALUES)


misconceptions["scaled_dot_product_scores"] = {
    "second-axis": (
        "The size of a vector is taken from the second axis from the front. With a batch that is "
        "the number of keys or of queries: the vectors lie along the last axis.",
        {"D = query.shape[-1]": "D = query.shape[1]"},
        {"D = query.shape[-1]": "D = key.shape[1]"},
    ),
    "not-scaled": (
        "The dot products are not scaled: with D entries their standard deviation is sqrt(D), and "
        "the softmax that follows saturates as D grows.",
        {"/ math.sqrt(D)": ""},
    ),
    "scaled-by-d": (
        "The dot products are divided by D. Their variance is D, so their standard deviation is "
        "sqrt(D): dividing by D makes the scores too small and the weights too flat.",
        {"math.sqrt(D)": "D"},
    ),
    "multiplied": (
        "The dot products are multiplied by sqrt(D). Their spread grows with sqrt(D) already, and "
        "this makes it grow with D: divide by the root, so that it stays the same.",
        {"/ math.sqrt(D)": "* math.sqrt(D)"},
    ),
    "number-of-keys": (
        "The scale is taken from the number of keys. What makes dot products large is the number "
        "of terms in the sum, which is the size of one vector.",
        {"query.shape[-1]": "key.shape[-2]"},
    ),
    "number-of-queries": (
        "The scale is taken from the number of queries. What makes dot products large is the "
        "number of terms in the sum, which is the size of one vector.",
        {"query.shape[-1]": "query.shape[-2]"},
    ),
    "softmax": (
        "A softmax was applied as well. These are the scores; turning them into weights is the "
        "next step.",
        {
            "query @ key.transpose(-2, -1)": "torch.softmax(query @ key.transpose(-2, -1)",
            "math.sqrt(D)": "math.sqrt(D), -1)",
        },
    ),
    "transposed": (
        "The scores lie the wrong way around: a row for each key. A row should hold the scores of "
        "one query.",
        {"query @ key.transpose(-2, -1)": "key @ query.transpose(-2, -1)"},
    ),
    "transposed-as-matrix": (
        "The keys are transposed as if they were a single matrix. With a batch in front, only the "
        "last two dimensions should change places.",
        {"key.transpose(-2, -1)": "key.t()"},
    ),
    "power-first": (
        "The scores are divided by D, and then by 2: in `D ** 1 / 2` the power comes first. The "
        "root is `D ** 0.5` or `math.sqrt(D)`.",
        {"/ math.sqrt(D)": "/ D / 2"},
    ),
    "whole-root": (
        "The root is cut to a whole number, as `math.isqrt` does it: for D = 8 the scores are "
        "divided by 2. Use `math.sqrt`.",
        {
            "math.sqrt(D)": "math.isqrt(D)",
        },
    ),
    "fourth-root": (
        "The dot products are divided by the fourth root of D. That is right for each of "
        "query and key before the product; the product itself is divided by sqrt(D).",
        {
            "math.sqrt(D)": "D**0.25",
        },
    ),
    "same-position-only": (
        "Each query is compared with the key at the same position only. Every query needs a "
        "score for every key, and there may be more keys than queries.",
        {
            "query @ key.transpose(-2, -1)": "(query * key).sum(dim=-1)",
        },
    ),
    "number-of-entries": (
        "The scale is the root of how many numbers the queries have in all. What makes a dot "
        "product large is the number of its terms, D.",
        {
            "query.shape[-1]": "query.numel()",
        },
    ),
    "normalized": (
        "The dot products are divided by the lengths of query and key as well, which gives "
        "cosines. Here a long vector scores higher than a short one.",
        {
            "query @ key.transpose(-2, -1)": "query / query.norm(dim=-1, keepdim=True) @ (key "
            "/ key.norm(dim=-1, keepdim=True)).transpose(-2, -1)",
        },
    ),
    "logarithm": (
        "The dot products are divided by the logarithm of D. Their standard deviation is sqrt(D).",
        {
            "math.sqrt(D)": "math.log(D)",
        },
    ),
    "added-scale": (
        "sqrt(D) is subtracted from the dot products. They are divided by it: what is to "
        "shrink is their spread.",
        {
            "/ math.sqrt(D)": "- math.sqrt(D)",
        },
    ),
    "first-size": (
        "The scale is taken from the size of the first axis, as `len` gives it. D is the size of "
        "the last one, `query.shape[-1]`.",
        {"query.shape[-1]": "query.shape[0]"},
        {"query.shape[-1]": "key.shape[0]"},
    ),
}

mend("scaled_dot_product_scores", "number-of-keys", points=1)

prediction(
    "which-function",
    chapter="02-softmax",
    question=(
        "Which pass all three: ReLU, max(z, 0); absolute value; square; sigmoid, "
        "1 / (1 + exp(-z)); softplus, log(1 + exp(z)); exponential?"
    ),
    right="The exponential alone.",
    options={
        "Sigmoid, softplus and exponential.": (
            "All three keep the order and leave nobody out. But two of them bend at a fixed place, "
            "and a shift moves the scores away from it."
        ),
        "The exponential alone.": (
            "A shift multiplies all of its numbers by the same factor, and the division takes it "
            "out again."
        ),
        "ReLU and exponential.": (
            "ReLU gives scores of zero or less no weight: not everyone counts, and among them the "
            "order is lost. A shift changes which scores these are."
        ),
    },
)

prediction(
    "spread-of-64",
    chapter="02-softmax",
    question=(
        "A query and a key have 64 entries, all independent, with mean 0 and variance 1. What is "
        "the standard deviation of their dot product?"
    ),
    right=8.0,
    options={
        8.0: "64 terms with variance 1 have variance 64 together, and the root of 64 is 8.",
        64.0: "64 is the variance. The standard deviation is its root.",
        1.0: "That is the standard deviation of each term. There are 64 of them.",
    },
    again={
        "numbers": {"root": (4, 5, 10, 12, 16, 20)},
        "question": (
            "A query and a key have {root**2} entries, all independent, with mean 0 and variance "
            "1. What is the standard deviation of their dot product?"
        ),
        "right": "float(root)",
        "options": {
            "float(root)": (
                "{root**2} terms with variance 1 have variance {root**2} together, and its root is"
                " {root}."
            ),
            "float(root**2)": "{root**2} is the variance. The standard deviation is its root.",
            "1.0": "That is the standard deviation of each term. There are {root**2} of them.",
        },
    },
)
