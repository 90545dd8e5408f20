"""Repositories in miniature to release from."""

import shutil
from pathlib import Path

import pytest

from tests.release.miniature import (
    BIBLIOGRAPHY,
    CHECKS,
    EARLIER,
    REPOSITORY,
    SOLUTIONS,
    chapter_cells,
    write_chapter,
)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The root of a repository in miniature, without the tools."""
    root = tmp_path / "repository"
    for folder in ("book/lab", "solutions/tiny", "solutions/earlier"):
        (root / folder).mkdir(parents=True)
    (root / "_config.yml").write_text("title: Tiny\nhtml:\n  baseurl: https://example.org/book/\n")
    (root / "solutions" / "__init__.py").write_text("")
    (root / "solutions" / "tiny" / "reference.py").write_text(SOLUTIONS)
    (root / "solutions" / "earlier" / "reference.py").write_text(EARLIER)
    for name in ("tiny", "earlier"):
        init = f"from solutions.{name}.reference import *"
        (root / "solutions" / name / "__init__.py").write_text(init)
    (root / "book" / "references.bib").write_text(BIBLIOGRAPHY)
    (root / "book" / "lab" / "__init__.py").write_text('"""Shared."""\n')
    write_chapter(root, chapter_cells())
    return root


@pytest.fixture
def tiny_with_tools(tiny: Path) -> Path:
    """The same with the course's own checking core and project files."""
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "autograder", tiny / "autograder", ignore=no_caches)
    (tiny / "solutions" / "tiny" / "check.py").write_text(CHECKS)
    for name in ("pyproject.toml", "LICENSE", "LICENSE-text"):
        shutil.copy(REPOSITORY / name, tiny / name)
    return tiny
