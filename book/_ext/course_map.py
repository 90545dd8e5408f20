"""The map of the course, and below each chapter's title what it needs and leads to.

`{course-map}` draws the chapters and their dependencies (`course.py`) as a picture whose boxes are
links; with `:words:` the same is said in words below it.
"""

import html
import textwrap
from pathlib import Path

from course import Chapter, chapters, direct, leads_to
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

# In the picture's own units; it is as wide as the page, on a phone about as many pixels.
WIDTH, BOX, HEIGHT, GAP, LINE = 380, 116, 62, 34, 14


class course_map(nodes.General, nodes.Element):
    """The map's place."""


class CourseMap(SphinxDirective):
    """The directive."""

    option_spec = {"words": directives.flag}

    def run(self) -> list[nodes.Node]:
        places = getattr(self.env, "course_maps", set())
        self.env.course_maps = places | {self.env.docname}
        return [course_map(words="words" in self.options)]


def rows_of(course: dict[str, Chapter]) -> list[list[Chapter]]:
    """The chapters in rows, each below all that it needs, near what it needs."""
    depth: dict[str, int] = {}
    for page in course:  # in their order, so that needs come first
        depth[page] = 1 + max((depth[need] for need in course[page].needs), default=-1)
    rows: list[list[Chapter]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for page, level in depth.items():
        rows[level].append(course[page])
    place: dict[str, float] = {}
    for row in rows:
        row.sort(key=lambda chapter: mean([place[need] for need in direct(chapter, course)]))
        place |= {chapter.page: at for chapter, at in zip(row, centers(len(row)), strict=True)}
    return rows


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def centers(boxes: int) -> list[float]:
    """Where the middles of a row's boxes are."""
    return [WIDTH * (2 * i + 1) / (2 * boxes) for i in range(boxes)]


def picture(course: dict[str, Chapter], addresses: dict[str, str]) -> str:
    """The map as an SVG whose boxes are links."""
    rows = rows_of(course)
    at = {
        chapter.page: (x, y * (HEIGHT + GAP) + HEIGHT / 2 + 1)
        for y, row in enumerate(rows)
        for chapter, x in zip(row, centers(len(row)), strict=True)
    }
    lines = []
    for chapter in course.values():
        x, y = at[chapter.page]
        for need in direct(chapter, course):
            from_x, from_y = at[need]
            top, bottom = from_y + HEIGHT / 2, y - HEIGHT / 2 - 6
            middle = (top + bottom) / 2
            lines.append(
                f'<path d="M{from_x:.0f} {top:.0f}C{from_x:.0f} {middle:.0f} {x:.0f} {middle:.0f} '
                f'{x:.0f} {bottom:.0f}" marker-end="url(#map-arrow)"/>'
            )
    boxes = []
    for chapter in course.values():
        x, y = at[chapter.page]
        words = textwrap.wrap(f"{chapter.number} · {chapter.title}", 17)[:4]
        first = y - LINE * (len(words) - 1) / 2 + 4
        text = "".join(
            f'<tspan x="{x:.0f}" y="{first + i * LINE:.0f}">{html.escape(word)}</tspan>'
            for i, word in enumerate(words)
        )
        boxes.append(
            f'<a href="{addresses[chapter.page]}"><rect x="{x - BOX / 2:.0f}" '
            f'y="{y - HEIGHT / 2:.0f}" width="{BOX}" height="{HEIGHT}" rx="6"/>'
            f"<text>{text}</text></a>"
        )
    height = len(rows) * (HEIGHT + GAP) - GAP + 2
    return (
        f'<svg class="course-map" viewBox="0 0 {WIDTH} {height}" role="group" '
        'aria-label="Map of the course: each box is a chapter and a link to it; an arrow leads '
        'from a chapter to one that uses what it made."><defs><marker id="map-arrow" '
        'viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z"/></marker></defs><g class="roads">{"".join(lines)}</g>'
        f"{''.join(boxes)}</svg>"
    )


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Draw the maps, when the addresses of all chapters are known."""
    course = chapters(Path(app.srcdir))
    for place in list(doctree.findall(course_map)):
        addresses = {page: app.builder.get_relative_uri(docname, page) for page in course}
        made: list[nodes.Node] = [nodes.raw("", picture(course, addresses), format="html")]
        if place["words"]:
            items = [nodes.list_item("", line(page, course, app, docname)) for page in course]
            made.append(nodes.bullet_list("", *items))
        place.replace_self(made)
    if docname in course and (title := next(doctree.findall(nodes.title), None)):
        roads = line(docname, course, app, docname, itself=False)
        roads["classes"] = ["chapter-roads"]
        title.parent.insert(title.parent.index(title) + 1, roads)


def line(
    page: str, course: dict[str, Chapter], app: Sphinx, docname: str, itself: bool = True
) -> nodes.paragraph:
    """What a chapter needs and leads to, in words with links."""

    def link(other: str) -> nodes.reference:
        address = app.builder.get_relative_uri(docname, other)
        name = f"{course[other].number} · {course[other].title}"
        return nodes.reference("", name, internal=True, refuri=address)

    def several(pages: list[str]) -> list[nodes.Node]:
        parts: list[nodes.Node] = []
        for i, other in enumerate(pages):
            parts += [nodes.Text(" and " if i == len(pages) - 1 else ", ")] if i else []
            parts.append(link(other))
        return parts

    needs, leads = direct(course[page], course), leads_to(page, course)
    said: list[nodes.Node] = [link(page), nodes.Text(". ")] if itself else []
    said.append(nodes.Text("Needs " if needs else "Needs no other chapter"))
    said += [*several(needs), nodes.Text("." if leads else "")]
    if leads:
        said += [nodes.Text(" Leads to "), *several(leads), nodes.Text(".")]
    elif needs:
        said.append(nodes.Text("."))
    else:
        said.append(nodes.Text("; every chapter takes up what it shows about working."))
    return nodes.paragraph("", "", *said)


def refresh(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Draw the maps again with every build."""
    return sorted(getattr(env, "course_maps", set()) & set(env.all_docs))


def forget_chapters(app: Sphinx) -> None:
    chapters.cache_clear()


def setup(app: Sphinx) -> dict:
    app.add_directive("course-map", CourseMap)
    app.add_node(course_map)
    app.connect("builder-inited", forget_chapters)
    app.connect("doctree-resolved", fill)
    app.connect("env-updated", refresh)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
