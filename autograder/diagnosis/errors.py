"""What an error that nobody asked for says, in a learner's words: where to look, and no mistake."""

import re
from collections.abc import Sequence

from autograder.checking.events import Event

# What torch or Python says -> a key, and what it means. The first that fits is said.
MEANINGS: tuple[tuple[str, str, str], ...] = (
    (
        r"backward through the graph a second time",
        "kept-graph",
        "A gradient goes back through what an earlier call has computed: something is kept from "
        "one call to the next. Make it anew in each call.",
    ),
    (
        r"before Module\.__init__\(\) call",
        "super",
        "`super().__init__()` has to be the first line of `__init__`, before any layer is set.",
    ),
    (
        r"view size is not compatible",
        "view",
        "`.view` regroups only what lies in one piece of memory, and after a slice or a transpose "
        "it does not: `.reshape` copies where it has to.",
    ),
    (
        r"mat1 and mat2 shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)",
        "features",
        "A layer or a matrix that takes vectors of {1} numbers was given vectors of {0}: look at "
        "the last axis of what goes into it.",
    ),
    (
        r"(?:size|dimensions) of (?:batch2 )?tensor to be|inconsistent tensor size|size mismatch",
        "product",
        "Two tensors are multiplied as matrices, and their shapes do not fit: the last axis of the "
        "first must be as long as the next to last of the second, and the axes before them alike.",
    ),
    (
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "broadcast",
        "Two tensors are combined entry by entry, and along one axis the first has {0} entries and "
        "the second {1}. Shapes are lined up from the last axis on: either another axis is meant, "
        "or one of them is longer or shorter than it should be.",
    ),
    (
        r"shape '(\[.*?\])' is invalid for input of size (\d+)",
        "reshape",
        "A tensor of {1} numbers was to get the shape {0}, which does not fit that many.",
    ),
    (
        r"same dtype|expected scalar type|Found dtype",
        "dtype",
        "Two tensors of different dtypes meet: one is made or turned into another dtype than that "
        "of the input.",
    ),
    (
        r"NoneType",
        "none",
        "Something is None where a value is used, such as an argument that was left out, or the "
        "result of a function without `return`.",
    ),
    (
        r"name '(\w+)' is not defined|local variable '(\w+)'",
        "name",
        "`{0}` has no value there: it is misspelled, was never imported, or gets its value on "
        "another way through the code.",
    ),
    (
        r"'(\w+)' object has no attribute '(\w+)'",
        "attribute",
        "What is used there is of the type {0}, and that has nothing with the name `{1}`.",
    ),
    (
        r"leaf [Vv]ariable|in-?place|cannot resize variables",
        "in-place",
        "A tensor that autograd still needs is changed in place: make a new one.",
    ),
    (
        r"does not require grad",
        "cut-off",
        "Autograd has nothing to go through: the result is cut off from what it was made of.",
    ),
    (
        r"unexpected keyword argument|positional argument|multiple values for argument",
        "arguments",
        "Something is called with other arguments than it takes: compare the call with the "
        "signature, and the signature with the contract.",
    ),
    (
        r"selected index k out of range",
        "topk",
        "`topk` is asked for more entries than there are along that axis.",
    ),
    (
        r"out of (?:bounds|range)",
        "index",
        "An index or an axis lies outside of what is there.",
    ),
    (
        r"[Bb]oolean value of|only one element tensors|converted to (?:Scalar|Python scalar)",
        "one-number",
        "A whole tensor stands where one number, or one yes or no, is wanted.",
    ),
    (
        r"call numpy\(\)",
        "numpy",
        "NumPy knows nothing of autograd: use torch's own functions, which keep the gradient.",
    ),
    (
        r"values to unpack",
        "unpack",
        "Another number of values comes than there are names to take them.",
    ),
    (
        r"bool(?:ean)? tensor|boolean masks|not implemented for '(?:Float|Bool|Long|Int)'|"
        r"could not infer output dtype|floating point",
        "kind-of-number",
        "The operation is not for numbers of this kind: a mask is boolean, what is averaged or "
        "goes through a softmax is floating-point, and an index is a whole number.",
    ),
    (
        r"[Ss]izes of tensors must match|equal size|expand(?:ed)? size",
        "sizes",
        "Tensors are put together, or stretched, whose other axes are not of one size.",
    ),
    (r"divi(?:sion|ded) by zero|by zero", "zero", "Something is divided by zero."),
    (r"recursion", "recursion", "A function calls itself and finds no end."),
)


# What is said where the weights of a check do not fit: no error of the student's code.
UNFIT = (
    (
        r"^the parameters (\S+) and (\S+) are one and the same$",
        "shared-parameters",
        "`{0}` and `{1}` are one and the same parameter: two parts share it, where the contract "
        "gives each its own.",
    ),
    (
        r"^there is no parameter (\S+); its parameters are: ",
        "missing-parameter",
        "There is no parameter `{0}`, which the contract names: it has another name, or was never "
        "made, or stands where PyTorch does not find it.",
    ),
    (
        r"^the parameter (\S+) has shape (\[.*\]), not (\[.*\])$",
        "parameter-shape",
        "The parameter `{0}` has the shape {1}, where {2} belongs.",
    ),
)


LIBRARYS_OWN = re.compile(r"operands|unpack|domain|convert|literal|zip\(\)|not in list|[Ee]xpected")


RAISES = re.compile(r"\b(?:raise|assert)\b")
A_SENTENCE = re.compile(r"[A-Za-z]{2,} ")  # and no key of some numbers
BEGINNING = 12  # characters of a message by which its source is found


def is_written(kind: str, message: str, where: str = "", given: Sequence[str] = ()) -> bool:
    """Whether an error is one that somebody wrote down, to refuse something.

    Not by the line of code that calls what refuses, nor by the sources of what is given.
    """
    if where and not RAISES.search(where):
        return False
    if any(message[:BEGINNING] in source for source in given):
        return False
    if kind == "AssertionError":
        return True
    own = not message or bool(A_SENTENCE.search(message)) and not LIBRARYS_OWN.search(message)
    return kind in ("ValueError", "KeyError") and own


def unfit(event: Event) -> tuple[str, str] | None:
    """The key and the words of how parameters differ from the contract's; None for an error."""
    if event.got != "LookupError" or event.fields.get("where"):
        return None  # with a place, it comes from the student's own lines
    for pattern, key, meaning in UNFIT:
        if found := re.search(pattern, str(event.fields.get("message", ""))):
            return key, meaning.format(*found.groups())
    return None


def error_in_words(raised: Sequence[Event]) -> tuple[str, str, list[Event]]:
    """A key, what the error means that comes first, and where else one means the same."""
    key, meaning = _meaning(raised[0])
    alike = [event for event in raised if _meaning(event)[0] == key]
    line = str(raised[0].fields.get("where", ""))
    return key, f"It arises in {line.partition(': ')[0]}. {meaning}" if line else meaning, alike


def _meaning(event: Event) -> tuple[str, str]:
    """The key and the words for what an error says; its own, where no others are known."""
    message = str(event.fields.get("message", ""))
    if event.got == "KeyError" and not A_SENTENCE.search(message):
        return "key", f"The key {message} is looked up, and nothing stands under it there."
    for pattern, key, meaning in MEANINGS:
        if found := re.search(pattern, message):
            return key, meaning.format(*(group for group in found.groups() if group))
    says = f": {message.removesuffix('.')}" if message else " without a message"
    return str(event.got), f"{event.got}{says}."
