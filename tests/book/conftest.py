"""The built book, served as a web server serves it, and Debian's Chromium to open it with."""

import contextlib
import functools
import gzip
import importlib
import io
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from tests.book import measures
from tests.book.parsed import SITE
from tests.chromium import PATIENCE

EXTENSIONS = Path(__file__).parents[2] / "book" / "_ext"
TEXT = {".html", ".css", ".js", ".json", ".svg"}  # what GitHub Pages compresses


@functools.cache
def compressed(path: Path, changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


class Compressing(SimpleHTTPRequestHandler):
    """Serves files, text compressed."""

    def send_head(self):
        path = Path(self.translate_path(self.path))
        if path.suffix not in TEXT or not path.is_file():
            return super().send_head()
        content = compressed(path, path.stat().st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)

    def log_message(self, *args):
        pass


@dataclass
class Opened:
    """A page in the browser, and what went wrong in it."""

    page: object
    troubles: list[str] = field(default_factory=list)
    counted: dict[str, int] = field(default_factory=dict)  # bytes, as they went over the wire


@pytest.fixture
def extension(monkeypatch) -> Iterator[Callable[[str], ModuleType]]:
    """Imports an extension of the book; it and those that it imports are gone after the test."""
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    own = {path.stem for path in EXTENSIONS.glob("*.py")} - sys.modules.keys()
    yield importlib.import_module
    for name in own & sys.modules.keys():
        del sys.modules[name]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    if not SITE.exists():
        pytest.skip("the book is not built: make book")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Compressing, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture
def opened(browser, address) -> Iterator[Callable[..., Opened]]:
    """Opens a page; what was asked of other hosts, failed or was an error is in `troubles`."""
    with contextlib.ExitStack() as closing:

        def open_page(name, width=1280, scheme="light", scripts=True, **view) -> Opened:
            context = browser.new_context(
                viewport={"width": width, "height": 900},
                color_scheme=scheme,
                java_script_enabled=scripts,
                **view,
            )
            closing.callback(context.close)
            seen = Opened(context.new_page())
            if scripts:
                seen.page.add_init_script(measures.WATCH_MOVES)
            watch(seen, address)
            seen.page.set_default_timeout(PATIENCE)
            # A busy machine may be quiet on the line before the scripts have run.
            seen.page.goto(f"{address}/{name}.html", wait_until="load")
            if scripts:  # without them, nothing is asked for any more
                measures.wait_until_quiet(seen.page)
            return seen

        yield open_page


def watch(seen: Opened, address: str) -> None:
    """Write down every request to another host, every failed one, and every error."""

    def requested(request):
        if not request.url.startswith((f"{address}/", "data:", "blob:")):
            seen.troubles.append(f"asked {request.url}")

    def answered(response):
        if response.status >= 400:
            seen.troubles.append(f"{response.status} for {response.url}")

    def said(message):
        if message.type in ("error", "warning"):
            seen.troubles.append(f"console: {message.text}")

    seen.counted = measures.count_bytes(seen.page)
    seen.page.on("request", requested)
    seen.page.on("response", answered)
    seen.page.on("console", said)
    seen.page.on("pageerror", lambda error: seen.troubles.append(f"script error: {error}"))
