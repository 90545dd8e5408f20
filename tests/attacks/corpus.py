"""The corpus: hostile and broken submissions, each with what it must score and what is told.

A case is one file. `cells/FAMILY/NAME.py` has cells that run in the sandbox; `files/FAMILY/NAME.py`
has a function that runs here and hands in a file. README.md shows both.
"""

import importlib.util
import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook

from autograder.checking import find
from autograder.grading.course.folder import Course
from autograder.nbgrader_course import scripts_on_path
from tests.sample_class import cell_of, reference_source

HERE = Path(__file__).parent
CHAPTER = "attacked"
# A first exercise that most cases attack, one that forbids library functions, one that bounds
# memory, a layer with parameters.
EXERCISES = ("double", "softmax", "distance_scores", "LearnedPositions")
SETUP = """\
import math
from collections.abc import Callable, Sequence
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from autograder import check"""
PROVIDED = "scaled_dot_product_scores"


@dataclass(frozen=True)
class Case:
    """A submission and what must come of it."""

    name: str
    about: str
    status: str
    verdicts: dict[str, tuple[str, str]]  # exercise: (status, words of the message)
    notes: tuple[str, ...]
    patient: bool  # does not wait for a time limit
    seldom: bool  # takes minutes: handed in by `make test-exhaustive`
    hand_in: Callable[[NotebookNode, Path], None] = field(compare=False)
    student: str = ""

    def __str__(self) -> str:
        return self.name


def cases() -> list[Case]:
    """Every case, in the order of its name."""
    return [
        _case(path) for path in sorted((*HERE.glob("cells/*/*.py"), *HERE.glob("files/*/*.py")))
    ]


def _case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    about, expected = _header(text, path)
    hand_in = _cells(text) if path.parents[1].name == "cells" else _function(path)
    default = expected.pop("every", "passed")
    verdicts = {name: _split(expected.pop(name, default)) for name in EXERCISES}
    case = Case(
        path.relative_to(HERE).with_suffix("").as_posix(),
        about,
        expected.pop("status", "graded"),
        verdicts,
        tuple(expected.pop("notes", ())),
        expected.pop("patient", True),
        expected.pop("seldom", False),
        hand_in,
        expected.pop("student", "n" * expected.pop("letters", 0)),
    )
    if expected:
        raise ValueError(f"{path}: unknown expectations {sorted(expected)}.")
    return case


def _header(text: str, path: Path) -> tuple[str, dict]:
    """What the comment at the top says, and the TOML in it."""
    found = re.match(r"((?:# .*\n)+)#\n# /// expect\n((?:#.*\n)*?)# ///\n", text)
    if not found:
        raise ValueError(f"{path} does not begin with a comment and `# /// expect`.")
    about, block = (re.sub(r"^# ?", "", part, flags=re.MULTILINE) for part in found.groups())
    return " ".join(about.split()), tomllib.loads(block)


def _split(verdict: str) -> tuple[str, str]:
    status, _, words = verdict.partition(": ")
    return status, words


def _cells(text: str) -> Callable[[NotebookNode, Path], None]:
    """Cells by `# %%` and a name: that of an exercise replaces its source, others are put in."""
    parts = re.split(r"^# %% (.*)\n", text, flags=re.MULTILINE)[1:]

    def hand_in(notebook: NotebookNode, path: Path) -> None:
        place = 3  # after the title, the setup and what is provided
        for name, source in zip(parts[::2], parts[1::2], strict=True):
            source = filled(source.strip("\n"), path)
            if name in EXERCISES:
                cell_of(notebook, name).source = source
                place = notebook.cells.index(cell_of(notebook, f"check-{name}")) + 1
            else:
                notebook.cells.insert(place, new_code_cell(source, id=f"put-in-{place}"))
                place += 1
        path.write_text(nbformat.writes(notebook), encoding="utf-8")

    return hand_in


def filled(source: str, path: Path) -> str:
    """A cell with the places and ports it attacks: those of this very run."""
    targets = json.loads((path.parents[3] / "targets.json").read_text(encoding="utf-8"))
    return re.sub(r"@([A-Z]+)@", lambda found: str(targets[found[1]]), source)


def _function(path: Path) -> Callable[[NotebookNode, Path], None]:
    spec = importlib.util.spec_from_file_location(f"attack_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.hand_in


def save(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook as it is, whatever it has become."""
    path.write_text(json.dumps(notebook), encoding="utf-8")


def released() -> NotebookNode:
    """The chapter as students get it."""
    stub = "def {0}(*args, **kwargs):\n    raise NotImplementedError"
    cells = [
        new_markdown_cell("# A chapter under attack", id="title"),
        new_code_cell(SETUP, id="setup"),
        _marked(reference_source(find(PROVIDED)), f"provided-{PROVIDED}", locked=True),
    ]
    for name in EXERCISES:
        points = find(name).points
        cells += [
            new_markdown_cell(f"Write `{name}`.", id=f"text-{name}"),
            _marked(stub.format(name), name, solution=True),
            _marked(
                f'check("{name}")', f"check-{name}", grade=True, locked=True, points=int(points)
            ),
        ]
    return new_notebook(cells=cells)


def _marked(source: str, name: str, **marks: object) -> NotebookNode:
    every = {"grade": False, "solution": False, "locked": False, "task": False}
    metadata = {"nbgrader": every | marks | {"grade_id": name, "schema_version": 3}}
    return new_code_cell(source, id=name, metadata=metadata)


@cache
def _sources() -> dict[str, str]:
    return {name: reference_source(find(name)) for name in EXERCISES}


def solved() -> NotebookNode:
    """The chapter with every exercise solved by its reference."""
    notebook = released()
    for name, source in _sources().items():
        cell_of(notebook, name).source = source
    return notebook


def write_course(root: Path) -> Course:
    """A course folder with the released chapter, as `autograder release` would leave it."""
    folder = root / "release" / CHAPTER
    folder.mkdir(parents=True)
    nbformat.write(released(), folder / f"{CHAPTER}.ipynb")
    entries = [
        {
            "name": name,
            "module": find(name).module,
            "points": find(name).points,
            "check_grade_id": f"check-{name}",
        }
        for name in EXERCISES
    ]
    manifest = {"chapters": {CHAPTER: {"exercises": entries}}}
    (root / "manifest.json").write_text(json.dumps(manifest))
    (root / "submitted").mkdir()
    course = Course(root)
    with scripts_on_path(), Gradebook(course.settings.gradebook) as book:
        book.add_assignment(CHAPTER)
        book.add_notebook(CHAPTER, CHAPTER)
        where = {"notebook": CHAPTER, "assignment": CHAPTER}
        for name in EXERCISES:
            points = find(name).points
            book.add_grade_cell(f"check-{name}", **where, max_score=points, cell_type="code")
            book.add_solution_cell(name, **where)
    return course


def place(course: Course, student: str) -> Path:
    """Where a student's notebook goes; the folder above it exists."""
    path = course.root / "submitted" / student / CHAPTER / f"{CHAPTER}.ipynb"
    path.parent.mkdir(parents=True)
    return path
