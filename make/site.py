"""Put the site together, build/site: the book, its PDF, the notebooks, the bundle and its wheel.

`build/site/student` is what the repository's branch `student` holds too, for Colab and Binder.
There each notebook can install the course by itself, since Colab opens it with nothing beside it.
"""

import re
import shutil
import sys
from pathlib import Path

import nbformat
from downloads import BUNDLE, CONFIG, IN_PAGE, PDF, ROOT, shown, unpack

BUILD = ROOT / "build"
SITE = BUILD / "site"
# Colab has the dependencies, and warns where one of its own versions is replaced.
INSTALL = """\
# This installs the course where it is missing, as in Google Colab. Where PyTorch is missing too,
# its small build comes along, without gigabytes of CUDA.
import importlib.util

small = "--extra-index-url https://download.pytorch.org/whl/cpu"
if importlib.util.find_spec("autograder") is None:
    needs = "--no-deps" if importlib.util.find_spec("torch") else small
    %pip install --quiet {needs} WHEEL"""


def main() -> int:
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(BUILD / "book" / "_build" / "html", SITE)
    unpack(BUNDLE, SITE / "student")
    if address := base_address():
        prepare_for_colab(SITE / "student", f"{address}/student")
    shutil.copy(BUNDLE, SITE / "student")
    shutil.copy(PDF, SITE)
    if IN_PAGE.exists():
        shutil.copytree(IN_PAGE, SITE / "solve")
    (SITE / ".nojekyll").touch()  # GitHub Pages would leave out what begins with an underscore
    show_downloads(SITE)
    if missing := sorted(promised(SITE) - here(SITE)):
        print(f"The pages link to what the site does not have: {', '.join(missing)}.")
        return 1
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(f"The site is in {SITE.relative_to(ROOT)} ({size / 1e6:.0f} MB).")
    return 0


def base_address() -> str:
    """Where the site will be; empty where that is not said."""
    return (CONFIG["html"].get("baseurl") or "").rstrip("/")


def show_downloads(site: Path) -> None:
    """Show the pages' links to notebooks, bundle and PDF: here all of them are."""
    for path in site.glob("*.html"):
        path.write_text(shown(path.read_text(encoding="utf-8")), encoding="utf-8")


def prepare_for_colab(folder: Path, address: str) -> None:
    """Put a cell that installs the folder's wheel before each notebook's first code."""
    (wheel,) = folder.glob("*.whl")
    cell = nbformat.v4.new_code_cell(
        INSTALL.replace("WHEEL", f"{address}/{wheel.name}"), id="install"
    )
    for path in folder.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        kinds = [one.cell_type for one in notebook.cells]
        notebook.cells.insert(kinds.index("code"), cell)
        nbformat.write(notebook, path)


def promised(site: Path) -> set[str]:
    """The files that the pages link to."""
    pages = "".join(page.read_text(encoding="utf-8") for page in site.glob("*.html"))
    return set(re.findall(r'<a [^>]*href="((?![a-z]+:|#|/)[^"#?]+)', pages))


def here(site: Path) -> set[str]:
    return {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}


if __name__ == "__main__":
    sys.exit(main())
