"""Python as text: which names a statement binds and which it uses, and what makes a name."""

import ast
from collections.abc import Iterable, Mapping


def bound(statement: ast.stmt) -> set[str]:
    """The names that a definition, an import or an assignment binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return _names(statement, ast.Store)
    return set()


def used(statement: ast.stmt) -> set[str]:
    """The names that it reads, in functions too."""
    return _names(statement, ast.Load)


def _names(statement: ast.stmt, context: type[ast.expr_context]) -> set[str]:
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, context)}


def made_by(names: Iterable[str], defined: Mapping[str, ast.stmt]) -> dict[str, ast.stmt]:
    """What binds these names, and the names used there, and so on: by name."""
    todo, found = list(names), {}
    while todo:
        name = todo.pop()
        if name in defined and name not in found:
            found[name] = defined[name]
            todo += used(defined[name])
    return found
