"""Does the report count what is in the records, and does its page read well anywhere?"""

import csv
import re

import pytest
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.grading.course.journal import Journal
from autograder.grading.report.survey import survey
from autograder.grading.report.table import inert

CHAPTER = "01-lookup"
pytestmark = pytest.mark.slow
SENTENCE = "The weights are <b>not</b> shares."


@pytest.fixture
def graded(course):
    """Ten submissions of chapter 1 with known outcomes, and two students without any."""
    journal, chapter = Journal(course.state), course.chapters()[CHAPTER]
    first, *others = chapter.exercises

    def hand_in(student, passed, status="failed", sentence=None, overall="graded", notes=()):
        (course.root / "submitted" / student / CHAPTER).mkdir(parents=True)
        exercises = [
            {
                "name": exercise.name,
                "points": exercise.points if exercise.name in passed else 0.0,
                "max_points": exercise.points,
                "passed": exercise.name in passed,
                "misconception": sentence if exercise is first else None,
                "message": "what was seen",
                "status": "passed" if exercise.name in passed else status,
            }
            for exercise in chapter.exercises
        ]
        record = {
            "student": student,
            "chapter": CHAPTER,
            "score": sum(one["points"] for one in exercises),
            "max_score": chapter.max_points,
            "status": overall,
            "seconds": 0.1,
            "notes": list(notes),
            "exercises": exercises,
        }
        journal.keep(student.encode().hex(), {"record": record})
        journal.applied(student, CHAPTER, student.encode().hex())

    everything = {exercise.name for exercise in chapter.exercises}
    for number in range(4):
        hand_in(f"right-{number}", everything)
    for number in range(3):
        notes = ["No module named 'tensorflow'"] if number == 0 else []
        passed = everything - {first.name}
        hand_in(f"wrong-{number}", passed, sentence=SENTENCE, notes=notes)
    hand_in("=cmd()", set(), "not started")
    hand_in("deleted", everything - {first.name}, "missing", sentence="NameError is no mistake.")
    hand_in("slow", set(), "timeout", overall="timeout")
    hand_in("nothing", set(), "missing", overall="missing")
    when = course.root / "submitted" / "right-1" / CHAPTER / "timestamp.txt"
    when.write_text("12.10.2026")
    with Gradebook(course.settings.gradebook) as gradebook:
        gradebook.add_student("enrolled")
        gradebook.add_student("right-0", first_name="Ada")
    return course


def test_every_count_is_that_of_the_records(graded):
    found = survey(graded, [CHAPTER])
    (chapter,) = found.chapters
    first = chapter.exercises[0]
    assert found.students == 12
    assert chapter.absent == ["enrolled", "nothing"]
    assert (first.handed_in, first.passed, first.stuck, first.untried) == (10, 4, 4, 2)
    assert chapter.misconceptions == [(first.name, SENTENCE, 3)]
    assert chapter.reteach[0] is first
    assert [one.passed for one in chapter.exercises[1:]] == [8] * (len(chapter.exercises) - 1)
    full, partial = chapter.max_score, chapter.max_score - first.max_points
    assert sorted(chapter.scores) == [0, 0, *[partial] * 4, *[full] * 4]
    assert (chapter.full, chapter.median) == (4, partial)
    listed = [("right-1", "graded"), ("slow", "timeout"), ("wrong-0", "graded")]
    assert [row[:2] for row in chapter.troubles] == listed
    assert chapter.troubles[2][2] == "No module named 'tensorflow'"
    assert 'timestamp.txt says "12.10.2026"' in chapter.troubles[0][2]


