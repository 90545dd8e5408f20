"""Which cells grading has to run: the students' own, and of the release's only what those use."""

import ast

from nbformat import NotebookNode

from autograder.grading.notebook import Chapter, grade_id

UNGRADED = "ungraded"


def needed_cells(notebook: NotebookNode, chapter: Chapter) -> set[int]:
    """The indices of the code cells to run.

    A demo cell that stands as the release has it is needed when it makes a name that a later
    needed cell may use. Every cell that a student wrote or changed is needed, but for those
    tagged `ungraded`.
    """
    needed: set[int] = set()
    wanted: set[str] = set()
    for index in reversed(range(len(notebook.cells))):
        cell = notebook.cells[index]
        if cell.cell_type != "code" or grade_id(cell) in {task.check_id for task in chapter.tasks}:
            continue
        tags = cell.metadata.get("tags")
        if grade_id(cell) is None and isinstance(tags, list) and UNGRADED in tags:
            continue
        makes, uses = _names(cell.source)
        as_released = grade_id(cell) is None and cell.source in chapter.demos
        if as_released and makes is not None and not makes & wanted:
            continue
        needed.add(index)
        wanted |= uses
    return needed


def _names(source: str) -> tuple[set[str] | None, set[str]]:
    """The names that a cell may make, and those it may use; None for a cell that cannot be told."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, set()
    makes: set[str] = set()
    uses: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (uses if isinstance(node.ctx, ast.Load) else makes).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            makes.add(node.name)
        elif isinstance(node, ast.alias):
            makes.add((node.asname or node.name).split(".")[0])
    return makes, uses
