"""After points or a check changed: is who has the earlier release told that nothing was edited?"""

import nbformat
from nbformat import NotebookNode

from autograder.checking.registry import find
from autograder.diagnosis import patterns
from autograder.files import sha256
from autograder.grading.course.released import ReleasedChapter, ReleasedExercise
from autograder.grading.submission.overwrite_cells import restored
from autograder.manifest import ListedCell, ListedChapter, ListedExercise

MARKS = {"grade_id": "check-one", "grade": True, "locked": True, "solution": False, "points": 3}


def notes(points, source, former):
    """What is said of a notebook with these points and this check cell."""
    cells = {"check-one": MARKS, "one": MARKS | {"grade_id": "one", "grade": False}}
    one = ReleasedExercise("one", 3.0, "check-one", 'check("one")')
    chapter = ReleasedChapter("c", (one,), {"check-one": 'check("one")'}, "", cells, frozenset())
    chapter.former.update({key: frozenset(kept) for key, kept in former.items()})
    exercise = nbformat.v4.new_code_cell("one = 1")
    exercise.metadata.nbgrader = NotebookNode(cells["one"])
    check = nbformat.v4.new_code_cell(source)
    check.metadata.nbgrader = NotebookNode(MARKS | {"points": points})
    notebook = nbformat.v4.new_notebook(cells=[exercise, check])
    said = restored(notebook, chapter)
    assert check.metadata.nbgrader.points == 3 and check.source == 'check("one")'
    return said


def former():
    """What the manifest keeps of two earlier releases."""
    entries = [
        ListedChapter(
            "c",
            (ListedExercise("check-one", points=points),),
            (ListedCell("check-one", sha256(source)),),
        )
        for points, source in ((1.0, 'check("one")'), (2.0, 'check("one")  # mended'))
    ]
    return ListedChapter("c").after(entries[1].after(entries[0])).former


def test_an_earlier_releases_points_and_source_are_no_edit():
    for points, source in ((1, 'check("one")'), (2, 'check("one")  # mended'), (3, 'check("one")')):
        assert notes(points, source, former()) == []


def test_what_no_release_had_is_an_edit():
    assert notes(1000, 'check("one")', former()) == [
        "the metadata of the cell check-one was edited"
    ]
    assert notes(1, "1000.0", former()) == ["the locked cell check-one was edited"]
    assert notes(1, 'check("one")', {}) == ["the metadata of the cell check-one was edited"]


def test_line_ends_of_another_system_are_no_edit():
    source = "from autograder import check\ncheck('one')\n"
    chapter = ReleasedChapter("c", (), {"check-one": source}, "", {"check-one": MARKS}, frozenset())
    for end in ("\r\n", "\r"):
        cell = nbformat.v4.new_code_cell(source.replace("\n", end))
        cell.metadata.nbgrader = NotebookNode(MARKS)
        assert restored(nbformat.v4.new_notebook(cells=[cell]), chapter) == []
        assert cell.source == source


def test_grading_has_from_the_release_where_misconceptions_go_wrong(released):
    for exercise in released.chapters(["02-softmax"])["02-softmax"].exercises:
        known = patterns.read(exercise.patterns)
        assert len(known) >= len(find(exercise.name).misconceptions)
        assert any(known), exercise.name
