"""Is every term that a chapter prints bold in the glossary, and is the glossary in order?"""

import re
from pathlib import Path

import nbformat
import pytest

from tests.book.chapter_counts import BLOCK, BOOK

CHAPTERS = sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))

ENTRY = re.compile(r"^(?P<term>[^\s:`#].*)\n  \S", re.MULTILINE)
BOLD = re.compile(r"\*\*(?P<term>[^*\n]+)\*\*")
# Exercises and questions have their own bold: what a learner must not overlook.
NOT_TEXT = {"exercise", "quiz"}
# Quoted sentences, rows of tables, and what opens a paragraph or a point of a list.
OPENING = re.compile(r"^(>|\|).*|^( *(-|\d+\.) )?\*\*[^*\n]+\*\*", re.MULTILINE)
STEM = 6  # letters: "permutation equivariant" is what "permutation equivariance" says


def entries() -> list[str]:
    return ENTRY.findall((BOOK / "glossary.md").read_text(encoding="utf-8"))


def stems(term: str) -> list[str]:
    words = re.findall(r"[a-z]+", term.lower())
    return [re.sub(r"(?<=[a-z])ies$", "y", word).rstrip("s")[:STEM] for word in words]


def bold(path: Path) -> list[str]:
    """What a chapter prints bold in the middle of a sentence, but numbers and names of models."""
    found = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "markdown":
            continue
        text = BLOCK.sub(lambda block: "" if block["kind"] in NOT_TEXT else block[0], cell.source)
        found += BOLD.findall(OPENING.sub("", text))
    return [term for term in found if not re.search(r"\d|[:.]$", term)]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_has_every_term_that_a_chapter_prints_bold(path):
    known = [stems(term) for term in entries()]
    missing = [
        term for term in bold(path) if not any(set(stems(term)) <= set(words) for words in known)
    ]
    assert missing == [], "put them into book/glossary.md, or emphasize with one asterisk"


def test_is_in_alphabetical_order_and_has_no_term_twice():
    terms = [re.sub(r"[^a-z ]", " ", term.lower()) for term in entries()]
    assert terms == sorted(set(terms))
