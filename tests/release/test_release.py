"""From the chapter in miniature to the zip that a student unpacks elsewhere."""

import hashlib
import json
import subprocess
import sys
import zipfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook

from autograder.errors import ReleaseError
from autograder.release.build import release
from autograder.source.sources import unpacked as text_of
from tests.release.miniature import chapter_cells, write_chapter
from tests.release.student import complaints, elsewhere, results, run, unpack


@pytest.fixture
def released(tiny_with_tools):
    return release(root=tiny_with_tools)


@pytest.mark.slow
def test_a_release_from_chapter_to_student(released, tiny_with_tools, tmp_path):
    """One test, since every step needs the one before it and the first costs the most."""
    manifest = json.loads((released.course / "manifest.json").read_text())
    chapter = manifest["chapters"]["03-tiny"]
    notebook_file = released.course / "release" / "03-tiny" / "03-tiny.ipynb"

    # the manifest says what is graded
    assert chapter["max_points"] == 3
    assert [(item["name"], item["points"]) for item in chapter["exercises"]] == [
        ("mean", 2.0),
        ("Scale", 1.0),
    ]
    kinds = [cell["kind"] for cell in chapter["cells"]]
    assert kinds.count("exercise") == kinds.count("check") == 2 and kinds.count("provided") == 1
    sources = {cell.id: cell.source for cell in nbformat.read(notebook_file, 4).cells}
    for cell in chapter["cells"]:
        length = len(sources[cell["id"]].encode()).to_bytes(8, "big")
        content = length + sources[cell["id"]].encode()
        assert cell["source_sha256"] == hashlib.sha256(content).hexdigest()

    # nbgrader's gradebook agrees
    with Gradebook(f"sqlite:///{released.course / 'gradebook.db'}") as gradebook:
        assert gradebook.find_assignment("03-tiny").max_score == 5  # with the answer in words

    # nothing is built twice
    again = release(root=tiny_with_tools)
    assert (again.built, again.recorded, again.bundle_made) == ([], [], False)

    # the same bytes on another day, in another folder
    other = release(root=tiny_with_tools, course=tmp_path / "other")
    assert other.bundle.read_bytes() == released.bundle.read_bytes()

    # the zip: notebooks, lab, README, a wheel; neither references nor pickles
    folder, site = unpack(released.bundle, tmp_path)
    (wheel,) = folder.glob("*.whl")
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == {
        "03-tiny.ipynb",
        "README.md",
        "lab/__init__.py",
        "requirements.txt",
        wheel.name,
    }
    readme = (folder / "README.md").read_text()
    assert readme.startswith("# Tiny: the notebooks\n") and "$" not in readme
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
        text = text_of(archive.read("autograder/recordings/tiny.reference.source"))
    assert "def mean(" in text  # what the misconceptions are changes of
    assert {"autograder/recordings/mean.answers"} <= set(inside)
    assert "lab/__init__.py" in inside
    assert not [name for name in inside if name.startswith("book") or ".pkl" in name]
    chapters = {name for name in inside if name.startswith("solutions/")}
    assert chapters == {
        "solutions/__init__.py",
        "solutions/tiny/__init__.py",
        "solutions/tiny/check.py",
    }

    # an untouched copy runs from top to bottom and earns nothing
    absent = subprocess.run(
        [sys.executable, "-c", "from solutions.tiny import mean"],
        env=elsewhere(site),
        cwd=tmp_path,
        capture_output=True,
    )
    assert b"ImportError: cannot import name 'mean'" in absent.stderr
    untouched = run(folder / "03-tiny.ipynb", site)
    assert complaints(untouched) == []
    assert results(untouched) == {"check-mean": "0.0", "check-Scale": "0.0"}

    # a solved copy earns everything, from the notebook and the wheel alone, as in Colab
    alone = tmp_path / "alone"
    alone.mkdir()
    solved = nbformat.read(notebook_file, as_version=4)
    for cell in solved.cells:
        if cell.id == "mean-exercise":
            cell.source = "def mean(values):\n    return values.mean()"
        elif cell.id == "Scale-exercise":
            cell.source = cell.source.replace(
                "super().__init__()\n        raise NotImplementedError",
                "super().__init__()\n        self.factor = nn.Parameter(torch.rand(size))",
            ).replace("raise NotImplementedError", "return x * self.factor")
    nbformat.write(solved, alone / "03-tiny.ipynb")
    ran = run(alone / "03-tiny.ipynb", site)
    assert complaints(ran) == []
    assert results(ran) == {"check-mean": "2.0", "check-Scale": "1.0"}


@pytest.mark.slow
def test_only_what_changed_is_built_again(released, tiny_with_tools):
    assert (released.built, released.recorded) == (["03-tiny"], ["mean", "Scale"])

    # a body that students never see: a new recording, and the stub as it was
    reference = tiny_with_tools / "solutions" / "tiny" / "reference.py"
    reference.write_text(reference.read_text().replace("wide = x *", "wide = 1 * x *"))
    changed = release(root=tiny_with_tools)
    assert changed.built == ["03-tiny"]  # nbgrader's source has the body
    assert changed.recorded == ["mean", "Scale"]

    # a check: recordings alone
    checks = tiny_with_tools / "solutions" / "tiny" / "check.py"
    checks.write_text(checks.read_text().replace("S=5", "S=6"))
    changed = release(root=tiny_with_tools)
    assert (changed.built, changed.recorded) == ([], ["mean", "Scale"])

    # what nbgrader refuses leaves the former release as it was
    notebook = released.course / "release" / "03-tiny" / "03-tiny.ipynb"
    before = notebook.read_bytes()
    endless = new_code_cell("1  ### BEGIN HIDDEN TESTS", id="endless")
    write_chapter(tiny_with_tools, [*chapter_cells(), endless])
    with pytest.raises(ReleaseError, match="nbgrader could not generate .* RuntimeError"):
        release(root=tiny_with_tools)
    assert notebook.read_bytes() == before
    write_chapter(tiny_with_tools, chapter_cells())
    assert release(root=tiny_with_tools).built == []

    # a run that was stopped before the manifest: the chapter again
    (released.course / "manifest.json").unlink()
    assert release(root=tiny_with_tools).built == ["03-tiny"]


@pytest.mark.slow
def test_points_that_disagree_are_said_in_one_sentence(tiny_with_tools):
    cells = chapter_cells()
    graded = next(cell for cell in cells if "points" in cell.metadata.get("nbgrader", {}))
    graded.metadata.nbgrader.points = 5
    write_chapter(tiny_with_tools, cells)
    with pytest.raises(ReleaseError, match="mean has points 5.0 in its cell, 2.0 in its check"):
        release(root=tiny_with_tools)


def test_a_chapter_that_is_not_there_is_said_in_one_sentence(tiny_with_tools):
    with pytest.raises(ReleaseError, match="no chapter '03-tinny' in book/; did you mean 03-tiny?"):
        release(["03-tinny"], root=tiny_with_tools)


def test_a_check_that_imports_references_is_refused(tiny_with_tools, tmp_path):
    from autograder.release.bundle import wheel_tree

    checks = tiny_with_tools / "solutions" / "tiny" / "check.py"
    checks.write_text("from solutions.tiny import mean\n" + checks.read_text())
    with pytest.raises(ReleaseError, match="check.py imports solutions.tiny"):
        wheel_tree(tmp_path / "recordings", tiny_with_tools)
