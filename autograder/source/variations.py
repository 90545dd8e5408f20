"""Further slips that are tried in a search alone: each says itself what it is as if were so."""

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any

from autograder.source.edits import (
    Edit,
    Row,
    Told,
    become,
    expression,
    is_module,
    name_called,
    put_in_place,
    set_fields,
)

INFINITE = ("-math.inf", "float('-inf')", "-float('inf')")
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
SMALL = ("1e-12", "1e-9", "1e-8", "1e-6", "1e-5")
FILLED = ("0.0", "-1e9", "-1e4", "-100.0", "torch.finfo(torch.float32).min")
IN_WORDS = {"torch.finfo(torch.float32).min": "the smallest finite number"}
ROUNDING = {"round": ("int", "math.ceil"), "int": ("round", "math.ceil"), "math.ceil": ("int",)}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@",
         ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}  # fmt: skip
SIZES = {"-1": "the last axis", "-2": "the next to last axis", "0": "the first axis",
         "1": "the second axis"}  # fmt: skip


def _one_step_more(node: ast.Assign | ast.Return) -> Iterator[Edit]:
    """Something more is made of what a step gives."""
    value = node.value
    kept = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
    if kept or not isinstance(value, ast.Call | ast.BinOp) or _is_of_sizes(value):
        return
    for text, words in MORE:
        yield Told(partial(_wrapped, text), words, (value,))
    if isinstance(value, ast.Call) and value.args and name_called(value) not in GROWING:
        yield Told(_twice, "{0} went through the same step once more", (value,))


def _one_step_more_inside(node: ast.Call) -> Iterator[Edit]:
    """The same of what a part of a layer gives, and of what goes into a function."""
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "self":
        for text, words in MORE:
            other = expression(text.format(ast.unparse(node)))
            yield Told(partial(_replaced, other), words, (node,))
    makes = name_called(node) in COUNTING or name_called(node)[:1].isupper()
    for number, one in enumerate(() if makes else node.args):
        if isinstance(one, ast.Name | ast.BinOp | ast.Call):
            for text, words in INSIDE:
                args = [*node.args]
                args[number] = expression(text.format(f"({ast.unparse(one)})"))
                words_of = f"{words}, in the call of `{name_called(node)}`"
                yield Told(partial(set_fields, args=args), words_of, (one,))


def _softmax_by_hand(node: ast.Call) -> Iterator[Edit]:
    """A softmax that large numbers spoil."""
    if name_called(node) != "softmax" or not node.keywords:
        return
    scores = node.args[0] if node.args else node.func.value  # type: ignore[attr-defined]
    along = ast.unparse(node.keywords[0].value)
    for less, words in (
        ("({0})", "no largest number were taken off {0} before `exp`"),
        ("(({0}) - ({0}).max())", "one largest number of all of {0} were taken off before `exp`"),
    ):
        given = ast.unparse(scores)
        number = less.format(given)
        by_hand = f"{number}.exp() / {number}.exp().sum({along}, keepdim=True)"
        empty = f"(({given}) < -1e30).all({along}, keepdim=True)"  # all is masked
        other = expression(f"torch.where({empty}, {ast.unparse(node)}, {by_hand})")
        yield Told(partial(_replaced, other), words, (scores,))


def _too_early(node: ast.FunctionDef) -> Iterator[Edit]:
    """At one of several places something stands as it was before its last steps."""
    if node.name == "__init__":
        return
    made = {
        ast.unparse(one.targets[0]): one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Assign) and len(one.targets) == 1
    }
    places = [
        (number, one.id)
        for number, one in enumerate(ast.walk(node))
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in made
    ]
    again = _done_again(node)
    for number, name in places:
        once = list(ast.walk(node))[number] not in again
        if once and sum(name == other for _, other in places) > 1:
            for less in _earlier(made[name], name):
                words = "in one of several places {0} stood without the steps after it"
                yield Told(partial(put_in_place, number, less), words, (less,))


