"""What the text of a solution names: library functions that an exercise forbids.

Only watched calls take points. What is named and was not seen to run is for the teacher to look at.
"""

import ast
from collections.abc import Iterator, Sequence

from autograder.checking.families import used_of

LONGEST_SOURCE = 200_000  # characters; taking more apart takes gigabytes
LIBRARIES = {"torch", "nn", "F"}


def shortcuts(name: str, cells: Sequence[str], forbidden: tuple[str, ...]) -> list[str]:
    """The forbidden functions that the definition of `name`, or what it uses, calls by name.

    `torch.softmax`, `F.softmax`, `x.softmax(-1)`, `nn.Softmax`, `getattr(F, "softmax")`,
    `from torch import softmax as s`. What the same cells do besides does not count.
    """
    if sum(map(len, cells)) > LONGEST_SOURCE:
        return []
    defined: dict[str, ast.stmt] = {}
    for cell in cells:
        try:
            body = ast.parse(cell).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for statement in body:
            defined |= dict.fromkeys(_binds(statement), statement)
    seen, todo, reached = set(), [name], set()
    while todo:
        statement = defined.get(todo.pop())
        if statement is None or id(statement) in reached:
            continue
        reached.add(id(statement))
        for node in ast.walk(statement):
            seen.update(_named(node, defined))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                todo.append(node.id)
    return used_of(forbidden, seen)


def _binds(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield (alias.asname or alias.name).split(".")[0]
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _named(node: ast.AST, defined: dict[str, ast.stmt]) -> Iterator[str]:
    """The names of functions that a piece of a solution may call."""
    if isinstance(node, ast.ImportFrom):
        if (node.module or "").split(".")[0] == "torch":
            yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Attribute):
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in LIBRARIES:
            yield node.attr
    elif isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute):
            own = function.value
            mine = isinstance(own, ast.Name) and (
                own.id in ("self", "cls") or isinstance(defined.get(own.id), ast.ClassDef)
            )
            if not mine:
                yield function.attr
        elif isinstance(function, ast.Name) and function.id == "getattr":
            for value in node.args[1:2]:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value
