"""Small slips, made in the text of a reference one at a time: one table for two uses.

Every one of `TABLE` must fail the exercise's check, which is how the checks are tested. They and
those of `SEARCHED` are tried when no known misconception explains a student's answers. What is left
alone: the docstring, type hints, the wording of an error, and what no check can see: in which order
`transpose` gets its two dimensions, whether `zip` is strict, the device, how large random start
values are.
"""

import ast
import functools
import itertools
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from autograder.source.edits import (
    Edit,
    Row,
    Told,
    become,
    expression,
    is_docstring,
    is_module,
    name_called,
    put_first,
    put_in_place,
    set_fields,
)
from autograder.source.variations import VARIATIONS

OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
}
COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OTHER_NAMES = {
    name: other
    for one, two in [
        ("all", "any"),
        ("amax", "amin"),
        ("argmax", "argmin"),
        ("cat", "stack"),
        ("cos", "sin"),
        ("floor", "ceil"),
        ("lower", "upper"),
        ("max", "min"),
        ("maximum", "minimum"),
        ("ones", "zeros"),
        ("ones_like", "zeros_like"),
        ("softmax", "log_softmax"),
        ("sum", "mean"),
        ("tanh", "sigmoid"),
        ("tril", "triu"),
    ]
    for name, other in [(one, two), (two, one)]
} | {
    "cumsum": "cumprod",
    "exp": "exp2",
    "gelu": "relu",
    "log": "log2",
    "relu": "abs",
    "rsqrt": "sqrt",
    "sqrt": "square",
    "square": "abs",
}
REDUCING = {"softmax", "log_softmax", "sum", "mean", "amax", "amin", "argmax", "norm", "all", "any"}
ORDER_IS_FREE = {"max", "maximum", "min", "minimum", "swapaxes", "transpose"}
UNSEEN = {"device", "strict"}  # there is one device, and the lengths are equal
GIVEN = "as_given_"
AS_GIVEN = "a step started from `NAME` as it was given, not from what has been made of it before"
DROPPED = {
    ast.Add: "{0}, a term of a sum, were left out",
    ast.Sub: "{0}, a side of a difference, were left out",
    ast.Mult: "{0}, a factor, were left out",
    ast.Div: "{0}, a side of a division, were left out",
    ast.MatMult: "{0}, a factor of a product of matrices, were left out",
    ast.Pow: "{0}, a side of a power, were left out",
    ast.BitAnd: "{0}, one of two conditions, were left out",
    ast.BitOr: "{0}, one of two conditions, were left out",
}
LAST = (
    *("mixed up", "method order", "small", "early", "more", "other step"),
    *("error", "cut off", "precision", "wiped", "no slope"),
)  # in a search
ERRORS = {"ValueError": "TypeError", "TypeError": "ValueError", "IndexError": "TypeError"}


@dataclass(frozen=True)
class Mutant:
    """A reference's text with one slip: `return 2 * x => return 2 / x`.

    What is told of it is found out when it is asked for: of most it never is.
    """

    source: str
    slip: str
    code: str = field(default="", compare=False)  # what was changed, as a whole
    before: ast.AST = field(default_factory=ast.Pass, compare=False)  # and the node of it
    again: Callable[[], tuple[ast.AST, ast.AST]] = field(
        default=lambda: (ast.Pass(), ast.Pass()), compare=False
    )  # makes the changed tree and its node anew
    told: Told | None = field(default=None, compare=False)

    @functools.cached_property
    def description(self) -> str:
        """The lines that changed, before and after."""
        before = ast.unparse(ast.parse(self.code)).splitlines()
        return _changed_lines(before, self.source.splitlines())

    @functools.cached_property
    def after(self) -> ast.AST:
        """What stands in the place of the node that was changed."""
        return self.again()[1]

    @functools.cached_property
    def around(self) -> tuple[ast.AST, ...]:
        """In what it stands, from the inside out."""
        return _around(*self.again())

    @property
    def words(self) -> tuple[str, str]:
        """What was taken out of these lines, and what stands there instead, without the rest."""
        old, _, new = self.description.partition(" => ")
        before, after = (re.findall(r"\w+|[^\w\s]", text) for text in (old, new))
        while before and after and before[0] == after[0]:
            before, after = before[1:], after[1:]
        while before and after and before[-1] == after[-1]:
            before, after = before[:-1], after[:-1]
        return " ".join(before), " ".join(after)

    @property
    def names(self) -> set[str]:
        """What stands in the lines that changed."""
        return set(re.findall(r"\w+", self.description))


