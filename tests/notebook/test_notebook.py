"""`check` in a kernel, as a learner runs it, and the same from the terminal."""

import contextlib
import inspect
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checking import find
from autograder.notebook import check as in_notebook
from autograder.notebook import time_limit
from autograder.notebook.check import check
from autograder.notebook.feedback import MIME, headline
from autograder.notebook.terminal import check_notebook, note_on_packages, table
from solutions.lookup import letter_similarity
from solutions.softmax import sharpen
from solutions.start_here import double

ROOT = Path(__file__).resolve().parents[2]

SETUP = """\
import math
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from autograder import check"""

NOISY = """\
import sys, warnings, logging
def double(x):
    print("to stdout <b>")
    print("to stderr", file=sys.stderr)
    warnings.warn("a warning")
    logging.warning("a log")
    return {result}"""

HOSTILE = """\
class Liar:
    __class__ = torch.Tensor
    def __getattr__(self, name): raise SystemExit
    def __repr__(self): raise SystemExit
def double(x):
    return Liar()"""

CELLS = {
    "setup": SETUP,
    "missing": 'check("softmax")',
    "right-code": inspect.getsource(double),
    "right": 'check("double")',
    "value": '(check("double"), type(check("double")).__name__)[1:]',
    "noisy-code": NOISY.format(result="2 * x"),
    "noisy": 'check("double")',
    "noisy-wrong-code": NOISY.format(result="x + 2"),
    "noisy-wrong": 'check("double")',
    "loud-code": 'def double(x):\n    print("x" * 100_000)',
    "loud": 'check("double")',
    "exit-code": "def double(x):\n    raise SystemExit(3)",
    "exit": 'check("double")',
    "error-code": "def double(x):\n    half = x / 2\n    return half.no_such_thing",
    "error": 'check("double")',
    "hostile-code": HOSTILE,
    "hostile": 'check("double")',
    "unknown": 'check("sofmax")',
    "no-text": "check(double)",
    "similarity-code": inspect.getsource(letter_similarity),
    "similarity": 'check("letter_similarity")',
    "sharpen-code": inspect.getsource(sharpen).replace("if not 0 <=", "if not -1 <="),
    "sharpen": 'check("sharpen")',
    "stub-code": 'def softmax(scores, dim=-1):\n    """Doc."""\n    raise NotImplementedError',
    "stub": 'check("softmax")',
    "demo": "print('before')\nsoftmax(torch.ones(3))",
    "class-stub-code": """\
class softmax_jacobian(nn.Module):
    def forward(self, x):
        raise NotImplementedError""",
    "class-demo": "nn.Sequential(nn.Tanh(), softmax_jacobian())(torch.ones(3))",
    "waiting": "rows = [softmax(torch.ones(3))]\nfor row in rows:\n    pass",
    "waiting-for-it": "total = sum(row)",
    "waiting-for-that": "print(total)",
    "waiting-in-a-call": "def use():\n    return rows\nuse()",
    "stopped-half-way": """\
totals = {}
for kind in ("a", "b"):
    totals[kind] = kind if kind == "a" else softmax(torch.ones(3))""",
    "waiting-for-the-rest": "def last():\n    return totals['b']\nlast()",
    "filled-by-hand": "totals = {'b': 1}",
    "own-mistake": "totals['c']",
    "misspelled": "totalz",
    "written-since": "softmax = torch.softmax",
    "not-run-again": "row",
    "own-error": "raise NotImplementedError('mine')",
    "after": "1 + 1",
    # The learner's own error comes first.
    "left-by-a-demo": "def sharpen(x, sharpness):\n    return 'of a demo'",
    "unclosed-code": "def sharpen(scores, sharpness, dim=-1):\n    return (scores\n",
    "unclosed": 'check("sharpen")',
    "syntax-demo": "for row in [softmax_jacobian()(1)]\n    pass",
    "demo-after-a-syntax-error": "softmax_jacobian()(1)",
    "broken-imports": "from no_such_package import rearrange",
    "needs-imports-code": "@rearrange.cache\ndef cosine_scores(query, keys):\n    return query",
    "needs-imports": 'check("cosine_scores")',
    "uses-imports-code": "def distance_scores(query, keys):\n    return rearrange(query, keys)",
    "uses-imports": 'check("distance_scores")',
    "other-name-code": "def weighted_averages(weights, values):\n    return values",
    "other-name": 'check("weighted_average")',
    "overwritten-code": "def soft_lookup(*_):\n    pass",
    "overwriting": "for soft_lookup in torch.ones(2):\n    pass",
    "overwritten": 'check("soft_lookup")',
    "unwritten-code": 'def double(x):\n    """Doc."""\n    raise NotImplementedError',
    "uses-a-stub-code": "def kernel_regression(query, *_):\n    return double(query)",
    "uses-a-stub": 'check("kernel_regression")',
    "mends-a-stub-code": "def mend_kernel_regression(*all):\n    return double(all[0])",
    "mends-a-stub": 'check("mend_kernel_regression")',
    "endless-code": "def double(x):\n    while True:\n        x = x + 1",
    "endless": 'check("double", limit_seconds=0.5)',
    "after-the-endless": "'goes on'",
}


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The cells after a run in a kernel of their own."""
    made = new_notebook(cells=[new_code_cell(source, id=i) for i, source in CELLS.items()])
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    folder = tmp_path_factory.mktemp("notebook")
    nbformat.write(made, folder / "cells.ipynb")
    client = NotebookClient(
        made, timeout=120, allow_errors=True, resources={"metadata": {"path": folder}}
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "book")])
    client.execute(env={**os.environ, "PYTHONPATH": path})
    return {cell.id: cell for cell in made.cells}, folder / "cells.ipynb"


@pytest.fixture
def cells(notebook):
    return notebook[0]


def shown(cell):
    """The verdict and the text that a check cell displays."""
    (output,) = [item for item in cell.outputs if item.output_type == "display_data"]
    return output.data[MIME], output.data["text/plain"]


CHECKS = [name for name, source in CELLS.items() if source.startswith("check(")]


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_cell_shows_a_verdict_and_returns_the_points(cells, name):
    verdict, _ = shown(cells[name])
    assert [item.output_type for item in cells[name].outputs] == ["display_data", "execute_result"]
    assert cells[name].outputs[1].data["text/plain"] == repr(float(verdict["points"]))


@pytest.mark.parametrize(
    ("name", "status", "points"),
    [
        ("missing", "failed", 0.0),
        ("right", "passed", 1.0),
        ("noisy", "passed", 1.0),
        ("noisy-wrong", "failed", 0.0),
        ("loud", "failed", 0.0),
        ("exit", "failed", 0.0),
        ("error", "failed", 0.0),
        ("hostile", "failed", 0.0),
        ("unknown", "failed", 0.0),
        ("no-text", "failed", 0.0),
        ("similarity", "passed", 1.0),
        ("sharpen", "failed", 0.0),
        ("stub", "not started", 0.0),
        ("unclosed", "failed", 0.0),
        ("needs-imports", "failed", 0.0),
        ("overwritten", "failed", 0.0),
        ("uses-a-stub", "failed", 0.0),
        ("mends-a-stub", "failed", 0.0),
        ("endless", "failed", 0.0),
    ],
)
def test_the_verdict_is_that_of_the_code(cells, name, status, points):
    verdict, _ = shown(cells[name])
    assert (verdict["status"], verdict["points"]) == (status, points)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "softmax is not defined: run the cell of the exercise first."),
        ("noisy-wrong", "Two was added to every entry."),
        ("exit", "double(x [L=3, D=4]) raised SystemExit: 3"),
        ("error", "'Tensor' object has no attribute 'no_such_thing'"),
        ("error", "line 3 of double: return half.no_such_thing"),
        ("unknown", "There is no exercise named 'sofmax'. Did you mean softmax"),
        ("no-text", 'Give the name of the exercise in quotes, as in check("softmax").'),
        ("stub", "softmax: not started yet (2 points)"),
        ("unclosed", "The cell that defines sharpen stopped: SyntaxError in line 2: '(' was never"),
        ("unclosed", "closed (`return (scores`)."),
        ("needs-imports", "The cell that defines cosine_scores stopped: NameError in line 1: name"),
        (
            "needs-imports",
            "The cell that begins `from no_such_package import rearrange` would have defined",
        ),
        ("needs-imports", "ModuleNotFoundError in line 1: No module named 'no_such_package'"),
        ("uses-imports", "raised NameError: name 'rearrange' is not defined (line 2 of distance"),
        (
            "uses-imports",
            "The cell that begins `from no_such_package import rearrange` would have defined",
        ),
        ("other-name", "your cells define weighted_averages; is that the one?"),
        ("overwritten", "soft_lookup stands for a Tensor, by the cell that begins `for soft_look"),
        (
            "uses-a-stub",
            "kernel_regression uses double, which is not written yet: write that first. When",
        ),
        ("uses-a-stub", "your work is graded, the provided double stands in for it."),
        ("mends-a-stub", "mend_kernel_regression uses double, which is not written yet"),
        ("endless", "double did not end within 0.5 seconds: an endless loop? It was in line"),
        ("endless", "of double: "),
    ],
)
def test_what_a_learner_reads(cells, name, words):
    assert words in shown(cells[name])[1]


def test_what_does_not_end_does_not_take_the_notebook_with_it(cells):
    assert cells["after-the-endless"].outputs[0].data["text/plain"] == "'goes on'"


def test_of_what_cannot_be_stopped_a_notebook_says_so_and_is_not_ended(monkeypatch):
    output = io.StringIO()

    def double(x):
        while not output.getvalue():
            with contextlib.suppress(KeyboardInterrupt):
                time.sleep(0.01)
        return 2 * x

    monkeypatch.setattr(time_limit, "TRIES", 1)
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setitem(globals(), "double", double)
    assert check("double", limit_seconds=0.05) == 1.0
    told = "double did not end within 0.05 seconds, and cannot be stopped: restart the kernel"
    assert output.getvalue().startswith(told)


@pytest.mark.slow
def test_a_limit_of_the_terminal_s_is_longer_than_that_of_a_cell(tmp_path, shell, monkeypatch):
    monkeypatch.setattr(in_notebook, "limit_seconds", 0.2)
    slow = "import time\ndef double(x):\n    time.sleep(0.3)\n    return 2 * x"
    path = tmp_path / "slow.ipynb"
    sources = (SETUP, slow, 'check("double")')
    nbformat.write(new_notebook(cells=list(map(new_code_cell, sources))), path)
    assert [verdict.passed for verdict in check_notebook(path, limit_seconds=60)] == [True]
    assert in_notebook.limit_seconds == 0.2


def test_a_check_returns_a_float(cells):
    assert cells["value"].outputs[-1].data["text/plain"] == "('float',)"


def test_what_the_code_prints_is_shown_only_when_it_fails(cells):
    assert "printed" not in shown(cells["noisy"])[1]
    text = shown(cells["noisy-wrong"])[1]
    assert all(line in text for line in ("Your code printed:", "to stdout <b>", "to stderr"))
    assert len(shown(cells["loud"])[1]) < 2500


def test_a_demo_of_an_unwritten_exercise_says_one_sentence(cells):
    (output,) = cells["demo"].outputs
    assert (output.output_type, output.name) == ("stream", "stdout")
    assert output.text == (
        "before\nThis cell needs softmax, which is not written yet: "
        "see the exercise softmax in chapter 02-softmax.\n"
    )
    (output,) = cells["class-demo"].outputs
    assert output.text.startswith("This cell needs softmax_jacobian, which is not written yet")


WAITING = ["waiting-for-it", "waiting-for-that", "waiting-in-a-call", "waiting-for-the-rest"]


@pytest.mark.parametrize("cell", WAITING)
def test_a_cell_that_needs_what_such_a_demo_would_have_defined_says_it_too(cells, cell):
    (output,) = cells[cell].outputs
    assert output.text == (
        "This cell needs softmax, which is not written yet: "
        "see the exercise softmax in chapter 02-softmax.\n"
    )


def test_other_errors_are_left_as_they_are(cells):
    (output,) = cells["own-error"].outputs
    assert (output.output_type, output.ename) == ("error", "NotImplementedError")
    assert cells["after"].outputs[0].data["text/plain"] == "2"
    (output,) = cells["misspelled"].outputs
    assert (output.output_type, output.ename) == ("error", "NameError")
    errors = [name for name, cell in cells.items() if "error" in kinds(cell)]
    own = ["own-mistake", "misspelled", "not-run-again", "own-error"]
    assert errors == [*own, "unclosed-code", "syntax-demo", "broken-imports", "needs-imports-code"]


def test_a_syntax_error_is_shown_as_such_and_unwritten_exercises_are_explained_after_it(cells):
    (output,) = cells["syntax-demo"].outputs
    assert (output.output_type, output.ename) == ("error", "SyntaxError")
    # A busy machine may send what is printed in two parts.
    text = "".join(output.text for output in cells["demo-after-a-syntax-error"].outputs)
    assert text.startswith("This cell needs softmax_jacobian, which is not written yet")


def kinds(cell):
    return {output.output_type for output in cell.outputs}


def test_outside_a_notebook_check_prints(capsys):
    globals()["double"] = double
    assert check("double") == 1.0
    assert capsys.readouterr() == ("\N{CHECK MARK} double: passed, 1 point\n", "")


@pytest.fixture
def shell():
    """The terminal's own shell, which is gone after the test."""
    from IPython.core.interactiveshell import InteractiveShell

    before = sys.path[:], sys.excepthook, sys.displayhook
    yield
    InteractiveShell.clear_instance()
    sys.path[:], sys.excepthook, sys.displayhook = before