def _earlier(value: ast.AST, name: str, depth: int = 3) -> Iterator[ast.expr]:
    """What an expression is made of, if that is made of something."""
    if not depth:
        return
    if isinstance(value, ast.BinOp):
        parts = [value.left, value.right]
    elif isinstance(value, ast.Call):
        own = [value.func.value] if isinstance(value.func, ast.Attribute) else []
        parts = [one for one in (*own, *value.args[:1]) if not is_module(one)]
    else:
        return
    for one in parts:
        within = {inner.id for inner in ast.walk(one) if isinstance(inner, ast.Name)}
        if not isinstance(one, ast.Constant) and name not in within:
            yield one
            yield from _earlier(one, name, depth - 1)


def _replaced(other: ast.AST, node: Any) -> None:
    become(node, other)


def _is_of_sizes(value: ast.AST) -> bool:
    """Whether it counts or makes something of no number that an input has."""
    return any(name_called(one) in COUNTING for one in (value, *ast.iter_child_nodes(value)))


def _wrapped(text: str, node: Any) -> None:
    node.value = expression(text.format(f"({ast.unparse(node.value)})"))


def _twice(node: Any) -> None:
    call = node.value
    node.value = ast.Call(call.func, [call, *call.args[1:]], call.keywords)


def _something_small(node: ast.BinOp) -> Iterator[Edit]:
    """A small number is added under a line, or what stands there is never below one."""
    if isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
        for small in SMALL:
            right = ast.unparse(node.right)
            for text, words in (
                (f"({right}) + {small}", f"{small} were added to the divisor of {{0}}"),
                (f"({right}).clamp(min={small})",
                 f"the divisor of {{0}} were never taken for less than {small}"),
            ):  # fmt: skip
                yield Told(partial(set_fields, right=expression(text)), words, (node.left,))


def _something_small_everywhere(node: ast.FunctionDef) -> Iterator[Edit]:
    """The same under every line."""
    if sum(_divides(one) for one in ast.walk(node)) > 1:
        for small in SMALL:
            for text, words in (
                (f"({{0}}) + {small}", f"{small} were added to every divisor"),
                (f"({{0}}).clamp(min={small})",
                 f"every divisor were never taken for less than {small}"),
            ):  # fmt: skip
                yield Told(partial(_divided_by, text), words)


def _divides(node: ast.AST) -> bool:
    division = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    return division and not isinstance(getattr(node, "right", None), ast.Constant)


def _divided_by(text: str, node: Any) -> None:
    divisions: list[Any] = [each for each in ast.walk(node) if _divides(each)]
    for one in divisions:
        one.right = expression(text.format(ast.unparse(one.right)))


def _outside_of_the_root(node: ast.Call | ast.BinOp) -> Iterator[Edit]:
    """What is added under a root is added to the root."""
    inside: Any = _under_a_root(node)
    if isinstance(getattr(inside, "op", None), ast.Add):
        yield Told(
            partial(_add_outside),
            "{0} were added to the root, and not to what it is taken of",
            (inside.right,),
        )


def _under_a_root(node: Any) -> ast.AST | None:
    if name_called(node) == "sqrt":
        return node.args[0] if node.args else node.func.value
    rooted = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    return node.left if rooted and ast.unparse(node.right).strip("()") in ("0.5", "-0.5") else None


def _add_outside(node: Any) -> None:
    inside: Any = _under_a_root(node)
    more, less = inside.right, inside.left
    inverse = isinstance(node, ast.BinOp) and ast.unparse(node.right).strip("()") == "-0.5"
    become(inside, less)
    root = expression(f"({ast.unparse(inside)}) ** 0.5 + {ast.unparse(more)}")
    become(node, ast.BinOp(ast.Constant(1), ast.Div(), root) if inverse else root)


def _taken_for_missing(node: ast.Compare) -> Iterator[Edit]:
    """What is 0, False or empty is taken for what is not given."""
    right = node.comparators[0]
    if isinstance(right, ast.Constant) and right.value is None:
        words = "{0} were taken for missing where it is 0 or empty"
        if isinstance(node.ops[0], ast.Is):
            not_it = ast.UnaryOp(ast.Not(), node.left)
            yield Told(lambda found: become(found, not_it), words, (node.left,))
        elif isinstance(node.ops[0], ast.IsNot):
            yield Told(lambda found: become(found, found.left), words, (node.left,))


