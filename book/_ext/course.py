"""The course's chapters and what each needs, read from the code: nothing is listed by hand.

A chapter needs another if its references import from that chapter's (`solutions/`), if its
notebook provides something of it, or if its opening, the text above its first section and its first
fold, links back to it.
"""

import ast
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.source import syntax
from autograder.source.content import REFERENCE, content

CHAPTER = re.compile(r"(\d\d)-([\w-]+)")
LINK = re.compile(r"\]\((\d\d-[\w-]+)\.ipynb\)")
AFTER_OPENING = re.compile(r"^(?:## |:::).*", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Chapter:
    """A chapter: its page, its title without the number, and the chapters that it builds upon."""

    page: str
    title: str
    needs: frozenset[str]

    @property
    def number(self) -> int:
        return int(self.page[:2])


def module_of(page: str) -> str:
    """The module in `solutions/` of a chapter."""
    return CHAPTER.fullmatch(page)[2].replace("-", "_")


def imported(code: str) -> set[str]:
    """The chapters from whose references code imports."""
    places = map(content().place, syntax.imported(ast.parse(code)))
    return {place[0] for place in places if place and place[1] == REFERENCE}


@cache
def chapters(book: Path) -> dict[str, Chapter]:
    """The chapters in a book's folder, by page, in their order."""
    paths = sorted(path for path in book.glob("*.ipynb") if CHAPTER.fullmatch(path.stem))
    pages = {module_of(path.stem): path.stem for path in paths}
    by_page = {}
    for path in paths:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        title = re.search(r"^# (?:\d+ · )?(.+)$", "\n".join(texts), re.MULTILINE)[1].strip()
        modules = set()
        for cell in cells:
            if cell["cell_type"] == "code" and "solutions" in (code := "".join(cell["source"])):
                modules |= imported(code)
        references = book.parent / "solutions" / module_of(path.stem) / "reference.py"
        if references.exists():
            modules |= imported(references.read_text(encoding="utf-8"))
        needs = {pages[module] for module in modules if module in pages} - {path.stem}
        opening = AFTER_OPENING.sub("", "\n".join(texts))
        needs |= {
            page for page in LINK.findall(opening) if page in pages.values() and page < path.stem
        }
        by_page[path.stem] = Chapter(path.stem, title, frozenset(needs))
    return by_page


def direct(chapter: Chapter, course: dict[str, Chapter]) -> list[str]:
    """What a chapter needs, less what another of its needs already needs."""

    def below(page: str) -> set[str]:
        return set().union(*({need} | below(need) for need in course[page].needs), set())

    implied = set().union(*(below(need) for need in chapter.needs), set())
    return sorted(chapter.needs - implied)


def leads_to(page: str, course: dict[str, Chapter]) -> list[str]:
    """The chapters that need this one directly."""
    return [other.page for other in course.values() if page in direct(other, course)]
