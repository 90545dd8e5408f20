"""Does the picture of the architecture, in the book's page for maintainers, agree with the code?

What is loaded by name counts as what is imported.
"""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("source", "remote", "checking", "diagnosis", "notebook")
PARTS = {
    "chapters": "book/*.ipynb",
    "lab": "book/lab/*.py",
    "solutions": "solutions/**/*.py",
    "make": "make/*.py",
    "entries": " ".join(
        (
            *(f"autograder/{name}.py" for name in ("__init__", "cli", "nbgrader_settings")),
            "nbgrader_config.py",
        )
    ),
    **{
        part: f"autograder/{part}/**/*.py"
        for part in (*ROOMS, "grading", "page", "release", "sandbox")
    },
    "settings": " ".join(
        f"autograder/{name}.py"
        for name in (
            *("settings", "manifest", "nbgrader_course", "files", "cells", "errors", "queries"),
        )
    ),
}
LOADERS = {"import_module", "find_spec", "PackageLoader", "__import__"}
CONFIGURATION = "ConfigLoader"  # traitlets' loaders of files like nbgrader_config.py
MODULE = re.compile(r"(autograder|solutions|lab)(\.\w+)+")
# Where what the engine loads cannot be read off the text: what was handed in, and a table of names.
HANDED_IN = {"source/content.py", "source/sources.py"}
HANDED_IN |= {"sandbox/layout.py", "sandbox/compiled.py", "notebook/lazy.py"}
OWN_NAMES = {"checking/__init__.py", "notebook/packages.py"}


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
        # The package itself holds `check` and `predict`.
        inside = below[0] if below else name
        single = {
            Path(pattern).stem: part
            for part in ("entries", "settings")
            for pattern in PARTS[part].split()
        }
        return single.get(inside, inside if inside in PARTS else "entries")
    return top if top in PARTS else None


def loaded_by_name(node: ast.AST) -> str | None:
    """The module that a text names: `autograder.a.b`, or the first part of a call's `f"a.{b}"`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found = MODULE.fullmatch(node.value)
        return found[0] if found else None
    if isinstance(node, ast.keyword) and node.arg in ("solutions", "shared"):
        return node.value.value if isinstance(node.value, ast.Constant) else None
    if isinstance(node, ast.Call) and CONFIGURATION in ast.unparse(node.func):
        return "autograder.nbgrader_settings"  # which each configuration file imports
    if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in LOADERS:
        text = ast.unparse(node.args[0]).lstrip("f").strip("'\"") if node.args else ""
        return text if text.split(".")[0] in ("autograder", *PARTS) else None
    return None


def imports(part: str) -> set[tuple[str, str]]:
    found = set()
    for path in files_of(part):
        for code in code_of(path):
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom) and node.module:
                    found |= {part_of(node.module, alias.name) for alias in node.names}
                elif isinstance(node, ast.Import):
                    found |= {part_of(alias.name, "") for alias in node.names}
                elif name := loaded_by_name(node):
                    found.add(part_of(name, ""))
    return {(part, other) for other in found - {part, None}}


def test_are_the_arrows_what_the_code_imports(architecture):
    real = set().union(*(imports(part) for part in PARTS))
    assert real == architecture.ARROWS


@pytest.mark.slow
def test_does_a_release_run_without_the_grader(tmp_path):
    course = tmp_path / "course"
    program = f"""
import sys
from autograder.cli import main
code = main(["release", "00-start-here", "--course", {str(course)!r}])
from nbgrader.converters.base import BaseConverter
print(code, *(name for name in sys.modules if name.startswith("autograder.grading")))
print(BaseConverter.init_assignment.__module__)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, text=True, capture_output=True)
    assert (course / "release" / "00-start-here" / "00-start-here.ipynb").exists(), done.stderr
    assert done.stdout.splitlines()[-2:] == ["0", "nbgrader.converters.base"]


def test_does_the_engine_load_by_a_hidden_name_only_what_it_was_handed():
    hidden = set()
    for part in (*ROOMS, "sandbox", "grading", "release"):
        for path in files_of(part):
            calls = [node for code in code_of(path) for node in ast.walk(ast.parse(code))]
            hidden |= {
                path.relative_to(ROOT / "autograder").as_posix()
                for node in calls
                if isinstance(node, ast.Call)
                and ast.unparse(node.func).split(".")[-1] in LOADERS
                and not isinstance(node.args[0], ast.Constant)
            }
    assert hidden == HANDED_IN | OWN_NAMES


def test_does_the_engine_name_no_content():
    """But for the line that hands it in: another subject is another package."""
    package = re.compile(r"solutions([./].*)?")
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "autograder").rglob("*.py")
        if path != ROOT / "autograder" / "__init__.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and package.fullmatch(node.module or ""))
        or (isinstance(node, ast.Import) and any(package.fullmatch(a.name) for a in node.names))
        or (isinstance(node, ast.Constant) and package.fullmatch(str(node.value)))
    ]
    assert named == []


def test_does_every_part_stand_in_the_picture_and_in_the_code(architecture):
    assert {box.name for row in architecture.ROWS for box in row} == set(PARTS)
    assert all(files_of(part) for part in PARTS)


def test_is_every_module_that_the_page_names_where_it_says():
    text = (ROOT / "book" / "architecture.md").read_text(encoding="utf-8")
    folders = ("autograder", "book", "make", "solutions", "tests")
    files = {path.as_posix() for name in folders for path in (ROOT / name).rglob("*.py")}
    named = re.findall(r"`([\w/]+\.py)`", text)
    assert len(named) > 20
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in files)] == []


def dotted(path: Path) -> str:
    """The name under which the code imports a file."""
    below = path.relative_to(ROOT)
    for folder in ("book/_ext", "book", "make"):
        if below.is_relative_to(folder):
            below = below.relative_to(folder)
            break
    return ".".join(below.with_suffix("").parts).removesuffix(".__init__")


def loads(path: Path, known: dict[str, Path]) -> set[Path]:
    """The project's own files that a file imports, at its top or within a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            # Of a package, the module that is named; the package itself where none is.
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= below & known.keys() or {node.module}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif name := loaded_by_name(node):
            names.add(name)
    return {known[name] for name in names & known.keys()} - {path}


def test_does_no_file_import_itself_by_way_of_others():
    folders = ("autograder", "solutions", "book/lab", "book/_ext", "make")
    files = [path for name in folders for path in (ROOT / name).rglob("*.py")]
    known = {dotted(path): path for path in files}
    assert len(known) == len(files) > 150
    try:
        order = [*TopologicalSorter({path: loads(path, known) for path in files}).static_order()]
    except CycleError as error:
        circle = [path.relative_to(ROOT).as_posix() for path in error.args[1]]
        pytest.fail(f"A circle of imports: {' -> '.join(reversed(circle))}")
    assert order
