"""Do the hours and points for teachers say what the notebooks hold?"""

import re
from pathlib import Path

import nbformat
import pytest

from tests.book.parsed import SITE, needs_book, parsed

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "book").glob("[0-9][0-9]-*.ipynb"))


@pytest.fixture
def facts(extension):
    return extension("course_facts")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_points_are_those_that_nbgrader_gives(facts, path):
    cells = nbformat.read(path, as_version=4).cells
    given = sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in cells)
    assert facts.summed(facts.exercise_titles(path), "point") == given
    rubrics = [line for cell in cells for line in cell.metadata.get("rubric", [])]
    assert facts.by_hand(path) == sum(int(re.match(r"(\d+) point", line)[1]) for line in rubrics)


def test_exercises_and_hints_are_not_counted_as_reading(facts, tmp_path):
    prose = "word " * 800
    hidden = "`````{exercise} A title, 1 point\nword " + "word " * 800 + "\n`````\n"
    hint = ":::{dropdown} Hint 1\n" + "word " * 800 + "\n:::\n"
    cells = [nbformat.v4.new_markdown_cell(text) for text in (prose, hidden, hint)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "a.ipynb")
    assert facts.reading_minutes(tmp_path / "a.ipynb") == 10


@pytest.mark.parametrize(
    ("seconds", "said"), [(None, ""), (4, "< 1"), (59, "< 1"), (61, "1"), (200, "3")]
)
def test_minutes_to_run_are_those_of_the_stored_run(facts, tmp_path, seconds, said):
    notebook = nbformat.v4.new_notebook(metadata={"core_seconds": seconds} if seconds else {})
    nbformat.write(notebook, tmp_path / "a.ipynb")
    assert facts.running_minutes(tmp_path / "a.ipynb") == said


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_chapter_says_how_long_it_runs(facts, path):
    assert facts.running_minutes(path)


@needs_book
def test_says_the_map_what_each_chapter_takes(facts):
    """The map's small print is counted anew: exercises by their directives, points by nbgrader."""
    page = parsed(SITE / "map.html")
    boxes = {link["href"]: link.get_text() for link in page.select("svg.boxes a")}
    assert list(boxes) and len(boxes) == len(CHAPTERS)
    for path in CHAPTERS:
        cells = nbformat.read(path, as_version=4).cells
        given = sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in cells)
        texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
        exercises = sum(text.count("{exercise} ") for text in texts)
        words = boxes[f"{path.stem}.html"]
        assert re.search(rf"\b{exercises} exercises? {given} points?\b", words), words
        assert re.search(r"\b\d+( \+ \d+)? min\b", words)
