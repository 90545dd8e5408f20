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
from tests.book.parsed import SITE, needs_book
from tests.chromium import PATIENCE
from tests.content.answers import reference
from tests.page.test_verdicts import SKIPPED
from tests.sample_class import reference_source
from tests.wrong import wrongs

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
IN_PAGE = ROOT / "build" / "page"
MEGABYTES = 25  # over the wire, at most
ENDLESS = "def softmax(scores, dim=-1):\n    while True:\n        pass\n"
CRASH = "import os\n\ndef softmax(scores, dim=-1):\n    os.abort()\n"
OWN = """def scaled_dot_product_scores(query, key):
    print("my own")
    return query @ key.mT / query.shape[-1] ** 0.5
"""
SHORT = 4  # seconds, in the place of a minute
LONG = 600  # likewise: a busy machine is at no fault
UNDER = "/some/course"  # most sites are not at the top of their host


class WholeSite(Compressing):
    """The book with what `make site` puts beside it."""

    asked: list[str] = []

    def translate_path(self, path):
        # The browser looks for another worker by itself, through what `set_offline` closes.
        if not path.endswith("/offline-worker.js"):
            self.asked.append(path)
        if not path.startswith(f"{UNDER}/"):
            return str(SITE / "nothing")
        path = path.removeprefix(UNDER)
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
    yield f"http://127.0.0.1:{server.server_address[1]}{UNDER}"
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
    box.locator(".solve").evaluate(f"(place) => (place.dataset.seconds = {LONG})")
    return box


def unplug(reader, site, chapter="02-softmax"):
    """Leave the reader without a connection, after they have begun to solve in one chapter."""
    page = visit(reader, site, chapter)
    box = page.locator(".solve").first
    opened_box(page, box.get_attribute("data-exercise"))
    page.get_by_text("works without a connection").wait_for()
    page.close()
    reader.set_offline(True)
    WholeSite.asked.clear()


def write(box, text):
    box.locator(".cm-content").press("Control+a")
    box.page.keyboard.insert_text(text)


def told(box):
    """What the check says of what stands in the editor."""
    box.get_by_role("button", name="Check").click()
    box.locator(".check-feedback").wait_for(timeout=1000 * LONG)
    return box.locator(".check-feedback").inner_text()


def alike(name):
    """The mistakes that are named in the page as with PyTorch: all but the few of a table."""
    return [
        wrong
        for number, wrong in enumerate(wrongs(name))
        if f"{name}, misconception {number}: {wrong.key}" not in SKIPPED
    ]


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
    registered = "navigator.serviceWorker.getRegistrations().then((all) => all.length)"
    assert page.evaluate(registered) == 0
    sizes = [one.stat().st_size for one in IN_PAGE.glob("*") if one.name != "licenses.txt"]
    pages = json.loads((SITE / "offline.json").read_text())["megabytes"]
    assert abs(sum(sizes) / 1e6 + pages - size) < 2
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
    """Three mistakes each, named as with PyTorch, then right; with what was written before.

    All of it without a connection, after the first chapter was opened.
    """
    chapters = sorted({one.chapter for one in exercises().values()})
    solved = [one for one in chapters if int(one[:2]) in {*range(10), 14}]
    unplug(reader, site, solved[0])
    others = []
    for chapter in solved:
        page = visit(reader, site, chapter)
        for exercise in exercises().values():
            if exercise.chapter != chapter:
                continue
            box = opened_box(page, exercise.name)
            # What is to be mended comes with a mistake; those of its exercise bear another name.
            for wrong in [] if exercise.mend else alike(exercise.name)[:3]:
                write(box, wrong.source)
                if said_by_pytorch(wrong, exercise.name) not in told(box):
                    others.append((exercise.name, wrong.key))
            write(box, reference_source(exercise))
            if "passed" not in told(box):
                others.append((exercise.name, "the reference"))
        with page.expect_download() as download:
            box.get_by_role("button", name="Download the notebook").click()
        handed_in = course.root / "submitted" / "reader" / chapter
        handed_in.mkdir(parents=True)
        shutil.copy(download.value.path(), handed_in / f"{chapter}.ipynb")
        page.close()
    assert WholeSite.asked == others == []
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
    box.locator(".solve").evaluate(f"(place) => (place.dataset.seconds = {LONG})")
    write(box, reference_source(exercises()["softmax"]))
    assert "passed" in told(box)


def test_a_crash_loses_nothing_and_the_next_check_starts_python_anew(reader, site):
    page = visit(reader, site, "02-softmax")
    box = opened_box(page, "softmax")
    box.get_by_text("Python runs").wait_for()
    write(box, CRASH)
    box.get_by_role("button", name="Check").click()
    box.get_by_text("Python stopped").wait_for()
    assert "os.abort()" in box.locator(".cm-content").inner_text()
    stored = page.evaluate("JSON.parse(localStorage.getItem('attention-course-written'))")
    assert stored["softmax"]["source"] == CRASH
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