def mutants(code: str, searched: bool = False) -> Iterator[Mutant]:
    """Every mutant of a function or class, each once."""
    table = (*TABLE, *SEARCHED, *VARIATIONS) if searched else TABLE
    tree = ast.parse(code)
    sources = {ast.unparse(tree)}
    left_alone, places = _left_alone(tree), list(_places(tree))
    edits = [
        (slip, (node, path), edit)
        for node, path in places
        if node not in left_alone
        for slip, edit in _edits(node, table)
    ]
    for slip, (node, path), edit in sorted(edits, key=_rank) if searched else edits:
        made = partial(_made, code, path, edit)
        source = ast.unparse(made()[0])
        if source not in sources:
            sources.add(source)
            told = edit if isinstance(edit, Told) else None
            yield Mutant(source, slip, code, node, made, told)


Path = tuple[tuple[str, int | None], ...]  # fields, and places in those that are lists


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, Path]]:
    """Every node, and where it stands."""
    left: deque[tuple[ast.AST, Path]] = deque([(tree, ())])
    while left:
        node, path = left.popleft()
        yield node, path
        for name, value in ast.iter_fields(node):
            several = enumerate(value) if isinstance(value, list) else [(None, value)]
            left.extend((one, (*path, (name, at))) for at, one in several if _is_node(one))


def _is_node(value: Any) -> bool:
    return isinstance(value, ast.AST)


def _made(code: str, path: Path, edit: Edit) -> tuple[ast.AST, ast.AST]:
    """The tree with a slip, and the node that has it.

    Not a copy of a tree: IPython's tracebacks hang whole files on nodes like `Load`, of which
    Python has one for all trees.
    """
    tree: ast.AST = ast.parse(code)
    place: Any = tree
    for name, at in path:
        place = getattr(place, name) if at is None else getattr(place, name)[at]
    edit(place)
    return ast.fix_missing_locations(tree), place


def _around(tree: ast.AST, place: ast.AST) -> tuple[ast.AST, ...]:
    """The calls, operations and indices in which a node stands, from the inside out."""
    outer = [one for one in ast.walk(tree) if isinstance(one, ast.Call | ast.BinOp | ast.Subscript)]
    inside = [one for one in outer if one is not place and place in ast.walk(one)]
    return tuple(reversed(inside))


def _rank(edit: tuple[str, Any, Edit]) -> int:
    """What people do oftener, or what is fewer, is tried first; further slips after the others."""
    return ORDER.get(edit[0], -1)


def _changed_lines(before: list[str], after: list[str]) -> str:
    """The lines that changed, without their common beginning and end, and what goes before all."""
    after = [line for line in after if not line.strip().startswith(GIVEN)]
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    old, new = (" ".join(line.strip() for line in lines) for lines in (before, after))
    return f"{old} => {new or 'dropped'}"


def _edits(node: ast.AST, table: tuple[Row, ...]) -> Iterator[tuple[str, Edit]]:
    """What may be done to a node, each with the kind of slip that it is."""
    for kinds, slip, edits in table:
        if isinstance(node, kinds):
            for edit in edits(node):
                yield slip, edit


