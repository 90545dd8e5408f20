"""A reader solves exercises in the page: told as in the notebook, kept, handed on, downloaded.

The oracles: what PyTorch says of the same code, and the grader on the notebook that comes out.
"""

import functools
import json
import shutil
import subprocess
import sys
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from autograder.checking import exercises
from autograder.diagnosis.judge import judge
from autograder.remote.calling import Home
from tests.book.conftest import Compressing
from tests.book.parsed import SITE
from tests.chromium import PATIENCE
from tests.content.answers import reference
from tests.sample_class import reference_source
from tests.wrong import wrongs

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
IN_PAGE = ROOT / "build" / "page"
MEGABYTES = 25  # over the wire, at most
ENDLESS = "def softmax(scores, dim=-1):\n    while True:\n        pass\n"
OWN = """def scaled_dot_product_scores(query, key):
    print("my own")
    return query @ key.mT / query.shape[-1] ** 0.5
"""
SHORT = 4  # seconds, in the place of a minute


class WholeSite(Compressing):
    """The book with what `make site` puts beside it."""

    def translate_path(self, path):
        for folder, home in self.beside.items():
            if path.startswith(f"/{folder}/"):
                return str(home / path.split("/")[-1])
        return super().translate_path(path)


@pytest.fixture(scope="module")
def site(released):
    if not (IN_PAGE / "manifest.json").exists() or not SITE.exists():
        pytest.skip("what the pages run Python with is not there: make site")
    WholeSite.beside = {"solve": IN_PAGE, "student": released.root / "student"}
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(WholeSite, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture
def reader(browser):
    """One reader's browser, with what it has stored."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


def visit(reader, site, chapter):
    page = reader.new_page()
    page.goto(f"{site}/{chapter}.html")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    return page


def box_of(page, name):
    return page.locator(f'.exercise:has(.solve[data-exercise="{name}"])')


def opened_box(page, name):
    """The exercise's box with its editor, and Python running."""
    box = box_of(page, name)
    box.get_by_role("button", name="Write it here").click()
    loading = box.get_by_role("button", name="Load")
    loading.or_(box.locator(".cm-content")).first.wait_for()
    if loading.count():
        loading.click()
    box.locator(".cm-content").wait_for()
    return box


def write(box, text):
    box.locator(".cm-content").press("Control+a")
    box.page.keyboard.insert_text(text)


def told(box):
    """What the check says of what stands in the editor."""
    box.get_by_role("button", name="Check").click()
    box.locator(".check-feedback").wait_for()
    return box.locator(".check-feedback").inner_text()


def said_by_pytorch(wrong, name):
    return judge(name, Home({name: wrong.thing}), reference(name)).misconception


def test_nothing_is_loaded_before_a_reader_asks_and_its_size_is_said_first(reader, site):
    asked = []
    page = reader.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}/02-softmax.html")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert not [one for one in asked if "/solve/" in one]
    box_of(page, "softmax").get_by_role("button", name="Write it here").click()
    loading = box_of(page, "softmax").get_by_role("button", name="Load")
    size = int(loading.inner_text().split()[1])
    assert [one.rsplit("/", 1)[1] for one in asked if "/solve/" in one] == ["manifest.json"]
    sizes = [one.stat().st_size for one in IN_PAGE.glob("*") if one.name != "licenses.txt"]
    assert abs(sum(sizes) / 1e6 - size) < 1
    assert size <= MEGABYTES


def test_mistakes_are_named_as_with_pytorch_and_the_notebook_gets_full_marks(
    reader, site, released, tmp_path
):
    page = visit(reader, site, "02-softmax")
    names = [one.name for one in exercises().values() if one.chapter == "02-softmax"]
    for name in names:
        box = opened_box(page, name)
        for wrong in wrongs(name)[:3] if name in ("softmax", "sharpen") else ():
            write(box, wrong.source)
            assert said_by_pytorch(wrong, name) in told(box)
        write(box, reference_source(exercises()[name]))
        assert "passed" in told(box)
    with page.expect_download() as download:
        box.get_by_role("button", name="Download the notebook").click()
    notebook = tmp_path / "02-softmax.ipynb"
    shutil.copy(download.value.path(), notebook)
    command = [Path(sys.executable).with_name("autograder"), "check", notebook]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.exhaustive
