"""What the pages link to and a book alone does not have: notebooks, bundle and PDF.

In the book as built these links lie in comments (book/_ext/take_away.py). Where the files are, as
on the site and under `make serve`, the comments become text.
"""

import re
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, NavigableString, Tag

ROOT = Path(__file__).resolve().parent.parent
BUNDLE = ROOT / "build" / "course" / "attention-course-student.zip"
IN_PAGE = ROOT / "build" / "page"  # what the pages run Python with
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
PDF = ROOT / "build" / "pdf" / f"{CONFIG['sphinx']['config']['html_context']['slug']}.pdf"
HIDDEN = re.compile(r"<!--on-the-site(.*?)/on-the-site-->", re.DOTALL)
BETWEEN = " · "  # two links in a line


def shown(page: str, there: Callable[[str], bool] = lambda file: True) -> str:
    """A page with its links to downloads, of those only that lead to a file that is there."""
    return HIDDEN.sub(lambda found: _with_live_links(found[1], there), page)


def _with_live_links(fragment: str, there: Callable[[str], bool]) -> str:
    soup = BeautifulSoup(fragment, "html.parser")
    for link in soup.find_all("a", href=re.compile(r"^(student/|[^:/#]+\.pdf$)")):
        if not there(str(link["href"])):
            _remove(link)
    return str(soup) if soup.find("a") else ""


def _remove(link: Tag) -> None:
    """Take out a link with its line of a list, or with the sign between it and the next."""
    if line := link.find_parent("li"):
        line.decompose()
        return
    for beside in (link.previous_sibling, link.next_sibling):
        if isinstance(beside, NavigableString) and beside == BETWEEN:
            beside.extract()
            break
    link.decompose()


def unpack(bundle: Path, folder: Path) -> None:
    """The bundle's files, without the folder in which they lie there.

    Not the course's `student/`, in which somebody may have worked.
    """
    with (
        tempfile.TemporaryDirectory(dir=folder.parent) as whole,
        zipfile.ZipFile(bundle) as archive,
    ):
        archive.extractall(whole)
        (inner,) = Path(whole).iterdir()
        inner.rename(folder)
