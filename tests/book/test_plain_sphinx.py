"""Does the book outlive Jupyter Book: does Sphinx alone, the newest, build the same pages?

`make/plain_sphinx/conf.py` reads the same settings. The newest Sphinx, MyST-NB and theme come first
in an environment of its own; all else, as PyTorch and Matplotlib, is this environment's.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.book.parsed import parsed

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "build" / "book" / "_build" / "html"
NEWEST = [
    *("sphinx", "myst-nb", "sphinx-book-theme", "sphinx-external-toc", "sphinx-copybutton"),
    *("sphinx-design", "sphinx-exercise", "sphinx-togglebutton", "sphinxcontrib-bibtex"),
    "brotli",  # the newest theme has its icons as WOFF2 alone
]
# What a reader sees of a page's content, whatever the theme around it.
SEEN = "math, figure, img, details, table, pre, svg, h1, h2, h3, a.reference, dl, .exercise, .quiz"


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True)


@pytest.fixture(scope="module")
def newest(tmp_path_factory) -> Path:
    """The Python of an environment with the newest versions."""
    place = tmp_path_factory.mktemp("newest") / "venv"
    assert run(sys.executable, "-m", "venv", place, cwd=ROOT).returncode == 0
    python = place / "bin" / "python"
    reached = run(python, "-m", "pip", "download", "--no-deps", "sphinx", cwd=place)
    if reached.returncode:
        pytest.skip("the package registry cannot be reached")
    installed = run(python, "-m", "pip", "install", "--quiet", *NEWEST, cwd=place)
    assert installed.returncode == 0, installed.stderr
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place)
    Path(site.stdout.strip(), "zz-course.pth").write_text(sysconfig.get_path("purelib"))
    return python


@pytest.mark.exhaustive
def test_sphinx_alone_builds_the_same_pages_without_a_warning(newest, tmp_path):
    for name in ("autograder", "book", "make", "solutions"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_config.yml", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    encoder = ROOT / "build" / "encoder"
    if encoder.exists():  # chapter 13's model as the page runs it
        shutil.copytree(encoder, tmp_path / "build" / "encoder")
    arguments = ("-n", "-W", "--keep-going", "-c", "make/plain_sphinx", "book", "site")
    built = run(newest, "-m", "sphinx", *arguments, cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    pages = sorted(path.name for path in PAGES.glob("*.html"))
    assert sorted(path.name for path in (tmp_path / "site").glob("*.html")) == pages
    for name in pages:
        wanted, article = (
            [element.name for element in parsed(folder / name).select(f"article :is({SEEN})")]
            for folder in (PAGES, tmp_path / "site")
        )
        assert article == wanted, name