def _left_alone(tree: ast.Module) -> set[ast.AST]:
    roots: list[ast.AST | None] = []
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            roots.append(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            roots.append(node.annotation)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            roots += node.exc.args
            inner.add(node.exc)
        elif is_docstring(node) or isinstance(node, ast.keyword) and node.arg in UNSEEN:
            roots.append(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "nn.Parameter":
            scaled: list[Any] = [item for item in ast.walk(node) if _is_scaled(item)]
            inner.update(scaled)
            roots += [item.right for item in scaled]
        elif isinstance(node, ast.UnaryOp) and _is_literal(node):
            inner.add(node.operand)  # -1 is changed as a whole
    return inner.union(*(ast.walk(root) for root in roots if root is not None))


def _is_scaled(node: ast.AST) -> bool:
    """Are these random start values, in some size?"""
    return isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant)


def _is_literal(node: ast.AST) -> bool:
    """Is it a negative number?"""
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    )


def _exchange(one: str, two: str, node: Any) -> None:
    set_fields(node, **{one: getattr(node, two), two: getattr(node, one)})


def _other_operator(node: ast.BinOp | ast.AugAssign) -> Iterator[Edit]:
    for other in OPERATORS.get(type(node.op), ()):
        yield partial(set_fields, op=other())


def _other_side(node: ast.BinOp) -> Iterator[Edit]:
    if isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.MatMult | ast.Pow):
        yield partial(_exchange, "left", "right")


def _other_comparison(node: ast.Compare) -> Iterator[Edit]:
    for other in COMPARISONS.get(type(node.ops[0]), ()):
        yield partial(set_fields, ops=[other(), *node.ops[1:]])


def _other_condition(node: ast.BoolOp) -> Iterator[Edit]:
    yield partial(set_fields, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for number in range(len(node.values)):
        yield partial(_leave_out, "values", number)


def _other_sign(node: ast.UnaryOp) -> Iterator[Edit]:
    if not _is_literal(node) and isinstance(node.op, ast.USub):
        yield partial(set_fields, op=ast.UAdd())


def _not_inverted(node: ast.UnaryOp) -> Iterator[Edit]:
    if isinstance(node.op, ast.Invert | ast.Not):
        yield partial(set_fields, operand=ast.UnaryOp(node.op, node.operand))  # twice is not at all


def _other_negative(node: ast.UnaryOp) -> Iterator[Edit]:
    if _is_literal(node) and isinstance(node.operand, ast.Constant):
        number: Any = node.operand.value
        for other in (-number - 1, -number + 1):
            sign = ast.USub() if other < 0 else ast.UAdd()
            yield partial(set_fields, op=sign, operand=ast.Constant(abs(other)))


def _other_exponent(node: ast.BinOp) -> Iterator[Edit]:
    """The reciprocal of a power: its exponent has the other sign."""
    if not isinstance(node.op, ast.Pow):
        return
    if isinstance(node.right, ast.UnaryOp) and _is_literal(node.right):
        yield partial(set_fields, right=node.right.operand)
    elif isinstance(node.right, ast.Constant):
        yield partial(set_fields, right=ast.UnaryOp(ast.USub(), node.right))


def _other_constant(node: ast.Constant) -> Iterator[Edit]:
    value = node.value
    if isinstance(value, bool):
        yield partial(set_fields, value=not value)
    elif isinstance(value, int):
        yield partial(set_fields, value=value + 1)
        yield partial(set_fields, value=value - 1)
    elif isinstance(value, float):
        yield partial(set_fields, value=value + 1)
        if value:
            yield partial(set_fields, value=2 * value)
            yield partial(set_fields, value=-value)


def _multiple(node: ast.Constant) -> Iterator[Edit]:
    """Twice a number, or its square."""
    if type(node.value) is int and node.value > 1:
        yield partial(set_fields, value=2 * node.value)
        yield partial(set_fields, value=node.value**2)


def _other_method(node: ast.Attribute) -> Iterator[Edit]:
    if node.attr in OTHER_NAMES:
        yield partial(set_fields, attr=OTHER_NAMES[node.attr])


def _other_function(node: ast.Name) -> Iterator[Edit]:
    if node.id in ("all", "any", "max", "min"):
        yield partial(set_fields, id=OTHER_NAMES[node.id])


def _other_arguments(node: ast.Call) -> Iterator[Edit]:
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if len(node.args) > 1 and called not in ORDER_IS_FREE:
        yield partial(_swap, "args")


def _other_options(node: ast.Call) -> Iterator[Edit]:
    for number, keyword in enumerate(node.keywords):
        if keyword.arg not in UNSEEN:
            yield partial(_leave_out, "keywords", number)
        if keyword.arg in ("min", "max"):
            yield partial(_rename, number, {"min": "max", "max": "min"}[keyword.arg])


def _another_axis(node: ast.Call) -> Iterator[Edit]:
    """The axis along which something works, where it is named and where it is not."""
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called not in REDUCING:
        return
    for other in (0, 1, -1, -2):
        yield partial(_set_option, "dim", ast.parse(str(other), mode="eval").body)
    if node.keywords:
        yield lambda found: found.keywords.clear()


def _another_axis_everywhere(node: ast.FunctionDef) -> Iterator[Edit]:
    """The same other axis in all that works along one: who takes it for the last does so twice."""
    if len(list(_along_an_axis(node))) > 1:
        for other in (0, 1, -2):
            yield partial(_set_axis_everywhere, other)


def _along_an_axis(node: ast.AST) -> Iterator[ast.Call]:
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in REDUCING:
            yield from (one for keyword in one.keywords if keyword.arg == "dim")


def _set_axis_everywhere(axis: int, node: ast.AST) -> None:
    for one in list(_along_an_axis(node)):
        _set_option("dim", ast.parse(str(axis), mode="eval").body, one)


def _set_option(name: str, value: ast.expr, node: ast.Call) -> None:
    node.keywords = [one for one in node.keywords if one.arg != name]
    node.keywords.append(ast.keyword(name, value))


def _exchanged_inputs(node: ast.FunctionDef) -> Iterator[Edit]:
    """Two inputs, one in the place of the other everywhere."""
    names = [one.arg for one in node.args.args if one.arg != "self"]
    if node.name != "__init__":
        for one, other in itertools.combinations(names, 2):
            swapped = ast.parse(f"{one}, {other} = {other}, {one}").body[0]
            words = f"`{one}` and `{other}` had changed places"
            yield Told(partial(put_first, swapped), words)


def _exchanged_parts(node: ast.ClassDef) -> Iterator[Edit]:
    """Two parts of a layer, one in the place of the other everywhere."""
    constructors = [one for one in node.body if getattr(one, "name", "") == "__init__"]
    parts = [
        one.attr
        for one in ast.walk(constructors[0] if constructors else ast.Pass())
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    ]
    for one, other in itertools.combinations(dict.fromkeys(parts), 2):
        names = {one: other, other: one}
        yield Told(partial(_rename_parts, names), f"`{one}` and `{other}` had changed places")


def _rename_parts(names: dict[str, str], node: ast.ClassDef) -> None:
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load):
            one.attr = names.get(one.attr, one.attr)


