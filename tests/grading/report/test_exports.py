"""Do the tables say what nbgrader's gradebook says, in the shapes that other systems read?"""

import csv
import subprocess
import sys
from datetime import timedelta

import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin

from autograder.cli import main
from autograder.grading.course.folder import Course
from autograder.grading.report.columns import NOT_YET
from autograder.nbgrader_course import scripts_on_path

CHAPTERS = ("01-one", "02-two")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course of two chapters; Ada is late in one and has manual points, Bob has nothing.

    Eve has answered in words, and nobody has read that yet.
    """
    tmp_path = tmp_path_factory.mktemp("exports")
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    with scripts_on_path(), Gradebook(url) as book:
        for chapter in CHAPTERS:
            book.add_assignment(chapter, duedate="2026-03-01 12:00:00 UTC")
            book.add_notebook(chapter, chapter)
            place = {"notebook": chapter, "assignment": chapter}
            for name in ("a", "b"):
                book.add_grade_cell(name, **place, max_score=3, cell_type="code")
            for name in ("why", "how"):
                book.add_grade_cell(name, **place, max_score=2, cell_type="markdown")
        names = {"first_name": 'Ada "A."', "last_name": "Love, lace", "email": "ada@example.org"}
        book.add_student("ada", **names, lms_user_id="77")
        book.add_student("bob", first_name="=cmd()", last_name="+1")
        for chapter, score in zip(CHAPTERS, (3.0, 1.5), strict=True):
            book.add_submission(chapter, "ada", timestamp="2026-03-01 12:00:00 UTC")
            book.find_grade("a", chapter, chapter, "ada").auto_score = score
            book.find_grade("b", chapter, chapter, "ada").auto_score = 0.0
            for name in ("a", "b", "why", "how"):
                book.find_grade(name, chapter, chapter, "ada").needs_manual_grade = False
        book.find_grade("b", CHAPTERS[0], CHAPTERS[0], "ada").manual_score = 2.0
        place = {"notebook": CHAPTERS[0], "assignment": CHAPTERS[0]}
        book.add_student("eve", last_name="Zuse")
        book.add_submission(CHAPTERS[0], "eve")
        for name in ("a", "b"):
            book.find_grade(name, CHAPTERS[0], CHAPTERS[0], "eve").auto_score = 3.0
        late = book.find_submission(CHAPTERS[1], "ada")
        late.timestamp += timedelta(hours=26, minutes=3)
        late.notebooks[0].late_submission_penalty = 0.5
        book.db.commit()
    (tmp_path / "manifest.json").write_text('{"chapters": {}}')
    return tmp_path


def exported(root, kind, *options):
    """The rows of one format, as Python's own reader sees them."""
    assert main(["export", kind, "--course", str(root), *options]) == 0
    with (root / f"grades-{kind}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_canvas_gets_the_head_that_its_import_asks_for(root):
    head, possible, *rows = exported(root, "canvas")
    # GradebookImporter of Canvas: student columns up to Section, then assignments.
    assert head[:-1] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *CHAPTERS]
    assert possible[0].strip() == "Points Possible" and possible[5:] == ["10", "10", ""]
    # Its NON_ASSIGNMENT_COLUMN_HEADERS, which no assignment is made of, whatever stands around.
    assert "Final Points" in head[-1]
    by_login = {row[3]: row for row in rows}
    assert by_login["ada"] == ['Love, lace, Ada "A."', "77", "", "ada", "", "5", "1", ""]
    assert by_login["bob"] == ["'+1, =cmd()", "", "", "bob", "", "", "", ""]


def test_moodle_gets_a_dash_where_there_is_no_grade(root):
    head, *rows = exported(root, "moodle")
    assert head[:4] == ["First name", "Last name", "ID number", "Email address"]
    assert rows[1] == ['Ada "A."', "Love, lace", "ada", "ada@example.org", "5", "1", ""]
    assert rows[0] == ["'=cmd()", "'+1", "bob", "", "-", "-", ""]


@pytest.mark.parametrize("kind", ["canvas", "moodle", "gradescope", "csv"])
def test_a_score_without_its_answers_in_words_is_marked(root, kind, capsys):
    head, *rows = exported(root, kind)
    said = capsys.readouterr().out
    marked = {row[head.index(NOT_YET)]: row for row in rows if row[head.index(NOT_YET)]}
    assert list(marked) == ["01-one: 2 answers"]
    assert "eve" in marked["01-one: 2 answers"]
    sentence = "01-one: 2 answers in words wait for a score by hand, in the formgrader, Manual "
    assert f"{sentence}Grading, and the scores are without them: eve.\n" in said
    assert "02-two: " not in said


def test_nothing_is_said_of_what_is_not_exported(root, capsys):
    for options in (["--student", "ada"], ["--student", "bob"]):
        head, *rows = exported(root, "canvas", *options)
        assert "wait" not in capsys.readouterr().out
        assert {row[head.index(NOT_YET)] for row in rows} == {""}


def test_gradescope_columns_are_those_of_its_own_download(root):
    head, *rows = exported(root, "gradescope")
    assert head[:5] == ["First Name", "Last Name", "SID", "Email", "Sections"]
    assert head[5:9] == [
        *("01-one", "01-one - Max Points"),
        *("01-one - Submission Time", "01-one - Lateness (H:M:S)"),
    ]
    ada = dict(zip(head, rows[1], strict=True))
    assert ada["02-two"] == "1" and ada["02-two - Lateness (H:M:S)"] == "26:03:00"
    assert ada["02-two - Submission Time"] == "2026-03-02 14:03:00 +0000"
    assert ada["Total Lateness (H:M:S)"] == "26:03:00"
    assert len({len(row) for row in (head, *rows)}) == 1


def test_plain_csv_has_the_columns_and_numbers_of_nbgraders_own(root):
    head, *rows = exported(root, "csv")
    with Gradebook(Course(root).settings.gradebook) as book:
        plugin = CsvExportPlugin(to=str(root / "stock.csv"))
        plugin.student = ["ada"]
        ada = book.find_student("ada")
        ada.first_name, ada.last_name = "Ada", "Lovelace"  # its export does not quote
        plugin.export(book)
        book.db.rollback()
    with (root / "stock.csv").open(newline="") as file:
        stock = list(csv.DictReader(file))
    assert head == [*stock[0], NOT_YET]
    ours = [dict(zip(head, row, strict=True)) for row in rows if row[3] == "ada"]
    for one, other in zip(ours, stock, strict=True):
        for name in ("raw_score", "late_submission_penalty", "score", "max_score"):
            assert float(one[name]) == float(other[name])
        for name in ("assignment", "duedate", "timestamp", "email"):
            assert one[name] == other[name]


def test_only_the_wanted_students_are_exported(root):
    assert [row[3] for row in exported(root, "canvas", "--student", "bob")[2:]] == ["bob"]


def test_nbgraders_own_command_writes_the_same(root, kind="canvas"):
    exported(root, kind)
    subprocess.run(
        [
            *(sys.executable, "-m", "nbgrader", "export", "--to", str(root / "theirs.csv")),
            f"--exporter=autograder.grading.hosts.nbgrader.exports.{kind.title()}Export",
            f"--CourseDirectory.root={root}",
        ],
        check=True,
        cwd=root,
        capture_output=True,
    )
    assert (root / "theirs.csv").read_bytes() == (root / f"grades-{kind}.csv").read_bytes()
