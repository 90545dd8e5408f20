"""A stub that was pasted below the code that had taken its place: it would undo that code."""

import ast
from collections.abc import Sequence

from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.grading.course.released import ReleasedChapter
from autograder.grading.submission.names_used import LONGEST_SOURCE, definition_of
from autograder.source.syntax import UNREADABLE, FunctionOrClass, first_line


def drop_pasted_stubs(
    cells: Sequence[NotebookNode], chapter: ReleasedChapter
) -> tuple[dict[int, str], list[str]]:
    """By their places the cells that hold such a stub, without it, and what is said of each.

    What is graded then is what the student could have handed in as well: the same cells, in which
    an exercise is defined by the last definition that is more than its stub.
    """
    changed: dict[int, str] = {}
    notes = []
    own = {
        index: cell.source
        for index, cell in enumerate(cells)
        if cell.cell_type == "code"
        and cell.source not in chapter.demos
        and grade_id(cell) not in chapter.locked
    }
    for exercise in chapter.exercises:
        defines = definition_of(exercise.name)
        places = [index for index, source in own.items() if defines.search(source)]
        if len(places) < 2 and not any(_often(own[index], exercise.name) for index in places):
            continue
        definitions = [
            (index, node)
            for index in places
            for node in _definitions(changed.get(index, own[index]), exercise.name)
        ]
        stubs = 0  # at the end
        while stubs < len(definitions) and is_stub(definitions[-1 - stubs][1]):
            stubs += 1
        if not stubs or stubs == len(definitions):
            continue
        kept, line = definitions[-1 - stubs][0], definitions[-1 - stubs][1].lineno
        for index, node in reversed(definitions[-stubs:]):
            lines = changed.get(index, own[index]).split("\n")
            first = first_line(node) - 1
            lines[first : node.end_lineno] = [""] * len(lines[first : node.end_lineno])
            changed[index] = "\n".join(lines)
        notes.append(
            f"a stub of {exercise.name} stands below its code and would undo it: what counts is "
            f"the code in line {line} of cell {kept + 1}"
        )
    return changed, notes


def is_stub(node: ast.stmt) -> bool:
    """Whether it is as an exercise is given: a docstring, and `raise NotImplementedError`."""
    if isinstance(node, ast.ClassDef):
        inner = [item for item in node.body if not _is_text(item)]
        return bool(inner) and all(map(is_stub, inner))
    if not isinstance(node, ast.FunctionDef):
        return False
    rest = [ast.unparse(item) for item in node.body if not _is_text(item)]
    return rest[-1:] == ["raise NotImplementedError"] and rest[:-1] in ([], ["super().__init__()"])


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _often(source: str, name: str) -> bool:
    return len(definition_of(name).findall(source)) > 1


def _definitions(source: str, name: str) -> list[ast.stmt]:
    """The statements at the top level of a cell that define the name."""
    if len(source) > LONGEST_SOURCE:
        return []
    try:
        body = ast.parse(source).body
    except UNREADABLE:
        return []
    return [one for one in body if isinstance(one, FunctionOrClass) and one.name == name]