def test_a_misconception_of_an_earlier_chapter_is_counted_as_come_back(course, capsys):
    """Three students: one keeps a mistake, one makes it later only, one makes one of its own."""
    journal, chapters = Journal(course.state), course.chapters()
    first, later = list(chapters)[1], list(chapters)[2]
    before, after = chapters[first].exercises[0], chapters[later].exercises[0]

    def hand_in(student, chapter, exercise, key, sentence):
        (course.root / "submitted" / student / chapter).mkdir(parents=True)
        one = {
            **{"name": exercise.name, "points": 0.0, "max_points": exercise.points, "message": ""},
            **{"passed": not key, "status": "failed" if key else "passed"},
            **{"key": key, "misconception": sentence},
        }
        record = {
            **{"student": student, "chapter": chapter, "status": "graded", "notes": []},
            **{"score": 0.0, "max_score": 1.0, "seconds": 0.1, "exercises": [one]},
        }
        digest = f"{student}-{chapter}".encode().hex()
        journal.keep(digest, {"record": record})
        journal.applied(student, chapter, digest)

    hand_in("keeps", first, before, "halved", SENTENCE)
    hand_in("relearns", first, before, None, None)
    for student in ("keeps", "relearns"):
        hand_in(student, later, after, f"{before.name}.halved", f"In it: {SENTENCE}")
    hand_in("own", later, after, "slip.sign", "A sign.")
    found = survey(course, [later]).chapters[0]
    (one,) = found.came_back
    assert (one.exercise, one.chapter, one.students, one.before) == (after.name, first, 2, 1)
    assert survey(course, [first]).chapters[0].came_back == []
    assert main(["report", later, "--course", str(course.root)]) == 0
    assert f"came back from {first}: 2 x In it: {SENTENCE} (1 had it there" in " ".join(
        capsys.readouterr().out.split()
    )
    page = (course.root / "report.html").read_text(encoding="utf-8")
    assert "What came back from earlier chapters" in page and "<b>" not in page


def test_the_command_says_so_in_the_terminal_and_in_both_files(graded, capsys):
    assert main(["report", CHAPTER, "--course", str(graded.root)]) == 0
    said = capsys.readouterr().out
    first = graded.chapters()[CHAPTER].exercises[0].name
    assert f"teach again: {first} (4 of 8 who tried" in said
    assert "not handed in: enrolled, nothing" in said
    page = (graded.root / "report.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;not&lt;/b&gt;" in page and "<b>" not in page
    assert "<script" not in page and not re.search(r'(?:src|href)="(?!#)', page)
    with (graded.root / "report.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    exercises = graded.chapters()[CHAPTER].exercises
    assert len(rows) == 11 * len(exercises)
    assert sum(row["status"] == "passed" for row in rows) == 4 * len(exercises) + 4 * (
        len(exercises) - 1
    )
    assert {row["student"] for row in rows} >= {"'=cmd()", "right-0"}


def test_nothing_graded_is_said_in_one_sentence(course, capsys):
    (course.root / "submitted" / "ada" / CHAPTER).mkdir(parents=True)
    assert main(["report", "--course", str(course.root)]) == 2
    assert "run autograder grade first" in capsys.readouterr().err


UNSEEN = "\u3000 \xa0 \u200b\ufeff\x1f\u202e"


@pytest.mark.parametrize(
    "value",
    ["=1+1", "+1", "-1", "@a", "\t=1", "  =1", "\r=1", "\uff1d1+1", "\uff0b1", "\ufe631", "\uff201"]
    + [f"{one}=1" for one in UNSEEN],
)
def test_a_formula_becomes_text(value):
    assert inert(value) == "'" + value
    assert inert("a" + value) == "a" + value
    assert inert("a;" + value) == "a;'" + value
    assert inert(-1.5) == "-1.5"


def test_the_page_fits_a_phone_and_asks_for_nothing(graded, browser):
    main(["report", CHAPTER, "--course", str(graded.root)])
    asked, troubles = [], []
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: troubles.append(message.text))
    page.goto((graded.root / "report.html").as_uri())
    width = page.evaluate("document.documentElement.scrollWidth")
    sizes = page.evaluate(
        "[...document.querySelectorAll('svg text')].map(t => t.getBoundingClientRect().height)"
    )
    page.close()
    assert width == 390
    assert len(asked) == 1 and not troubles
    assert sizes and min(sizes) > 10
