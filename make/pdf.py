"""Print the built book as one PDF in build/pdf, by headless Chromium.

All pages become one, so that a link from page to page is a link within the PDF. What is folded is
open, but for the code that only draws a figure; the figures to play with are stills.
"""

import functools
import shutil
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from bs4 import BeautifulSoup, Tag
from downloads import PDF, ROOT

SITE = ROOT / "build" / "book" / "_build" / "html"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NOT_ON_PAPER = {"progress"}  # pages that are nothing without a browser
NOT_PRINTED = (
    ".headerlink, template, script, .copybtn, .play-chart, details.hide, details.chapter-places"
)
REFERRING = ("aria-labelledby", "aria-describedby", "for")
FOOTER = (
    '<div style="font-size: 8px; width: 100%; text-align: center; color: #555">'
    '<span class="pageNumber"></span></div>'
)


def pages() -> list[str]:
    """The book's pages in reading order, as its first page links them."""
    index = parsed("index")
    links = index.select(".bd-sidebar-primary nav a.reference.internal")
    names = [Path(urldefrag(link["href"])[0]).stem for link in links]
    return ["index", *(name for name in names if name and name not in NOT_ON_PAPER | {"#"})]


def parsed(name: str) -> BeautifulSoup:
    return BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "html.parser")


def article(name: str, names: list[str]) -> Tag:
    """A page's text, with addresses that hold in the whole."""
    text = parsed(name).select_one("article.bd-article")
    for element in text.select(NOT_PRINTED):
        element.decompose()
    for element in text.find_all(True):
        if element.has_attr("id"):
            element["id"] = place(name, element["id"])
        for attribute in REFERRING:
            if element.has_attr(attribute):
                wanted = element[attribute]
                wanted = wanted.split() if isinstance(wanted, str) else wanted
                element[attribute] = " ".join(place(name, one) for one in wanted)
        if element.name == "details":
            element["open"] = ""
    for link in text.select("a[href]"):
        path, anchor = urldefrag(link["href"])
        if not path and anchor:
            link["href"] = f"#{place(name, anchor)}"
        elif path.endswith(".html") and "://" not in path and Path(path).stem in names:
            link["href"] = f"#{place(Path(path).stem, anchor)}"
        elif not urlsplit(path).scheme:
            link.unwrap()  # to what only the site has
    text["id"] = place(name, "")
    return text


def place(page: str, anchor: str) -> str:
    """An anchor's name in the whole."""
    return f"{page}--{anchor}" if anchor else f"page-{page}"


def whole() -> str:
    """All pages as one."""
    names = pages()
    page = parsed("notation")  # a page with formulas: its head asks for their font
    for script in page.find_all("script"):
        script.decompose()
    page.html["data-theme"] = page.html["data-mode"] = "light"
    body = page.body
    body.clear()
    body["class"] = "whole-book"
    main = page.new_tag("main", attrs={"class": "bd-main"})
    content = page.new_tag("div", attrs={"class": "bd-content"})
    for name in names:
        content.append(article(name, names))
    main.append(content)
    body.append(main)
    return str(page)


def main(target: Path = PDF) -> int:
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "chromium-headless-shell")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        print("Chromium is not here: on Debian and Ubuntu run 'apt install chromium'.")
        return 1
    handler = functools.partial(Quiet, directory=SITE)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/whole-book.html"
    text = whole()
    target.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(color_scheme="light")
        page.set_default_timeout(300_000)
        page.route(address, lambda route: route.fulfill(body=text, content_type="text/html"))
        page.goto(address, wait_until="load")
        page.evaluate(
            "Promise.all([...document.images].map((image) => { image.loading = 'eager'; "
            "return image.decode().catch(() => {}); }))"
        )
        page.pdf(
            path=target,
            format="A4",
            print_background=True,
            outline=True,
            tagged=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
            margin={"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"},
        )
        browser.close()
    print(f"The book is printed: {target} ({target.stat().st_size / 1e6:.1f} MB).")
    return 0


class Quiet(SimpleHTTPRequestHandler):
    """Serves the book's pictures and styles."""

    def log_message(self, *args) -> None:
        pass


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