def _other_branch(node: ast.IfExp) -> Iterator[Edit]:
    yield partial(_exchange, "body", "orelse")


def _other_test(node: ast.If | ast.IfExp | ast.While) -> Iterator[Edit]:
    yield _negate


def _other_error(node: ast.Raise) -> Iterator[Edit]:
    name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if isinstance(name, ast.Name):
        yield partial(_raise, ERRORS.get(name.id, "RuntimeError"))


def _other_results(node: ast.Return) -> Iterator[Edit]:
    if isinstance(node.value, ast.Tuple):
        yield lambda found: _swap("elts", found.value)


def _dropped_statements(node: ast.AST) -> Iterator[Edit]:
    for part in ("body", "orelse"):
        statements = getattr(node, part, None)
        if isinstance(statements, list) and not isinstance(node, ast.Module | ast.ClassDef):
            for number, statement in enumerate(statements):
                made = getattr(statement, "value", None)
                if isinstance(statement, ast.Assign | ast.AugAssign) and made is not None:
                    words = "the step were left out that makes {0}"
                    yield Told(partial(_drop, part, number), words, (made,))
                elif not is_docstring(statement):
                    yield partial(_drop, part, number)


def _keep_side(side: str, found: Any) -> None:
    become(found, getattr(found, side))


def _one_side(node: ast.BinOp) -> Iterator[Edit]:
    for side, other in (("left", "right"), ("right", "left")):
        words = DROPPED.get(type(node.op))
        edit = partial(_keep_side, side)
        yield Told(edit, words, (getattr(node, other),)) if words else edit


