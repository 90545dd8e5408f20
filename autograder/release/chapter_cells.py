"""What a cell of a chapter is, read from nbgrader's own metadata."""

import ast
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.errors import ReleaseError
from autograder.source.content import REFERENCE, content
from autograder.source.syntax import bound

OPENING = "from-before"  # the cell that opens a chapter with questions from earlier ones


def kind(cell: NotebookNode) -> str:
    """One of text, answer, exercise, check, provided, demo."""
    marks = cell.metadata.get("nbgrader", {})
    if cell.cell_type != "code":
        return "answer" if marks.get("grade") and marks.get("solution") else "text"
    if marks.get("solution"):
        return "exercise"
    if marks.get("grade"):
        return "check"
    return "provided" if marks.get("locked") else "demo"


def named(cell: NotebookNode) -> str:
    """The name of a cell that must have one."""
    return str(cell.metadata.nbgrader.grade_id)


def parsed(cell: NotebookNode, where: str) -> ast.Module:
    """The cell's syntax tree; lines that only IPython knows (`%pip`, `!ls`) are blank in it."""
    lines = [
        "" if line.lstrip().startswith(("%", "!")) else line for line in cell.source.split("\n")
    ]
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError as error:
        raise ReleaseError(f"{where}: cell {cell.id!r} is not Python: {error}.") from None


@dataclass(frozen=True)
class Import:
    """One `from <solutions>.<module> import <name>`, or `... as mend_<name>`."""

    module: str
    name: str
    bound: str  # what it is called in the notebook


def import_of(module: str, name: str) -> str:
    """The statement with which a chapter asks for a reference."""
    return f"from {content().solutions}.{module} import {name}"


def imports_from_solutions(cell: NotebookNode, where: str) -> list[Import]:
    """The references that an exercise or provided cell asks for; nothing else may be in it."""
    wanted = []
    for statement in parsed(cell, where).body:
        if not (
            isinstance(statement, ast.ImportFrom)
            and (place := content().place(statement.module or ""))
            and place[1] == REFERENCE
            and all(
                name.name != "*" and name.asname in (None, f"mend_{name.name}")
                for name in statement.names
            )
        ):
            raise ReleaseError(
                f"{where}: cell {cell.id!r} may hold nothing but "
                f"`{import_of('<module>', '<name>')}`, and holds `{ast.unparse(statement)}`."
            )
        bounds = ((name.name, name.asname or name.name) for name in statement.names)
        wanted += [Import(place[0], *names) for names in bounds]
    if not wanted:
        raise ReleaseError(f"{where}: cell {cell.id!r} imports nothing from {content().solutions}.")
    return wanted


def names_imported(tree: ast.Module) -> set[str]:
    """The names that a cell's import statements define."""
    imports = (one for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom))
    return {name for statement in imports for name in bound(statement)}
