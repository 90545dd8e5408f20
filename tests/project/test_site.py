"""The published notebooks install the course where it is missing, and only there."""

import importlib.util
import runpy
import zipfile
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

ROOT = Path(__file__).parents[2]
ADDRESS = "https://example.org/course/student"
SMALL = runpy.run_path(str(ROOT / "make" / "setup.py"))["SMALL"]


@pytest.fixture
def notebook(tmp_path):
    cells = [nbformat.v4.new_markdown_cell("# 1"), nbformat.v4.new_code_cell("import autograder")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "01-lookup.ipynb")
    (tmp_path / "attention_course-1.0-py3-none-any.whl").touch()
    prepare = runpy.run_path(str(ROOT / "make" / "site.py"))["prepare_for_colab"]
    prepare(tmp_path, ADDRESS)
    return nbformat.read(tmp_path / "01-lookup.ipynb", as_version=4)


def asked_of_pip(source, monkeypatch):
    """What a cell asks of pip when it is run."""
    asked = []

    def asking(shell, name, line, *_):
        asked.append((name, shell.var_expand(line)))

    monkeypatch.setattr(InteractiveShell, "run_line_magic", asking)
    shell = InteractiveShell()
    result = shell.run_cell(source)
    InteractiveShell.clear_instance()
    assert result.success
    return asked


def test_does_the_title_come_first_and_then_the_install_cell(notebook):
    nbformat.validate(notebook)
    assert [cell.id == "install" for cell in notebook.cells] == [False, True, False]


def test_is_nothing_installed_where_the_course_is(notebook, monkeypatch):
    assert asked_of_pip(notebook.cells[1].source, monkeypatch) == []


def test_is_the_wheel_beside_the_notebook_installed_where_the_course_is_missing(
    notebook, monkeypatch
):
    missing = {"autograder"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in missing else name)
    wheel = f"{ADDRESS}/attention_course-1.0-py3-none-any.whl"
    assert asked_of_pip(notebook.cells[1].source, monkeypatch) == [
        ("pip", f"install --quiet --no-deps {wheel}")
    ]
    missing.add("torch")
    ((_, line),) = asked_of_pip(notebook.cells[1].source, monkeypatch)
    assert line == f"install --quiet --extra-index-url {SMALL} {wheel}"


def test_is_the_bundle_published_and_not_what_somebody_wrote_beside_it(tmp_path, monkeypatch):
    script = runpy.run_path(str(ROOT / "make" / "site.py"))
    monkeypatch.setitem(script["unpack"].__globals__, "BUILD", tmp_path)
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w") as archive:
        archive.writestr("attention-course/01-lookup.ipynb", "{}")
        archive.writestr("attention-course/lab/__init__.py", "")
    script["unpack"](tmp_path / "bundle.zip", tmp_path / "student")
    assert (tmp_path / "student" / "01-lookup.ipynb").read_text() == "{}"
    assert (tmp_path / "student" / "lab" / "__init__.py").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle.zip", "student"]


def test_are_downloads_shown_on_the_site_and_all_links_looked_after(tmp_path):
    script = runpy.run_path(str(ROOT / "make" / "site.py"))
    page = tmp_path / "index.html"
    page.write_text(
        '<a href="https://example.org/x">out</a> <a class="b" href="#here">here</a>'
        '<template class="on-the-site"><p><a href="student/all.zip">all</a></p></template>'
    )
    script["show_downloads"](tmp_path)
    assert '<p><a href="student/all.zip">all</a></p>' in page.read_text()
    assert "template" not in page.read_text()
    assert script["promised"](tmp_path) - script["here"](tmp_path) == {"student/all.zip"}
