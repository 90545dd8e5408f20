"""The course's own bundle: it works away from the repository, and gives no solution away."""

import ast
import os
import re
import shlex
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.release.build import release
from autograder.release.bundle import BUNDLE
from autograder.release.released import CHAPTERS
from tests.release.miniature import REPOSITORY
from tests.release.student import complaints, elsewhere, results, run, unpack
from tests.solved import solved

pytestmark = pytest.mark.slow

NAMES = [path.stem for path in sorted((REPOSITORY / "book").glob(CHAPTERS))]
# Every change runs a chapter in each of three ways: untouched, solved with the training and the
# figures, solved without. A class that solves every chapter is graded with every change besides.
UNTOUCHED = {"00-start-here"}
WHOLE = {"05-self-attention"}
SOLVED = {"06-positions"}


def some(often: set[str]) -> list:
    """All chapters; those that are not named are exhaustive."""
    return [
        name if name in often else pytest.param(name, marks=pytest.mark.exhaustive)
        for name in NAMES
    ]


@pytest.fixture(scope="module")
def bundle(released):
    return released.root / BUNDLE


@pytest.fixture(scope="module")
def unpacked(bundle, tmp_path_factory):
    return unpack(bundle, tmp_path_factory.mktemp("student"))


def expected(notebook) -> dict[str, float]:
    """The points of every check; answers in words are graded by hand."""
    return {
        cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points)
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade")
    }


@pytest.mark.parametrize("name", some(UNTOUCHED))
def test_an_untouched_copy_runs_to_its_end_and_earns_nothing(unpacked, name):
    folder, site = unpacked
    ran = run(folder / f"{name}.ipynb", site)
    assert complaints(ran) == []
    assert results(ran) == dict.fromkeys(expected(ran), "0.0")


@pytest.mark.parametrize("name", some(SOLVED))
def test_a_solved_copy_earns_every_point(released, unpacked, tmp_path, name):
    """Without the training and the figures, which `autograder check` leaves out too."""
    path = solved(released, name, tmp_path / f"{name}.ipynb")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [c for c in notebook.cells if "ungraded" not in c.metadata.get("tags", [])]
    nbformat.write(notebook, path)
    ran = run(path, unpacked[1])
    assert complaints(ran) == []
    assert {key: float(value) for key, value in results(ran).items()} == expected(ran)


@pytest.mark.exhaustive
def test_is_the_certificate_of_the_students_installation_that_of_the_repository(
    released, unpacked, tmp_path
):
    """Byte for byte, though the one has the references' text and the other their recordings."""
    (name,) = SOLVED
    for place, environment in (("theirs", elsewhere(unpacked[1])), ("ours", None)):
        folder = tmp_path / place
        folder.mkdir()
        solved(released, name, folder / f"{name}.ipynb")
        command = [sys.executable, "-m", "autograder.cli", "certificate", str(folder)]
        subprocess.run(command, env=environment, cwd=folder, check=True, timeout=600)
    theirs, ours = (
        [(tmp_path / place / f"certificate.{kind}").read_bytes() for kind in ("html", "pdf")]
        for place in ("theirs", "ours")
    )
    assert theirs == ours and b"<dt>solved</dt>" in ours[0]


@pytest.mark.parametrize("name", some(WHOLE))
def test_all_of_a_solved_copy_runs(released, unpacked, tmp_path, name):
    """The training, for a few steps, and the figures work with what a learner wrote."""
    ran = run(solved(released, name, tmp_path / f"{name}.ipynb"), unpacked[1])
    assert complaints(ran) == []
    assert {key: float(value) for key, value in results(ran).items()} == expected(ran)


def test_the_same_release_again_builds_nothing(released):
    again = release(course=released.root)
    assert (again.built, again.recorded, again.bundle_made) == ([], [], False)


def definitions(text: str) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node


def body(node: ast.FunctionDef | ast.ClassDef) -> str:
    """What a definition does, whatever it is called, however it is laid out."""
    statements = list(node.body)
    if ast.get_docstring(node) is not None:
        statements.pop(0)
    if isinstance(node, ast.ClassDef):
        return "\n".join(
            f"{item.name}: {body(item)}" for item in statements if isinstance(item, ast.FunctionDef)
        )
    return "\n".join(ast.unparse(item) for item in statements)


