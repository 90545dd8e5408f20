"""The built book: where it is, and its pages, each parsed once in a process. Not to be changed."""

import functools
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

SITE = Path(__file__).parents[2] / "build" / "book" / "_build" / "html"
needs_book = pytest.mark.skipif(not SITE.exists(), reason="the book is not built: make book")


@functools.cache
def parsed(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