def test_the_terminal_says_the_same_as_the_cells(notebook, shell, capsys):
    cells, path = notebook
    verdicts = {verdict.name: verdict for verdict in check_notebook(path)}
    latest = {}
    for name in CHECKS:
        latest[shown(cells[name])[0]["name"]] = shown(cells[name])[0]
    assert {name: verdict.as_dict() for name, verdict in verdicts.items()} == latest
    assert capsys.readouterr() == ("", "")
    text = table(list(verdicts.values()))
    assert headline(verdicts["sharpen"]) in text
    possible = sum(verdict["max_points"] for verdict in latest.values())
    assert text.splitlines()[-1] == f"1 of {possible:g} points"


@pytest.mark.slow
def test_more_is_shown_on_request_in_a_cell_and_for_a_whole_notebook(tmp_path, shell):
    wrong, path = "def double(x):\n    return x + 2", tmp_path / "one.ipynb"
    cells = [SETUP, wrong, 'check("double", more=True)']
    nbformat.write(new_notebook(cells=list(map(new_code_cell, cells))), path)
    assert "What should have come:" in table(check_notebook(path))
    cells[-1] = 'check("double")'
    nbformat.write(new_notebook(cells=list(map(new_code_cell, cells))), path)
    assert "What should have come:" not in table(check_notebook(path))
    assert "What should have come:" in table(check_notebook(path, more=True))


