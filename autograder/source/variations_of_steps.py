"""Slips that do one step more, one less, or one for something else.

Each says itself what it is as if were so.
"""

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any

from autograder.source.edits import (
    Edit,
    Told,
    expression,
    is_module,
    name_called,
    put_in_place,
    return_instead,
    set_fields,
    stand_in,
)

# One step more of what a step gives: as Python, and in words. None makes a text, a list or a whole
# number grow, as it would without end in a loop.
MORE: tuple[tuple[str, str], ...] = (
    ("torch.nn.functional.layer_norm({0}, {0}.shape[-1:])",
     "{0} were brought to mean 0 and variance 1, as a layer norm does"),
    ("{0}.tanh()", "a tanh were taken of {0}"),
    ("{0}.relu()", "a relu were taken of {0}"),
    ("{0}.sigmoid()", "a sigmoid were taken of {0}"),
    ("{0}.softmax(dim=-1)", "a softmax were taken of {0}"),
    ("torch.nn.functional.normalize({0}, dim=-1)",
     "the vectors of {0} were scaled to unit length"),
    ("{0}.abs()", "the sign of {0} were lost"),
    ("{0} * {0}.shape[-1] ** 0.5",
     "{0} were multiplied by the root of the size of its last axis"),
    ("{0} / {0}.shape[-1] ** 0.5", "{0} were divided by the root of the size of its last axis"),
    ("{0} / 0.5", "{0} were doubled"),
    ("{0} / 2", "{0} were halved"),
    ("1 - {0}", "one minus {0} stood in its place"),
    ("({0}).square()", "{0} were squared"),
    ("{0} ** 0.5", "a root were taken of {0}"),
    ("{0}.mean(dim=-2, keepdim=True).expand_as({0})",
     "the mean of {0} over its next to last axis stood for each of it"),
    ("{0}.flip(-2)", "{0} came in reverse order along its next to last axis"),
    ("{0}.transpose(-2, -1)", "the last two axes of {0} were exchanged"),
)  # fmt: skip
INSIDE: tuple[tuple[str, str], ...] = (
    ("({0}).mul(1 - {0})", "{0} stood there times one minus itself"),
    ("({0}).square()", "{0} were squared"),
    ("{0} ** 0.5", "a root were taken of {0}"),
    ("1 - {0}", "one minus {0} stood in its place"),
    ("{0} / 0.5", "{0} were doubled"),
    ("{0} / 2", "{0} were halved"),
    ("-{0}", "{0} had the other sign"),
)
COUNTING = {"arange", "len", "range", "Parameter", "Linear", "sqrt", "ones", "zeros", "randn",
            "int", "max", "min", "list", "zip", "enumerate", "isinstance", "transpose",
            "reshape", "expand", "permute"}  # fmt: skip
# What may become of the places that count: as Python, and in words.
COUNTED: tuple[tuple[str, str], ...] = (
    ("{0}.cumprod(dim=-1).bool()", "only what comes before the first that does not count counted"),
    ("{0}.sort(dim=-1, descending=True).values",
     "as many from the front counted as count at all, wherever these stand"),
    ("torch.ones_like({0})", "all places counted"),
)  # fmt: skip
GROWING = {
    "cat",
    "stack",
    "repeat",
    "repeat_interleave",
    "tile",
    "pad",
    "append",
    "replace",
    "join",
}


def one_step_more(node: ast.Assign | ast.Return) -> Iterator[Edit]:
    """Something more is made of what a step gives."""
    value = node.value
    kept = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
    if kept or not isinstance(value, ast.Call | ast.BinOp) or _is_of_sizes(value):
        return
    for text, words in MORE:
        yield Told(partial(_wrapped, text), words, (value,))
    if isinstance(value, ast.Call) and value.args and name_called(value) not in GROWING:
        yield Told(_twice, "{0} went through the same step once more", (value,))


def one_step_more_inside(node: ast.Call) -> Iterator[Edit]:
    """The same of what a part of a layer gives, and of what goes into a function."""
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "self":
        for text, words in MORE:
            other = expression(text.format(ast.unparse(node)))
            yield Told(partial(stand_in, other), words, (node,))
    makes = name_called(node) in COUNTING or name_called(node)[:1].isupper()
    for number, one in enumerate(() if makes else node.args):
        if isinstance(one, ast.Name | ast.BinOp | ast.Call):
            for text, words in INSIDE:
                args = [*node.args]
                args[number] = expression(text.format(f"({ast.unparse(one)})"))
                words_of = f"{words}, in the call of `{name_called(node)}`"
                yield Told(partial(set_fields, args=args), words_of, (one,))


def _is_of_sizes(value: ast.AST) -> bool:
    """Whether it counts or makes something of no number that an input has."""
    return any(name_called(one) in COUNTING for one in (value, *ast.iter_child_nodes(value)))


def _wrapped(text: str, node: Any) -> None:
    node.value = expression(text.format(f"({ast.unparse(node.value)})"))


def _twice(node: Any) -> None:
    call = node.value
    node.value = ast.Call(call.func, [call, *call.args[1:]], call.keywords)


def other_places_count(node: ast.Assign) -> Iterator[Edit]:
    """Of what is compared, other places hold."""
    if isinstance(node.value, ast.Compare) or isinstance(
        getattr(node.value, "op", None), ast.Invert
    ):
        for text, words in COUNTED:
            yield Told(partial(_wrapped, text), words)