def _skipped_call(node: ast.Call) -> Iterator[Edit]:
    name, words = name_called(node), "`{}` were not applied to {{0}}"
    if isinstance(node.func, ast.Attribute) and not is_module(node.func.value):
        told = words.format(name)
        yield Told(lambda found: become(found, found.func.value), told, (node.func.value,))
    if node.args:
        told = words.format(name)
        yield Told(lambda found: become(found, found.args[0]), told, (node.args[0],))


def _negative(node: ast.Return) -> Iterator[Edit]:
    if node.value is not None:
        edit = partial(_with_value, lambda value: ast.UnaryOp(ast.USub(), value))
        yield Told(edit, "the result had the other sign")


def _with_value(make: Callable[[Any], ast.expr], node: Any) -> None:
    node.value = make(node.value)


def _cut_off(node: ast.FunctionDef) -> Iterator[Edit]:
    words = "the result were cut off from `{0}`, so that no gradient gets there"
    yield from _at_the_start(node, "{0} = {0}.detach()", words)


def _in_single_precision(node: ast.FunctionDef) -> Iterator[Edit]:
    words = "the numbers of `{0}` passed through float32 on their way"
    yield from _at_the_start(node, "{0} = {0}.float().to({0}.dtype)", words)


def _at_the_start(node: ast.FunctionDef, text: str, words: str) -> Iterator[Edit]:
    needed = node.args.args[: len(node.args.args) - len(node.args.defaults)]
    for argument in needed:
        if argument.arg != "self" and node.name != "__init__":
            statement = ast.parse(text.format(argument.arg)).body[0]
            yield Told(partial(put_first, statement), words.format(argument.arg))


def _cut_off_on_the_way(node: ast.Assign) -> Iterator[Edit]:
    if isinstance(node.value, ast.Call | ast.BinOp):
        words = "{0} were cut off from what it is made of, so that no gradient gets there"
        edit = partial(_with_value, lambda value: _method_of(value, "detach"))
        yield Told(edit, words, (node.value,))


def _method_of(value: ast.expr, name: str) -> ast.Call:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [], [])


def _whole_number(node: ast.Call) -> Iterator[Edit]:
    if getattr(node.func, "attr", "") == "sqrt" and node.args:
        yield lambda found: become(found, _called("int", ast.Call(found.func, found.args, [])))


def _half(node: ast.Call | ast.BinOp) -> Iterator[Edit]:
    """What `x ** 1 / 2` is: the power comes before the division."""
    if getattr(getattr(node, "func", None), "attr", "") == "sqrt":
        yield lambda found: become(found, ast.BinOp(_of(found), ast.Div(), ast.Constant(2)))
    elif isinstance(node, ast.BinOp) and ast.unparse(node).endswith("** 0.5"):
        yield partial(set_fields, op=ast.Div(), right=ast.Constant(2))
    elif isinstance(node, ast.BinOp) and ast.unparse(node).endswith("** (-0.5)"):
        yield lambda found: set_fields(
            found, op=ast.Div(), left=ast.Constant(0.5), right=found.left
        )


def _of(call: Any) -> ast.expr:
    """What a function of one argument is called with, or the method of one that has none."""
    return call.args[0] if call.args else call.func.value


