"""Does a command load only what it uses? PyTorch and nbgrader take seconds, others half of one."""

import json
import shutil
import subprocess
import sys

import pytest

from autograder.cli import main

HEAVY = ["torch", "nbgrader", "matplotlib", "numpy", "IPython", "distributed", "scipy"]
HEAVY += ["sqlalchemy", "nbformat", "traitlets", "docutils"]
LOADED = """\
import json, runpy, sys
sys.argv = ["autograder", *sys.argv[1:]]
try:
    runpy.run_module("autograder.cli", run_name="__main__")
except SystemExit as end:
    code = end.code
print("\\nloaded", json.dumps([name for name in {heavy!r} if name in sys.modules]), code)
"""


# One date of each kind: passed, to come, of a chapter that nobody has handed in.
LATE = """\
[due]
"00-start-here" = 2026-03-01T12:00:00+00:00
"01-lookup" = 2096-03-01T12:00:00+00:00
[late]
penalty_per_day = 0.1
"""


def loaded_by(*arguments: object) -> list[str]:
    """Which heavy packages a command has loaded when it ends well."""
    code = LOADED.format(heavy=HEAVY)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    said = subprocess.run(command, capture_output=True, text=True)
    last = said.stdout.splitlines()[-1]
    assert last.startswith("loaded ") and last.endswith(" 0"), said.stdout + said.stderr
    return json.loads(last.removeprefix("loaded ").removesuffix(" 0"))


@pytest.fixture(scope="module")
def graded(tmp_path_factory, released):
    """A course with a submission that has been graded and reported once."""
    root = tmp_path_factory.mktemp("imports") / "course"
    shutil.copytree(released.root, root)
    name = "00-start-here"
    handed_in = root / "submitted" / "ada" / name
    handed_in.mkdir(parents=True)
    (handed_in / "timestamp.txt").write_text("2026-03-02 12:00:00 UTC")
    (root / "course.toml").write_text(LATE)
    shutil.copy(root / "release" / name / f"{name}.ipynb", handed_in)
    for command in ("grade", "grade", "report"):
        assert main([command, "--course", str(root)]) == 0
    return root


@pytest.mark.parametrize(
    "command",
    [
        *(["report"], ["feedback"], ["export", "csv"], ["export", "canvas"]),
        *(["grade"], ["grade", "00-start-here", "--student", "ada"]),
    ],
    ids=" ".join,
)
@pytest.mark.slow
def test_what_only_reads_scores_loads_nothing_heavy(graded, command):
    assert loaded_by(*command, "--course", graded) == []


def test_a_release_with_nothing_new_loads_nothing_heavy(graded):
    assert loaded_by("release", "--course", graded) == []


def test_handing_submissions_on_loads_nothing_heavy():
    """The main process of two workers has its hands free while they import PyTorch."""
    code = "import json, sys, autograder.grading.run.runner, autograder.grading.run.workers\n"
    code += f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(said.stdout) == []
