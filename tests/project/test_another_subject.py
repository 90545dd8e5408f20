"""Can another subject be taught with this engine: released, checked and graded, untouched?

A course on integrals in a package of another name; of the engine one line changes, which names it.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell

from tests.release.miniature import check_cell, exercise_cell, setup_cell, write_chapter
from tests.sandboxed import needs_sandbox

REPOSITORY = Path(__file__).parents[2]
REFERENCE = '''\
"""Chapter 1: integrals as sums."""

from torch import Tensor


def midpoint(heights: Tensor, width: float) -> Tensor:
    """The area of rectangles. Shapes: heights (..., N); returns (...)."""
    return heights.sum(dim=-1) * width


def trapezoid(heights: Tensor, width: float) -> Tensor:
    """The area of trapezoids between neighbors. Shapes: heights (..., N); returns (...)."""
    return midpoint(heights[..., 1:] + heights[..., :-1], width) / 2
'''
CHECK = """\
from autograder.checking import agrees, exercise, misconceptions


@exercise("midpoint", chapter="01-integrals", points=1)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(B=2, N=5), 0.5)


misconceptions["midpoint"] = {
    "no-width": ("The heights are added up, but not multiplied by the width.", {" * width": ""}),
}


@exercise("trapezoid", chapter="01-integrals", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(B=2, N=5), 0.5)


misconceptions["trapezoid"] = {
    "not-halved": ("Two neighbors are added, but not halved.", {" / 2": ""}),
}
"""
RIGHT = "def midpoint(heights, width):\n    return width * heights.sum(-1)"
WRONG = """\
def trapezoid(heights, width):
    return midpoint(heights[..., 1:] + heights[..., :-1], width)
"""


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """A repository whose engine is this one and whose content is not."""
    caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "autograder", tmp_path / "autograder", ignore=caches)
    for name in ("pyproject.toml", "LICENSE", "LICENSE-text", "nbgrader_config.py"):
        shutil.copy(REPOSITORY / name, tmp_path)
    init = tmp_path / "autograder" / "__init__.py"
    init.write_text(init.read_text().replace('solutions="solutions"', 'solutions="calculus"'))
    toml = tmp_path / "pyproject.toml"
    toml.write_text(toml.read_text().replace('"solutions", "book/lab"', '"calculus", "book/lab"'))
    chapter = tmp_path / "calculus" / "integrals"
    for folder in (chapter, tmp_path / "book" / "lab"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    (tmp_path / "calculus" / "__init__.py").touch()
    (chapter / "__init__.py").write_text("from calculus.integrals.reference import *")
    (chapter / "reference.py").write_text(REFERENCE)
    (chapter / "check.py").write_text(CHECK)
    (tmp_path / "_config.yml").write_text("title: Integrals\nhtml:\n  baseurl: ''\n")
    cells = [new_markdown_cell("# 1 · Integrals"), setup_cell()]
    for name, points in (("midpoint", 1), ("trapezoid", 2)):
        cells += [exercise_cell(name, "integrals"), check_cell(name, points)]
    for cell in cells:
        cell.source = cell.source.replace("from solutions.", "from calculus.")
    write_chapter(tmp_path, cells, "01-integrals")
    return tmp_path


def autograder(fork: Path, *words: object) -> subprocess.CompletedProcess:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(fork), str(fork / "book")])}
    command = [sys.executable, "-m", "autograder.cli", *map(str, words)]
    return subprocess.run(command, cwd=fork, env=environment, capture_output=True, text=True)


@pytest.mark.slow
@needs_sandbox
def test_another_subject_is_released_checked_and_graded(fork):
    ran = autograder(fork, "release", "--course", fork / "course")
    assert ran.returncode == 0, ran.stderr
    chapter = Path("01-integrals", "01-integrals.ipynb")
    notebook = nbformat.read(fork / "course" / "release" / chapter, as_version=4)
    for cell in notebook.cells:
        for code in (RIGHT, WRONG):
            if code.split("(")[0] in cell.source:
                assert "raise NotImplementedError" in cell.source and "width / 2" not in cell.source
                cell.source = code
    handed_in = fork / "course" / "submitted" / "ada" / chapter
    handed_in.parent.mkdir(parents=True)
    nbformat.write(notebook, handed_in)
    own = shutil.copy(handed_in, fork)
    checked = autograder(fork, "check", own, "--json", fork / "check.json")
    assert checked.returncode == 1, checked.stderr
    graded = autograder(fork, "grade", "--course", fork / "course", "--json", fork / "grade.json")
    assert graded.returncode == 0, graded.stderr
    (record,) = map(json.loads, (fork / "grade.json").read_text().splitlines())
    assert (record["status"], record["score"], record["max_score"]) == ("graded", 1, 3)
    lines = map(json.loads, (fork / "check.json").read_text().splitlines())
    for verdicts in (record["exercises"], [*lines]):
        assert [verdict["misconception"] for verdict in verdicts] == [
            None,
            "Two neighbors are added, but not halved.",
        ]
