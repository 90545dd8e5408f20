"""Bring points to what the checks say: python -m autograder.release.set_points

The one place is `points=` of an exercise's check. From there they go into the check's cell, where
nbgrader reads them, and into the heading of the task.
"""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.checking.registry import exercises
from autograder.files import REPOSITORY
from autograder.notebook.feedback import points_text
from autograder.release.build import CHAPTERS
from autograder.release.chapter_cells import kind
from autograder.release.recipe.check_contract import POINTS, task_of


def set_points(notebook: NotebookNode, points: dict[str, float]) -> list[str]:
    """Change a chapter in place; returns the names of the exercises that changed."""
    changed = []
    for index, cell in enumerate(notebook.cells):
        name = (grade_id(cell) or "").removeprefix("check-")
        if kind(cell) != "check" or name not in points:
            continue
        wanted = points[name]
        task = task_of(notebook.cells, index)
        before = cell.metadata.nbgrader.points, task.source if task else ""
        cell.metadata.nbgrader.points = int(wanted) if wanted == int(wanted) else wanted
        if task:
            task.source = re.sub(POINTS, points_text(wanted), task.source, count=1)
        if before != (cell.metadata.nbgrader.points, task.source if task else ""):
            changed.append(name)
    return changed


def main(book: Path = REPOSITORY / "book") -> None:
    """Run as a program."""
    points = {name: one.points for name, one in exercises().items()}
    for path in sorted(book.glob(CHAPTERS)):
        notebook = nbformat.read(path, as_version=4)
        if changed := set_points(notebook, points):
            nbformat.write(notebook, path)
            print(f"{path.name}: {', '.join(changed)}")


if __name__ == "__main__":
    main()
