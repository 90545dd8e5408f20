"""A cell's code as a reader sees it: without what is there for checks, tests and the prose."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# What a reader does not meet: the checks' package and the references.
MACHINERY = {"autograder", "solutions"}
MARKER = re.compile(r"^\s*# (?:NBVAL_\w+|needs: .*)\s*$|  # noqa\b.*$", re.MULTILINE)
MAGIC = re.compile(r"^\s*[%!]")


@dataclass
class ReadersCode:
    """What is left of a cell, and what it took from references: (module, name)."""

    text: str
    imports_only: bool = False
    glues: bool = False  # whether it had numbers for the prose
    provided: list[tuple[str, str]] = field(default_factory=list)


def readers_code(source: str) -> ReadersCode:
    """The code without imports of machinery, `glue(...)`, assertions and test markers."""
    text = re.sub(r",\s*glue\b|\bglue\s*,\s*", "", MARKER.sub("", source))
    lines = text.split("\n")
    try:
        tree = ast.parse("\n".join("" if MAGIC.match(line) else line for line in lines))
    except SyntaxError:
        return ReadersCode(source)
    reader_code = ReadersCode("")
    gone = set()
    for statement in machinery(tree.body):
        reader_code.glues = reader_code.glues or "glue(" in (
            ast.get_source_segment(text, statement) or ""
        )
        gone |= set(range(statement.lineno, (statement.end_lineno or 0) + 1))
        if isinstance(statement, ast.ImportFrom) and module(statement).startswith("solutions."):
            name = module(statement).removeprefix("solutions.")
            reader_code.provided += [(name, alias.name) for alias in statement.names]
    kept = [line for number, line in enumerate(lines, start=1) if number not in gone]
    reader_code.text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(kept)).strip("\n")
    imports = (ast.Import, ast.ImportFrom)
    reader_code.imports_only = (
        not any(MAGIC.match(line) for line in lines)
        and any(isinstance(statement, imports) for statement in tree.body)
        and all(isinstance(statement, imports) or is_call(statement) for statement in tree.body)
    )
    return reader_code


def statements(text: str) -> list[str]:
    """The text of each statement."""
    return [ast.get_source_segment(text, statement) or "" for statement in ast.parse(text).body]


def machinery(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that are there for others than the reader; a loop of nothing else whole."""
    for statement in body:
        inner = getattr(statement, "body", [])
        within = list(machinery(inner))
        if (
            (inner and len([one for one in inner if one in within]) == len(inner))
            or (is_call(statement) and called(statement) == "glue")
            or isinstance(statement, ast.Assert)
            or (isinstance(statement, ast.ImportFrom) and is_machinery(statement))
        ):
            yield statement
        else:
            yield from within


def module(statement: ast.ImportFrom) -> str:
    return statement.module or ""


def is_machinery(statement: ast.ImportFrom) -> bool:
    names = {alias.name for alias in statement.names}
    return module(statement).split(".")[0] in MACHINERY or names == {"glue"}


def is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def called(statement: ast.Expr) -> str:
    function = statement.value.func
    return function.id if isinstance(function, ast.Name) else ""