def _counted_otherwise(node: ast.Call) -> Iterator[Edit]:
    """What counts begins one later, or ends one earlier or later."""
    if name_called(node) not in ("arange", "range") or not 0 < len(node.args) < 4:
        return
    texts = [ast.unparse(one) for one in node.args]
    whole = ast.unparse(node)
    many = len(texts) > 1
    stop = texts[1] if many else texts[0]
    for shift, words in (("+ 1", "ended one later"), ("- 1", "ended one earlier")):
        args = [*texts[:1], f"{stop} {shift}", *texts[2:]] if many else [f"{stop} {shift}"]
        told = f"what counts places {words} (`{name_called(node)}`)"
        yield Told(partial(_with_args, args), told)
    if not many:
        yield Told(partial(_with_args, ["1", stop]), "counting began at 1, and left out 0")
        from_one = ["1", f"{stop} + 1"]
        yield Told(partial(_with_args, from_one), "counting went from 1, and not from 0")
        if name_called(node) == "arange":
            back = expression(f"({whole}).flip(0)")
            yield Told(lambda found: become(found, back), "counting went backward")
    elif texts[0] != "0":
        yield Told(partial(_with_args, ["0", *texts[1:]]),
                   "counting began at 0, and not at {0}", (node.args[0],))  # fmt: skip
        moved = [f"{texts[0]} + 1", f"{texts[1]} + 1", *texts[2:]]
        yield Told(partial(_with_args, moved), "each place counted for one more than it is")


def _with_args(args: list[str], node: Any) -> None:
    node.args = [expression(one) for one in args]


def _cut_otherwise(node: ast.Slice) -> Iterator[Edit]:
    """A slice begins or ends one earlier or later."""
    for end, words in (("lower", "began"), ("upper", "ended")):
        bound = getattr(node, end)
        if bound is None or isinstance(bound, ast.Constant | ast.UnaryOp):
            continue
        for shift, where in (("+ 1", "later"), ("- 1", "earlier")):
            other = expression(f"{ast.unparse(bound)} {shift}")
            told = f"a slice that {words.replace('began', 'begins').replace('ended', 'ends')} at "
            yield Told(
                partial(set_fields, **{end: other}), f"{told}{{0}} {words} one {where}", (bound,)
            )
    if (node.lower is None) is not (node.upper is None) and node.step is None:
        yield Told(_other_part, "the other part of a slice were taken: what it leaves out")


def _other_part(node: Any) -> None:
    node.lower, node.upper = node.upper, node.lower


def _methods_in_other_order(node: ast.Call) -> Iterator[Edit]:
    """Two methods, one after the other, in the other order."""
    inner = getattr(node.func, "value", None)
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        one, other = name_called(inner), name_called(node)
        if one != other and not is_module(inner.func.value):
            yield Told(_exchange_methods, f"`{other}` came before `{one}`, and not after it")


def _exchange_methods(node: Any) -> None:
    inner = node.func.value
    node.func.attr, inner.func.attr = inner.func.attr, node.func.attr
    node.args, inner.args = inner.args, node.args
    node.keywords, inner.keywords = inner.keywords, node.keywords


def _other_parentheses(node: ast.BinOp) -> Iterator[Edit]:
    """Of three numbers, the other two are combined first."""
    for side in ("left", "right"):
        inner = getattr(node, side)
        if isinstance(inner, ast.BinOp) and type(node.op) in SIGNS and type(inner.op) in SIGNS:
            first, then = SIGNS[type(inner.op)], SIGNS[type(node.op)]
            if (first, then) in (("+", "+"), ("*", "*"), ("@", "@")):
                continue
            words = f"`{then}` came before `{first}`, as with other parentheses around {{0}}"
            yield Told(partial(_rotated, side), words, (inner,))


def _rotated(side: str, node: Any) -> None:
    """(a + b) / c becomes a + (b / c), and a / (b + c) becomes (a / b) + c."""
    inner = getattr(node, side)
    if side == "left":
        new = ast.BinOp(inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right))
    else:
        new = ast.BinOp(ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right)
    become(node, new)


