"""Show the book at http://127.0.0.1:PORT, build it again when it changes, and reload its pages."""

import functools
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from watchfiles import watch

ROOT = Path(__file__).resolve().parent.parent
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
    """Serves the site; its pages reload themselves."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if self.path == BUILT:
            self.answer(str(builds).encode(), "text/plain")
        elif path.suffix == ".html" and path.is_file():
            self.answer(path.read_bytes() + RELOAD, "text/html; charset=utf-8")
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


def main(port: int) -> None:
    global builds
    server = ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"The book is at http://127.0.0.1:{server.server_address[1]} (Ctrl+C ends).", flush=True)
    for _ in watch(*WATCHED, raise_interrupt=False):
        subprocess.run([sys.executable, ROOT / "make" / "book.py"])
        builds += 1


if __name__ == "__main__":
    main(int(sys.argv[1]))
