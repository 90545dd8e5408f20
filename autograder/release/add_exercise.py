"""Put an exercise's cells into its chapter: python -m autograder.release.add_exercise NAME

Chapter, points and module are those of the exercise's check, so that only the name has to be given.
"""

import argparse
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.cells import grade_id
from autograder.checking.registry import Exercise, exercises
from autograder.files import REPOSITORY
from autograder.release.chapter_cells import import_of
from autograder.release.recipe.check_contract import BOOK_ONLY, UNWRITTEN
from autograder.release.references import where_written
from autograder.source.content import CHECK

TASK = """\
`````{{exercise}} {title}, ●, 10 minutes, {points}
:label: ex-{label}

{unwritten[0]}
`````

:::{{dropdown}} Hint 1: what to look at
{unwritten[1]}
:::

:::{{dropdown}} Hint 2: which operation
{unwritten[2]}
:::

:::{{dropdown}} Hint 3: how the pieces go together
{unwritten[3]}
:::"""

TASK_TO_MEND = """\
There is one mistake in this code. Find it and mend it, or write it all anew: the docstring says
what must hold."""

SOURCE = """\
```{{literalinclude}} ../{file}
:pyobject: {name}
```
:::"""

REFERENCE = ":::{{dropdown}} One way to write it\n" + SOURCE

# Not in the student's copy, whose check says no more than that it is not mended yet.
WHAT_WAS_WRONG = ":::{{dropdown}} What was wrong\n{sentence}\n\n" + SOURCE


def cells(exercise: Exercise) -> list[NotebookNode]:
    """The task to be written, the exercise cell, the check cell, the folded reference."""
    name, module = exercise.name, exercise.module
    bound = "" if exercise.reference == name else f" as {name}"
    points = int(exercise.points) if exercise.points.is_integer() else exercise.points
    marks: dict[str, Any] = {"schema_version": 3, "task": False}
    to_solve = marks | {"grade": False, "solution": True, "locked": False, "grade_id": name}
    to_check = marks | {"grade": True, "solution": False, "locked": True, "points": points}
    to_check["grade_id"] = f"check-{name}"
    label = name.lower().replace("_", "-")
    words = {
        "title": f"Mend {exercise.reference}" if bound else name.replace("_", " ").capitalize(),
        "points": f"{points} point" if points == 1 else f"{points} points",
        "label": label,
        "unwritten": (TASK_TO_MEND if exercise.mend else UNWRITTEN[0], *UNWRITTEN[1:]),
    }
    solution = new_markdown_cell(
        (WHAT_WAS_WRONG if exercise.mend else REFERENCE).format(
            file=where_written(module),
            name=exercise.reference,
            sentence=exercise.planted.sentence if exercise.planted else "",
        ),
        id=f"{label}-reference",
        metadata={"tags": [BOOK_ONLY]} if exercise.mend else {},
    )
    return [
        new_markdown_cell(TASK.format(**words), id=f"{label}-task"),
        new_code_cell(
            f"{import_of(module, exercise.reference)}{bound}",
            id=f"{label}-exercise",
            metadata={"nbgrader": to_solve},
        ),
        new_code_cell(f'check("{name}")', id=f"{label}-check", metadata={"nbgrader": to_check}),
        solution,
    ]


def add(name: str, after: str | None = None, book: Path = REPOSITORY / "book") -> Path:
    """Insert the cells of an exercise; returns the notebook's path.

    They come after the cell with the id `after`, else after the chapter's last exercise.
    Raises ValueError without such an exercise, chapter or cell, or if it is in the chapter already.
    """
    registered = exercises()
    if name not in registered:
        raise ValueError(
            f"No check is registered for {name!r}: write it first, in "
            f"{where_written('<chapter>', CHECK)}."
        )
    path = book / f"{registered[name].chapter}.ipynb"
    if not path.exists():
        raise ValueError(f"{name}: there is no chapter {path.name} in {book.name}/.")
    notebook = nbformat.read(path, as_version=4)
    if name in map(grade_id, notebook.cells):
        raise ValueError(f"{path.name} has the cells of {name} already.")
    ids = [cell.id for cell in notebook.cells]
    if after is None:
        parts = ("-exercise", "-check", "-reference")
        after = next((i for i in reversed(ids) if i.endswith(parts)), ids[-1])
    if after not in ids:
        raise ValueError(f"{path.name} has no cell with the id {after!r}.")
    where = ids.index(after) + 1
    follower = grade_id(notebook.cells[where]) if where < len(ids) else None
    if follower and follower.startswith("check-"):
        raise ValueError(
            f"The cell {after!r} and the check cell behind it belong together; "
            f"give the id of the last cell of that exercise."
        )
    notebook.cells[where:where] = cells(registered[name])
    nbformat.write(notebook, path)
    return path


def main() -> None:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("name", help="the exercise, as its check names it")
    parser.add_argument("--after", metavar="ID", help="the id of the cell to put them after")
    options = parser.parse_args()
    try:
        path = add(options.name, options.after)
    except ValueError as error:
        parser.exit(1, f"{error}\n")
    label = options.name.lower().replace("_", "-")
    print(f"{path.parent.name}/{path.name} has the cells; write the task in the cell {label}-task.")


if __name__ == "__main__":
    main()
