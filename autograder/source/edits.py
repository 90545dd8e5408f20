"""What changes of a tree are made of."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Edit = Callable[[Any], None]
Row = tuple[type | tuple[type, ...], str, Callable[[Any], Iterator[Edit]]]


@dataclass(frozen=True)
class Told:
    """An edit that says itself what it is as if were so, after `as if`.

    What stands in braces is told by what it is made of: `{0}` is the first of `about`.
    """

    edit: Edit
    words: str
    about: tuple[ast.AST, ...] = ()

    def __call__(self, node: Any) -> None:
        self.edit(node)


def become(node: Any, other: ast.AST) -> None:
    """Make a node what another one is."""
    node.__class__ = other.__class__
    fields = {name: getattr(other, name) for name in other._fields}
    node.__dict__.clear()
    node.__dict__.update(fields)


def set_fields(node: Any, **fields: Any) -> None:
    """Give a node other fields."""
    for name, value in fields.items():
        setattr(node, name, value)


def is_docstring(node: ast.AST) -> bool:
    """Is it a text that stands by itself?"""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def put_first(statement: ast.stmt, found: Any) -> None:
    """Let a function begin with a statement."""
    found.body.insert(1 if is_docstring(found.body[0]) else 0, statement)


def put_in_place(number: int, name: ast.expr, found: Any) -> None:
    """Let an expression stand for one of the nodes inside."""
    become(list(ast.walk(found))[number], name)


def expression(text: str) -> ast.expr:
    """An expression that is written so."""
    return ast.parse(text, mode="eval").body


def name_called(node: Any) -> str:
    """The name of the function or method that is called."""
    function = getattr(node, "func", None)
    return str(getattr(function, "attr", getattr(function, "id", "")))


def is_module(node: ast.AST) -> bool:
    """Is it no value, but what functions or the parts of a layer stand in?"""
    return ast.unparse(node) in ("torch", "math", "F", "nn", "torch.nn.functional", "self")


def stand_in(other: ast.AST, node: Any) -> None:
    """Let an expression stand for a node: an edit, once its first argument is given."""
    become(node, other)


def return_instead(text: str, node: Any) -> None:
    """Let a function return what `text` makes of its result, which stands for `{0}`."""
    for one in ast.walk(node):
        if isinstance(one, ast.Return) and one.value is not None:
            one.value = expression(text.format(ast.unparse(one.value)))
