"""A whole class, end to end: are all scores as the submissions were built to get?"""

import importlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.grading.course.folder import Course
from autograder.grading.run.runner import grade_class
from autograder.sandbox.limits import Limits
from tests.sample_class import HOSTILE_CHAPTER, Class, write
from tests.sandboxed import needs_sandbox

disagreements = importlib.import_module("tests.class.expectations").disagreements

pytestmark = [pytest.mark.slow, needs_sandbox]
SECONDS = 4.0
SOONER = 3.0  # for a run that waits for its limits several times
KILLED = ("00-start-here", HOSTILE_CHAPTER)  # the chapters of a run that is killed


# Every style and every misconception is judged in tests/content: of each kind one comes this way,
# in some chapters; in the others, somebody who has solved all.
SELDOM = re.compile(r"(other-style|mistaken)-[1-9]")
OFTEN = {"00-start-here", HOSTILE_CHAPTER, "14-real-writer"}


@pytest.fixture(scope="module", params=["most", pytest.param("all", marks=pytest.mark.exhaustive)])
def built(released, tmp_path_factory, request):
    """A released course with the sample class handed in."""
    root = tmp_path_factory.mktemp("class")
    shutil.copytree(released.root, root / "course")
    course = Course(root / "course")
    everybody = request.param == "all"
    handed = [
        one
        for one in Class(course).build()
        if everybody
        or one.student == "ada"
        or (one.chapter in OFTEN and not SELDOM.fullmatch(one.student))
    ]
    write(handed, course)
    (course.state).mkdir()
    (course.state / "secret").write_text("a secret that two copies of a course share")
    shutil.copytree(course.root, root / "copy", symlinks=True)
    return course, Course(root / "copy"), handed


@pytest.fixture(scope="module")
def graded(built):
    """The records of an undisturbed run."""
    course, _, _ = built
    return grade_class(course, workers=2, limits=Limits(SECONDS))


def test_the_class_has_at_least_24_submissions(built):
    assert len(built[2]) >= 24


def test_every_score_is_as_built(built, graded):
    assert disagreements(built[2], graded) == []


def test_a_second_run_says_the_same_and_grades_nothing_again(built, graded):
    course, _, _ = built
    before = tree(course)
    assert grade_class(course, workers=1, limits=Limits(SECONDS)) == graded
    assert tree(course) == before


def test_without_a_sandbox_honest_work_scores_the_same(built, graded, tmp_path):
    course, _, _ = built
    shutil.copytree(course.root, tmp_path / "own")
    shutil.rmtree(tmp_path / "own" / ".grading")
    limits = Limits(30, sandbox=False)
    chosen = {"workers": 1, "students": ["ada"], "limits": limits}
    (record,) = grade_class(Course(tmp_path / "own"), ["00-start-here"], **chosen)
    assert record["score"] == record["max_score"] > 0


def test_the_gradebook_says_what_the_records_say(built, graded):
    with Gradebook(built[0].settings.gradebook) as gradebook:
        for record in graded:
            submission = gradebook.find_submission(record["chapter"], record["student"])
            assert submission.score == record["score"]
            by_hand = sum(one["max_points"] for one in record.get("by_hand", []))
            assert submission.max_score == record["max_score"] + by_hand
            assert not submission.needs_manual_grade


def test_feedback_pages_run_nothing_and_load_nothing(built, graded):
    for page in (built[0].root / "feedback").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<script" not in text and "default-src 'none'" in text
        assert "src=" not in text


@pytest.mark.exhaustive
def test_a_run_that_is_killed_ends_with_the_same_course_as_one_that_is_not(built, graded):
    course, copy, _ = built
    command = [sys.executable, "-m", "autograder.cli", "grade", *KILLED, "--workers", "2"]
    command += ["--course", str(copy.root), "--limit-seconds", f"{SOONER:g}"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if len(list((copy.state / "applied").glob("[0-9a-f]*"))) >= 15:
            break
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    target = copy.root.parent / "records.jsonl"
    subprocess.run([*command, "--json", str(target)], check=True, stdout=subprocess.DEVNULL)
    records = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    wanted = [timeless(record) for record in graded if record["chapter"] in KILLED]
    assert [timeless(record) for record in records] == wanted
    assert tree(copy, KILLED) == tree(course, KILLED)
    assert scores(copy) == scores(course)


def timeless(record):
    return {key: value for key, value in record.items() if key != "seconds"}


def tree(course, chapters=("*",)):
    """Every file that grading chapters made, by its place and content."""
    return {
        str(path.relative_to(course.root)): path.read_bytes()
        for folder in ("autograded", "feedback")
        for chapter in chapters
        for path in sorted((course.root / folder).glob(f"*/{chapter}/*"))
    }


def scores(course):
    """What the gradebook holds of these chapters, without its random row ids."""
    with sqlite3.connect(course.root / "gradebook.db") as database:
        return database.execute(
            """select student.id, assignment.name, base_cell.name, grade.auto_score,
                      grade.manual_score, grade.needs_manual_grade
               from grade
               join submitted_notebook on submitted_notebook.id = grade.notebook_id
               join submitted_assignment as handed on handed.id = submitted_notebook.assignment_id
               join assignment on assignment.id = handed.assignment_id
               join student on student.id = handed.student_id
               join base_cell on base_cell.id = grade.cell_id
               where assignment.name in (?, ?) order by 1, 2, 3""",
            KILLED,
        ).fetchall()


@pytest.mark.exhaustive
def test_nbgraders_own_autograde_goes_through_the_sandbox(built, graded):
    course, _, _ = built
    own = course.root.parent / "own"
    shutil.copytree(course.root / "source", own / "source")
    shutil.copy(Path(__file__).resolve().parents[2] / "nbgrader_config.py", own)
    shutil.copytree(course.root / "release", own / "release")
    for name in ("gradebook.db", "manifest.json"):
        shutil.copy(course.root / name, own / name)
    chapter = "02-softmax"
    for student in ("ada", "forger"):
        shutil.copytree(
            course.root / "submitted" / student / chapter, own / "submitted" / student / chapter
        )
    command = [sys.executable, "-m", "nbgrader", "autograde", chapter]
    command += [f"--CourseDirectory.root={own}", "--force"]
    subprocess.run(command, check=True, cwd=own, capture_output=True, timeout=300)
    by_student = {r["student"]: r["score"] for r in graded if r["chapter"] == chapter}
    with Gradebook(f"sqlite:///{own / 'gradebook.db'}") as gradebook:
        for student in ("ada", "forger"):
            assert gradebook.find_submission(chapter, student).score == by_student[student]
