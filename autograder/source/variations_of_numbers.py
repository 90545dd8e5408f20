"""Slips in numbers, sizes, places and conditions.

Each says itself what it is as if were so.
"""

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any

from autograder.source.edits import (
    Edit,
    Told,
    become,
    expression,
    is_module,
    name_called,
    return_instead,
    set_fields,
    stand_in,
)

INFINITE = ("-math.inf", "float('-inf')", "-float('inf')")
SMALL = ("1e-12", "1e-9", "1e-8", "1e-6", "1e-5")
FILLED = ("0.0", "-1e9", "-1e4", "-100.0", "torch.finfo(torch.float32).min")
IN_WORDS = {"torch.finfo(torch.float32).min": "the smallest finite number"}
ROUNDING = {"round": ("int", "math.ceil"), "int": ("round", "math.ceil"), "math.ceil": ("int",)}
SIZES = {"-1": "the last axis", "-2": "the next to last axis", "0": "the first axis",
         "1": "the second axis"}  # fmt: skip


def softmax_by_hand(node: ast.Call) -> Iterator[Edit]:
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
        yield Told(partial(stand_in, other), words, (scores,))


def something_small(node: ast.BinOp) -> Iterator[Edit]:
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


def something_small_everywhere(node: ast.FunctionDef) -> Iterator[Edit]:
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


def outside_of_the_root(node: ast.Call | ast.BinOp) -> Iterator[Edit]:
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


def taken_for_missing(node: ast.Compare) -> Iterator[Edit]:
    """What is 0, False or empty is taken for what is not given."""
    right = node.comparators[0]
    if isinstance(right, ast.Constant) and right.value is None:
        words = "{0} were taken for missing where it is 0 or empty"
        if isinstance(node.ops[0], ast.Is):
            not_it = ast.UnaryOp(ast.Not(), node.left)
            yield Told(lambda found: become(found, not_it), words, (node.left,))
        elif isinstance(node.ops[0], ast.IsNot):
            yield Told(lambda found: become(found, found.left), words, (node.left,))


def counted_otherwise(node: ast.Call) -> Iterator[Edit]:
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


def cut_otherwise(node: ast.Slice) -> Iterator[Edit]:
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


def another_size(node: ast.Subscript) -> Iterator[Edit]:
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


def filled_with(node: ast.Call) -> Iterator[Edit]:
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
        yield Told(partial(stand_in, other), words, (hidden, scores))


def other_rounding(node: ast.Call) -> Iterator[Edit]:
    """A number is rounded otherwise."""
    for other in ROUNDING.get(ast.unparse(node.func), ()):
        words = f"`{other}` stood where `{ast.unparse(node.func)}` belongs"
        yield Told(partial(set_fields, func=expression(other)), words)


def nearly_equal(node: ast.Compare) -> Iterator[Edit]:
    """What is nearly equal counts as equal."""
    if isinstance(node.ops[0], ast.Eq) and len(node.ops) == 1:
        sides = ast.unparse(node.left), ast.unparse(node.comparators[0])
        other = expression(f"torch.isclose({', '.join(sides)})")
        words = "numbers that are nearly equal counted as equal"
        yield Told(partial(stand_in, other), words)


def next_index(node: ast.Subscript) -> Iterator[Edit]:
    """The entry after or before the one that is asked for."""
    if isinstance(node.slice, ast.Name):
        for shift, words in (("+ 1", "after"), ("- 1", "before")):
            edit = partial(set_fields, slice=expression(f"{node.slice.id} {shift}"))
            yield Told(edit, f"the entry {words} the one at {{0}} were taken", (node.slice,))


def counted_from_the_front(node: ast.Call) -> Iterator[Edit]:
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


def all_counted(node: ast.Call) -> Iterator[Edit]:
    """All places are counted where some should be."""
    value = getattr(node.func, "value", None)
    if name_called(node) == "sum" and value is not None and not is_module(value):
        ones = expression(f"torch.ones_like({ast.unparse(value)})")
        edit = partial(set_fields, func=ast.Attribute(ones, "sum", ast.Load()))
        words = "all places were counted, and not only those that count in {0}"
        yield Told(edit, words, (value,))


def other_reduction(node: ast.Call) -> Iterator[Edit]:
    """The mean or the sum where the largest is taken, or the other way around."""
    others = {"amax": ("mean", "sum"), "max": ("mean", "sum"), "mean": ("amax", "median")}
    if isinstance(node.func, ast.Attribute) and not node.args:
        for other in others.get(node.func.attr, ()):
            func = ast.Attribute(node.func.value, other, ast.Load())
            words = f"`{other}` of {{0}} stood where `{node.func.attr}` belongs"
            yield Told(partial(set_fields, func=func), words, (node.func.value,))


def divided_by_what_counts(node: ast.FunctionDef) -> Iterator[Edit]:
    """A mean over the places that count in the place of their sum."""
    made = [one for one in node.body if isinstance(one, ast.Assign)]
    masks = [one for one in made if isinstance(one.value, ast.Compare)]
    for name in [ast.unparse(one.targets[0]) for one in masks]:
        for count in (f"{name}.sum(dim=-1)", f"{name}.sum()"):
            words = "the result were divided by the number of places that count"
            text = f"({{0}}) / {count}.clamp(min=1)"
            yield Told(partial(return_instead, text), words)


def near_gelu(node: ast.Attribute) -> Iterator[Edit]:
    """The approximation by tanh."""
    if node.attr == "gelu" and isinstance(node.ctx, ast.Load):
        other = expression(f"(lambda x: {ast.unparse(node)}(x, approximate='tanh'))")
        words = "`gelu` were its approximation by tanh, and not the exact one"
        yield Told(partial(stand_in, other), words)


def other_scale(node: ast.ClassDef) -> Iterator[Edit]:
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


def other_division(node: ast.BinOp) -> Iterator[Edit]:
    """A division with rest in the place of one without, or the other way around."""
    if isinstance(node.op, ast.Div):
        yield Told(partial(set_fields, op=ast.FloorDiv()), "`//` stood where `/` belongs")
    elif isinstance(node.op, ast.FloorDiv):
        yield Told(partial(set_fields, op=ast.Div()), "`/` stood where `//` belongs")
