"""nbgrader's formgrader on a graded course, as a teacher uses it: JupyterLab in Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.grading.run.runner import grade_class
from tests.chromium import CHROMIUM, PATIENCE
from tests.sample_class import hand_in_two
from tests.sandboxed import needs_sandbox

CHAPTER = "00-start-here"
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    needs_sandbox,
    pytest.mark.xdist_group("formgrader"),
]


@pytest.fixture
def handed_in(course):
    """Two submissions: one right, one untouched."""
    hand_in_two(course, CHAPTER)
    return course


@pytest.fixture
def jupyter(handed_in, tmp_path):
    """The address of a JupyterLab that was started in the course's folder, with an exchange."""
    (tmp_path / "exchange").mkdir(mode=0o777)
    (handed_in.root / "course.toml").write_text('course_id = "attention"\n')
    settings = handed_in.root / "nbgrader_config.py"
    own = f"c.Exchange.root = {str(tmp_path / 'exchange')!r}\n"
    settings.write_text(settings.read_text() + own)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    own = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", "--IdentityProvider.token="]
    log = (tmp_path / "jupyter.log").open("w")
    server = subprocess.Popen(
        command, cwd=handed_in.root, env=os.environ | own, stdout=log, stderr=log
    )
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            assert server.poll() is None, (tmp_path / "jupyter.log").read_text()
            try:
                urllib.request.urlopen(f"{address}/api", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.3)
        yield address
    finally:
        server.terminate()
        server.wait()
        log.close()


@pytest.fixture
def page(jupyter, browser):
    """A page of a browser."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    # Formulas come from another host, which is not waited for.
    page.route(
        lambda url: not url.startswith((jupyter, "data:", "blob:")), lambda route: route.abort()
    )
    yield page
    page.close()


BUTTONS = {  # each with what its dialog says when all went well
    "autograde": "Successfully autograded",
    "generate-feedback": "Successfully generated feedback",
    "release-feedback": "Successfully released feedback",
}


def press(page, jupyter, student: str, button: str) -> str:
    """Press a button of a submission's row, and return what the dialog says."""
    page.goto(f"{jupyter}/formgrader/manage_submissions/{CHAPTER}", wait_until="domcontentloaded")
    row = page.locator("tr", has=page.locator("td.student-id", has_text=student))
    row.locator(f"td.{button} a").click()
    dialog = page.locator(".modal-body")
    dialog.wait_for()
    return dialog.inner_text()


def test_the_buttons_work_before_and_after_the_commands(handed_in, jupyter, page, tmp_path):
    def press_all(student):
        for button, success in BUTTONS.items():
            said = press(page, jupyter, student, button)
            assert success in said, said

    def scores():
        with Gradebook(handed_in.settings.gradebook) as book:
            return {one.student.id: one.score for one in book.assignment_submissions(CHAPTER)}

    def ours():
        for command in ("grade", "feedback"):
            assert main([command, CHAPTER, "--course", str(handed_in.root)]) == 0

    press_all("ada")
    assert scores() == {"ada": 1.0}
    ours()
    assert scores() == {"ada": 1.0, "bob": 0.0}
    handed_back = list((tmp_path / "exchange" / "attention" / "feedback").glob("*.html"))
    assert len(handed_back) == 1
    for student in ("ada", "bob"):
        press_all(student)
    ours()
    assert scores() == {"ada": 1.0, "bob": 0.0}
    pages = [handed_in.root / "feedback" / name / CHAPTER for name in ("ada", "bob")]
    assert all("default-src 'none'" in (each / f"{CHAPTER}.html").read_text() for each in pages)
    said = press(page, jupyter, "bob", "release-feedback")
    assert BUTTONS["release-feedback"] in said, said
    handed_back = list((tmp_path / "exchange" / "attention" / "feedback").glob("*.html"))
    assert len(handed_back) == 2


def test_a_teacher_finds_submissions_reads_the_feedback_and_gives_points_by_hand(
    handed_in, jupyter, page, tmp_path
):
    grade_class(handed_in, [CHAPTER], workers=1)
    graded, pictures = handed_in, tmp_path / "pictures"

    def look(name):
        page.screenshot(path=pictures / f"{name}.png")

    page.goto(f"{jupyter}/lab", wait_until="domcontentloaded")
    page.locator(".lm-MenuBar-itemLabel", has_text="Nbgrader").click()
    page.locator('li[data-command="nbgrader:open-formgrader"]').click()
    frame = page.frame_locator("iframe")
    assert frame.locator("td.name", has_text=CHAPTER).first.inner_text() == CHAPTER
    row = frame.locator("tr", has=frame.locator("td.name", has_text=CHAPTER))
    assert row.locator("td.num-submissions").inner_text().strip() == "2"
    look("assignments")

    row.locator("td.num-submissions a").click()
    for student, score in (("ada", "1 / 1"), ("bob", "0 / 1")):
        line = frame.locator("tr", has=frame.locator("td.student-id", has_text=student))
        assert line.locator("td.score").inner_text().strip() == score
    look("submissions")

    page.goto(f"{jupyter}/formgrader/gradebook/{CHAPTER}/{CHAPTER}")
    rows = page.locator("td.name")
    rows.nth(1).wait_for()
    assert [rows.nth(index).inner_text().strip() for index in range(2)] == [
        "Submission #1",
        "Submission #2",
    ]
    look("gradebook")
    with Gradebook(graded.settings.gradebook) as book:
        submission = book.find_submission_notebook(CHAPTER, CHAPTER, "bob").id
    page.goto(f"{jupyter}/formgrader/submissions/{submission}", wait_until="domcontentloaded")
    assert "not started yet" in page.locator("#notebook").first.inner_text()
    score = page.locator("input.score[placeholder]").first  # its script has the scores now
    score.fill("0.5")
    score.press("Tab")
    comment = page.locator("textarea.comment").first
    comment.fill("You were ill: half a point.")
    comment.press("Tab")

    def entered():
        with Gradebook(graded.settings.gradebook) as book:
            grade = book.find_grade("check-double", CHAPTER, CHAPTER, "bob")
            comment = book.find_comment("double", CHAPTER, CHAPTER, "bob")
            return grade.manual_score, comment.manual_comment

    wanted = (0.5, "You were ill: half a point.")
    deadline = time.monotonic() + PATIENCE / 1000
    while entered() != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(200)
    look("manual")
    assert entered() == wanted

    shutil.rmtree(graded.state)  # everything is graded again
    grade_class(graded, [CHAPTER], workers=1)
    assert entered() == wanted
    with Gradebook(graded.settings.gradebook) as book:
        assert book.find_submission(CHAPTER, "bob").score == 0.5

    assert main(["feedback", CHAPTER, "--course", str(graded.root)]) == 0
    text = (graded.root / "feedback" / "bob" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "bob: 0.5 of 1 points" in text
    assert "From your teacher: 0.5 of 1 point. You were ill: half a point." in text
