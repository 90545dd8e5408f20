"""The published notebooks install the course where it is missing, and only there."""

import functools
import importlib.util
import runpy
import threading
import zipfile
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import nbformat
import pytest
from bs4 import BeautifulSoup
from IPython.core.interactiveshell import InteractiveShell

ROOT = Path(__file__).parents[2]
ADDRESS = "https://example.org/course/student"
SMALL = runpy.run_path(str(ROOT / "make" / "setup.py"))["SMALL"]


@pytest.fixture(autouse=True)
def make_folder(monkeypatch):
    """The scripts of `make` import each other."""
    monkeypatch.syspath_prepend(str(ROOT / "make"))


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


def test_is_the_bundle_published_and_not_what_somebody_wrote_beside_it(tmp_path):
    script = runpy.run_path(str(ROOT / "make" / "site.py"))
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
        '<!--on-the-site<p><a href="student/all.zip">all</a></p>/on-the-site-->'
    )
    script["show_downloads"](tmp_path)
    assert '<p><a href="student/all.zip">all</a></p>' in page.read_text()
    assert "<!--" not in page.read_text()
    assert script["promised"](tmp_path) - script["here"](tmp_path) == {"student/all.zip"}


LINE = (
    '<p>before</p><!--on-the-site<p class="take-away">To solve it: '
    '<a href="student/01.ipynb">Notebook</a> · <a href="https://colab.example/01">Colab</a> · '
    '<a href="book.pdf">PDF</a>.</p>/on-the-site-->'
    '<!--on-the-site<ul><li><p><a href="student/all.zip">all</a></p></li></ul>/on-the-site-->'
)


@pytest.mark.parametrize(
    ("files", "links", "words"),
    [
        (
            {"student/01.ipynb", "book.pdf", "student/all.zip"},
            ["student/01.ipynb", "https://colab.example/01", "book.pdf", "student/all.zip"],
            "beforeTo solve it: Notebook · Colab · PDF.all",
        ),
        (
            {"student/01.ipynb"},
            ["student/01.ipynb", "https://colab.example/01"],
            "beforeTo solve it: Notebook · Colab.",
        ),
        ({"book.pdf"}, ["https://colab.example/01", "book.pdf"], "beforeTo solve it: Colab · PDF."),
    ],
)
def test_is_of_a_line_of_links_shown_what_is_there(files, links, words):
    script = runpy.run_path(str(ROOT / "make" / "downloads.py"))
    page = BeautifulSoup(script["shown"](LINE, files.__contains__), "html.parser")
    assert [link["href"] for link in page.find_all("a")] == links
    assert page.get_text() == words


def test_is_a_line_of_which_nothing_is_there_left_out():
    script = runpy.run_path(str(ROOT / "make" / "downloads.py"))
    line = '<!--on-the-site<p>Take: <a href="student/01.ipynb">it</a>.</p>/on-the-site-->'
    assert script["shown"](line, lambda file: False) == ""


@pytest.mark.parametrize("made", [True, False])
def test_does_no_link_lead_nowhere_while_the_book_is_served(tmp_path, monkeypatch, made):
    """As `make serve` does, in a folder of its own, with the bundle and without; no PDF."""
    import downloads

    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(LINE.replace("01.ipynb", "01-lookup.ipynb"))
    bundle = tmp_path / "all.zip"
    if made:
        with zipfile.ZipFile(bundle, "w") as archive:
            archive.writestr("attention-course/01-lookup.ipynb", "{}")
    monkeypatch.setattr(downloads, "BUNDLE", bundle)
    monkeypatch.setattr(downloads, "PDF", tmp_path / "book.pdf")
    script = runpy.run_path(str(ROOT / "make" / "serve.py"))
    handler = script["Handler"]
    handler.downloads = script["downloads"](tmp_path)
    serving = functools.partial(handler, directory=tmp_path / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), serving) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        page = BeautifulSoup(urlopen(f"{address}/").read(), "html.parser")
        links = [link["href"] for link in page.find_all("a") if "://" not in link["href"]]
        assert links == (["student/01-lookup.ipynb", "student/all.zip"] if made else [])
        assert all(urlopen(f"{address}/{link}").status == 200 for link in links)
        server.shutdown()
