"""Exercise cells: the reference's text, with every body marked as the solution.

nbgrader's own ClearSolutions then makes the stub of it: signature, docstring, and
`raise NotImplementedError` where each body was. What is to be mended it leaves as it is.
"""

import ast

from autograder.errors import ReleaseError
from autograder.release.chapter import ChapterNotebook
from autograder.release.chapter_cells import import_of, imports_from_solutions, kind, named
from autograder.release.debugging_exercises import MEND, DebuggingExercises, as_given
from autograder.release.references import Reference, end_of, where_written
from autograder.source.content import CHECK
from autograder.source.syntax import first_line

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def cut_stubs(chapter: ChapterNotebook) -> None:
    """Replace each exercise cell's import by nbgrader's source of the exercise."""
    mends = DebuggingExercises(chapter.references)
    for cell in chapter.notebook.cells:
        if kind(cell) != "exercise":
            continue
        (wanted,) = imports_from_solutions(cell, chapter.name)
        reference = chapter.references.find(wanted.module, wanted.name)
        chapter.note_use_of(reference)
        broken = mends.with_misconception(wanted.module, wanted.bound)
        _reject_what_the_notebook_lacks(chapter, broken or reference, named(cell))
        if broken:
            cell.source = as_given(broken, wanted.bound)
            cell.metadata[MEND] = True
        elif wanted.bound == wanted.name:
            cell.source = stub(reference)
        else:
            raise ReleaseError(
                f"{chapter.name}: {where_written(wanted.module, CHECK)} has no "
                f"`mend({wanted.name!r}, ...)` for the exercise {wanted.bound}."
            )


def stub(reference: Reference) -> str:
    """The reference's definition with a solution region around every body."""
    where = where_written(reference.module)
    node = reference.node
    methods = _methods(node, where) if isinstance(node, ast.ClassDef) else [node]
    lines = list(reference.lines[: node.end_lineno])
    for method in reversed(methods):  # from the end, so that earlier line numbers stay true
        _mark_body(lines, method, where)
    return "\n".join(lines[first_line(node) - 1 :])


def _methods(node: ast.ClassDef, where: str) -> list[ast.FunctionDef]:
    methods = []
    for item in node.body[1:]:  # the first is the docstring
        if not isinstance(item, ast.FunctionDef):
            raise ReleaseError(
                f"{where}: class {node.name} has something that is not a method in line "
                f"{item.lineno}, which the stub would give away; move it into __init__."
            )
        if item.name.startswith("_") and not item.name.endswith("__"):
            raise ReleaseError(
                f"{where}: class {node.name} has the private method {item.name}, which is no part "
                f"of the contract; put its lines where they are used."
            )
        methods.append(item)
    return methods


def _mark_body(lines: list[str], method: ast.FunctionDef, where: str) -> None:
    body = list(method.body)
    last_kept = first_line(body[0]) - 1
    if ast.get_docstring(method, clean=False) is not None:
        last_kept = end_of(body.pop(0))
    if body and _calls_super_init(method, body[0]):
        last_kept = end_of(body.pop(0))
    first = method.body[0]
    if lines[first.lineno - 1][: first.col_offset].strip():
        raise ReleaseError(
            f"{where}: the body of {method.name} begins on the line of its signature (line "
            f"{method.lineno}); put it on lines of its own."
        )
    indent = " " * first.col_offset
    end = end_of(method)
    while end < len(lines) and _is_comment_of_the_body(lines[end], indent):
        end += 1
    solution = lines[last_kept:end]
    lines[last_kept:end] = [indent + BEGIN, *solution, indent + END]


def _calls_super_init(method: ast.FunctionDef, statement: ast.stmt) -> bool:
    return method.name == "__init__" and ast.unparse(statement) == "super().__init__()"


def _is_comment_of_the_body(line: str, indent: str) -> bool:
    return line.startswith(indent) and line.lstrip().startswith("#")


def _reject_what_the_notebook_lacks(
    chapter: ChapterNotebook, reference: Reference, exercise: str
) -> None:
    defined = chapter.names_before(exercise)
    for name, statement in reference.imports.items():
        if name not in defined:
            raise ReleaseError(
                f"{chapter.name}: {exercise} needs {name}, which no earlier cell imports; "
                f"add `{statement}` to the chapter's first code cell."
            )
    for used in reference.uses:
        if used.name not in defined:
            raise ReleaseError(
                f"{chapter.name}: {exercise} builds on {used.name}, which no earlier cell defines; "
                f"add a provided cell with `{import_of(used.module, used.name)}`."
            )
