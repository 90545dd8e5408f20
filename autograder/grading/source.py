"""What the text of a solution shows: library functions that an exercise forbids."""

import ast

LONGEST_SOURCE = 200_000  # characters; taking more apart takes gigabytes


def shortcuts(source: str, forbidden: tuple[str, ...]) -> list[str]:
    """The forbidden library functions that the source names, in any spelling it writes out.

    `torch.softmax`, `F.softmax`, `x.softmax(-1)`, `nn.Softmax`, `torch.ops.aten._softmax`,
    `getattr(F, "softmax")`, `from torch import softmax as s`. A name built at run time is
    seen at run time.
    """
    wanted = {_plain(name): name for name in forbidden}
    if not wanted or len(source) > LONGEST_SOURCE:
        return []
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    found = set()
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Attribute) and not _on_self(node, own):
            names = [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value] if node.value.isidentifier() else []
        found |= {wanted[_plain(name)] for name in names if _plain(name) in wanted}
    return sorted(found)


def _on_self(node: ast.Attribute, own: set[str]) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr in own


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
