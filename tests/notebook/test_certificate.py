"""Is a certificate what checking each notebook says, and the same for everyone who asks again?"""

import hashlib
import inspect
import re
import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checking import exercises
from autograder.cli import main
from solutions.start_here import double

pytestmark = pytest.mark.slow
CHAPTER = "00-start-here"
SETUP = "import torch\nfrom torch import Tensor\nfrom autograder import check"


@pytest.fixture
def folder(tmp_path):
    """One notebook, with one exercise solved; it checks another one, which it does not solve."""
    sources = [SETUP, inspect.getsource(double), 'check("double")', 'check("softmax")']
    notebook = new_notebook(cells=[new_code_cell(one, id=f"c{i}") for i, one in enumerate(sources)])
    nbformat.write(notebook, tmp_path / f"{CHAPTER}.ipynb")
    return tmp_path


def test_says_what_is_solved_by_hashes_that_anyone_can_make(folder, capsys):
    assert main(["certificate", str(folder)]) == 0
    said = capsys.readouterr().out
    all_exercises = exercises()
    mine = [one for one in all_exercises.values() if one.chapter == CHAPTER]
    possible = sum(one.points for one in mine)
    earned = all_exercises["double"].points
    assert f"{CHAPTER}: {earned:g} of {possible:g} points" in said
    page = (folder / "certificate.html").read_text()
    total = sum(one.points for one in all_exercises.values())
    assert f"<strong>{earned:g} of {total:g} points</strong>" in page
    assert f"<span>1 of {len(all_exercises)} exercises</span>" in page
    content = (folder / f"{CHAPTER}.ipynb").read_bytes()
    assert hashlib.sha256(content).hexdigest() in page
    assert "<dt>solved</dt><dd>double</dd>" in page and page.count("<dt>solved</dt>") == 1
    chapters = {one.chapter for one in all_exercises.values()}
    of_checks = re.findall(r"<dt>checks</dt><dd><code>(\w{64})</code>", page)
    assert len(set(of_checks)) == len(of_checks) == len(chapters)
    assert page.count("not there") == len(chapters) - 1
    assert str(folder) not in page and "<script" not in page and "//" not in page
    assert (folder / "certificate.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.exhaustive
def test_comes_out_the_same_byte_for_byte_in_another_folder(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    shutil.copy(folder / f"{CHAPTER}.ipynb", other)
    for place in (folder, other):
        assert main(["certificate", str(place)]) == 0
    for name in ("certificate.html", "certificate.pdf"):
        assert (folder / name).read_bytes() == (other / name).read_bytes()


def test_refuses_what_was_handed_in_to_a_course(tmp_path, capsys):
    place = tmp_path / "submitted" / "ada" / CHAPTER
    place.mkdir(parents=True)
    (tmp_path / "manifest.json").write_text("{}")
    assert main(["certificate", str(place)]) == 2
    assert "without a sandbox" in capsys.readouterr().err