def _called(name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


def _default_in_its_place(node: ast.FunctionDef) -> Iterator[Edit]:
    """An argument that is not used: what it is by default stands in its place."""
    arguments = node.args
    optional = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    for argument, default in zip(optional, arguments.defaults, strict=True):
        text = f"{argument.arg} = {ast.unparse(default)}"
        yield partial(put_first, ast.parse(text).body[0])


def _not_handed_on(node: ast.Call) -> Iterator[Edit]:
    if len(node.args) > 1:
        words = f"{{0}} were not handed on to `{name_called(node)}`"
        yield Told(lambda found: found.args.pop(), words, (node.args[-1],))


def _part_of_a_loop(node: ast.For) -> Iterator[Edit]:
    """The first or the last of what a loop runs over is left out, or it runs backward."""
    for part in ("[:-1]", "[1:]", "[::-1]"):
        sliced = ast.parse(f"list(_){part}", mode="eval").body
        yield partial(_loop_over, sliced)


def _loop_over(sliced: Any, node: Any) -> None:
    sliced.value.args[0] = node.iter
    node.iter = sliced


def _another_of_its_kind(node: ast.FunctionDef) -> Iterator[Edit]:
    """One input, or one part of the layer, in the place of another."""
    places = [(number, _word(item)) for number, item in enumerate(ast.walk(node))]
    around = _parents(node)
    inputs = {one.arg for one in node.args.args} - {"self"}
    parts = {word for _, word in places if word.startswith("self.")}
    for number, word in places:
        for kind in (inputs, parts if node.name != "__init__" else set[str]()):
            for other in sorted(kind - {word}) if word in kind else ():
                name = expression(other)
                words = _stood_in(around.get(number))
                about = (expression(word), name)
                yield Told(partial(put_in_place, number, name), words, about)


def _parents(node: ast.AST) -> dict[int, ast.AST]:
    """In what every node stands, by its number."""
    nodes = list(ast.walk(node))
    parents = {id(child): one for one in nodes for child in ast.iter_child_nodes(one)}
    return {number: parents[id(one)] for number, one in enumerate(nodes) if id(one) in parents}


def _stood_in(parent: ast.AST | None) -> str:
    """What is to be said of one thing in the place of another there."""
    called = name_called(parent)
    if called in ("len", "size") or getattr(parent, "attr", "") == "shape":
        return "a size of {1} stood where that of {0} belongs"
    if called and called[:1] != "_":
        return f"{{1}} stood where {{0}} belongs, in the call of `{called}`"
    return "{1} stood where {0} belongs"


def _as_it_was_given(node: ast.FunctionDef) -> Iterator[Edit]:
    """A step that takes an argument as it was given, though it has become another one since."""
    arguments = {one.arg for one in node.args.args} - {"self"}
    set_again = _names(node, ast.Store) & arguments
    for number, one in enumerate(ast.walk(node)):
        if isinstance(one, ast.Assign | ast.Return):
            for name in sorted(_names(one, ast.Load) & set_again):
                times = len(_read(one, name))
                for place in (None, *(range(times) if times > 1 else ())):
                    words = f"{AS_GIVEN}, where {{0}} is made" if one.value else AS_GIVEN
                    about = (one.value,) if one.value else ()
                    edit = partial(_read_given, number, name, place)
                    yield Told(edit, words.replace("NAME", name), about)


def _read(step: Any, name: str) -> list[ast.Name]:
    """Where a step reads a name."""
    inside = ast.walk(step.value) if step.value else ()
    return [one for one in inside if isinstance(one, ast.Name) and one.id == name]


def _read_given(number: int, name: str, place: int | None, found: Any) -> None:
    """Everywhere in the step, or at one place of it."""
    read = _read(list(ast.walk(found))[number], name)
    for one in read if place is None else [read[place]]:
        one.id = f"{GIVEN}{name}"
    put_first(ast.parse(f"{GIVEN}{name} = {name}").body[0], found)


def _other_order(node: ast.FunctionDef) -> Iterator[Edit]:
    """Two steps in the other order, of which the second goes on with what the first has changed."""
    before = {one.arg for one in node.args.args} - {"self"}
    for number, (one, other) in enumerate(itertools.pairwise(node.body)):
        if _names(one, ast.Store) & _names(other, ast.Load) & before:
            words = "two steps had changed places, so that {1} were made before {0}"
            about = tuple(getattr(step, "value", step) for step in (one, other))
            yield Told(partial(_swap_steps, number), words, about)
        before |= _names(one, ast.Store)


def _names(node: ast.AST, use: type) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and type(one.ctx) is use}


def _swap_steps(number: int, node: ast.FunctionDef) -> None:
    node.body[number], node.body[number + 1] = node.body[number + 1], node.body[number]


