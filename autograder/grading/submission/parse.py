"""A submitted notebook as data: read without trust, put in order by the release's manifest."""

import itertools
import json
import re
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.errors import Invalid
from autograder.grading.text import one_line, whole_characters

DEEPEST_JSON = 60
MOST_PARTS = 10**6  # of the JSON: a part of two bytes takes a hundred in memory
_MARKS = ("grade_id", "grade", "solution", "locked", "task", "points", "schema_version")
_TAG = re.compile(r"[\w-]{1,50}")


def _depth(value: Any) -> int:
    """How many lists and objects lie within each other; text and numbers count as one more."""
    depth, level = 1, [value]
    while inner := [part for part in level if type(part) in (dict, list) and part]:
        lists = (part.values() if type(part) is dict else part for part in inner)
        depth, level = depth + 1, list(itertools.chain.from_iterable(lists))
    return depth


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
        reason = one_line(f"the file is JSON, but not a notebook ({kind}: {error}", 200)
        raise Invalid(f"{reason})") from None


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
            cell_type = kind if kind in ("code", "raw") else "markdown"
            metadata = cell.get("metadata")
            cells.append({"cell_type": cell_type, "source": source, "metadata": metadata})
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
    tidied = NotebookNode(cells=tidy, nbformat=4, nbformat_minor=5)
    tidied.metadata = nbformat.from_dict(metadata)
    return tidied


def _metadata(metadata: Any) -> NotebookNode:
    """Of a cell's metadata what grading reads: its tags, and plain values of nbgrader's."""
    kept = NotebookNode()
    metadata = metadata if isinstance(metadata, dict) else {}
    tags, marks = metadata.get("tags"), metadata.get("nbgrader")
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