def test_chapters_are_solved_one_after_the_other_and_graded_with_full_marks(
    reader, site, course, tmp_path
):
    """Three mistakes each, named as with PyTorch, then right; with what was written before."""
    chapters = sorted({one.chapter for one in exercises().values()})
    solved = [one for one in chapters if int(one[:2]) in {*range(10), 14}]
    for chapter in solved:
        page = visit(reader, site, chapter)
        for exercise in exercises().values():
            if exercise.chapter != chapter:
                continue
            box = opened_box(page, exercise.name)
            # What is to be mended comes with a mistake; those of its exercise bear another name.
            for wrong in [] if exercise.mend else wrongs(exercise.name)[:3]:
                write(box, wrong.source)
                assert said_by_pytorch(wrong, exercise.name) in told(box)
            write(box, reference_source(exercise))
            assert "passed" in told(box), exercise.name
        with page.expect_download() as download:
            box.get_by_role("button", name="Download the notebook").click()
        handed_in = course.root / "submitted" / "reader" / chapter
        handed_in.mkdir(parents=True)
        shutil.copy(download.value.path(), handed_in / f"{chapter}.ipynb")
        page.close()
    scores = tmp_path / "scores.json"
    command = [Path(sys.executable).with_name("autograder"), "grade", *solved]
    subprocess.run([*command, "--course", course.root, "--json", scores], check=True)
    graded = [json.loads(line) for line in scores.read_text().splitlines()]
    assert {one["chapter"] for one in graded} == set(solved)
    assert [one["chapter"] for one in graded if one["score"] != one["max_score"]] == []


def test_what_was_written_goes_into_the_next_chapter_and_stays_when_the_page_is_left(reader, site):
    page = visit(reader, site, "02-softmax")
    box = opened_box(page, "scaled_dot_product_scores")
    write(box, OWN)
    assert "passed" in told(box)
    page.close()
    page = visit(reader, site, "02-softmax")
    assert "my own" in opened_box(page, "scaled_dot_product_scores").inner_text()
    page = visit(reader, site, "04-attention-layer")
    box = opened_box(page, "scaled_dot_product_attention")
    write(
        box,
        "def scaled_dot_product_attention(query, key, value, mask=None):\n"
        "    return scaled_dot_product_scores(query, key)\n",
    )
    assert "my own" in told(box)


def test_an_endless_loop_ends_with_the_notebooks_sentence_and_loses_nothing(reader, site):
    page = visit(reader, site, "02-softmax")
    box = opened_box(page, "softmax")
    box.get_by_text("Python runs").wait_for()
    write(box, ENDLESS)
    box.locator(".solve").evaluate(f"(place) => (place.dataset.seconds = {SHORT})")
    said = f"softmax did not end within {SHORT} seconds: an endless loop?"
    assert said in told(box)
    stored = page.evaluate("JSON.parse(localStorage.getItem('attention-course-written'))")
    assert stored["softmax"]["source"] == ENDLESS
    box.locator(".solve").evaluate("(place) => delete place.dataset.seconds")
    write(box, reference_source(exercises()["softmax"]))
    assert "passed" in told(box)


def test_a_page_without_python_says_so_and_names_the_notebook(reader, site):
    page = reader.new_page()
    page.route("**/solve/**", lambda route: route.fulfill(status=404))
    page.goto(f"{site}/02-softmax.html")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    box = box_of(page, "softmax")
    box.get_by_role("button", name="Write it here").click()
    box.get_by_text("Python cannot be loaded into this page").wait_for()
    assert "the chapter's notebook" in box.locator(".solve-status").inner_text()


def test_tab_indents_and_leaves_the_editor_after_escape(reader, site):
    page = visit(reader, site, "02-softmax")
    box = opened_box(page, "softmax")
    editor = box.locator(".cm-content")
    write(box, "x")
    editor.press("Home")
    editor.press("Tab")
    assert "    x" in editor.inner_text()
    described = editor.get_attribute("aria-describedby")
    assert "Escape" in page.locator(f"#{described}").inner_text()
    editor.press("Escape")
    editor.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"


def test_offline_after_the_first_visit_the_page_still_checks(reader, site):
    page = visit(reader, site, "02-softmax")
    opened_box(page, "softmax").get_by_text("Python runs").wait_for()
    page = visit(reader, site, "02-softmax")
    reader.set_offline(True)
    box = opened_box(page, "softmax")
    write(box, reference_source(exercises()["softmax"]))
    assert "passed" in told(box)
