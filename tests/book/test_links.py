"""The links of the built book, without a browser."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from tests.book.parsed import SITE, parsed

PAGES = sorted(path.name for path in SITE.glob("*.html"))


@cache
def anchors(page: Path) -> set[str]:
    return {element["id"] for element in parsed(page).find_all(id=True)} | {""}


def broken(page: Path) -> Iterator[str]:
    """The page's links into the book that lead nowhere."""
    for element in parsed(page).find_all(["a", "img", "link", "script"]):
        target = element.get("href") or element.get("src") or ""
        if not target or target.startswith(("data:", "mailto:", "javascript:")) or "://" in target:
            continue
        path, anchor = urldefrag(target)
        file = page if not path else (page.parent / unquote(path.partition("?")[0])).resolve()
        if not file.is_file():
            yield f"{target}: no such file"
        elif file.suffix == ".html" and unquote(anchor) not in anchors(file):
            yield f"{target}: no such place"


@pytest.mark.skipif(not PAGES, reason="the book is not built: make book")
def test_do_all_links_into_the_book_lead_somewhere():
    assert {page: found for page in PAGES if (found := list(broken(SITE / page)))} == {}
