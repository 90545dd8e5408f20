"""The pages of the built book, each parsed once in a process. Not to be changed."""

import functools
from pathlib import Path

from bs4 import BeautifulSoup


@functools.cache
def parsed(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
