"""Late work: does it cost what course.toml says, and does nbgrader's own command agree?"""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from autograder.cli import main
from autograder.errors import SettingsError
from autograder.grading.course.gradebook import Writer
from autograder.grading.course.late import LateDays
from autograder.grading.course.scores import read_scores, reading
from autograder.nbgrader_course import scripts_on_path
from autograder.settings import LatePolicy, read_settings

DUE = datetime(2026, 3, 1, 12)
TOML = """
[due]
chapter = 2026-03-01T13:00:00+01:00
[late]
penalty_per_day = 0.1
at_most = 0.35
grace_minutes = 10
"""
HOURS = {"early": -1, "grace": 0.1, "one": 1, "two": 25, "week": 170}


@pytest.mark.parametrize(
    ("minutes", "share"),
    [(0, 0), (10, 0), (10.1, 0.1), (24 * 60 + 10, 0.1), (24 * 60 + 11, 0.2), (1e5, 0.35)],
)
def test_each_day_begun_costs_a_share_up_to_the_largest(minutes, share):
    assert LatePolicy(0.1, 0.35, 10).share(60 * minutes) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("due = [", "is not TOML"),
        ("late_days = 3", "no setting late_days"),
        ("[due]\nchapter = 2026-03-01T13:00:00", "with its offset from UTC"),
        ("[late]\nat_most = 0.5", "has no penalty_per_day"),
        ("[late]\npenalty_per_day = 10", "is 10; write a number from 0 to 1"),
        ('[late]\npenalty_per_day = "a tenth"', "write a number"),
        ("gradebook = 5", "gradebook is 5"),
        ("course_id = 5", "course_id is 5"),
        ("due = 5", "due is 5; write a table"),
    ],
)
def test_what_is_wrong_in_the_settings_is_said_in_one_sentence(tmp_path, text, said):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(SettingsError, match=said) as caught:
        read_settings(tmp_path)
    assert "course.toml" in str(caught.value)


def test_a_due_date_of_no_chapter_is_refused_before_anything_is_graded(tmp_path, capsys):
    (tmp_path / "manifest.json").write_text('{"chapters": {}}')
    (tmp_path / "submitted").mkdir()
    due = '[due]\n"02-softmax" = 2026-03-01T13:00:00Z\n"02-sofmax" = 2026-03-01T13:00:00Z'
    (tmp_path / "course.toml").write_text(due)  # the first is right, though not released yet
    command = ["grade", "--course", str(tmp_path), "--unsafe-no-sandbox"]
    assert main(command) == 2
    assert "[due] 02-sofmax is no chapter; there are: 00-start-here" in capsys.readouterr().err
    (tmp_path / "course.toml").write_text(due.rpartition("\n")[0])
    assert main(command) == 0


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A chapter of ten points, and five students who hand in at different times."""
    root = tmp_path_factory.mktemp("made")
    (root / "course.toml").write_text(TOML)
    url = read_settings(root).gradebook
    with scripts_on_path(), Gradebook(url) as book:
        book.add_assignment("chapter")
        book.add_notebook("chapter", "chapter")
        place = {"notebook": "chapter", "assignment": "chapter"}
        book.add_grade_cell("check", **place, max_score=10, cell_type="code")
        book.add_solution_cell("exercise", **place)
    with Writer(url) as writer:
        for student, hours in HOURS.items():
            when = DUE + timedelta(hours=hours)
            writer.write(student, "chapter", {"check": 10.0}, when, set())
    return root


@pytest.fixture
def course(made, tmp_path):
    """A course of one's own."""
    return Path(shutil.copytree(made, tmp_path / "course"))


def settled(course):
    settings = read_settings(course)
    with Writer(settings.gradebook) as writer:
        writer.settle(settings, ["chapter"])
    with Gradebook(settings.gradebook) as book:
        return {
            student: book.find_submission("chapter", student).late_submission_penalty
            for student in HOURS
        }


def test_penalties_follow_the_due_date_the_policy_and_what_a_teacher_changes(course):
    assert settled(course) == {"early": 0, "grace": 0, "one": 1, "two": 2, "week": 3.5}
    with Gradebook(read_settings(course).gradebook) as book:
        book.find_grade("check", "chapter", "chapter", "one").manual_score = 5.0
        book.find_submission("chapter", "two").extension = timedelta(days=2)
        book.db.commit()
    assert settled(course) == {"early": 0, "grace": 0, "one": 0.5, "two": 0, "week": 3.5}
    (course / "course.toml").write_text(TOML.replace("03-01", "03-20"))
    assert settled(course) == dict.fromkeys(HOURS, 0)


def test_who_is_how_late_is_read_as_nbgrader_counts_it_extensions_too(course):
    settled(course)
    url = read_settings(course).gradebook
    with Gradebook(url) as book:
        book.find_submission("chapter", "week").extension = timedelta(days=2, hours=1)
        book.find_submission("chapter", "one").extension = timedelta(days=9)
        book.db.commit()
        theirs = {name: book.find_submission("chapter", name).total_seconds_late for name in HOURS}
    with reading(url) as query:
        found = read_scores(query).found
    assert {name: found[name, "chapter"].late_seconds for name in HOURS} == theirs
    assert theirs["week"] > theirs["two"] > theirs["one"] == 0


def test_nbgraders_own_preprocessor_takes_off_the_same(course):
    ours = settled(course)
    url = read_settings(course).gradebook
    config = Config()
    config.CourseDirectory.root = str(course)
    with Gradebook(url) as book:
        for notebook in book.db.query(SubmittedNotebook):
            notebook.late_submission_penalty = None
        book.db.commit()
    for student in HOURS:
        told = {"notebook": "chapter", "assignment": "chapter", "student": student, "db_url": url}
        preprocessor = AssignLatePenalties(config=config, plugin_class=LateDays)
        preprocessor.preprocess(new_notebook(), {"nbgrader": told})
    with Gradebook(url) as book:
        theirs = {
            student: book.find_submission("chapter", student).late_submission_penalty
            for student in HOURS
        }
    assert theirs == ours
