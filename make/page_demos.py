"""Cells of a chapter that run in the page on the reader's own code: what they need and print.

A demo runs with the cells alone that it needs, since others draw figures or train. It is offered
where it prints with the references, on NumPy, what the chapter has stored, which came of PyTorch:
`python make/page_demos.py CHAPTER.ipynb ...` finds that out when the site is built (in_page.py).
"""

import autograder.page.start  # noqa: F401, I001  (first)

import ast
import builtins
import json
import re
import symtable
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.cells import grade_id, tags
from autograder.page.session import Session, imported_here, runnable, showing
from autograder.source.syntax import made_in

BUILT_IN = frozenset(dir(builtins)) | {"__name__"}
IN_THE_PAGE = {"torch", *sys.stdlib_module_names}  # of what chapters import
BINDING = ast.Assign | ast.AugAssign | ast.AnnAssign


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that code reads of what came before it, and those that it binds or changes."""
    read: set[str] = set()
    bound: set[str] = set()
    for statement in ast.parse(source).body:
        text = ast.unparse(statement)
        top = symtable.symtable(text, "cell", "exec")
        made = made_in(top)
        used = {one.get_name() for one in top.get_symbols() if one.is_referenced()}
        used |= set(_global_names(top))
        read |= used - bound - (set() if isinstance(statement, BINDING) else made)
        if isinstance(statement, ast.AugAssign):
            read |= made - bound
        bound |= made | set(_changed(statement))
    return read, bound


def _global_names(scope: symtable.SymbolTable) -> Iterator[str]:
    for child in scope.get_children():
        yield from (
            one.get_name() for one in child.get_symbols() if one.is_global() and one.is_referenced()
        )
        yield from _global_names(child)


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The names of which a part is written."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            root: ast.expr = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name):
                yield root.id


def needed(cells: Sequence[str], at: int) -> tuple[list[int], set[str]]:
    """The earlier cells that a cell needs, in order, and the names that none of them binds."""
    missing, _ = names(cells[at])
    found = []
    for place in range(at - 1, -1, -1):
        read, bound = names(cells[place])
        if bound & missing:
            found.append(place)
            missing = missing - bound | read
    return found[::-1], missing - BUILT_IN


def offered(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The demos of an author's notebook: each cell's id, and those of the cells that it needs.

    Beside these the exercises of the chapter that it needs, and the names of earlier chapters.
    """
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    imports = "\n".join(imported_here(map(_source, cells), IN_THE_PAGE.__contains__))
    _, here = names(imports)
    sources = [runnable(_source(cell), "solutions".__eq__) for cell in cells]
    for at, cell in enumerate(cells):
        stored = _stored(cell)
        if not stored or "remove-cell" in tags(cell) or grade_id(cell):
            continue
        places, missing = needed(sources, at)
        graded = [place for place in places if grade_id(cells[place])]
        if missing - here or not graded:
            continue
        session = Session()
        printed = session.run(
            [imports, *(sources[place] for place in places)], showing(sources[at])
        )
        if _plain(printed) == _plain(stored):
            own = [place for place in graded if cells[place]["metadata"]["nbgrader"]["solution"]]
            used = set().union(*(names(sources[place])[0] for place in [*places, at]))
            bound = set().union(*(names(sources[place])[1] for place in graded if place not in own))
            yield {
                "cell": cell["id"],
                "needs": [cells[place]["id"] for place in places if place not in graded],
                "exercises": [grade_id(cells[place]) for place in own],
                "provided": sorted(used & bound),
            }


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _stored(cell: dict[str, Any]) -> str:
    """What a cell printed and showed, if that is text alone."""
    text = ""
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            text += "".join(output["text"])
        elif set(output.get("data", {"text/html": ""})) == {"text/plain"}:
            text += "".join(output["data"]["text/plain"]) + "\n"
        else:
            return ""
    return text


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


if __name__ == "__main__":
    found = {}
    for path in map(Path, sys.argv[1:]):
        found[path.stem] = list(offered(json.loads(path.read_text(encoding="utf-8"))))
    print(json.dumps(found))
