"""Does the picture of the architecture, in the book's page for maintainers, agree with the code?"""

import ast
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = {
    "chapters": "book/*.ipynb",
    "lab": "book/lab/*.py",
    "solutions": "solutions/**/*.py",
    "make": "make/*.py",
    "cli": "autograder/cli.py",
    **{
        part: f"autograder/{part}/**/*.py"
        for part in ("checking", "exercises", "grading", "release", "sandbox")
    },
    "settings": "autograder/settings.py autograder/nbgrader_settings.py autograder/scripts.py",
}


@pytest.fixture
def architecture(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    path = ROOT / "book" / "_ext" / "architecture.py"
    specification = importlib.util.spec_from_file_location("architecture", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    yield module
    sys.modules.pop("boxes", None)


def files_of(part: str) -> list[Path]:
    return [path for pattern in PARTS[part].split() for path in ROOT.glob(pattern)]


def code_of(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield text
        return
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(line for line in cell["source"] if not line.startswith(("%", "!")))


def part_of(module: str, name: str) -> str | None:
    """The part of the code that `from module import name` reads."""
    top, *below = module.split(".")
    if top == "autograder":
        # The package itself holds `check` and `predict`, which it takes from `checking`.
        inside = below[0] if below else name
        of_settings = {Path(pattern).stem for pattern in PARTS["settings"].split()}
        if inside in of_settings:
            return "settings"
        return {"check": "checking", "predict": "checking"}.get(inside, inside) or None
    return top if top in PARTS else None


def imports(part: str) -> set[tuple[str, str]]:
    found = set()
    for path in files_of(part):
        for code in code_of(path):
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom) and node.module:
                    found |= {part_of(node.module, alias.name) for alias in node.names}
                elif isinstance(node, ast.Import):
                    found |= {part_of(alias.name, "") for alias in node.names}
    return {(part, other) for other in found - {part, None}}


def test_are_the_arrows_what_the_code_imports(architecture):
    real = set().union(*(imports(part) for part in PARTS))
    assert real == architecture.ARROWS


def test_does_every_part_stand_in_the_picture_and_in_the_code(architecture):
    assert {box.name for row in architecture.ROWS for box in row} == set(PARTS)
    assert all(files_of(part) for part in PARTS)
