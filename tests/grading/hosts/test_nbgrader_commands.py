"""nbgrader's own commands and the formgrader's buttons, before ours and after ours.

The oracles are nbgrader's gradebook, the files that nbgrader's students would get, and the scores
that the submissions were built to have.
"""

import contextlib
import json
import os
import shutil
from datetime import datetime
from pathlib import Path

import pytest
from jupyter_core.application import NoStart
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.apps.nbgraderapp import NbGraderApp
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import get_username
from traitlets.config.loader import PyFileConfigLoader

from autograder.cli import main
from autograder.nbgrader_course import scripts_on_path
from tests.sample_class import hand_in_two
from tests.sandboxed import needs_sandbox

CHAPTER = "00-start-here"
SCORES = {"ada": 1.0, "bob": 0.0}
pytestmark = [pytest.mark.slow, needs_sandbox]


@pytest.fixture
def handed_in(course, monkeypatch):
    """A course to which two students handed in a chapter: one right, one untouched."""
    hand_in_two(course, CHAPTER)
    monkeypatch.chdir(course.root)
    return course


def ours(*arguments: str) -> None:
    assert main([*arguments, "--course", "."]) == 0


def nbgrader(*arguments: str) -> int:
    """One of nbgrader's commands, as from the course's folder; returns its exit code."""
    app = NbGraderApp()
    try:
        with scripts_on_path():
            app.initialize(list(arguments))
            app.start()
    except NoStart:  # the command itself has run
        return 0
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        while app.subapp is not None:  # `db upgrade` is a command of a command
            app = app.subapp
            type(app).clear_instance()
    return 0


@pytest.fixture
def buttons(handed_in):
    """What the formgrader's buttons call."""
    config = PyFileConfigLoader("nbgrader_config.py", str(handed_in.root)).load_config()
    coursedir = CourseDirectory(config=config)
    return NbGraderAPI(coursedir, config=config)


def scores(course) -> dict[str, float]:
    with Gradebook(course.settings.gradebook) as gradebook:
        return {one.student.id: one.score for one in gradebook.assignment_submissions(CHAPTER)}


def page(course, student: str) -> str:
    return (course.root / "feedback" / student / CHAPTER / f"{CHAPTER}.html").read_text("utf-8")


def is_ours(text: str) -> bool:
    return "default-src 'none'" in text


def test_nbgraders_autograde_first(handed_in, capsys):
    assert nbgrader("autograde", CHAPTER) == 0
    assert scores(handed_in) == SCORES
    ours("feedback")
    assert "0 pages" in capsys.readouterr().out
    assert nbgrader("generate_feedback", CHAPTER) == 0
    ours("grade", "--workers", "1")
    ours("feedback")
    assert scores(handed_in) == SCORES
    assert all(is_ours(page(handed_in, student)) for student in SCORES)
    ours("report")
    ours("export", "csv")


def test_nbgraders_autograde_in_between_and_after(handed_in, buttons, capsys):
    ours("grade", "--workers", "1")
    before = page(handed_in, "ada")
    assert nbgrader("autograde", CHAPTER) == 0  # skips what is there
    assert nbgrader("autograde", CHAPTER, "--force") == 0
    assert scores(handed_in) == SCORES
    ours("feedback")
    assert page(handed_in, "ada") == before
    assert buttons.autograde(CHAPTER, "bob")["success"]
    ours("feedback")
    ours("grade", "--workers", "1")
    ours("report")
    assert scores(handed_in) == SCORES
    assert "2 pages" in capsys.readouterr().out


def test_pages_of_work_that_only_nbgrader_has_graded_are_not_made_up(handed_in, capsys):
    ours("grade", "--workers", "1")
    work = handed_in.root / "submitted" / "bob" / CHAPTER / f"{CHAPTER}.ipynb"
    shutil.copy(handed_in.root / "submitted" / "ada" / CHAPTER / work.name, work)
    before = page(handed_in, "bob")
    assert nbgrader("autograde", CHAPTER, "--force") == 0
    ours("feedback")
    assert "run autograder grade for their pages (bob, 00-start-here)" in capsys.readouterr().out
    assert page(handed_in, "bob") == before
    ours("grade", "--workers", "1")
    ours("feedback")
    assert scores(handed_in) == {"ada": 1.0, "bob": 1.0}
    assert "bob: 1 of 1" in page(handed_in, "bob")