def test_a_name_that_is_nearly_right_is_told_though_the_stub_has_the_right_one(tmp_path, shell):
    stub, other = (
        "def double(x):\n    raise NotImplementedError",
        "def Double(x):\n    return 2 * x",
    )
    path = tmp_path / "one.ipynb"
    for code, near in ((other, True), ("def softmax(x):\n    return x", False)):
        cells = [SETUP, stub, code, 'check("double")']
        nbformat.write(new_notebook(cells=list(map(new_code_cell, cells))), path)
        (verdict,) = check_notebook(path)
        assert ("Your cells define Double" in verdict.message) is near, verdict
        assert verdict.status == ("failed" if near else "not started")


@pytest.mark.slow
def test_checking_a_notebook_leaves_the_calling_program_as_it_was(tmp_path, shell):
    """Or no process can be spawned afterwards: `multiprocessing` reads `__main__.__spec__`."""
    caller, path = sys.modules["__main__"], tmp_path / "one.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("answer = 42")]), path)
    check_notebook(path)
    assert sys.modules["__main__"] is caller
    assert "answer" not in vars(caller)


def test_a_notebook_knows_nothing_of_another(tmp_path, shell):
    one, two = tmp_path / "one.ipynb", tmp_path / "two.ipynb"
    sources = [SETUP, inspect.getsource(double), 'check("double")']
    for path, chosen in [(one, sources), (two, [SETUP, 'check("double")'])]:
        nbformat.write(new_notebook(cells=[new_code_cell(source) for source in chosen]), path)
    assert [verdict.points for verdict in check_notebook(one)] == [1.0]
    assert [verdict.message for verdict in check_notebook(two)] == [
        "double is not defined: run the cell of the exercise first."
    ]


