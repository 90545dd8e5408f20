"""The whole book as one PDF, read by pypdf."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.book.parsed import SITE
from tests.chromium import CHROMIUM

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    pypdf = pytest.importorskip("pypdf")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    if not SITE.exists():
        pytest.skip("the book is not built: make book")
    printed = tmp_path_factory.mktemp("pdf") / "book.pdf"
    subprocess.run([sys.executable, ROOT / "make" / "pdf.py", printed], check=True)
    return pypdf.PdfReader(printed)


def links(book):
    for page in book.pages:
        for note in page.get("/Annots", []):
            note = note.get_object()
            if note["/Subtype"] == "/Link":
                yield note


def test_do_links_within_the_book_lead_to_its_pages(book):
    known = book.named_destinations
    inside = [note["/Dest"] for note in links(book) if "/Dest" in note]
    assert len(inside) > 50
    assert [place for place in inside if isinstance(place, str) and place not in known] == []


def test_does_no_link_lead_to_the_server_that_printed_it(book):
    addresses = [note["/A"]["/URI"] for note in links(book) if "/URI" in note.get("/A", {})]
    assert [address for address in addresses if "127.0.0.1" in address] == []


def test_is_what_was_folded_open(book):
    # The first chapters: to read the text of all pages takes a minute.
    text = " ".join(" ".join(page.extract_text() for page in book.pages[:90]).split())
    assert "It is what is asked for. The key is the" in text  # a choice's explanation
    assert "return x * 2" in text or "return 2 * x" in text  # a reference


def test_has_every_chapter_its_place_in_the_outline(book):
    titles = [str(entry.title) for entry in flat(book.outline)]
    for path in (ROOT / "book").glob("[0-9][0-9]-*.ipynb"):
        assert any(title.startswith(f"{int(path.stem[:2])} · ") for title in titles), path.stem


def flat(outline):
    for entry in outline:
        if isinstance(entry, list):
            yield from flat(entry)
        else:
            yield entry
