"""Every page of the built book, opened in Chromium at desktop and phone width, light and dark."""

import functools
import re
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

SITE = Path(__file__).parents[2] / "build" / "book" / "_build" / "html"
SOURCES = Path(__file__).parents[2] / "book"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PAGES = sorted(path.stem for path in (*SOURCES.glob("*.md"), *SOURCES.glob("*.ipynb")))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(not SITE.exists(), reason="the book is not built: make book"),
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, address):
    """Opens a page; what was asked of other hosts, failed or was an error is in `troubles`."""
    contexts = []

    def open_page(name, width=1280, scheme="light", scripts=True):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=scripts,
        )
        contexts.append(context)
        page, troubles = context.new_page(), []

        def requested(request):
            if not request.url.startswith((f"{address}/", "data:", "blob:")):
                troubles.append(f"asked {request.url}")

        def answered(response):
            if response.status >= 400:
                troubles.append(f"{response.status} for {response.url}")

        def said(message):
            if message.type in ("error", "warning"):
                troubles.append(f"console: {message.text}")

        page.on("request", requested)
        page.on("response", answered)
        page.on("console", said)
        page.on("pageerror", lambda error: troubles.append(f"script error: {error}"))
        page.goto(f"{address}/{name}.html", wait_until="networkidle")
        return page, troubles

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_no_other_host_and_has_no_errors(opened, name, width, scheme):
    page, troubles = opened(name, width, scheme)
    for figure in page.locator("figure.play").all():
        figure.scroll_into_view_if_needed()
        page.wait_for_function("figure => 'drawn' in figure.dataset", arg=figure.element_handle())
    assert troubles == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("mjx-merror").count() == 0
    assert page.locator(".bd-article img:not([alt]), .bd-article img[alt='']").count() == 0
    assert page.locator(".bd-article mjx-container").count() > 0 or name not in ("notation",)


@pytest.mark.parametrize("name", [page for page in PAGES if re.match(r"\d\d-", page)])
def test_a_chapter_has_a_figure_to_play_with_by_keyboard(opened, name):
    page, troubles = opened(name)
    figure = page.locator("figure.play").first
    figure.scroll_into_view_if_needed()
    slider = figure.locator("input[type=range]").first
    slider.wait_for()
    assert slider.evaluate("input => input.labels[0].innerText.trim()")
    drawings = []
    slider.focus()
    for key in ("Home", "End"):
        page.keyboard.press(key)
        page.wait_for_timeout(300)
        drawings.append(figure.locator("svg").first.inner_html())
    assert drawings[0] != drawings[1]
    assert troubles == []


def test_what_was_moved_stays_when_the_theme_changes(opened):
    page, _ = opened("00-start-here")
    figure = page.locator("figure.play")
    figure.scroll_into_view_if_needed()
    slider = figure.locator("input[type=range]")
    slider.wait_for()
    slider.fill("-1")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(500)
    assert figure.locator("input[type=range]").count() == 1
    assert figure.locator("input[type=range]").input_value() == "-1"


def test_without_scripts_a_still_picture_stands_in(opened):
    page, troubles = opened("00-start-here", scripts=False)
    still = page.locator("figure.play img.play-still")
    still.scroll_into_view_if_needed()
    assert still.get_attribute("alt").startswith("Three bars")
    assert page.request.get(still.evaluate("image => image.src")).ok
    assert troubles == []
