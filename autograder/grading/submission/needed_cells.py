"""Which cells grading has to run: the students' own, and of the release's only what those use."""

import functools
import re
import symtable

from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.grading.course.released import ReleasedChapter, is_ungraded
from autograder.grading.submission.names_used import LONGEST_SOURCE
from autograder.source.syntax import UNREADABLE, made_in

ANALYZED = 2 * LONGEST_SOURCE  # characters of a submission's own cells: each takes a microsecond
# Python's compiler looks at every name of a cell again in every function of it.
MOST_LOOKUPS = 5 * 10**6
_WORD = re.compile(r"[^\W\d]\w*")
_SCOPE = re.compile(r"\b(?:def|lambda|class|for|type)\b")


def needed_cells(notebook: NotebookNode, chapter: ReleasedChapter) -> set[int]:
    """The indices of the code cells to run.

    A demo cell that stands as the release has it is needed when it makes a name that a later
    needed cell may use. Every cell that a student wrote or changed is needed, but for those
    tagged `ungraded`.
    """
    needed: set[int] = set()
    wanted: set[str] = set()
    room = ANALYZED
    for index in reversed(range(len(notebook.cells))):
        cell = notebook.cells[index]
        if cell.cell_type != "code" or grade_id(cell) in {
            exercise.check_id for exercise in chapter.exercises
        }:
            continue
        # A cell of the release's is tagged as the release has it.
        of_release = cell.source in chapter.demos
        tagged = cell.source in chapter.ungraded if of_release else is_ungraded(cell)
        if grade_id(cell) is None and tagged:
            continue
        room -= 0 if of_release else len(cell.source)
        long = len(cell.source) > LONGEST_SOURCE or room < 0
        makes, uses = (None, set()) if long else _names(cell.source)
        if grade_id(cell) is None and of_release and makes is not None and not makes & wanted:
            continue
        needed.add(index)
        wanted |= uses
    return needed


@functools.lru_cache(maxsize=1024)  # most cells of a class are the release's own
def _names(source: str) -> tuple[set[str] | None, set[str]]:
    """The names that a cell may make, and those it takes; None for a cell that cannot be told."""
    if len(set(_WORD.findall(source))) * len(_SCOPE.findall(source)) > MOST_LOOKUPS:
        return None, set()
    try:
        top = symtable.symtable(source, "<cell>", "exec")
    except UNREADABLE:
        return None, set()
    makes = made_in(top)
    uses = {name.get_name() for name in top.get_symbols() if name.is_referenced()}
    inner = list(top.get_children())
    while inner:
        table = inner.pop()
        inner += table.get_children()
        uses |= {name.get_name() for name in table.get_symbols() if name.is_global()}
        makes |= {name.get_name() for name in table.get_symbols() if name.is_declared_global()}
    return makes, uses
