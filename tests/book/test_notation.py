"""Is every letter of the chapters' formulas and shapes on the page on notation, once?"""

import re
from pathlib import Path

import nbformat
import pytest

from tests.book.chapter_counts import BOOK

CHAPTERS = sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))

NAMED = {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "eta", "theta", "lambda"}
NAMED |= {"mu", "rho", "sigma", "tau", "phi", "omega"}
WORDS = re.compile(
    r"\\(?:text\w*|operatorname|math(?:rm|tt|cal)|begin|end)\*?\{[^{}]*\}(?:\{[clr|]+\})?"
)
DISPLAYED = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"(?<!\\)\$([^$]+?)\$")
SHAPE = re.compile(r"\[([^\[\]\n]+)\]")
ROW = re.compile(r"^\| (?P<symbols>.+?) \|(?: (?P<where>\d+(?:, \d+)*) \|)?", re.MULTILINE)


def letters(formula: str) -> set[str]:
    """The letters of a formula, Greek ones by name; words and names of functions are none."""
    formula = re.sub(r"\\\\\[[^\]]*\]", " ", WORDS.sub(" ", formula))
    found = re.findall(r"\\([a-zA-Z]+)|([A-Za-z])", formula)
    return {letter or name for name, letter in found if letter or name in NAMED}


def of_text(text: str) -> set[str]:
    """The letters of all formulas in a text."""
    formulas = DISPLAYED.findall(text) + INLINE.findall(
        re.sub("`[^`]*`", "", DISPLAYED.sub("", text))
    )
    return set().union(*map(letters, formulas))


def of_shapes(text: str) -> set[str]:
    """The letters of all shapes in a text, such as [B, L, E / 2]."""
    found = set()
    for inside in SHAPE.findall(text):
        sizes = [size.strip() for size in re.split(r"[,*/+-]|= *\d+", inside)]
        if all(re.fullmatch(r"[A-Z]|[\d.]*|[a-z_]{2,}", size) for size in sizes):
            found |= {size for size in sizes if re.fullmatch("[A-Z]", size)}
    return found


def used(path: Path) -> set[str]:
    """The letters of a chapter: in its formulas, and in the shapes in text and comments."""
    found = set()
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            found |= of_text(cell.source) | of_shapes(
                " ".join(re.findall("`[^`\n]+`", cell.source))
            )
        else:
            found |= of_shapes("\n".join(re.findall("#.*", cell.source)))
    return found


def rows() -> list[tuple[list[str], set[int]]]:
    """The page's rows: the symbols, and the chapters they are of; none where it is all."""
    text = (BOOK / "notation.md").read_text(encoding="utf-8")
    return [
        (INLINE.findall(row["symbols"]), set(map(int, re.findall(r"\d+", row["where"] or ""))))
        for row in ROW.finditer(text)
    ]


def test_finds_letters_and_no_words():
    assert letters(r"\begin{array}{cc} W_q x \\[1ex] \end{array}") == {"W", "q", "x"}
    assert letters(r"\sqrt{D} \, \text{dog} \cdot \alpha \to \operatorname{softmax}(z)") == {
        *("D", "alpha", "z")
    }
    assert of_shapes("[B, L, E / 2] of [B = 2, embed_dim], [a, b] and [Ada]") == {"B", "L", "E"}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_has_every_letter_of_a_chapter(path):
    known = set()
    for symbols, chapters in rows():
        if not chapters or int(path.name[:2]) in chapters:
            known |= set().union(*map(letters, symbols))
    assert used(path) - known == set(), "put it into book/notation.md"


def test_has_no_letter_of_a_chapter_that_does_not_use_it():
    of_chapter = {int(path.name[:2]): used(path) for path in CHAPTERS}
    idle = [
        (symbol, chapter)
        for symbols, chapters in rows()
        for symbol in symbols
        for chapter in chapters & of_chapter.keys()  # one may have been taken out
        if not letters(symbol) <= of_chapter[chapter]
    ]
    assert idle == []


def test_says_each_symbol_once_for_a_chapter():
    said = [
        (symbol, chapter) for symbols, where in rows() for symbol in symbols for chapter in where
    ]
    assert len(said) == len(set(said))
