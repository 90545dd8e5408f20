"""What the text of a solution names: other exercises, and functions that an exercise forbids.

Only watched calls take points. What is named and was not seen to run is for the teacher to look at.
"""

import ast
import functools
import re
from collections.abc import Iterator, Sequence

from autograder.checking.families import used_of
from autograder.source.syntax import UNREADABLE, bound, imported, made_by, used

LONGEST_SOURCE = 200_000  # characters; taking more apart takes gigabytes
LIBRARIES = {"torch", "nn", "F"}
# Where a call is none of PyTorch's, or of a function whose name no text shows.
UNWATCHED = {"numpy", "scipy", "sklearn", "eval", "exec", "__import__", "import_module"}


@functools.cache
def definition_of(name: str) -> re.Pattern[str]:
    """What the line looks like that defines a name at the top level of a cell."""
    return re.compile(rf"^(?:(?:async )?(?:def|class) +{name}\b|{name} *=)", re.MULTILINE)


def shortcuts(name: str, cells: Sequence[str], forbidden: tuple[str, ...]) -> list[str]:
    """The forbidden functions that the definition of `name`, or what it uses, calls by name.

    `torch.softmax`, `F.softmax`, `x.softmax(-1)`, `nn.Softmax`, `getattr(F, "softmax")`,
    `from torch import softmax as s`. What the same cells do besides does not count.
    """
    defined = _defined(tuple(cells))
    nodes = (node for part in made_by([name], defined).values() for node in ast.walk(part))
    return used_of(forbidden, {each for node in nodes for each in _named(node, defined)})


def unwatched(name: str, cells: Sequence[str]) -> list[str]:
    """What the definition of `name`, or what it uses, does where calls cannot be watched.

    `scores.numpy()`, `import scipy.special`, `eval(text)`, `getattr(module, "soft" + "max")`.
    """
    parts = made_by([name], _defined(tuple(cells))).values()
    return sorted({each for part in parts for node in ast.walk(part) for each in _leaving(node)})


def _leaving(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(ast.Name("getattr"), [_, attribute, *_]):
            if not isinstance(attribute, ast.Constant):
                yield "getattr"
        case ast.Call(ast.Name(called) | ast.Attribute(_, called)) if called in UNWATCHED:
            yield called
        case ast.Import() | ast.ImportFrom():
            # NumPy's functions on numbers are of no concern: tensors leave by `.numpy()`.
            roots = {module.partition(".")[0] for module in imported(node)}
            yield from roots & UNWATCHED - {"numpy"}


def uses(name: str, cells: Sequence[str]) -> set[str]:
    """The names that the definition of `name` reads, and what it uses of the notebook."""
    defined = _defined(tuple(cells))
    names = {each for part in made_by([name], defined).values() for each in used(part)}
    return names - {name}


@functools.lru_cache(maxsize=1)  # a submission's failed exercises are asked one after the other
def _defined(cells: tuple[str, ...]) -> dict[str, ast.stmt]:
    """The last statement that binds each name at the top level of a cell."""
    defined: dict[str, ast.stmt] = {}
    if sum(map(len, cells)) > LONGEST_SOURCE:
        return defined
    for cell in cells:
        try:
            body = ast.parse(cell).body
        except UNREADABLE:
            continue
        for statement in body:
            defined |= dict.fromkeys(bound(statement), statement)
    return defined


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