def mean_for_one(node: ast.Subscript) -> Iterator[Edit]:
    """The mean along an axis stands where one entry is taken, or another entry."""
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if _is_one_of_many(node):
        axis, value = len(items) - 1, ast.unparse(node.value)
        for text, words in (
            (f"{value}.mean(dim={axis})", "the mean of {0} along an axis"),
            (f"{value}.sum(dim={axis})", "the sum of {0} along an axis"),
            (f"{value}.amax(dim={axis})", "the largest of {0} along an axis"),
        ):
            told = f"{words} stood where one entry of it is taken"
            yield Told(partial(stand_in, expression(text)), told, (node.value,))


def mean_afterwards(node: ast.Call) -> Iterator[Edit]:
    """The same of what a step makes of all entries, where it gets one of them."""
    for one in node.args if len(node.args) == 1 else ():
        items = one.slice.elts if _is_one_of_many(one) else []  # type: ignore[attr-defined]
        for mean in ("mean", "sum", "amax") if items else ():
            whole = f"{ast.unparse(node.func)}({ast.unparse(one.value)})"  # type: ignore[attr-defined]
            other = expression(f"{whole}.{mean}(dim={len(items) - 1})")
            words = f"the {mean} of all of {{0}} stood where one entry goes into it alone"
            yield Told(partial(stand_in, other), words, (node,))


def _is_one_of_many(node: ast.AST) -> bool:
    items = getattr(getattr(node, "slice", None), "elts", [])
    whole = len(items) > 1 and all(isinstance(one, ast.Slice) for one in items[:-1])
    return whole and type(getattr(items[-1], "value", None)) is int


def one_for_mean(node: ast.Call) -> Iterator[Edit]:
    """One entry along an axis stands where the mean or the sum along it is taken."""
    axis = [one.value for one in node.keywords if one.arg == "dim"]
    if name_called(node) in ("mean", "sum", "amax") and axis and not node.args:
        value = node.func.value  # type: ignore[attr-defined]
        for place, words in ((0, "the first"), (-1, "the last")):
            text = f"({ast.unparse(value)}).select({ast.unparse(axis[0])}, {place})"
            told = f"{words} entry of {{0}} stood where the {name_called(node)} of all is taken"
            yield Told(partial(stand_in, expression(text)), told, (value,))


def sign_lost_before(node: ast.Call) -> Iterator[Edit]:
    """What is summed up is made something else of before."""
    if name_called(node) in ("sum", "mean", "norm", "amax") and isinstance(
        node.func, ast.Attribute
    ):
        value = node.func.value
        if not is_module(value):
            inside = (("{0}.abs()", "{0} were taken without its sign"), *INSIDE)
            for text, words in inside:
                other = expression(text.format(f"({ast.unparse(value)})"))
                func = ast.Attribute(other, node.func.attr, ast.Load())
                told = f"{words}, before `{name_called(node)}`"
                yield Told(partial(set_fields, func=func), told, (value,))


def applied_to_the_result(node: ast.FunctionDef) -> Iterator[Edit]:
    """A function of one argument is applied to the result, too."""
    if node.name == "__init__":
        return
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and len(one.args) == 1]
    returns = [one for one in ast.walk(node) if isinstance(one, ast.Return) and one.value]
    if any(isinstance(one.value, ast.Tuple) for one in returns):
        return
    for function in dict.fromkeys(ast.unparse(one.func) for one in calls if not one.keywords):
        name = function.split(".")[-1]
        if name not in COUNTING and not name[:1].isupper():
            words = f"`{name}` were applied to the result, too"
            yield Told(partial(return_instead, f"{function}({{0}})"), words)


def wiped_at_the_end(node: ast.FunctionDef) -> Iterator[Edit]:
    """What guards from 0 / 0 is left out, and NaN is replaced in the result."""
    for number, one in enumerate(ast.walk(node)):
        guards = name_called(one) in ("clamp", "max", "where", "masked_fill")
        if guards and isinstance(one, ast.Call):
            method = isinstance(one.func, ast.Attribute) and not is_module(one.func.value)
            value = one.func.value if method else one.args[0]  # type: ignore[attr-defined]
            words = (
                f"`{name_called(one)}` were not applied to {{0}}, and NaN were replaced in the "
                "result: that is too late for the gradient, which is NaN"
            )
            yield Told(partial(_wiped, number, value), words, (value,))


def _wiped(number: int, value: ast.expr, node: Any) -> None:
    put_in_place(number, value, node)
    for one in ast.walk(node):
        if isinstance(one, ast.Return) and one.value is not None:
            one.value = expression(f"({ast.unparse(one.value)}).nan_to_num()")


def no_slope_at_zero(node: ast.Assign | ast.Return) -> Iterator[Edit]:
    """A root that is squared again: the same numbers, and no slope at zero."""
    if isinstance(node.value, ast.Call | ast.BinOp) and not _is_of_sizes(node.value):
        text = "({0} ** 0.5) ** 2"
        words = "a root were taken of {0} and squared again, which has no slope at zero"
        yield Told(partial(_wrapped, text), words, (node.value,))


def what_is_made_of_it(node: ast.Assign | ast.Return) -> Iterator[Edit]:
    """What a step makes of something stands where that itself belongs, beside the step."""
    if node.value is None:
        return
    inside = list(ast.walk(node))
    for call in [one for one in inside if isinstance(one, ast.Call) and len(one.args) == 1]:
        given = ast.unparse(call.args[0])
        own = set(ast.walk(call))
        for number, one in enumerate(inside):
            read = isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
            if read and one not in own and ast.unparse(one) == given:
                made = f"what `{name_called(call)}` makes of {{0}}"
                words = f"{made} stood where {{0}} itself belongs"
                yield Told(partial(put_in_place, number, call), words, (one,))