def _another_size(node: ast.Subscript) -> Iterator[Edit]:
    """The size of another axis."""
    if getattr(node.value, "attr", "") == "shape" and not isinstance(node.slice, ast.Slice):
        old = ast.unparse(node.slice)
        for new in ("0", "1", "-1", "-2"):
            if new != old:
                words = (
                    f"the size of {SIZES[new]} of {{0}} stood where that of {SIZES.get(old, old)}"
                )
                yield Told(
                    partial(set_fields, slice=expression(new)), f"{words} belongs",
                    (node.value.value,),  # type: ignore[attr-defined]
                )  # fmt: skip


def _filled_with(node: ast.Call) -> Iterator[Edit]:
    """What is masked becomes another number than minus infinity, or the mask is reckoned with."""
    if name_called(node) != "masked_fill" or len(node.args) != 2:
        return
    if ast.unparse(node.args[1]) not in INFINITE:
        return
    hidden, scores = node.args[0], node.func.value  # type: ignore[attr-defined]
    for text in FILLED:
        number = IN_WORDS.get(text, text)
        words = f"what the mask hides in {{1}} were set to {number}, and not to minus infinity"
        args = [hidden, expression(text)]
        yield Told(partial(set_fields, args=args), words, (hidden, scores))
    for text, words in (
        ("({0}) * ~({1})", "{1} were multiplied by the mask, so that what is hidden is 0"),
        ("({0}) + ~({1})", "the mask were added to {1} as numbers, True as 1 and False as 0"),
        (
            "({0}) + torch.zeros_like({0}).masked_fill({1}, -math.inf)",
            "minus infinity were added to what the mask hides in {1}, and did not take its place",
        ),
        *(
            (f"({{0}}) - {text} * ({{1}})", f"{text} were taken off what the mask hides in {{1}}")
            for text in ("1e9", "1e4")
        ),
    ):
        other = expression(text.format(ast.unparse(scores), ast.unparse(hidden)))
        yield Told(partial(_replaced, other), words, (hidden, scores))


def _other_rounding(node: ast.Call) -> Iterator[Edit]:
    """A number is rounded otherwise."""
    for other in ROUNDING.get(ast.unparse(node.func), ()):
        words = f"`{other}` stood where `{ast.unparse(node.func)}` belongs"
        yield Told(partial(set_fields, func=expression(other)), words)


def _other_loop(node: ast.For) -> Iterator[Edit]:
    """A loop runs once only, or each round begins with what was there before the loop."""
    for part, words in (("[:1]", "the first"), ("[-1:]", "the last")):
        text = f"list({ast.unparse(node.iter)}){part}"
        told = f"a loop ran over {words} only of what it should run over"
        yield Told(partial(set_fields, iter=expression(text)), told)


