"""`autograder check` runs a notebook with all that its owner may do: is it kept to one's own?"""

import json

import pytest
from nbformat.v4 import new_code_cell, new_notebook, writes

from autograder.cli import main


@pytest.fixture
def course(tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"chapters": {}}))
    return tmp_path


def hostile(folder):
    """A notebook that leaves a trace where it is run."""
    folder.mkdir(parents=True)
    trace = folder.parents[2] / "ran"
    source = f"open({str(trace)!r}, 'w')\nfrom autograder import check\ncheck('double')"
    path = folder / "00-start-here.ipynb"
    path.write_text(writes(new_notebook(cells=[new_code_cell(source)])))
    return path, trace


@pytest.mark.parametrize("where", ["submitted", "autograded", "downloaded"])
def test_what_was_handed_in_is_not_run_without_a_sandbox(course, capsys, where):
    path, trace = hostile(course / where / "eve's" / "00-start-here")
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr().err
    assert "without a sandbox" in told
    assert f"autograder grade 00-start-here --course {course}" in told
    assert not trace.exists()


def test_a_link_to_it_is_not_run_either(course, tmp_path, capsys):
    path, trace = hostile(course / "submitted" / "eve" / "00-start-here")
    link = tmp_path / "mine.ipynb"
    link.symlink_to(path)
    assert main(["check", str(link)]) == 2
    assert not trace.exists()


def test_a_folder_of_that_name_that_is_no_courses_is_ones_own(tmp_path):
    path, trace = hostile(tmp_path / "submitted" / "mine" / "00-start-here")
    main(["check", str(path)])
    assert trace.exists()
