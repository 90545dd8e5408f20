"""Gradescope and GitHub Classroom: do they get the verdicts that `autograder grade` gives?"""

import base64
import json
import os
import re
import subprocess
import sys
import zipfile

import nbformat
import pytest
import yaml

from autograder.cli import main
from autograder.grading.course.folder import Course
from autograder.grading.hosts import single
from autograder.grading.hosts.classroom import github, summary
from autograder.grading.hosts.single import grade_single
from autograder.sandbox.container import possible
from autograder.sandbox.limits import Limits
from tests.sample_class import Class
from tests.sandboxed import needs_sandbox
from tests.wrong import wrongs

CHAPTER = "01-lookup"
pytestmark = pytest.mark.slow


def solved(course, **sources):
    """A solved notebook of the chapter."""
    made = Class(course)
    return made.solved(made.chapters[CHAPTER], **sources)


def mistaken(course):
    """A notebook whose first exercise shows its first misconception; and that sentence."""
    first = course.chapters()[CHAPTER].exercises[0].name
    wrong = wrongs(first)[0]
    return solved(course, **{first: wrong.source}), first, wrong.sentence


@pytest.fixture(scope="module")
def unpacked(released, tmp_path_factory):
    """Gradescope's layout: the zip unpacked into source/, run_autograder beside it."""
    root = tmp_path_factory.mktemp("autograder")
    archive = root / "autograder.zip"
    course = str(released.root)
    command = ["export", "gradescope-autograder", CHAPTER, "--course", course]
    assert main([*command, "--to", str(archive)]) == 0
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(root / "source")
        names = zipped.namelist()
        modes = {one.filename: one.external_attr >> 16 for one in zipped.infolist()}
    assert {"setup.sh", "run_autograder"} <= set(names)  # at the root, as the specification wants
    for name in ("setup.sh", "run_autograder"):
        assert modes[name] & 0o111
        (root / "source" / name).chmod(0o755)
    (root / "run_autograder").write_bytes((root / "source" / "run_autograder").read_bytes())
    (root / "run_autograder").chmod(0o755)
    (root / "results").mkdir()
    return root


def run(root, notebook):
    """What Gradescope does for a submission; returns results.json."""
    (root / "submission").mkdir(exist_ok=True)
    for old in (root / "submission").iterdir():
        old.unlink()
    if notebook is not None:
        nbformat.write(notebook, root / "submission" / "my copy.ipynb")
    environment = {"AUTOGRADER": str(root), "PYTHON": sys.executable, "PATH": os.environ["PATH"]}
    command = [str(root / "run_autograder")]
    subprocess.run(command, env=environment, cwd=root, check=True, capture_output=True)
    return json.loads((root / "results" / "results.json").read_text())


@needs_sandbox
def test_gradescope_shows_the_verdicts_and_the_misconceptions_sentence(unpacked, released):
    notebook, first, sentence = mistaken(released)
    results = run(unpacked, notebook)
    exercises = released.chapters()[CHAPTER].exercises
    by_name = {test["name"]: test for test in results["tests"]}
    assert list(by_name) == [exercise.name for exercise in exercises]
    assert by_name[first]["score"] == 0 and sentence in by_name[first]["output"]
    others = [exercise for exercise in exercises if exercise.name != first]
    for exercise in others:
        assert (
            by_name[exercise.name]["score"]
            == by_name[exercise.name]["max_score"]
            == exercise.points
        )
    assert results["score"] == sum(exercise.points for exercise in others)


@needs_sandbox
def test_gradescope_says_when_no_notebook_was_handed_in(unpacked):
    results = run(unpacked, None)
    assert results["score"] == 0
    assert f"no notebook was handed in; it should be {CHAPTER}.ipynb" in results["output"]