def test_the_formgraders_feedback_before_and_after_ours(handed_in, buttons):
    ours("grade", "--workers", "1")
    assert buttons.generate_feedback(CHAPTER, "ada", force=False)["success"]  # skips what is there
    assert is_ours(page(handed_in, "ada"))
    assert buttons.generate_feedback(CHAPTER, force=True)["success"]
    text = page(handed_in, "ada")
    assert not is_ours(text) and "<script>alert" not in text
    ours("feedback")
    assert all(is_ours(page(handed_in, student)) for student in SCORES)
    (handed_in.root / "feedback" / "ada" / CHAPTER / "by-hand.pdf").touch()
    shutil.rmtree(handed_in.state)
    ours("grade", "--workers", "1")
    assert (handed_in.root / "feedback" / "ada" / CHAPTER / "by-hand.pdf").exists()


@pytest.fixture
def exchange(handed_in, tmp_path, monkeypatch):
    """An exchange, and `as_student`, which runs nbgrader as one of the students."""
    root = tmp_path / "exchange"
    root.mkdir()
    root.chmod(0o777)
    (handed_in.root / "course.toml").write_text('course_id = "attention"\n')
    settings = handed_in.root / "nbgrader_config.py"
    # A folder's owner is the account that runs this test, whoever hands in.
    own = f"c.Exchange.root = {str(root)!r}\nc.ExchangeCollect.check_owner = False\n"
    settings.write_text(settings.read_text() + own)

    def as_student(name: str, *arguments: str) -> Path:
        home = tmp_path / "homes" / name
        home.mkdir(parents=True, exist_ok=True)
        (home / "nbgrader_config.py").write_text(
            f"c = get_config()\n{own}c.CourseDirectory.course_id = 'attention'\n"
            f"c.Exchange.cache = {str(home / 'cache')!r}\n"
        )
        for variable in ("JUPYTERHUB_USER", "USER", "LOGNAME"):
            monkeypatch.setenv(variable, name)
        with contextlib.chdir(home):
            assert nbgrader(*arguments) == 0
        return home

    return as_student


@pytest.mark.parametrize(
    "grading",
    [
        *("ours then theirs", "theirs then ours"),
        *(pytest.param(alone, marks=pytest.mark.exhaustive) for alone in ("ours", "theirs")),
    ],
)
def test_pages_go_back_through_the_exchange(handed_in, exchange, grading):
    shutil.rmtree(handed_in.root / "submitted" / "ada")
    assert nbgrader("release_assignment", CHAPTER) == 0
    me = get_username()  # the exchange knows students by their accounts
    home = exchange("ada", "fetch_assignment", CHAPTER)
    work = home / CHAPTER / f"{CHAPTER}.ipynb"
    work.write_text(work.read_text().replace("raise NotImplementedError", "return 2 * x"))
    exchange("ada", "submit", CHAPTER)
    assert nbgrader("collect", CHAPTER) == 0
    # bob's came by mail: neither a time nor a secret lies beside it
    for step in grading.split(" then "):
        if step == "ours":
            ours("grade", "--workers", "1")
            ours("feedback")
        else:
            assert nbgrader("autograde", CHAPTER, "--force") == 0
            assert nbgrader("generate_feedback", CHAPTER, "--force") == 0
    assert nbgrader("release_feedback", CHAPTER) == 0
    assert nbgrader("release_feedback", CHAPTER) == 0
    exchange("ada", "fetch_feedback", CHAPTER)
    (got,) = (home / CHAPTER / "feedback").rglob("*.html")
    assert got.read_text("utf-8") == page(handed_in, me)
    assert is_ours(page(handed_in, me)) == grading.endswith("ours")
    assert nbgrader("list") == 0
    with Gradebook(handed_in.settings.gradebook) as gradebook:
        came = gradebook.find_submission(CHAPTER, me).timestamp
    assert abs((datetime.utcnow() - came).total_seconds()) < 3600