@pytest.mark.slow
def test_ungraded_cells_are_left_out(tmp_path, shell):
    path = tmp_path / "some.ipynb"
    cells = [new_code_cell(SETUP), new_code_cell(inspect.getsource(double))]
    cells.append(new_code_cell("del double", metadata={"tags": ["ungraded"]}))
    cells.append(new_code_cell('check("double")'))
    nbformat.write(new_notebook(cells=cells), path)
    assert [verdict.passed for verdict in check_notebook(path)] == [True]


@pytest.mark.parametrize(
    "line", ["import no_such_package", "%matplotlib widget", "input()", "import torch,", "1 / 0"]
)
@pytest.mark.slow
def test_a_failing_line_does_not_take_the_rest_of_its_cell(tmp_path, shell, line):
    cell = f"{line}\n{SETUP}\n{inspect.getsource(double)}"
    path = tmp_path / "failing.ipynb"
    nbformat.write(
        new_notebook(cells=[new_code_cell(cell), new_code_cell('check("double")')]), path
    )
    assert [verdict.passed for verdict in check_notebook(path)] == [True]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("import nbgrader", "Grading does not have nbgrader: what"),
        ("def f():\n    from rich.table import Table", "Grading does not have rich: what"),
        ("import nbgrader.api as api, yaml", "Grading does not have nbgrader and yaml: what"),
        ("try: import no_such_package\nexcept ImportError: pass", "not have no_such_package: what"),
        ("import torch.nn, einops, pandas, math, sklearn, lab, tqdm\nfrom . import x", ""),
        ("%matplotlib inline\nx = 'import nbgrader'", ""),
        ("import nbgrader\nfrom solutions.softmax import softmax", ""),  # a chapter of the book
    ],
)
@pytest.mark.slow
def test_a_package_that_grading_will_not_have_is_named(tmp_path, shell, monkeypatch, line, told):
    """In a notebook beside the verdict, and in the terminal below the table."""
    sources = (SETUP, line, inspect.getsource(double), 'check("double")')
    path = tmp_path / "one.ipynb"
    nbformat.write(new_notebook(cells=list(map(new_code_cell, sources))), path)
    assert told in note_on_packages(path) and bool(told) == bool(note_on_packages(path))
    found = []
    monkeypatch.setattr(in_notebook, "display", found.append)
    check_notebook(path)
    (feedback,) = found
    assert feedback.verdict.passed
    assert told in feedback.note and bool(told) == bool(feedback.note)
    assert feedback.note in feedback.text() and feedback.note in feedback.html()