def _another_part_first(node: ast.ClassDef) -> Iterator[Edit]:
    """An argument goes through a part of the layer that it should not go through, or twice."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    own = [one for one in calls if _is_a_part(one.func)]
    parts = list(dict.fromkeys(ast.unparse(one.func) for one in own if len(one.args) == 1))
    for number, call in enumerate(ast.walk(node)):
        if call not in own:
            continue
        for name in dict.fromkeys(ast.unparse(one) for one in call.args if _is_a_name(one)):
            for part in parts:
                words = f"{{0}} went through `{part.removeprefix('self.')}` before {{1}} got it"
                edit = partial(_through, number, name, part)
                yield Told(edit, words, (expression(name), call.func))


def _is_a_part(function: ast.AST) -> bool:
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) == "self"


def _is_a_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _through(number: int, name: str, part: str, node: Any) -> None:
    call: Any = list(ast.walk(node))[number]
    through = expression(f"{part}({name})")
    call.args = [through if ast.unparse(one) == name else one for one in call.args]


def _other_places_count(node: ast.Assign) -> Iterator[Edit]:
    """Of what is compared, other places hold."""
    if isinstance(node.value, ast.Compare) or isinstance(
        getattr(node.value, "op", None), ast.Invert
    ):
        for text, words in COUNTED:
            yield Told(partial(_wrapped, text), words)


def _nearly_equal(node: ast.Compare) -> Iterator[Edit]:
    """What is nearly equal counts as equal."""
    if isinstance(node.ops[0], ast.Eq) and len(node.ops) == 1:
        sides = ast.unparse(node.left), ast.unparse(node.comparators[0])
        other = expression(f"torch.isclose({', '.join(sides)})")
        words = "numbers that are nearly equal counted as equal"
        yield Told(partial(_replaced, other), words)


def _mean_for_one(node: ast.Subscript) -> Iterator[Edit]:
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
            yield Told(partial(_replaced, expression(text)), told, (node.value,))


def _mean_afterwards(node: ast.Call) -> Iterator[Edit]:
    """The same of what a step makes of all entries, where it gets one of them."""
    for one in node.args if len(node.args) == 1 else ():
        items = one.slice.elts if _is_one_of_many(one) else []  # type: ignore[attr-defined]
        for mean in ("mean", "sum", "amax") if items else ():
            whole = f"{ast.unparse(node.func)}({ast.unparse(one.value)})"  # type: ignore[attr-defined]
            other = expression(f"{whole}.{mean}(dim={len(items) - 1})")
            words = f"the {mean} of all of {{0}} stood where one entry goes into it alone"
            yield Told(partial(_replaced, other), words, (node,))


def _is_one_of_many(node: ast.AST) -> bool:
    items = getattr(getattr(node, "slice", None), "elts", [])
    whole = len(items) > 1 and all(isinstance(one, ast.Slice) for one in items[:-1])
    return whole and type(getattr(items[-1], "value", None)) is int


def _other_residuals(node: ast.FunctionDef) -> Iterator[Edit]:
    """In all sums to which a step's result is added, something else stands or nothing."""
    sums = [one for one in ast.walk(node) if _is_a_residual(one)]
    names = list(dict.fromkeys(one.left.id for one in sums))  # type: ignore[attr-defined]
    others = sorted({name for one in node.body for name in _set_in(one)} - set(names))
    for name in names if len(sums) > 1 else ():
        for other in others:
            words = "in every sum of `{}` and what a step gives, {{0}} stood for `{}`"
            edit = partial(_added_to, name, other)
            yield Told(edit, words.format(name, name), (ast.Name(other, ast.Load()),))


def _is_a_residual(node: ast.AST) -> bool:
    """Is it a sum of a name and what is called?"""
    added = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    left, right = getattr(node, "left", None), getattr(node, "right", None)
    return added and isinstance(left, ast.Name) and isinstance(right, ast.Call)


def _added_to(name: str, other: str, node: Any) -> None:
    sums: list[Any] = [one for one in ast.walk(node) if _is_a_residual(one)]
    for one in sums:
        if one.left.id == name:
            one.left = ast.Name(other, ast.Load())


def _one_for_mean(node: ast.Call) -> Iterator[Edit]:
    """One entry along an axis stands where the mean or the sum along it is taken."""
    axis = [one.value for one in node.keywords if one.arg == "dim"]
    if name_called(node) in ("mean", "sum", "amax") and axis and not node.args:
        value = node.func.value  # type: ignore[attr-defined]
        for place, words in ((0, "the first"), (-1, "the last")):
            text = f"({ast.unparse(value)}).select({ast.unparse(axis[0])}, {place})"
            told = f"{words} entry of {{0}} stood where the {name_called(node)} of all is taken"
            yield Told(partial(_replaced, expression(text)), told, (value,))


def _next_index(node: ast.Subscript) -> Iterator[Edit]:
    """The entry after or before the one that is asked for."""
    if isinstance(node.slice, ast.Name):
        for shift, words in (("+ 1", "after"), ("- 1", "before")):
            edit = partial(set_fields, slice=expression(f"{node.slice.id} {shift}"))
            yield Told(edit, f"the entry {words} the one at {{0}} were taken", (node.slice,))