def solutions() -> dict[str, str]:
    """The body of every reference and alternative."""
    found = {}
    for part in ("reference", "alternatives"):
        for path in sorted((REPOSITORY / "solutions").glob(f"*/{part}.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    found[body(node)] = f"{path.relative_to(REPOSITORY)}: {node.name}"
    return found


def shipped(bundle: Path) -> Iterator[tuple[str, str]]:
    """Every text in the bundle, but the cells that provide an earlier chapter's exercise."""
    with zipfile.ZipFile(bundle) as archive:
        for name in archive.namelist():
            with archive.open(name) as file:
                if name.endswith(".whl"):
                    with zipfile.ZipFile(file) as wheel:
                        for inner in wheel.namelist():
                            yield inner, wheel.read(inner).decode(errors="replace")
                elif name.endswith(".ipynb"):
                    for cell in nbformat.read(file, as_version=4).cells:
                        marks = cell.metadata.get("nbgrader", {})
                        if not marks.get("grade_id", "").startswith("provided-"):
                            yield f"{name}: cell {cell.id}", cell.source
                else:
                    yield name, file.read().decode(errors="replace")


def test_no_solution_is_in_the_bundle(bundle):
    known = solutions()
    assert known
    squeezed = {re.sub(r"\s", "", text): name for text, name in known.items() if len(text) > 60}
    for where, text in shipped(bundle):
        plain = re.sub(r"\s", "", text)
        for solution, name in squeezed.items():
            assert solution not in plain, f"{name} is in {where}"
        if where.endswith(".py") or ": cell" in where:
            try:
                found = {body(node) for node in definitions(text)}
            except SyntaxError:  # a Markdown cell
                continue
            assert not found & known.keys(), f"{known[(found & known.keys()).pop()]} is in {where}"


def test_of_a_chapter_the_bundle_has_its_check_alone(bundle):
    chapters = [where for where, _ in shipped(bundle) if where.startswith("solutions/")]
    assert {Path(where).name for where in chapters} == {"__init__.py", "check.py"}
    checks = {path.parent.name for path in (REPOSITORY / "solutions").glob("*/check.py")}
    assert {Path(where).parent.name for where in chapters} == checks | {"solutions"}
    for where, text in shipped(bundle):
        if where.startswith("solutions/") and where.endswith("__init__.py"):
            assert [type(node) for node in ast.parse(text).body] == [ast.Expr], where


def test_nothing_in_the_bundle_knows_where_it_was_made(bundle):
    for where, text in shipped(bundle):
        assert str(REPOSITORY) not in text, where


@pytest.fixture(scope="module")
def readme(bundle):
    return (bundle.parent / "student" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def commands(readme):
    """The lines to be typed, in their order."""
    return re.findall(r"^    (\S.*)$", readme, re.MULTILINE)


def test_pytorch_is_installed_in_an_environment_by_a_line_of_its_own_that_tries_once(
    bundle, commands
):
    """Among the requirements, an index out of reach is asked again for each of 100 packages."""
    small = "torch --index-url https://download.pytorch.org/whl/cpu --retries 0 --timeout 15"
    assert commands[:4] == [
        "python -m venv .venv",
        ". .venv/bin/activate",
        f"python -m pip install {small}",
        "python -m pip install -r requirements.txt",
    ]
    wanted = (bundle.parent / "student" / "requirements.txt").read_text().splitlines()
    assert [line for line in wanted if "index" in line or "torch" in line] == []


def test_where_pytorch_s_index_is_out_of_reach_pip_says_what_the_readme_explains(
    commands, readme, tmp_path
):
    """At an address where nobody listens."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/whl/cpu"
        line = commands[2].replace("https://download.pytorch.org/whl/cpu", address)
        program, *options = shlex.split(line)
        alone = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        done = subprocess.run(
            [sys.executable, *options, "--target", str(tmp_path)],
            env=alone | {"PIP_CONFIG_FILE": os.devnull},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.count("Retrying") <= 1
    said = "No matching distribution found"
    assert said in done.stderr and f'"{said}"' in " ".join(readme.split())


def test_the_command_of_the_readme_checks_the_first_notebook(commands, readme, unpacked):
    folder, site = unpacked
    (line,) = [line for line in commands if line.startswith("autograder check")]
    assert f"{line} --limit-seconds 300" in " ".join(readme.split())
    arguments = [*shlex.split(line)[1:], "--limit-seconds", "300"]
    command = [sys.executable, "-m", "autograder.cli", *arguments]
    done = subprocess.run(command, cwd=folder, env=elsewhere(site), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[-1] == "0 of 1 point"


def test_no_module_of_the_bundle_is_a_reference(bundle):
    with zipfile.ZipFile(bundle) as archive:
        (wheel,) = [name for name in archive.namelist() if name.endswith(".whl")]
        with zipfile.ZipFile(archive.open(wheel)) as inside:
            names = [*archive.namelist(), *inside.namelist()]
    assert not [name for name in names if name.endswith((".pkl", ".pt"))]
