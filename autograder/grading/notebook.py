"""A submitted notebook as data: read without trust, put in order by the release's manifest."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.grading.reading import Invalid
from autograder.grading.text import one_line, whole_characters

DEEPEST_JSON = 60
MOST_PARTS = 10**6  # of the JSON: a part of two bytes takes a hundred in memory
MOST_STRANGERS = 10
_MARKS = ("grade_id", "grade", "solution", "locked", "task", "points", "schema_version")
_TAG = re.compile(r"[\w-]{1,50}")


@dataclass(frozen=True)
class Task:
    """One exercise of a chapter, as the release has it."""

    name: str
    points: float
    check_id: str
    check_source: str
    digest: str = ""  # of its check and its reference


@dataclass(frozen=True)
class Chapter:
    """What is graded in a chapter, in order: the release's word, never the submission's."""

    name: str
    tasks: tuple[Task, ...]
    locked: dict[str, str]
    digest: str  # of the release and the grader
    cell_metadata: dict[str, dict[str, Any]]
    demos: frozenset[str]
    ungraded: frozenset[str] = frozenset()  # of the demos: those that grading need not run
    # What is answered in words and graded by hand: the released text by grade id.
    answers: dict[str, str] = field(default_factory=dict)
    # By grade id the points and the sources' hashes of earlier releases.
    former: dict[str, frozenset] = field(default_factory=dict)

    @property
    def max_points(self) -> float:
        return sum(task.points for task in self.tasks)


def _depth(value: Any) -> int:
    deepest, todo = 0, [(value, 1)]
    while todo:
        item, depth = todo.pop()
        deepest = max(deepest, depth)
        if isinstance(item, dict):
            todo += [(child, depth + 1) for child in item.values()]
        elif isinstance(item, list):
            todo += [(child, depth + 1) for child in item]
    return deepest


def parse(content: bytes) -> NotebookNode:
    """A notebook of format 4 from bytes; Invalid says what is wrong with it."""
    if not content.strip():
        raise Invalid("the file is empty")
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise Invalid("the file has too many parts to be a notebook")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(f"the file is not UTF-8 text (byte {error.start})") from None
    try:
        raw = json.loads(text)
    except RecursionError:
        raise Invalid("the JSON is nested too deeply") from None
    except ValueError as error:
        raise Invalid(f"the file is not valid JSON ({error})"[:200]) from None
    if not isinstance(raw, dict) or _depth(raw) > DEEPEST_JSON:
        raise Invalid("the file is JSON, but not a notebook")
    try:
        return _tidied(raw if raw.get("nbformat") == 4 else _of_older_format(raw))
    except Invalid:
        raise
    except Exception as error:
        kind = type(error).__name__
        told = one_line(f"the file is JSON, but not a notebook ({kind}: {error}", 200)
        raise Invalid(f"{told})") from None


def _of_older_format(notebook: dict[str, Any]) -> dict[str, Any]:
    """What grading reads of a notebook of format 2 or 3, under the names of format 4.

    By hand: nbformat's own conversion takes outputs and metadata along, and validates each part.
    """
    if notebook.get("nbformat") not in (2, 3):
        raise Invalid("the file is JSON, but not a notebook of format 2, 3 or 4")
    cells = []
    for sheet in notebook["worksheets"]:
        for cell in sheet["cells"]:
            kind = cell["cell_type"]
            source = cell.get("input" if kind == "code" else "source", "")
            if kind == "heading":
                line = source if isinstance(source, str) else "".join(source)
                source = f"{'#' * min(6, int(cell.get('level', 1)))} {line}"
            known = kind if kind in ("code", "raw") else "markdown"
            metadata = cell.get("metadata")
            cells.append({"cell_type": known, "source": source, "metadata": metadata})
    return {"cells": cells}


def _tidied(notebook: dict[str, Any]) -> NotebookNode:
    """Cells with only the fields that grading reads, outputs cleared, ids made valid."""
    cells = notebook.get("cells")
    if not isinstance(cells, list) or len(cells) > 5000:
        raise Invalid("the notebook has no list of cells, or more than 5000")
    tidy = []
    for index, cell in enumerate(cells):
        source = cell.get("source", "") if isinstance(cell, dict) else None
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str) or cell.get("cell_type") not in ("code", "markdown", "raw"):
            raise Invalid(f"cell {index + 1} is not a notebook cell")
        source = whole_characters(source)
        kept = NotebookNode(cell_type=cell["cell_type"], source=source, id=f"cell-{index}")
        kept.metadata = _metadata(cell.get("metadata"))
        if kept.cell_type == "code":
            kept.update(outputs=[], execution_count=None)
        tidy.append(kept)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    # Made by hand, here and elsewhere: nbformat's own functions validate each part, for 1.5 ms.
    made = NotebookNode(cells=tidy, nbformat=4, nbformat_minor=5)
    made.metadata = nbformat.from_dict(metadata)
    return made


def _metadata(given: Any) -> NotebookNode:
    """Of a cell's metadata what grading reads: its tags, and plain values of nbgrader's."""
    kept = NotebookNode()
    given = given if isinstance(given, dict) else {}
    tags, marks = given.get("tags"), given.get("nbgrader")
    if isinstance(tags, list):
        kept.tags = [tag for tag in tags if isinstance(tag, str) and _TAG.fullmatch(tag)]
    if isinstance(marks, dict):
        kept.nbgrader = NotebookNode(
            {
                key: whole_characters(value) if isinstance(value, str) else value
                for key, value in marks.items()
                if key in _MARKS and isinstance(value, str | int | float | None)
            }
        )
    return kept


def grade_id(cell: NotebookNode) -> str | None:
    """The nbgrader id of a cell, if it has a usable one."""
    marks = cell.metadata.get("nbgrader")
    name = marks.get("grade_id") if isinstance(marks, dict) else None
    return name if isinstance(name, str) else None


def restored(notebook: NotebookNode, chapter: Chapter) -> list[str]:
    """Put the release's cells back in place; return, in words, what had been changed.

    Every graded and locked cell gets the release's source and metadata, the last of several
    cells with one id keeps it (as nbgrader does), unknown ids are dropped, and a check cell that
    is missing is added back behind its exercise.
    """
    notes: list[str] = []
    seen: set[str] = set()
    strangers = 0
    for cell in reversed(notebook.cells):
        # Editors and platforms write line ends in their own way; Python reads all alike.
        cell.source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
        name = grade_id(cell)
        if name is None:
            cell.metadata.pop("nbgrader", None)
            continue
        if name in seen:
            notes.append(f"the cell {name} was there more than once; the last one is graded")
            cell.metadata.pop("nbgrader")
            continue
        if name not in chapter.cell_metadata:
            strangers += 1
            if strangers <= MOST_STRANGERS:
                notes.append(f"the cell {one_line(name, 60)} is not one of the release's")
            cell.metadata.pop("nbgrader")
            continue
        seen.add(name)
        release = chapter.cell_metadata[name]
        kind = "markdown" if name in chapter.answers else "code"
        if cell.cell_type != kind:
            notes.append(f"the cell {name} had its type changed")
            _retype(cell, kind)
        former, given = chapter.former.get(name, frozenset()), cell.metadata.nbgrader
        changed = [key for key in ("points", "grade") if given.get(key) != release.get(key)]
        if changed and not (changed == ["points"] and given.get("points") in former):
            notes.append(f"the metadata of the cell {name} was edited")
        cell.metadata.nbgrader = NotebookNode(release)
        if name in chapter.locked and cell.source != chapter.locked[name]:
            if _sha256(cell.source) not in former:
                notes.append(f"the locked cell {name} was edited")
            cell.source = chapter.locked[name]
    if strangers > MOST_STRANGERS:
        notes.append(f"{strangers - MOST_STRANGERS} more cells are not of the release's")
    notes = list(dict.fromkeys(notes))
    for task in chapter.tasks:
        for name in (task.name, task.check_id):
            if name not in seen:
                notes.append(f"the cell {name} is missing")
    _add_checks(notebook, chapter, seen)
    return notes


def _sha256(source: str) -> str:
    """As the release's manifest has it."""
    content = source.encode()
    return hashlib.sha256(len(content).to_bytes(8, "big") + content).hexdigest()


def _retype(cell: NotebookNode, kind: str) -> None:
    cell.cell_type = kind
    for part in ("outputs", "execution_count"):
        cell.pop(part, None)
    if kind == "code":
        cell.update(outputs=[], execution_count=None)


def answered(notebook: NotebookNode, chapter: Chapter) -> dict[str, bool]:
    """For each cell that is graded by hand, whether something was written there."""
    written = {grade_id(cell): cell.source.strip() for cell in notebook.cells}
    return {
        name: written.get(name, "") not in ("", released.strip())
        for name, released in chapter.answers.items()
    }


def _add_checks(notebook: NotebookNode, chapter: Chapter, seen: set[str]) -> None:
    for task in chapter.tasks:
        if task.check_id in seen:
            continue
        cell = new_code_cell(task.check_source, id=f"restored-{task.check_id}"[:64])
        cell.metadata.nbgrader = NotebookNode(chapter.cell_metadata[task.check_id])
        places = [i for i, other in enumerate(notebook.cells) if grade_id(other) == task.name]
        notebook.cells.insert(places[0] + 1 if places else len(notebook.cells), cell)