def test_releasing_in_either_order(handed_in, buttons, capsys):
    notebook = handed_in.root / "release" / CHAPTER / f"{CHAPTER}.ipynb"
    before = notebook.read_bytes()
    assert nbgrader("generate_assignment", CHAPTER, "--force") == 0
    assert notebook.read_bytes() == before
    ours("release", CHAPTER)
    assert f"unchanged {CHAPTER}" in capsys.readouterr().out
    ours("grade", "--workers", "1")
    assert buttons.generate_assignment(CHAPTER)["success"]
    assert notebook.read_bytes() == before
    ours("grade", "--workers", "1")
    assert scores(handed_in) == SCORES


def test_the_gradebooks_commands(handed_in, tmp_path):
    students = tmp_path / "students.csv"
    students.write_text("id,last_name,first_name,email\nada,Lovelace,Ada,a@example.org\n")
    assert nbgrader("db", "student", "import", str(students)) == 0
    ours("grade", "--workers", "1")
    assert nbgrader("db", "student", "add", "eve", "--last-name=Moneypenny") == 0
    for command in (["db", "student", "list"], ["db", "assignment", "list"], ["db", "upgrade"]):
        assert nbgrader(*command) == 0
    ours("grade", "--workers", "1")
    ours("export", "canvas")
    assert nbgrader("export", "--to", "theirs.csv") == 0
    exporter = "--exporter=autograder.grading.hosts.nbgrader.exports.CanvasExport"
    assert nbgrader("export", exporter, "--to", "canvas.csv") == 0
    ours_text = (handed_in.root / "grades-canvas.csv").read_text()
    assert (handed_in.root / "canvas.csv").read_text() == ours_text
    assert "Lovelace" in (handed_in.root / "theirs.csv").read_text()


SECRET = "the teacher's secret"


@pytest.mark.parametrize(
    "how",
    [
        "student",
        *(pytest.param(how, marks=pytest.mark.exhaustive) for how in ("notebook", "folder")),
    ],
)
def test_nbgraders_autograde_follows_no_link(handed_in, tmp_path, how):
    secret = tmp_path / "secret" / "eve" / CHAPTER
    secret.mkdir(parents=True)
    (handed_in.root / "submitted" / "eve").mkdir()
    work = handed_in.root / "submitted" / "eve" / CHAPTER
    ada = json.loads((work.parents[1] / "ada" / CHAPTER / f"{CHAPTER}.ipynb").read_text())
    ada["cells"].append({"cell_type": "markdown", "id": "x", "metadata": {}, "source": SECRET})
    (secret / f"{CHAPTER}.ipynb").write_text(json.dumps(ada))
    if how == "notebook":
        work.mkdir()
        (work / f"{CHAPTER}.ipynb").symlink_to(secret / f"{CHAPTER}.ipynb")
    elif how == "folder":
        work.symlink_to(secret)
    else:
        work.parent.rmdir()
        work.parent.symlink_to(secret.parent)
    assert nbgrader("autograde", CHAPTER) == 1  # says so, and has graded the others
    assert nbgrader("generate_feedback", CHAPTER) == 0
    assert {name: score for name, score in scores(handed_in).items() if name != "eve"} == SCORES
    assert not holding(handed_in, SECRET)


def holding(course, text: str) -> list[Path]:
    folders = (course.root / "autograded", course.root / "feedback")
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in paths if text in path.read_text(errors="replace")]


def test_nbgraders_commands_pass_no_other_file_on(handed_in, tmp_path):
    work = handed_in.root / "submitted" / "ada" / CHAPTER
    (tmp_path / "secret").write_text(SECRET)
    (work / "notes.txt").symlink_to(tmp_path / "secret")
    (work / "data").mkdir()
    (work / "data" / "page.html").write_text("<script>alert(1)</script>")
    (work / "timestamp.txt").symlink_to(tmp_path / "secret")
    (work / "submission_secret.txt").symlink_to(tmp_path / "secret")
    assert nbgrader("autograde", CHAPTER) == 0
    assert nbgrader("generate_feedback", CHAPTER) == 0
    assert scores(handed_in) == SCORES
    assert not holding(handed_in, SECRET) and not holding(handed_in, "alert(1)")
    beside = {path.name for path in (handed_in.root / "feedback" / "ada" / CHAPTER).iterdir()}
    assert beside == {f"{CHAPTER}.html", "timestamp.txt", "submission_secret.txt"}


