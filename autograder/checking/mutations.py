"""Small mistakes made in a reference, one at a time: does its check see every one of them?

A mutant is told by the line that changed: `return 2 * x => return 2 / x`. What is left alone: the
docstring, type hints, the wording of an error, and what no check can see: in which order
`transpose` gets its two dimensions, whether `zip` is strict, the device, how large random start
values are.
"""

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Edit = Callable[[Any], None]

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
ORDER_IS_FREE = {"max", "maximum", "min", "minimum", "swapaxes", "transpose"}
UNSEEN = {"device", "strict"}  # there is one device, and the lengths are equal
ERRORS = {"ValueError": "TypeError", "TypeError": "ValueError", "IndexError": "TypeError"}


@dataclass(frozen=True)
class Mutant:
    """A reference with one mistake."""

    description: str
    source: str

    def build(self, namespace: dict[str, Any], name: str) -> Any:
        """The function or class itself, among the names of the reference's module."""
        own = dict(namespace)
        exec(compile(self.source, "<mutant>", "exec"), own)
        return own[name]


def mutants(reference: Any) -> list[Mutant]:
    """Every mutant of a function or class, each once."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(reference)))
    found: dict[str, Mutant] = {}
    for number, edit in _edits(tree):
        changed = copy.deepcopy(tree)
        edit(list(ast.walk(changed))[number])
        ast.fix_missing_locations(changed)
        source = ast.unparse(changed)
        before, after = ast.unparse(tree).splitlines(), source.splitlines()
        if before != after:
            found.setdefault(source, Mutant(_told(before, after), source))
    return list(found.values())


def _told(before: list[str], after: list[str]) -> str:
    """The lines that changed, without their common beginning and end."""
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    old, new = (" ".join(line.strip() for line in lines) for lines in (before, after))
    return f"{old} => {new or 'dropped'}"


def _edits(tree: ast.Module) -> Iterator[tuple[int, Edit]]:
    """Pairs of a node's number in `ast.walk` and what is done to that node."""
    kept = _left_alone(tree)
    for number, node in enumerate(ast.walk(tree)):
        if node in kept:
            continue
        for edit in (*_of_expression(node), *_of_statement(node)):
            yield number, edit


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
        elif _is_docstring(node) or isinstance(node, ast.keyword) and node.arg in UNSEEN:
            roots.append(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "nn.Parameter":
            inner.update(item for item in ast.walk(node) if _is_scaled(item))
            roots += [item.right for item in ast.walk(node) if _is_scaled(item)]
        elif _is_literal(node):
            inner.add(node.operand)  # -1 is changed as a whole
    return inner.union(*(ast.walk(root) for root in roots if root is not None))


def _is_docstring(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


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


def _set(**fields: Any) -> Edit:
    def edit(node: Any) -> None:
        for name, value in fields.items():
            setattr(node, name, value)

    return edit


def _exchange(one: str, two: str) -> Edit:
    def edit(node: Any) -> None:
        first, second = getattr(node, one), getattr(node, two)
        setattr(node, one, second)
        setattr(node, two, first)

    return edit


def _of_expression(node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        for other in OPERATORS.get(type(node.op), ()):
            yield _set(op=other())
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.MatMult | ast.Pow
    ):
        yield _exchange("left", "right")
    if isinstance(node, ast.Compare):
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield _set(ops=[other(), *node.ops[1:]])
    if isinstance(node, ast.BoolOp):
        yield _set(op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for number in range(len(node.values)):
            yield _without("values", number)
    if isinstance(node, ast.UnaryOp):
        yield from _of_sign(node)
    if isinstance(node, ast.Constant):
        yield from _of_constant(node.value)
    if isinstance(node, ast.Attribute) and node.attr in OTHER_NAMES:
        yield _set(attr=OTHER_NAMES[node.attr])
    if isinstance(node, ast.Name) and node.id in ("all", "any", "max", "min"):
        yield _set(id=OTHER_NAMES[node.id])
    if isinstance(node, ast.Call):
        yield from _of_call(node)
    if isinstance(node, ast.IfExp):
        yield _exchange("body", "orelse")


def _of_sign(node: ast.UnaryOp) -> Iterator[Edit]:
    if _is_literal(node):
        number = node.operand.value
        for other in (-number - 1, -number + 1):
            sign = ast.USub() if other < 0 else ast.UAdd()
            yield _set(op=sign, operand=ast.Constant(abs(other)))
    elif isinstance(node.op, ast.USub):
        yield _set(op=ast.UAdd())
    elif isinstance(node.op, ast.Invert | ast.Not):
        yield _set(operand=ast.UnaryOp(node.op, node.operand))  # twice is not at all


def _of_constant(value: Any) -> Iterator[Edit]:
    if isinstance(value, bool):
        yield _set(value=not value)
    elif isinstance(value, int):
        yield _set(value=value + 1)
        yield _set(value=value - 1)
    elif isinstance(value, float):
        yield _set(value=value + 1)
        if value:
            yield _set(value=2 * value)
            yield _set(value=-value)


def _of_call(node: ast.Call) -> Iterator[Edit]:
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if len(node.args) > 1 and called not in ORDER_IS_FREE:
        yield _swapped("args")
    for number, keyword in enumerate(node.keywords):
        if keyword.arg not in UNSEEN:
            yield _without("keywords", number)
        if keyword.arg in ("min", "max"):
            yield _renamed(number, {"min": "max", "max": "min"}[keyword.arg])


def _of_statement(node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield _negated
    if isinstance(node, ast.Raise):
        name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(name, ast.Name):
            yield _raising(ERRORS.get(name.id, "RuntimeError"))
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        yield lambda found: _swapped("elts")(found.value)
    for field in ("body", "orelse"):
        statements = getattr(node, field, None)
        if isinstance(statements, list) and not isinstance(node, ast.Module | ast.ClassDef):
            for number, statement in enumerate(statements):
                if not _is_docstring(statement):
                    yield _dropped(field, number)


def _negated(node: Any) -> None:
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _raising(name: str) -> Edit:
    def edit(node: ast.Raise) -> None:
        found = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        found.id = name

    return edit


def _renamed(number: int, name: str) -> Edit:
    def edit(node: ast.Call) -> None:
        node.keywords[number].arg = name

    return edit


def _swapped(field: str) -> Edit:
    def edit(node: Any) -> None:
        items = getattr(node, field)
        items[0], items[1] = items[1], items[0]

    return edit


def _without(field: str, number: int) -> Edit:
    def edit(node: Any) -> None:
        del getattr(node, field)[number]

    return edit


def _dropped(field: str, number: int) -> Edit:
    def edit(node: Any) -> None:
        statements = getattr(node, field)
        del statements[number]
        if field == "body" and not any(not _is_docstring(item) for item in statements):
            statements.append(ast.Pass())

    return edit
