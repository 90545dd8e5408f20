"""Checks for chapter 0, start here."""

import torch

from autograder.checking import agrees, exercise, misconceptions, same
from autograder.checking.cases import VALUES, large_whole_numbers
from autograder.checking.predictions import prediction


@exercise("double", chapter="00-start-here", points=1)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=3, D=4))
    agrees(student, reference, draw.normal(2, 5, 1, 6), case="four dimensions")
    whole = draw.integers(-9, 10, L=3, D=4)
    same(student(whole), reference(whole), case="whole numbers", call=student.last_call)
    large = large_whole_numbers()
    same(student(large), reference(large), case="large whole numbers", call=student.last_call)
    agrees(student, reference, torch.tensor(1.5), case="a single number", ask=VALUES)
    agrees(student, reference, torch.empty(0, 3), case="no entries", ask=VALUES)
    agrees(student, reference, draw.normal(1, 1, 1), case="three dimensions of size 1", ask=VALUES)
    precise = draw.normal(L=3, D=4).double() / 3  # of more digits than float32 has
    same(student(precise), reference(precise), case="float64", call=student.last_call)
    for dtype in (torch.int32, torch.int8, torch.uint8, torch.float16):
        case = str(dtype).removeprefix("torch.")
        some = draw.integers(0, 10, L=3, D=4).to(dtype)
        same(student(some), reference(some), case=case, call=student.last_call)


misconceptions["double"] = {
    "two-added": (
        "Two was added to every entry. That is twice the entry only for an entry that is 2 "
        "already; 0 should stay 0.",
        {"2 * x": "x + 2"},
    ),
    "squared": (
        "Every entry was squared: multiplied by itself, not by two. The two agree for 0 and 2 "
        "only, and a square loses the sign.",
        {"2 * x": "x**2"},
    ),
    "changes-input": (
        "The result is right, but the input was doubled with it: the operation wrote into `x` "
        "itself. Whoever called the function still needs the old values.",
        {"return 2 * x": "x *= 2\nreturn x"},
    ),
    "nothing-returned": (
        "None came back. A function in Python hands back only what stands after `return`: what "
        "was computed or printed before is lost. Write `return 2 * x`.",
        {"return 2 * x": "x = 2 * x"},
    ),
    "float": (
        "Whole numbers came back as floating-point numbers. The result should keep the dtype of "
        "the input; a factor with a decimal point, a division or `.float()` does not.",
        {"2 * x": "2.0 * x"},
    ),
    "large-numbers-rounded": (
        "Large whole numbers are wrong by a few: they pass through floating-point numbers, which "
        "have no room for all of their digits. `2 * x` keeps whole numbers whole.",
        {"2 * x": "(2.0 * x).to(x.dtype)"},
        {"2 * x": "(2 * x.float()).to(x.dtype)"},
        {"2 * x": "(2 * x.double()).to(x.dtype)"},
    ),
    "row-by-row": (
        "The tensor is taken apart along its first axis. A single number has none, and of an empty "
        "one nothing is left to put together: `2 * x` does it for any shape at once.",
        {"return 2 * x": "import torch\nreturn torch.stack([2 * row for row in x])"},
    ),
    "doubled-entries": (
        "There are twice as many entries, each as it was. It is the entries that should be "
        "doubled, as `2 * x` does with a tensor; with a list it would repeat them.",
        {"2 * x": "x.repeat(2, *[1] * (x.dim() - 1))"},
    ),
    "halved": (
        "Every entry was halved: divided by two, not multiplied by it.",
        {
            "2 * x": "x / 2",
        },
    ),
    "stacked": (
        "The result holds `x` twice, along a new axis. It is the entries that are to be "
        "doubled, and the shape stays.",
        {
            "return 2 * x": "import torch\nreturn torch.stack([x, x])",
        },
    ),
    "fractions-cut": (
        "Entries were cut to whole numbers before they were doubled, as `int` or `.long()` does. "
        "What is behind the point counts, too: `2 * x` keeps it.",
        {
            "2 * x": "2 * x.long().to(x.dtype)",
        },
    ),
    "half-gradient": (
        "The values are right, but the gradient is half of what it should be: one of two "
        "summands is cut off from `x`, as by `.detach()`.",
        {
            "2 * x": "x + x.detach()",
        },
    ),
}

prediction(
    "two-added",
    chapter="00-start-here",
    question="For how many of the whole numbers from -1000 to 1000 does `x + 2` equal `2 * x`?",
    right=1,
    options={
        1: "x + 2 = 2x gives x = 2, and nothing else.",
        0: "There is one, and it is the one that somebody tried first: 2.",
        2: "Two different lines meet at most once, and these two meet at 2.",
    },
    again={
        "numbers": {"a": (3, 4, 5, 6, 7, 8), "k": (2, 3)},
        "question": (
            "For how many of the whole numbers from -1000 to 1000 does `x + {a}` equal `{k} * x`?"
        ),
        "right": "int(a % (k - 1) == 0)",
        "options": {
            "0": "x + {a} = {k}x gives {k - 1}x = {a}, so x = {a / (k - 1):g}.",
            "1": "x + {a} = {k}x gives {k - 1}x = {a}, so x = {a / (k - 1):g}.",
            "2": "Two different lines meet at most once.",
        },
    },
)