SELDOM = [
    pytest.param(text, marks=pytest.mark.exhaustive) for text in ("12.10.2026", "1 1 /etc/passwd")
]


@pytest.mark.parametrize("text", ["1e999999999 1 1", *SELDOM])
def test_nbgraders_commands_guess_no_time(handed_in, buttons, text):
    work = handed_in.root / "submitted" / "ada" / CHAPTER
    (work / "timestamp.txt").write_text(text)
    assert nbgrader("autograde", CHAPTER) == 0
    assert len(buttons.get_submissions(CHAPTER)) == 2
    with Gradebook(handed_in.settings.gradebook) as gradebook:
        assert gradebook.find_submission(CHAPTER, "ada").timestamp is None


def test_collecting_from_the_exchange_copies_plain_files_alone(handed_in, exchange, tmp_path):
    shutil.rmtree(handed_in.root / "submitted")
    secret = tmp_path / "secret.ipynb"
    secret.write_text(SECRET)
    assert nbgrader("release_assignment", CHAPTER) == 0
    inbound = tmp_path / "exchange" / "attention" / "inbound"
    sent = inbound / f"eve+{CHAPTER}+2026-01-01 00:00:00.000000 UTC+abc"
    (sent / "data").mkdir(parents=True)
    (sent / f"{CHAPTER}.ipynb").symlink_to(secret)
    (sent / "data" / "linked.txt").symlink_to(secret)
    (sent / "folder").symlink_to(tmp_path)
    os.mkfifo(sent / "pipe")
    (sent / "data" / "plain.txt").write_text("plain")
    link = inbound / f"mallory+{CHAPTER}+2026-01-01 00:00:00.000000 UTC+abc"
    link.symlink_to(tmp_path)
    assert nbgrader("collect", CHAPTER) == 0
    got = handed_in.root / "submitted"
    assert [path.name for path in got.rglob("*") if path.is_file()] == ["plain.txt"]


NAMES = {
    "lovelaceada_12345_67890_02-softmax.ipynb": "ada",
    "bob_LATE_222_333_00-start-here-1.ipynb": "bob",
    "carol_333_444_Untitled.ipynb": "carol",
    "Dora Maar_555_assignsubmission_file_/00_start_here (1).ipynb": "dora",
    "Eve Adams_556_assignsubmission_file_00-start-here.ipynb": "Eve Adams",
    "frank_00-start-here.ipynb": "frank",
}


def test_zip_collect_reads_the_names_that_platforms_give(handed_in, capsys):
    work = handed_in.root / "submitted" / "ada" / CHAPTER / f"{CHAPTER}.ipynb"
    archive = handed_in.root / "downloaded" / CHAPTER / "archive"
    for name in NAMES:
        name = name.replace("02-softmax", CHAPTER)
        (archive / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(work, archive / name)
    shutil.rmtree(handed_in.root / "submitted")
    with Gradebook(handed_in.settings.gradebook) as gradebook:
        gradebook.add_student("ada", lms_user_id="12345")
        gradebook.add_student("dora", first_name="Dora", last_name="Maar")
    assert nbgrader("zip_collect", CHAPTER) == 0
    submitted = handed_in.root / "submitted"
    assert sorted(path.name for path in submitted.iterdir()) == sorted(NAMES.values())
    ours("grade", "--workers", "1")
    assert scores(handed_in) == dict.fromkeys(NAMES.values(), 1.0)
    said = capsys.readouterr().out
    assert "bob, 00-start-here: graded: it is late by its file's name" in " ".join(said.split())
    assert nbgrader("autograde", CHAPTER, "--student=frank", "--force") == 0
