"""Are the chapters short, without machinery, and with exercises of every kind?"""

from pathlib import Path

import nbformat
import pytest

from autograder.checking import exercises
from autograder.release.book import Book
from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe import make_source
from autograder.release.references import References
from tests.book.chapter_counts import BOOK, TITLE, Counts, counted

CHAPTERS = sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=CHAPTERS, ids=lambda path: path.stem)
def path(request) -> Path:
    return request.param


@pytest.fixture(scope="module")
def counts(path) -> Counts:
    return counted(nbformat.read(path, as_version=4))


@pytest.fixture(scope="module")
def students(path) -> Counts:
    chapter = ChapterNotebook.read(path, References(ROOT / "solutions"), Book.of(ROOT))
    return counted(nbformat.reads(make_source(chapter), as_version=4))


def test_is_short(counts):
    assert counts.prose <= 2500
    assert counts.text <= 4500
    assert counts.code <= 120


def test_asks_a_few_questions_beside_what_they_are_about(counts):
    assert 1 <= counts.questions <= 5
    assert counts.most_questions_together <= 2


def test_shows_no_machinery(counts, students):
    assert counts.machinery == students.machinery == []


def test_has_one_cell_of_imports(counts, students):
    assert len(counts.imports) == len(students.imports) == 1


def test_folds_what_earlier_chapters_wrote_in_one_cell(path, students):
    own = (
        f"from solutions.{path.stem[3:].replace('-', '_')} import"  # given ready-made, in its place
    )
    cells = nbformat.read(path, as_version=4).cells
    earlier = {cell.id for cell in cells if own not in cell.source}
    assert len(earlier & set(students.provided)) <= 1
    assert students.unfolded == []


def test_says_of_each_exercise_how_hard_and_how_long(counts):
    assert len(counts.titles) >= len(counts.graded) + counts.find_outs
    assert [title for title in counts.titles if not TITLE.fullmatch(title)] == []


def test_has_exercises_of_each_kind(path, counts):
    assert counts.predictions >= 1
    mends = [name for name in counts.graded if exercises()[name].mend]
    assert len(counts.graded) > len(mends)
    assert mends or path.stem.startswith("00")