def test_without_a_connection_after_the_first_visit_other_chapters_open_and_check(reader, site):
    unplug(reader, site)
    troubles = []

    def failed(request):
        # That one asks the network first, and then what is kept. The list of what there is to keep
        # is not kept itself: without it, nothing new is.
        if not request.service_worker and not request.url.endswith("offline.json"):
            troubles.append((request.url, request.failure))

    reader.on("requestfailed", failed)
    page = visit(reader, site, "04-attention-layer")
    page.mouse.wheel(0, 4000)
    page.locator("figure.play[data-drawn]").first.wait_for()
    box = opened_box(page, "scaled_dot_product_attention")
    write(box, reference_source(exercises()["scaled_dot_product_attention"]))
    assert "passed" in told(box)
    pictures = "[...document.images].filter((one) => one.complete && !one.naturalWidth).length"
    assert page.evaluate(pictures) == 0
    page.goto(f"{site}/")
    assert page.locator("h1").first.inner_text()
    assert WholeSite.asked == []
    assert troubles == []


@needs_book
def test_from_a_file_the_page_says_how_to_open_it(browser):
    page = browser.new_page()
    page.goto((SITE / "02-softmax.html").as_uri())
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    box = box_of(page, "softmax")
    box.get_by_role("button", name="Write it here").click()
    box.get_by_text("not from a file").wait_for()
    said = box.locator(".solve-status").inner_text()
    assert "python -m http.server" in said and "http://127.0.0.1:8000/02-softmax.html" in said
    page.close()


def test_figures_and_demos_run_on_what_the_reader_wrote(reader, site):
    """The oracle: the figure's own numbers, and what PyTorch printed."""
    page = visit(reader, site, "02-softmax")
    figure = page.locator("#play-sharpness")
    figure.scroll_into_view_if_needed()
    page.locator("#play-sharpness[data-drawn]").wait_for()
    texts = "document.querySelectorAll('#play-sharpness .mark-text text')"
    labels = f"[...{texts}].map((one) => one.textContent)"
    before = page.evaluate(labels)
    box = opened_box(page, "softmax")
    assert figure.locator(".yours").count() == 0
    right = reference_source(exercises()["softmax"])
    write(box, right.replace("    largest", "    print('run')\n    largest", 1))
    assert "passed" in told(box)
    figure.get_by_label("with your softmax").check()
    figure.get_by_text("Computed by the softmax that you wrote").wait_for()
    assert page.evaluate(labels) == before
    slider = figure.locator("input[name=sharp]")
    slider.fill("1")
    page.wait_for_function(f"{labels}.includes('100%')")
    cell = page.locator(".cell-id-softmax-at-work")
    cell.get_by_role("button", name="Run it with your code").click()
    cell.get_by_text("not the same as above").wait_for()  # it prints more
    assert "run" in cell.locator(".yours + pre").inner_text()
    write(box, right)
    assert "passed" in told(box)
    cell.get_by_role("button", name="Run it with your code").click()
    cell.get_by_text("With your softmax: the same as above.").wait_for()


def test_the_machine_of_a_later_chapter_runs_on_an_earlier_function(reader, site):
    page = visit(reader, site, "02-softmax")
    box = opened_box(page, "softmax")
    write(box, reference_source(exercises()["softmax"]))
    assert "passed" in told(box)
    page.close()
    page = visit(reader, site, "05-self-attention")
    figure = page.locator("figure.stage").first
    shown = "document.querySelector('figure.stage .stage-said').textContent"
    before = page.evaluate(shown)
    figure.get_by_label("with your softmax").check()
    figure.get_by_text("Computed by the softmax that you wrote").wait_for()
    assert page.evaluate(shown) == before
    used = "typeof document.querySelector('figure.stage').stage.data.yours"
    assert page.evaluate(used) == "function"


def test_what_was_loaded_can_be_taken_out_again_and_what_was_written_stays(reader, site):
    page = visit(reader, site, "02-softmax")
    box = opened_box(page, "softmax")
    page.get_by_text("works without a connection").wait_for()
    write(box, OWN)
    page.goto(f"{site}/progress.html")
    page.get_by_role("button", name="Remove Python").click()
    page.get_by_text("The code that you wrote is kept").wait_for()
    left = "caches.keys().then((names) => names.length)"
    assert page.evaluate(left) == 0
    stored = page.evaluate("JSON.parse(localStorage.getItem('attention-course-written'))")
    assert stored["softmax"]["source"] == OWN
