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
from autograder.grading.runner import grade_class
from autograder.grading.sandbox import available
from tests.sample_class import Class, Expected, write

sync_api = pytest.importorskip("playwright.sync_api")

CHAPTER = "00-start-here"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 120_000  # milliseconds: JupyterLab starts slowly where the machine is busy
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(available() is not None, reason=str(available())),
    pytest.mark.xdist_group("class"),
]


@pytest.fixture
def graded(course):
    """Two graded submissions: one right, one untouched."""
    made = Class(course)
    chapter = made.chapters[CHAPTER]
    made.hand_in("ada", chapter, made.solved(chapter), Expected())
    made.hand_in("bob", chapter, made.released(chapter), Expected())
    write(made.handed, course)
    grade_class(course, [CHAPTER], workers=1)
    return course


@pytest.fixture
def jupyter(graded, tmp_path):
    """The address of a JupyterLab that was started in the course's folder."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    own = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", "--IdentityProvider.token="]
    log = (tmp_path / "jupyter.log").open("w")
    server = subprocess.Popen(
        command, cwd=graded.root, env=os.environ | own, stdout=log, stderr=log
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


def test_a_teacher_finds_submissions_reads_the_feedback_and_gives_points_by_hand(
    graded, jupyter, tmp_path
):
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE)
        # Formulas come from another host, which is not waited for.
        page.route(
            lambda url: not url.startswith((jupyter, "data:", "blob:")), lambda route: route.abort()
        )
        pictures = tmp_path / "pictures"

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
        with Gradebook(graded.db_url) as book:
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
            with Gradebook(graded.db_url) as book:
                grade = book.find_grade("check-double", CHAPTER, CHAPTER, "bob")
                comment = book.find_comment("double", CHAPTER, CHAPTER, "bob")
                return grade.manual_score, comment.manual_comment

        wanted = (0.5, "You were ill: half a point.")
        deadline = time.monotonic() + PATIENCE / 1000
        while entered() != wanted and time.monotonic() < deadline:
            page.wait_for_timeout(200)
        look("manual")
        browser.close()
    assert entered() == wanted

    shutil.rmtree(graded.state)  # everything is graded again
    grade_class(graded, [CHAPTER], workers=1)
    assert entered() == wanted
    with Gradebook(graded.db_url) as book:
        assert book.find_submission(CHAPTER, "bob").score == 0.5

    assert main(["feedback", CHAPTER, "--course", str(graded.root)]) == 0
    page = (graded.root / "feedback" / "bob" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "bob: 0.5 of 1 points" in page
    assert "From your teacher: 0.5 of 1 point. You were ill: half a point." in page