def _two_arguments_exchanged(node: ast.Call) -> Iterator[Edit]:
    """Two sizes or axes of a call that lays numbers out anew, one in the place of the other."""
    if name_called(node) in ("reshape", "view", "permute", "unflatten", "expand"):
        for one in range(len(node.args)):
            for other in range(max(one + 1, 2), len(node.args)):
                pair = node.args[one], node.args[other]
                words = "{0} and {1} had changed places as sizes"
                if any(isinstance(each, ast.Constant | ast.UnaryOp) for each in pair):
                    numbers = f"{one + 1} and {other + 1}"
                    words = f"arguments {numbers} of `{name_called(node)}` were exchanged"
                yield Told(partial(_exchange_arguments, one, other), words, pair)


def _exchange_arguments(one: int, other: int, node: Any) -> None:
    node.args[one], node.args[other] = node.args[other], node.args[one]


def _counted_from_the_front(node: ast.Call) -> Iterator[Edit]:
    """Axes are counted from the front, as if there were just two or three."""
    negative = [*node.args, *(one.value for one in node.keywords if one.arg == "dim")]
    along = name_called(node) not in ("reshape", "view", "expand", "unflatten", "roll")
    if not along or not any(ast.unparse(one) in ("-1", "-2", "-3") for one in negative):
        return
    for dimensions, words in ((2, "two"), (3, "three")):
        yield Told(
            partial(_from_the_front, dimensions),
            f"`{name_called(node)}` counted its axes from the front, as if there were {words}",
        )


def _from_the_front(dimensions: int, node: Any) -> None:
    for one in [*node.args, *(each.value for each in node.keywords if each.arg == "dim")]:
        if ast.unparse(one) in ("-1", "-2", "-3"):
            become(one, ast.Constant(max(dimensions + int(ast.unparse(one)), 0)))


def _all_counted(node: ast.Call) -> Iterator[Edit]:
    """All places are counted where some should be."""
    value = getattr(node.func, "value", None)
    if name_called(node) == "sum" and value is not None and not is_module(value):
        ones = expression(f"torch.ones_like({ast.unparse(value)})")
        edit = partial(set_fields, func=ast.Attribute(ones, "sum", ast.Load()))
        words = "all places were counted, and not only those that count in {0}"
        yield Told(edit, words, (value,))


def _sign_lost_before(node: ast.Call) -> Iterator[Edit]:
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


def _other_reduction(node: ast.Call) -> Iterator[Edit]:
    """The mean or the sum where the largest is taken, or the other way around."""
    others = {"amax": ("mean", "sum"), "max": ("mean", "sum"), "mean": ("amax", "median")}
    if isinstance(node.func, ast.Attribute) and not node.args:
        for other in others.get(node.func.attr, ()):
            func = ast.Attribute(node.func.value, other, ast.Load())
            words = f"`{other}` of {{0}} stood where `{node.func.attr}` belongs"
            yield Told(partial(set_fields, func=func), words, (node.func.value,))


def _divided_by_what_counts(node: ast.FunctionDef) -> Iterator[Edit]:
    """A mean over the places that count in the place of their sum."""
    made = [one for one in node.body if isinstance(one, ast.Assign)]
    masks = [one for one in made if isinstance(one.value, ast.Compare)]
    for name in [ast.unparse(one.targets[0]) for one in masks]:
        for count in (f"{name}.sum(dim=-1)", f"{name}.sum()"):
            words = "the result were divided by the number of places that count"
            text = f"({{0}}) / {count}.clamp(min=1)"
            yield Told(partial(_returned, text), words)


def _returned(text: str, node: Any) -> None:
    for one in ast.walk(node):
        if isinstance(one, ast.Return) and one.value is not None:
            one.value = expression(text.format(ast.unparse(one.value)))


def _applied_to_the_result(node: ast.FunctionDef) -> Iterator[Edit]:
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
            yield Told(partial(_returned, f"{function}({{0}})"), words)


def _near_gelu(node: ast.Attribute) -> Iterator[Edit]:
    """The approximation by tanh."""
    if node.attr == "gelu" and isinstance(node.ctx, ast.Load):
        other = expression(f"(lambda x: {ast.unparse(node)}(x, approximate='tanh'))")
        words = "`gelu` were its approximation by tanh, and not the exact one"
        yield Told(partial(_replaced, other), words)


