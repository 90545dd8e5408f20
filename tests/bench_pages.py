"""How soon a reader sees something: the first contentful paint of every page, in milliseconds.

    make bench        (or: python -m tests.bench_pages)

Each page of the built book is opened three times in headless Chromium at 1280 pixels, with nothing
in the cache, from a server on this machine that compresses text as GitHub Pages does.
"""

import functools
import statistics
import threading
from http.server import ThreadingHTTPServer

from rich.console import Console
from rich.table import Table

from tests.book.conftest import CHROMIUM, FLAGS, SITE, Compressing

TIMES = 3
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def main() -> None:
    """Print the median of each page, the slowest first."""
    if CHROMIUM is None or not SITE.exists():
        print("The pages' paint is not measured: it takes Chromium, and the book (make book).")
        return
    found = medians()
    table = Table("page", "first paint, ms")
    for page, milliseconds in sorted(found.items(), key=lambda pair: -pair[1]):
        table.add_row(page, f"{milliseconds:.0f}")
    Console().print(table)


def medians() -> dict[str, float]:
    """The median paint of each page, in milliseconds."""
    from playwright.sync_api import sync_playwright

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Compressing, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for path in sorted(SITE.glob("*.html")):
            times = []
            for _ in range(TIMES):
                context = browser.new_context(viewport={"width": 1280, "height": 900})
                page = context.new_page()
                page.goto(f"http://127.0.0.1:{server.server_address[1]}/{path.name}")
                page.wait_for_function(f"() => {PAINTED.replace('.startTime', '')}")
                times.append(page.evaluate(PAINTED))
                page.wait_for_load_state("networkidle")
                context.close()
            found[path.stem] = statistics.median(times)
        browser.close()
    server.shutdown()
    return found


if __name__ == "__main__":
    main()
