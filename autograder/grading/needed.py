"""Which cells grading has to run: the students' own, and of the release's only what those use."""

import functools
import symtable

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


@functools.lru_cache(maxsize=1024)  # most cells of a class are the release's own
def _names(source: str) -> tuple[set[str] | None, set[str]]:
    """The names that a cell may make, and those it takes; None for a cell that cannot be told."""
    try:
        top = symtable.symtable(source, "<cell>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, set()
    makes = {name.get_name() for name in top.get_symbols() if name.is_assigned()}
    makes |= {name.get_name() for name in top.get_symbols() if name.is_imported()}
    uses = {name.get_name() for name in top.get_symbols() if name.is_referenced()}
    inner = list(top.get_children())
    while inner:
        table = inner.pop()
        inner += table.get_children()
        uses |= {name.get_name() for name in table.get_symbols() if name.is_global()}
        makes |= {name.get_name() for name in table.get_symbols() if name.is_declared_global()}
    return makes, uses
