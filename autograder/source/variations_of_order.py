"""Slips that do the right steps in another order, or with another of their results.

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
    put_in_place,
    set_fields,
)

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@",
         ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}  # fmt: skip


def too_early(node: ast.FunctionDef) -> Iterator[Edit]:
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


def methods_in_other_order(node: ast.Call) -> Iterator[Edit]:
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


def other_parentheses(node: ast.BinOp) -> Iterator[Edit]:
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


def other_loop(node: ast.For) -> Iterator[Edit]:
    """A loop runs once only, or each round begins with what was there before the loop."""
    for part, words in (("[:1]", "the first"), ("[-1:]", "the last")):
        text = f"list({ast.unparse(node.iter)}){part}"
        told = f"a loop ran over {words} only of what it should run over"
        yield Told(partial(set_fields, iter=expression(text)), told)


def another_part_first(node: ast.ClassDef) -> Iterator[Edit]:
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


def other_residuals(node: ast.FunctionDef) -> Iterator[Edit]:
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


def two_arguments_exchanged(node: ast.Call) -> Iterator[Edit]:
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


def not_carried_on(node: ast.FunctionDef) -> Iterator[Edit]:
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


def put_for_a_sum(node: ast.AugAssign) -> Iterator[Edit]:
    """The last one stands where all should be summed up."""
    if isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
        yield Told(
            lambda found: become(found, ast.Assign([found.target], found.value)),
            "only the last of what should be added up were kept",
        )


def _done_again(node: ast.AST) -> set[ast.AST]:
    """What stands in a loop, or in a text that is made."""
    loops = ast.For | ast.While | ast.JoinedStr
    return {one for loop in ast.walk(node) if isinstance(loop, loops) for one in ast.walk(loop)}


def another_step(node: ast.FunctionDef) -> Iterator[Edit]:
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


def transposed(node: ast.BinOp) -> Iterator[Edit]:
    """A matrix is transposed before a product, or both stand in the other order so."""
    if isinstance(node.op, ast.MatMult):
        for side in ("left", "right"):
            text = f"({ast.unparse(getattr(node, side))}).transpose(-2, -1)"
            words = "{0} were transposed before it is multiplied"
            edit = partial(set_fields, **{side: expression(text)})
            yield Told(edit, words, (getattr(node, side),))