def _other_scale(node: ast.ClassDef) -> Iterator[Edit]:
    """The scores of an attention are divided by the root of another size."""
    calls = [one for one in node.body if getattr(one, "name", "") == "forward"]
    inputs = [one.arg for each in calls for one in each.args.args][1:]  # type: ignore[attr-defined]
    for number, one in enumerate(ast.walk(node)):
        if name_called(one) != "scaled_dot_product_attention" or not isinstance(one, ast.Call):
            continue
        if any(isinstance(each, ast.Starred) for each in one.args):
            continue  # which of them is the query is not told
        query = ast.unparse(one.args[0])
        sizes = [(f"{name}.shape[-1]", f"the size of the last axis of `{name}`") for name in inputs]
        sizes += [(f"({ast.unparse(one.args[-1])}).shape[-1]", "the size of the values")]
        for size, of in sizes:
            text = f"({query}) * (({query}).shape[-1] / {size}) ** 0.5"
            words = f"the scores were divided by the root of {of}, and not of that of a query"
            yield Told(partial(_first_argument, number, text), words)
        whole = f"({query}).shape[-1] ** "
        for power, words in (("0.5", "not divided at all"), ("-0.5", "divided by the whole size")):
            text = f"({query}) * {whole}({power})"
            told = f"the scores were {words}, and not by the root of the size of a query"
            yield Told(partial(_first_argument, number, text), told)


def _first_argument(number: int, text: str, node: Any) -> None:
    call: Any = list(ast.walk(node))[number]
    call.args[0] = expression(text)


def _wiped_at_the_end(node: ast.FunctionDef) -> Iterator[Edit]:
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


def _no_slope_at_zero(node: ast.Assign | ast.Return) -> Iterator[Edit]:
    """A root that is squared again: the same numbers, and no slope at zero."""
    if isinstance(node.value, ast.Call | ast.BinOp) and not _is_of_sizes(node.value):
        text = "({0} ** 0.5) ** 2"
        words = "a root were taken of {0} and squared again, which has no slope at zero"
        yield Told(partial(_wrapped, text), words, (node.value,))


def _not_carried_on(node: ast.FunctionDef) -> Iterator[Edit]:
    """Each round of a loop begins with what was there before it."""
    for number, loop in enumerate(node.body):
        if isinstance(loop, ast.For):
            before = {name for one in node.body[:number] for name in _set_in(one)}
            before |= {one.arg for one in node.args.args}
            carried = sorted({name for one in loop.body for name in _set_in(one)} & before)
            for name in carried:
                words = "each round of a loop began anew, not with what the round before has made"
                yield Told(partial(_begun_anew, number, name), words)