def _other_new_axes(node: ast.Subscript) -> Iterator[Edit]:
    """A new axis, which `None` puts in, is missing, or stands beside its place."""
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    new = [isinstance(item, ast.Constant) and item.value is None for item in items]
    for number in range(len(items)):
        if new[number]:
            yield partial(_leave_out_item, number)
        if number and new[number] is not new[number - 1]:
            yield partial(_swap_items, number)


def _leave_out_item(number: int, node: Any) -> None:
    del node.slice.elts[number]


def _swap_items(number: int, node: Any) -> None:
    items = node.slice.elts
    items[number - 1], items[number] = items[number], items[number - 1]


def _word(node: ast.AST) -> str:
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        return ast.unparse(node)
    return ""


def _negate(node: Any) -> None:
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _raise(name: str, node: ast.Raise) -> None:
    error: Any = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    error.id = name


def _rename(number: int, name: str, node: ast.Call) -> None:
    node.keywords[number].arg = name


def _swap(field: str, node: Any) -> None:
    items = getattr(node, field)
    items[0], items[1] = items[1], items[0]


def _leave_out(field: str, number: int, node: Any) -> None:
    del getattr(node, field)[number]


def _drop(field: str, number: int, node: Any) -> None:
    statements = getattr(node, field)
    del statements[number]
    if field == "body" and not any(not is_docstring(item) for item in statements):
        statements.append(ast.Pass())


TABLE: tuple[Row, ...] = (
    ((ast.BinOp, ast.AugAssign), "operation", _other_operator),
    (ast.BinOp, "order", _other_side),
    (ast.Compare, "comparison", _other_comparison),
    (ast.BoolOp, "condition", _other_condition),
    (ast.UnaryOp, "number", _other_negative),
    (ast.UnaryOp, "sign", _other_sign),
    (ast.UnaryOp, "condition", _not_inverted),
    (ast.Constant, "number", _other_constant),
    (ast.Attribute, "function", _other_method),
    (ast.Name, "function", _other_function),
    (ast.Call, "order", _other_arguments),
    (ast.Call, "option", _other_options),
    (ast.IfExp, "condition", _other_branch),
    ((ast.If, ast.IfExp, ast.While), "condition", _other_test),
    (ast.Raise, "error", _other_error),
    (ast.Return, "order", _other_results),
    (ast.AST, "left out", _dropped_statements),
)
SEARCHED: tuple[Row, ...] = (
    (ast.Constant, "number", _multiple),
    (ast.BinOp, "exponent", _other_exponent),
    (ast.BinOp, "left out", _one_side),
    (ast.Call, "left out", _skipped_call),
    (ast.Call, "axis", _another_axis),
    (ast.FunctionDef, "axis", _another_axis_everywhere),
    (ast.FunctionDef, "exchanged", _exchanged_inputs),
    (ast.ClassDef, "exchanged", _exchanged_parts),
    (ast.Return, "sign", _negative),
    (ast.FunctionDef, "not used", _default_in_its_place),
    (ast.Call, "not handed on", _not_handed_on),
    (ast.For, "loop", _part_of_a_loop),
    (ast.Call, "whole number", _whole_number),
    ((ast.Call, ast.BinOp), "half", _half),
    (ast.FunctionDef, "cut off", _cut_off),
    (ast.Assign, "cut off", _cut_off_on_the_way),
    (ast.FunctionDef, "precision", _in_single_precision),
    (ast.FunctionDef, "step order", _other_order),
    (ast.Subscript, "new axis", _other_new_axes),
    (ast.FunctionDef, "given", _as_it_was_given),
    (ast.FunctionDef, "mixed up", _another_of_its_kind),
)
FURTHER = {slip for _, slip, _ in VARIATIONS} - {slip for _, slip, _ in (*TABLE, *SEARCHED)}
ORDER = dict.fromkeys(FURTHER, 3) | {slip: 4 + place for place, slip in enumerate(LAST)}
ORDER |= {"left out": 1, "exchanged": 2}  # what is in no order comes first
