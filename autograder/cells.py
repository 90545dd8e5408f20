"""What a notebook's cell says of itself, whoever read the notebook: nbformat, or JSON alone."""

from collections.abc import Mapping
from typing import Any


def grade_id(cell: Mapping[str, Any]) -> str | None:
    """The nbgrader id of a cell, if it has a usable one: its name in the gradebook."""
    marks = cell["metadata"].get("nbgrader")
    name = marks.get("grade_id") if isinstance(marks, dict) else None
    return name if isinstance(name, str) else None


def tags(cell: Mapping[str, Any]) -> list[str]:
    """The cell's tags."""
    listed = cell["metadata"].get("tags")
    return list(listed) if isinstance(listed, list) else []