def _set_in(node: ast.AST) -> set[str]:
    every = ast.walk(node)
    return {one.id for one in every if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _begun_anew(number: int, name: str, node: Any) -> None:
    loop = node.body[number]
    loop.body.insert(0, ast.parse(f"{name} = first_{name}").body[0])
    node.body.insert(number, ast.parse(f"first_{name} = {name}").body[0])


def _put_for_a_sum(node: ast.AugAssign) -> Iterator[Edit]:
    """The last one stands where all should be summed up."""
    if isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
        yield Told(
            lambda found: become(found, ast.Assign([found.target], found.value)),
            "only the last of what should be added up were kept",
        )


def _what_is_made_of_it(node: ast.Assign | ast.Return) -> Iterator[Edit]:
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


def _done_again(node: ast.AST) -> set[ast.AST]:
    """What stands in a loop, or in a text that is made."""
    loops = ast.For | ast.While | ast.JoinedStr
    return {one for loop in ast.walk(node) if isinstance(loop, loops) for one in ast.walk(loop)}


def _another_step(node: ast.FunctionDef) -> Iterator[Edit]:
    """What one step has made stands where what another has made belongs."""
    if node.name == "__init__":
        return
    made = [one for one in node.body if isinstance(one, ast.Assign)]
    names = list(dict.fromkeys(name for one in made for name in sorted(_set_in(one))))
    every = {*names, *(one.arg for one in node.args.args)} - {"self"}
    places = [
        (number, one)
        for number, one in enumerate(ast.walk(node))
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in every
    ]
    arguments = every - set(names)
    again = _done_again(node)
    for number, one in places:
        if one in again:
            continue  # what takes in itself in each round grows without end
        for other in sorted(every - {one.id}):
            if {one.id, other} <= arguments:
                continue  # these are tried as what is mixed up
            name = ast.Name(other, ast.Load())
            words = "{1} stood where {0} belongs"
            yield Told(partial(put_in_place, number, name), words, (one, name))


def _transposed(node: ast.BinOp) -> Iterator[Edit]:
    """A matrix is transposed before a product, or both stand in the other order so."""
    if isinstance(node.op, ast.MatMult):
        for side in ("left", "right"):
            text = f"({ast.unparse(getattr(node, side))}).transpose(-2, -1)"
            words = "{0} were transposed before it is multiplied"
            edit = partial(set_fields, **{side: expression(text)})
            yield Told(edit, words, (getattr(node, side),))


def _other_division(node: ast.BinOp) -> Iterator[Edit]:
    """A division with rest in the place of one without, or the other way around."""
    if isinstance(node.op, ast.Div):
        yield Told(partial(set_fields, op=ast.FloorDiv()), "`//` stood where `/` belongs")
    elif isinstance(node.op, ast.FloorDiv):
        yield Told(partial(set_fields, op=ast.Div()), "`/` stood where `//` belongs")


VARIATIONS: tuple[Row, ...] = (
    ((ast.Assign, ast.Return), "made of it", _what_is_made_of_it),
    (ast.BinOp, "parentheses", _other_parentheses),
    (ast.Call, "all counted", _all_counted),
    (ast.Call, "method order", _methods_in_other_order),
    (ast.Subscript, "size", _another_size),
    (ast.Call, "fill", _filled_with),
    (ast.Call, "count", _counted_otherwise),
    (ast.Slice, "slice", _cut_otherwise),
    (ast.Compare, "missing", _taken_for_missing),
    (ast.Call, "rounding", _other_rounding),
    (ast.BinOp, "division", _other_division),
    (ast.For, "loop", _other_loop),
    (ast.Compare, "nearly equal", _nearly_equal),
    (ast.Assign, "counted", _other_places_count),
    (ast.Subscript, "one of many", _mean_for_one),
    (ast.Call, "one of many", _one_for_mean),
    (ast.Call, "one of many", _mean_afterwards),
    (ast.FunctionDef, "residual", _other_residuals),
    (ast.Subscript, "index", _next_index),
    (ast.Call, "exchanged sizes", _two_arguments_exchanged),
    (ast.Call, "from the front", _counted_from_the_front),
    (ast.FunctionDef, "wiped", _wiped_at_the_end),
    ((ast.Assign, ast.Return), "no slope", _no_slope_at_zero),
    (ast.FunctionDef, "carried", _not_carried_on),
    (ast.AugAssign, "sum", _put_for_a_sum),
    (ast.BinOp, "transposed", _transposed),
    ((ast.Call, ast.BinOp), "root", _outside_of_the_root),
    (ast.BinOp, "small", _something_small),
    (ast.FunctionDef, "small", _something_small_everywhere),
    (ast.Call, "by hand", _softmax_by_hand),
    (ast.Attribute, "approximation", _near_gelu),
    (ast.Call, "reduction", _other_reduction),
    (ast.FunctionDef, "divided", _divided_by_what_counts),
    (ast.FunctionDef, "at the end", _applied_to_the_result),
    (ast.ClassDef, "scale", _other_scale),
    (ast.FunctionDef, "early", _too_early),
    (ast.ClassDef, "part first", _another_part_first),
    ((ast.Assign, ast.Return), "more", _one_step_more),
    (ast.Call, "more", _one_step_more_inside),
    (ast.Call, "more", _sign_lost_before),
    (ast.FunctionDef, "other step", _another_step),
)
