"""The map of the course, and below each chapter's title what it needs and leads to.

`{course-map}` draws the chapters and their dependencies (`course.py`) as a picture whose boxes are
links and say what a chapter takes; with `:words:` the same is said in words below it. What a reader
has read is marked by `_static/progress.js`, and what is due by `_review/due.js`.
"""

from pathlib import Path

from boxes import Box, centers, picture
from course import Chapter, chapters, direct, leads_to
from course_facts import Facts, facts_of
from docutils import nodes
from docutils.parsers.rst import directives
from emblems import emblem
from first_screen import put_below
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from autograder.release.questions import questions

DESCRIPTION = (
    "Map of the course: each box is a chapter and a link to it; an arrow leads from a chapter to "
    "one that uses what it made."
)

WIDEST = 3  # boxes in a row


class course_map(nodes.General, nodes.Element):
    """The map's place."""


class CourseMap(SphinxDirective):
    """The directive."""

    option_spec = {"words": directives.flag}

    def run(self) -> list[nodes.Node]:
        places: set[str] = getattr(self.env, "course_maps", set())
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
    rows = [part for row in rows for part in broken(row)]
    for row in rows:
        row.sort(key=lambda chapter: mean([place[need] for need in direct(chapter, course)]))
        place |= {chapter.page: at for chapter, at in zip(row, centers(len(row)), strict=True)}
    return rows


def broken(row: list[Chapter]) -> list[list[Chapter]]:
    """A row as one, or as several of about the same length where it is too long for the page."""
    parts = -(-len(row) // WIDEST)
    return [row[len(row) * i // parts : len(row) * (i + 1) // parts] for i in range(parts)]


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def map_of(
    course: dict[str, Chapter],
    addresses: dict[str, str],
    facts: dict[str, Facts],
    asked: dict[str, list[str]],
) -> str:
    """The map as a picture whose boxes are links; `asked` are each chapter's review questions."""
    rows = [
        [
            Box(
                at.page,
                f"{at.number} · {at.title}",
                addresses[at.page],
                small(facts[at.page]),
                emblem(at.page),
                f' data-minutes="{facts[at.page].reading} {facts[at.page].solving or 0}"'
                f' data-questions="{" ".join(asked.get(at.page, ()))}"',
            )
            for at in row
        ]
        for row in rows_of(course)
    ]
    arrows = [(need, at.page) for at in course.values() for need in direct(at, course)]
    return picture(rows, arrows, DESCRIPTION)


def review_questions(root: Path) -> dict[str, list[str]]:
    """By what each chapter's questions in the review are known."""
    asked: dict[str, list[str]] = {}
    for one in questions(root)["questions"]:
        asked.setdefault(one["chapter"], []).append(one["id"])
    return asked


def small(facts: Facts) -> tuple[str, ...]:
    """What a chapter takes, in a box."""
    lines = [f"{facts.minutes} min", counted(facts.exercises, "exercise")]
    return *lines, *([counted(facts.points, "point")] if facts.points else [])


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def takes(facts: Facts) -> str:
    """What a chapter takes, in a sentence."""
    phrases = [f"{facts.reading} minutes to read"]
    phrases += [f"{facts.solving} to solve"] if facts.solving else []
    phrases += [counted(facts.exercises, "exercise"), counted(facts.points, "point")]
    return f" {', '.join(phrases)}."


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Draw the maps, when the addresses of all chapters are known."""
    course = chapters(Path(app.srcdir))
    for place in list(doctree.findall(course_map)):
        addresses = {page: app.builder.get_relative_uri(docname, page) for page in course}
        facts = {page: facts_of(Path(app.srcdir, f"{page}.ipynb")) for page in course}
        drawn = map_of(course, addresses, facts, review_questions(Path(app.srcdir).parent))
        lines = '<p class="map-left pst-js-only" aria-live="polite"></p>'
        if page := getattr(app.env, "review_page", None):
            address = app.builder.get_relative_uri(docname, page)
            due = f'<p class="map-due pst-js-only" aria-live="polite" data-review="{address}"></p>'
            lines = due + lines
        content: list[nodes.Node] = [nodes.raw("", lines + drawn, format="html")]
        if place["words"]:
            roads = [line(page, course, app, docname) for page in course]
            for page, said in zip(course, roads, strict=True):
                said += nodes.Text(takes(facts[page]))
            content.append(nodes.bullet_list("", *(nodes.list_item("", said) for said in roads)))
        place.replace_self(content)
    if docname in course and (title := next(doctree.findall(nodes.title), None)):
        roads = line(docname, course, app, docname, itself=False)
        roads["classes"] = ["chapter-roads"]
        put_below(title, roads)


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
    alone = "Needs only the course's way of working" if leads else "Needs no other chapter"
    said.append(nodes.Text("Needs " if needs else alone))
    said += [*several(needs), nodes.Text("." if leads else "")]
    if leads:
        said += [nodes.Text(" Leads to "), *several(leads), nodes.Text(".")]
    elif needs:
        said.append(nodes.Text("."))
    else:
        said.append(nodes.Text("; all others use the way of working shown here."))
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
