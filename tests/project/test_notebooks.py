"""Does `make notebooks` leave what may vary as it is stored, where nothing else changed?"""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def notebooks():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "make" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(source, text, tags=()):
    output = [new_output("stream", name="stdout", text=text)]
    return new_code_cell(source, outputs=output, metadata={"tags": list(tags)})


def run(seconds, answer="42"):
    return new_notebook(
        cells=[
            new_markdown_cell("Words."),
            printed("answer", answer),
            printed("timed()", seconds, ["nbval-ignore-output"]),
            printed("# NBVAL_IGNORE_OUTPUT\ntimed()", seconds),
        ]
    )


def sources(notebook):
    return {cell.source for cell in notebook.cells}


def test_a_timing_stays_where_nothing_else_changed(notebooks):
    before, after = run("1.0 s"), run("1.2 s")
    notebooks.keep_what_varies(after, before, sources(before))
    assert [cell.outputs for cell in after.cells[1:]] == [cell.outputs for cell in before.cells[1:]]


def test_a_timing_is_new_where_something_else_changed(notebooks):
    after = run("1.2 s", "43")
    notebooks.keep_what_varies(after, run("1.0 s"), sources(after))
    assert after.cells[2].outputs[0].text == "1.2 s"


def test_the_timing_of_a_changed_cell_is_new(notebooks):
    before, after = run("1.0 s"), run("1.2 s")
    notebooks.keep_what_varies(after, before, sources(before) - {"timed()"})
    assert [cell.outputs[0].text for cell in after.cells[2:]] == ["1.2 s", "1.0 s"]


def test_what_is_committed_is_read_from_git(notebooks):
    chapter = ROOT / "book" / "00-start-here.ipynb"
    assert 'check("double")' in notebooks.committed_sources(chapter)
    assert notebooks.committed_sources(ROOT / "book" / "no-such.ipynb") == set()


def test_seconds_are_stored_anew_only_where_they_say_something_else(notebooks):
    assert notebooks.seconds_to_store(0.2, None) == 1
    assert notebooks.seconds_to_store(70.4, None) == 70
    assert notebooks.seconds_to_store(80.0, 70) == 70
    assert notebooks.seconds_to_store(140.0, 70) == 140
    assert notebooks.seconds_to_store(20.0, 70) == 20


def test_what_a_child_computed_is_counted(notebooks):
    before = notebooks.children_seconds()
    subprocess.run([sys.executable, "-c", "sum(i for i in range(3_000_000))"], check=True)
    assert notebooks.children_seconds() > before
