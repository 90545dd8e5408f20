"""What a page costs its reader: how soon it is seen, how much moves, and how large it is.

    make bench        (or: python -m tests.bench_pages [PAGE ...])

A handful of pages of the built book, each the largest of its kind (or those that are named), are
opened in headless Chromium with nothing in the cache, from a server on this machine that
compresses text as GitHub Pages does: once at 1280 pixels, and once as on a slow phone of 390 pixels
(a processor four times slower, 1.6 Mbit/s, 150 ms), where the first screen's figure is waited for,
too. What moves is taken when all figures to play
with were scrolled to and drawn. That every page is within its limits but for time, the tests hold.
"""

import functools
import sys
import threading
from dataclasses import dataclass
from http.server import ThreadingHTTPServer

from rich.console import Console
from rich.table import Table

from tests.book import measures
from tests.book.conftest import SITE, Compressing
from tests.chromium import CHROMIUM, FLAGS, PATIENCE

PAGES = ["index", "map", "02-softmax", "10-writer", "11-encoder-decoder", "13-real-encoder"]
SOON = {False: 1_000, True: 1_500}  # ms to the first paint; on a slow phone
ANSWERING = 3_000  # ms there until the first screen's figure heeds its reader
WIDTH = {False: 1280, True: 390}
WIDE = 96  # letters, so that the names of the pages stay whole


@dataclass
class Costs:
    """What a page costs."""

    nodes: int
    stops: int
    transferred: int  # bytes
    paint: float  # ms
    slow_paint: float
    slow_answer: float  # ms until the first screen's figure heeds its reader
    moved: float
    slow_moved: float

    def too_much(self) -> list[bool]:
        """For each of these, in their order: whether it is over its limit."""
        return [
            self.nodes >= measures.MOST_NODES,
            self.stops >= measures.MOST_STOPS,
            self.transferred >= measures.MOST_BYTES,
            self.paint >= SOON[False],
            self.slow_paint >= SOON[True],
            self.slow_answer >= ANSWERING,
            self.moved >= measures.MOST_MOVED_ALONE,
            self.slow_moved >= measures.MOST_MOVED_ALONE,
        ]

    def shown(self) -> list[str]:
        return [
            f"{self.nodes:,}",
            f"{self.stops}",
            f"{self.transferred / 1e3:,.0f}",
            f"{self.paint:,.0f}",
            f"{self.slow_paint:,.0f}",
            f"{self.slow_answer:,.0f}",
            f"{self.moved:.3f}",
            f"{self.slow_moved:.3f}",
        ]


def main(names: list[str]) -> None:
    """Print what each page costs, and in red what is over its limit."""
    if CHROMIUM is None or not SITE.exists():
        print("The pages are not measured: it takes Chromium, and the book (make book).")
        return
    columns = (
        "nodes",
        "Tab stops",
        "kB",
        "paint, ms",
        "slow phone",
        "answers",
        "moved",
        "slow phone",
    )
    limits = Costs(
        measures.MOST_NODES, measures.MOST_STOPS, measures.MOST_BYTES,
        SOON[False], SOON[True], ANSWERING, measures.MOST_MOVED_ALONE, measures.MOST_MOVED_ALONE,
    )  # fmt: skip
    table = Table("page", *columns, title="What a page costs", caption="last row: the limits")
    over = 0
    for page, costs in measured(names).items():
        flags = costs.too_much()
        over += any(flags)
        cells = [
            f"[red]{text}[/red]" if much else text
            for text, much in zip(costs.shown(), flags, strict=True)
        ]
        table.add_row(page, *cells)
    table.add_section()
    table.add_row("", *limits.shown())
    Console(width=max(Console().width, WIDE)).print(table)
    print(f"{over} pages are over a limit." if over else "Every page is within its limits.")


def measured(names: list[str]) -> dict[str, Costs]:
    """The costs of the pages named, or of the handful."""
    from playwright.sync_api import sync_playwright

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Compressing, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name in names or PAGES:
            fast, slow = (visit(browser, f"{address}/{name}.html", slow) for slow in (False, True))
            found[name] = Costs(
                fast["nodes"],
                fast["stops"],
                fast["transferred"],
                fast["paint"],
                slow["paint"],
                slow["answer"],
                fast["moved"],
                slow["moved"],
            )
        browser.close()
    server.shutdown()
    return found


def visit(browser, address: str, slow: bool) -> dict[str, float]:
    """Open a page as a new visitor, look at it, and read it to its end."""
    context = browser.new_context(viewport={"width": WIDTH[slow], "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(measures.WATCH_MOVES)
    seen = measures.count_bytes(page)
    if slow:
        measures.slow_down(page)
    page.goto(address)
    page.wait_for_function(measures.PAINTED)
    page.wait_for_function(measures.ANSWERS)
    answer = page.evaluate("performance.now()")
    measures.wait_until_quiet(page, 3000 if slow else 500)
    found = {
        "paint": page.evaluate(measures.PAINTED),
        "answer": answer,
        "transferred": seen["bytes"],
        "nodes": page.evaluate(measures.NODES),
        "stops": page.evaluate(measures.STOPS),
    }
    measures.read_to_the_end(page)
    found["moved"] = page.evaluate(measures.MOVED)
    context.close()
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
