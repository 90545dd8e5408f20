"""Python as text, read and never run: what it binds, uses, imports and registers."""

import ast
import symtable
from collections.abc import Iterable, Iterator, Mapping

FunctionOrClass = ast.FunctionDef | ast.ClassDef
# What comes of reading text that is no Python, or more than can be read.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def bound(statement: ast.stmt) -> set[str]:
    """The names that a definition, an import or an assignment binds."""
    if isinstance(statement, FunctionOrClass):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {name_of(alias) for alias in statement.names}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return assigned(statement)
    return set()


def name_of(alias: ast.alias) -> str:
    """The name that a part of an import binds."""
    return (alias.asname or alias.name).split(".")[0]


def assigned(node: ast.AST) -> set[str]:
    """The names that it assigns to, in functions too."""
    return _names(node, ast.Store)


def used(node: ast.AST) -> set[str]:
    """The names that it reads, in functions too."""
    return _names(node, ast.Load)


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    names = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
    return {inner.id for inner in names if isinstance(inner.ctx, context)}


def made_in(scope: symtable.SymbolTable) -> set[str]:
    """The names that are assigned, defined or imported in a scope itself."""
    names = scope.get_symbols()
    return {name.get_name() for name in names if name.is_assigned() or name.is_imported()}


def made_by(names: Iterable[str], defined: Mapping[str, ast.stmt]) -> dict[str, ast.stmt]:
    """What binds these names, and the names used there, and so on: by name."""
    todo, bindings = list(names), {}
    while todo:
        name = todo.pop()
        if name in defined and name not in bindings:
            bindings[name] = defined[name]
            todo += used(defined[name])
    return bindings


def imported(node: ast.AST) -> set[str]:
    """The full names of the modules that it imports anywhere."""
    nodes = list(ast.walk(node))
    names = {alias.name for one in nodes if isinstance(one, ast.Import) for alias in one.names}
    whole = (one for one in nodes if isinstance(one, ast.ImportFrom) and not one.level)
    return names | {one.module for one in whole if one.module}


def first_line(statement: ast.stmt) -> int:
    """The line where it begins, decorators included, counted from 1."""
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(item.lineno for item in decorators)])


def registering(statement: ast.stmt) -> Iterator[ast.Call]:
    """The call or the decorators by which a module of checks registers something."""
    called = [statement.value] if isinstance(statement, ast.Expr) else []
    for call in getattr(statement, "decorator_list", called):
        if isinstance(call, ast.Call):
            yield call


def misconceptions_of(statement: ast.stmt) -> str | None:
    """The name in `misconceptions["name"] = ...`, if it is that."""
    match statement:
        case ast.Assign([ast.Subscript(ast.Name("misconceptions"), ast.Constant(str(name)))]):
            return name
    return None