@pytest.mark.slow
def test_what_does_not_end_is_stopped_and_said(tmp_path, shell):
    loops = "def double(x):\n    while True:\n        x = x + 1"
    at_once = "while True:\n    pass\ndef softmax(scores):\n    pass"
    sources = [SETUP, loops, 'check("double")', at_once, 'check("softmax")', "after = 1"]
    path = tmp_path / "loops.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)
    one, other = check_notebook(path, limit_seconds=0.5)
    assert (one.name, one.points, one.status) == ("double", 0.0, "failed")
    assert one.message.startswith("double did not end within 0.5 seconds: an endless loop?")
    assert "of double" in one.message
    assert "KeyboardInterrupt in line" in other.message and "stopped while it ran" in other.message


@pytest.mark.slow
def test_a_program_that_a_script_started_in_the_background_stops_what_does_not_end(tmp_path):
    path = tmp_path / "loops.ipynb"
    sources = [SETUP, "def double(x):\n    while True:\n        x = x + 1", 'check("double")']
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)
    check = f"{sys.executable} -m autograder.cli check {path} --limit-seconds 0.5 & wait $!"
    done = subprocess.run(["sh", "-c", check], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    assert "double did not end within 0.5 seconds" in done.stdout


@pytest.mark.slow
def test_what_cannot_be_stopped_ends_the_program_with_a_sentence(tmp_path):
    stubborn = "import signal\nsignal.signal(signal.SIGINT, print)\nwhile True:\n    pass"
    path = tmp_path / "stubborn.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(stubborn)]), path)
    command = [sys.executable, "-m", "autograder.cli", "check", path, "--limit-seconds", "0.2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    sentence = "The cell that begins `import signal` did not end within 0.2 seconds"
    assert done.stderr == f"{sentence}, and cannot be stopped.\n"


@pytest.mark.slow
def test_an_error_that_no_terminal_can_write_is_told_all_the_same(tmp_path):
    path = tmp_path / "half.ipynb"
    half = 'def double(x):\n    raise ValueError("\\ud800")'
    cells = [new_code_cell(source) for source in (SETUP, half, 'check("double")')]
    nbformat.write(new_notebook(cells=cells), path)
    command = [sys.executable, "-m", "autograder.cli", "check", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and not done.stderr
    assert "ValueError: \\ud800" in done.stdout


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"cells": [', "\x00"])
def test_what_is_no_notebook_is_told_in_a_sentence(tmp_path, content):
    path = tmp_path / "no.ipynb"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not a notebook: save it in Jupyter and try again"):
        check_notebook(path)


def test_a_missing_file_is_told_in_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"There is no file .*gone\.ipynb\.$"):
        check_notebook(tmp_path / "gone.ipynb")


def test_the_exercises_of_these_tests_exist():
    assert [find(name).points for name in ("double", "letter_similarity")] == [1.0, 1.0]
