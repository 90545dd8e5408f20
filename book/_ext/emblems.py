"""Each chapter's emblem: a small drawing before its title, in the sidebar and on the map."""

from pathlib import Path
from urllib.parse import quote

from bs4 import BeautifulSoup
from course import CHAPTER
from sphinx.application import Sphinx

SIZE = 24  # of the square that each is drawn in
STYLE = "emblems.css"
LINKS = ".bd-sidebar-primary nav a.reference.internal"
LOOK = (
    "background: currentColor; display: inline-block; flex: none; height: 1.1em; "
    "margin-inline-end: 0.45em; mask-size: contain; vertical-align: -0.15em; width: 1.1em;"
)


def dots(*places: tuple[float, float]) -> str:
    return "".join(f'<circle class="full" cx="{x}" cy="{y}" r="1.9"/>' for x, y in places)


def line(path: str, kind: str = "") -> str:
    return f'<path{f" class={chr(34)}{kind}{chr(34)}" if kind else ""} d="{path}"/>'


def square(x: float, y: float, side: float, kind: str = "") -> str:
    return line(f"M{x} {y}h{side}v{side}h-{side}z", kind)


# By the chapter's number: what it is about, in a few strokes.
EMBLEMS = {
    # a loop of reading and writing
    0: line("M5 11a7 7 0 0 1 12-4l2 2M19 4v5h-5")
    + line("M19 13a7 7 0 0 1-12 4l-2-2M5 20v-5h5", "lit"),
    # nearness to a query, as a bell
    1: line("M3 20h18") + line("M4 18c5 0 4-13 8-13s3 13 8 13", "lit"),
    # bars that grow as exponentials do
    2: line("M5 20v-2M10 20v-4M15 20v-8") + line("M20 20V4", "lit"),
    # two sentences, their words aligned and crossed
    3: dots((4, 5), (12, 5), (20, 5), (4, 19), (12, 19), (20, 19))
    + line("M4 5v14M12 5l8 14")
    + line("M20 5l-8 14", "lit"),
    # three inputs, one layer, one output
    4: line("M3 6h6M3 12h6M3 18h6M9 4h7v16H9z") + line("M16 12h5", "lit"),
    # words that look at each other
    5: dots((4, 18), (12, 18), (20, 18))
    + line("M4 15c2-5 6-5 8 0")
    + line("M4 15c3-13 13-13 16 0", "lit"),
    # a wave along places
    6: line("M3 20h18M6 20v-2M12 20v-2M18 20v-2") + line("M3 10c3-8 6-8 9 0s6 8 9 0", "lit"),
    # four heads
    7: square(4, 4, 6.5)
    + square(13.5, 4, 6.5, "lit")
    + square(4, 13.5, 6.5)
    + square(13.5, 13.5, 6.5),
    # a triangle: no one looks ahead
    8: square(4, 4, 16) + line("M4 4v16h16z", "full lit"),
    # a layer, and the way around it
    9: square(4, 7, 10) + line("M9 21v-4M9 7V3") + line("M9 19h10V5H9", "lit"),
    # lines of writing and where it goes on
    10: line("M4 6h16M4 12h12M4 18h5") + line("M13 15v6", "lit"),
    # one stack reads, one writes
    11: line("M4 4h6v4H4zM4 10h6v4H4zM4 16h6v4H4zM14 7h6v4h-6zM14 13h6v4h-6z")
    + line("M10 12h4", "lit"),
    # an image in patches
    12: square(4, 4, 16)
    + line("M9.3 4v16M14.7 4v16M4 9.3h16M4 14.7h16")
    + square(9.3, 9.3, 5.4, "full lit"),
    # a glass that finds the near one
    13: line("M16 16l5 5M10 3a7 7 0 1 0 .01 0z")
    + '<circle class="full lit" cx="10" cy="10" r="2.4"/>',
    # someone answers
    14: line("M4 4h16v12h-9l-5 4v-4H4z")
    + dots((8, 10), (12, 10))
    + '<circle class="full lit" cx="16" cy="10" r="1.9"/>',
}


def emblem(page: str) -> str:
    """A chapter's emblem as SVG; nothing for other pages."""
    match = CHAPTER.fullmatch(page)
    drawn = EMBLEMS.get(int(match[1])) if match else None
    if drawn is None:
        return ""
    return f'<svg class="emblem" viewBox="0 0 {SIZE} {SIZE}" aria-hidden="true">{drawn}</svg>'


def mask(page: str) -> str:
    """An emblem as a picture of its shape alone, for CSS."""
    drawn = EMBLEMS[int(page[:2])].replace('class="', 'data-kind="')
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" fill="none" '
        'stroke="#000" stroke-width="2" stroke-linecap="round">'
        f"<style>[data-kind~=full]{{fill:#000;stroke:none}}</style>{drawn}</svg>"
    )
    return f"content: ''; mask-image: url(\"data:image/svg+xml,{quote(picture)}\");"


def put_before_title(soup: BeautifulSoup, page: str, *_: object) -> None:
    if drawn := emblem(page):
        soup.h1.insert(0, BeautifulSoup(drawn, "html.parser"))


def put_before_own_name(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Put the emblem before the page's own name in its sidebar."""
    if emblem(page):
        rule = f"{LINKS}[href='#']::before {{ {mask(page)} }}"
        context["metatags"] = f"{context.get('metatags', '')}<style>{rule}</style>"


def style(app: Sphinx, error: Exception | None) -> None:
    """In the sidebar the emblems are masks, in the color of the words."""
    if error or app.builder.format != "html":
        return
    rules = [f"{LINKS}::before {{ {LOOK} }}\n"]
    for page in sorted(page for page in app.env.found_docs if emblem(page)):
        rules.append(f"{LINKS}[href$='{page}.html']::before {{ {mask(page)} }}\n")
    (Path(app.outdir) / "_static" / STYLE).write_text("".join(rules), encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.add_css_file(STYLE, priority=901)
    app.connect("html-page-context", put_before_own_name)
    app.connect("build-finished", style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
