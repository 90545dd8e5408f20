"""A repository in miniature: one chapter with two exercises, their references and checks."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

REPOSITORY = Path(__file__).resolve().parents[2]

SOLUTIONS = '''\
"""Chapter 3, tiny."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from solutions.earlier import total


def mean(values: Sequence) -> Tensor:
    """The mean of some numbers.

    Shapes: values (S); returns a scalar.
    """
    # a thought that is part of the solution
    return total(values) / math.prod([len(values)])


class Scale(nn.Module):
    """Multiplies by a learned number per feature."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.ones(size))

    def forward(
        self,
        x: Tensor,  # (..., E)
    ) -> Tensor:
        """Scale x."""
        wide = x * self.factor  # (..., E)
        return wide
        # the last word

    def __len__(self) -> int:
        return len(self.factor)
'''
EARLIER = '''\
"""Chapter 2, earlier."""

from torch import Tensor
from torch.nn import functional as F


def ones_like(values: Tensor) -> Tensor:
    """Ones."""
    return F.relu(values * 0 + 1)


def total(values: Tensor) -> Tensor:
    """The sum of some numbers."""
    return (values * ones_like(values)).sum()
'''
CHECKS = '''\
"""Checks of chapter 3."""

from autograder.checking import agrees, by, close, exercise, misconceptions


@exercise("mean", chapter="03-tiny", points=2)
def _(student, reference, draw):
    values = draw.normal(S=5)
    close(student(values), reference(values))


misconceptions["mean"] = {
    "sum": ("This adds up, and does not divide.", {"/ math.prod([len(values)])": ""}),
}


@exercise("Scale", chapter="03-tiny", points=1)
def _(student, reference, draw):
    size = 4
    x = draw.normal(B=3, E=size)
    ours, theirs = student(size), reference(size)
    weights = {"factor": draw.normal(E=size)}
    ours.load(weights), theirs.load(weights)
    close(ours(x), theirs(x))
'''
BIBLIOGRAPHY = """\
@article{hamming1950, author = {Hamming, R. W.}, title = {Codes}, year = {1950}, doi = {10.1/x}}
@article{three2020, author = {Bj{\\"o}rk, A. and Two, B. and Three, C.}, title = {Codes},
  year = {2020}, url = {https://example.org/three}}
"""


def exercise_cell(name: str, module: str = "tiny", **changes):
    """An exercise cell as a chapter has it."""
    marks = {"grade": False, "solution": True, "locked": False, "task": False, "grade_id": name}
    return _marked(f"from solutions.{module} import {name}", f"{name}-exercise", marks | changes)


def check_cell(name: str, points: int = 2, **changes):
    """A check cell as a chapter has it."""
    marks = {"grade": True, "solution": False, "locked": True, "task": False, "points": points}
    marks |= {"grade_id": f"check-{name}"}
    return _marked(f'check("{name}")', f"{name}-check", marks | changes)


def provided_cell(name: str, module: str, **changes):
    """A provided cell as a chapter has it."""
    marks = {"grade": False, "solution": False, "locked": True, "task": False}
    marks |= {"grade_id": f"provided-{name}"}
    return _marked(f"from solutions.{module} import {name}", f"{name}-provided", marks | changes)


def _marked(source: str, cell_id: str, marks: dict):
    metadata = {"nbgrader": marks | {"schema_version": 3}}
    return new_code_cell(source, id=cell_id, metadata=metadata)


def answer_cell(**changes):
    """A cell that is answered in words and graded by hand."""
    marks = {"grade": True, "solution": True, "locked": False, "task": False, "points": 2}
    marks |= {"grade_id": "find-out-why", "schema_version": 3}
    metadata = {"nbgrader": marks | changes, "rubric": ["1 point: says why."]}
    return new_markdown_cell("Because of {cite:t}`three2020`.", id="why", metadata=metadata)


def setup_cell():
    """The first code cell of every chapter."""
    lines = [
        "import math",
        "from collections.abc import Sequence",
        "import torch",
        "from torch import Tensor, nn",
        "from torch.nn import functional as F",
        "from autograder import check",
    ]
    return new_code_cell("\n".join(lines), id="setup")


def chapter_cells() -> list:
    """The cells of the chapter in miniature."""
    glued = new_output(
        "display_data",
        data={"application/papermill.record/text/plain": "0.25"},
        metadata={"scrapbook": {"name": "share", "mime_prefix": "application/papermill.record/"}},
    )
    number = new_code_cell("share = 1 / 4", id="number", metadata={"tags": ["hide-input"]})
    number.outputs = [glued]
    included = "```{literalinclude} ../solutions/tiny/reference.py\n:pyobject: mean\n```"
    fold = f":::{{dropdown}} One way\n{included}\n:::"
    play = "import altair\nplay(altair.Chart(), alt='Drag the query.', name='drag')"
    still = "print('A still.')"
    notebook_only = {"tags": ["remove-cell", "notebook-only"]}
    return [
        new_markdown_cell("# 3 · Tiny\n\nSee {cite:t}`three2020`.", id="title"),
        new_code_cell(still, id="still", metadata=notebook_only),
        setup_cell(),
        provided_cell("total", "earlier"),
        new_markdown_cell(
            ":::{admonition} A mean is just a sum\n:class: key-idea\nOver n.\n:::", id="box"
        ),
        exercise_cell("mean"),
        check_cell("mean", 2),
        new_markdown_cell(fold, id="folded"),
        new_code_cell("print(mean(torch.ones(3)))", id="demo"),
        number,
        new_code_cell("glue('unread', 1)", id="hidden", metadata={"tags": ["remove-cell"]}),
        new_markdown_cell("The share is {glue:text}`share`.", id="talk"),
        new_markdown_cell("## Play with it", id="play-title"),
        new_code_cell(play, id="play", metadata={"tags": ["book-only"]}),
        exercise_cell("Scale"),
        check_cell("Scale", 1),
        answer_cell(),
    ]


def write_chapter(root: Path, cells: list, name: str = "03-tiny") -> Path:
    """Write a chapter notebook into a repository."""
    path = root / "book" / f"{name}.ipynb"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, path)
    return path
