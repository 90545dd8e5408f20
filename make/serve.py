"""Show the book at http://127.0.0.1:PORT, build it again when it changes, and reload its pages.

Notebooks, bundle and PDF are offered as on the site, where they were made.
"""

import functools
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from downloads import BUNDLE, IN_PAGE, PDF, ROOT, shown, unpack
from watchfiles import watch

SITE = ROOT / "build" / "book" / "_build" / "html"
WATCHED = [ROOT / "book", ROOT / "solutions", ROOT / "_config.yml"]
BUILT = "/built"  # answers with the number of builds
# Asks once a second whether the book was built anew.
RELOAD = b"""<script>
  const built = () => fetch("/built").then((answer) => answer.text());
  built().then((before) => setInterval(async () => {
    if ((await built().catch(() => before)) !== before) location.reload();
  }, 1000));
</script>"""

builds = 0


class Handler(SimpleHTTPRequestHandler):
    """Serves the site, and what there is to download; its pages reload themselves."""

    downloads: dict[str, Path]

    def translate_path(self, path: str) -> str:
        name = urlsplit(path).path.lstrip("/")
        return str(self.downloads.get(name) or super().translate_path(path))

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if self.path == BUILT:
            self.answer(str(builds).encode(), "text/plain")
        elif path.suffix == ".html" and path.is_file():
            page = shown(path.read_text(encoding="utf-8"), self.downloads.__contains__)
            self.answer(page.encode() + RELOAD, "text/html; charset=utf-8")
        else:
            super().do_GET()

    def answer(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *args) -> None:
        pass


def downloads(folder: Path) -> dict[str, Path]:
    """What there is to download, by its address; the bundle is unpacked into the folder."""
    files = {PDF.name: PDF} if PDF.exists() else {}
    if BUNDLE.exists():
        unpack(BUNDLE, folder / "student")
        files[f"student/{BUNDLE.name}"] = BUNDLE
        files |= {f"student/{path.name}": path for path in (folder / "student").glob("*.ipynb")}
    files |= {f"solve/{path.name}": path for path in IN_PAGE.glob("*")}
    return files


def main(port: int) -> None:
    global builds
    with tempfile.TemporaryDirectory() as folder:
        Handler.downloads = downloads(Path(folder))
        handler = functools.partial(Handler, directory=SITE)
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_address[1]}"
        print(f"The book is at {place} (Ctrl+C ends).", flush=True)
        for _ in watch(*WATCHED, raise_interrupt=False):
            subprocess.run([sys.executable, ROOT / "make" / "book.py"])
            builds += 1


if __name__ == "__main__":
    main(int(sys.argv[1]))