def test_the_workflow_names_what_the_step_writes(released, tmp_path):
    path = tmp_path / "classroom.yml"
    course = str(released.root)
    command = ["export", "github-classroom", CHAPTER, "--course", course, "--to", str(path)]
    assert main(command) == 0
    steps = yaml.safe_load(path.read_text())["jobs"]["run-autograding-tests"]["steps"]
    reporter = steps[-1]
    runners = reporter["with"]["runners"].split(",")
    exercises = released.chapters()[CHAPTER].exercises
    record = {"exercises": [exercise(listed.name, listed.points) for listed in exercises]}
    written = github(record)
    # The reporter reads RUNNER_RESULTS for each runner, in capitals.
    assert set(reporter["env"]) == {f"{runner.upper()}_RESULTS" for runner in runners}
    for value, listed in zip(reporter["env"].values(), exercises, strict=True):
        (name,) = re.findall(r"steps\.grade\.outputs\.(\w+)", value)
        result = json.loads(base64.b64decode(written[name]))
        assert result["max_score"] == listed.points
        assert [test["name"] for test in result["tests"]] == [listed.name]


def exercise(name, points, passed=True, message="All cases hold."):
    return {
        **{"name": name, "points": points if passed else 0.0, "max_points": points},
        **{"passed": passed, "misconception": None, "message": message},
        "status": "passed" if passed else "failed",
    }


def test_a_submission_cannot_put_markup_on_the_workflows_page():
    hostile = "</b>\n# Full marks\n<img src=x> [a](http://b) @all"
    record = {"chapter": "c", "score": 0.0, "max_score": 1.0, "notes": [], "seconds": 0.0}
    told = summary(record | {"exercises": [exercise("one", 1.0, False, hostile)]})
    assert len(told.splitlines()) == 3
    assert not re.search(r"(?<!\\)[<>\[\]#@]", told.split("`one`")[1])


def test_where_nothing_can_be_graded_gradescope_gets_no_score(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(single, "available", lambda: "No sandbox could be made.")
    monkeypatch.setattr(single, "possible", lambda: "not root")
    results = tmp_path / "results.json"
    options = ["--course", "unread", "--submission", "unread", "--gradescope", str(results)]
    monkeypatch.setattr(sys, "argv", ["single", *options])
    assert single.main() == 2
    assert not results.exists()
    assert "not the submission's fault: No sandbox could be made." in capsys.readouterr().err


def nobody_can_run_python() -> bool:
    try:
        command = [sys.executable, "-c", "import torch"]
        subprocess.run(command, user="nobody", check=True, cwd="/", capture_output=True)
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return True


@pytest.mark.skipif(possible() is not None, reason=str(possible()))
def test_in_a_container_a_submission_runs_without_rights(released, tmp_path):
    if not nobody_can_run_python():
        pytest.skip("a user without rights cannot run this Python")
    notebook, first, sentence = mistaken(released)
    results = tmp_path / "results"
    results.mkdir(mode=0o700)
    spy = f"""
import os, pathlib, subprocess, sys
found = [os.getuid() == 0]
for attempt in (
    lambda: pathlib.Path({str(results / "results.json")!r}).write_text("forged"),
    lambda: __import__("solutions.lookup"),
    lambda: os.kill(os.getppid(), 9),
    lambda: os.setuid(0),
):
    try:
        attempt()
        found.append(True)
    except (OSError, ImportError):
        found.append(False)
subprocess.Popen(["sleep", "321"], start_new_session=True)
assert not any(found), found
"""
    notebook.cells.insert(0, nbformat.v4.new_code_cell(spy + "\nhonest = True", id="spy"))
    exercises = released.chapters()[CHAPTER].exercises
    second = next(cell for cell in notebook.cells if cell.id and exercises[1].name in cell.source)
    second.source += "\nassert honest"
    folder = tmp_path / "submission"
    folder.mkdir()
    nbformat.write(notebook, folder / f"{CHAPTER}.ipynb")
    course = Course(tmp_path / "course")
    main(["export", "gradescope-autograder", CHAPTER, "--course", str(released.root), "--to",
          str(tmp_path / "a.zip")])  # fmt: skip
    with zipfile.ZipFile(tmp_path / "a.zip") as zipped:
        members = [name for name in zipped.namelist() if name.startswith("course/")]
        zipped.extractall(tmp_path, members)
    record = grade_single(course, folder, Limits(sandbox=False, container=True))
    by_name = {one["name"]: one for one in record["exercises"]}
    assert by_name[first]["misconception"] == sentence
    assert all(one["passed"] for name, one in by_name.items() if name != first)
    left = subprocess.run(["pgrep", "-f", "sleep 321"], capture_output=True, text=True)
    assert left.stdout == ""
