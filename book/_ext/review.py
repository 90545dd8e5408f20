"""The page of questions that are due: `{review}`, all questions of the course, of which a script
shows those whose day has come (`book/_review`).

They stand in a `<template>`, so that the page works where it was saved to a disk, too.
"""

import html
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from quiz import quiz
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from autograder.release.questions import questions

SCHEDULING = ("ts-fsrs", "schedule")
SCRIPTS = (*SCHEDULING, "review")
BEGIN = (
    "<noscript><p>To ask questions, this page needs scripts.</p></noscript>"
    '<div class="review"><template>'
)
END = "</template></div>"


class Review(SphinxDirective):
    """The directive `{review}`; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        self.env.review_page = self.env.docname
        bank = questions(Path(self.env.srcdir).parent)
        titles = "".join(
            f'<li data-chapter="{page}"><a href="{page}.html">{html.escape(title)}</a></li>'
            for page, title in bank["chapters"].items()
        )
        return [
            nodes.raw("", f"{BEGIN}<ul>{titles}</ul>", format="html"),
            *(self.shown(asked, n) for one in bank["questions"] for n, asked in forms(one)),
            nodes.raw("", END, format="html"),
        ]

    def shown(self, asked: dict[str, Any], variant: int) -> nodes.Node:
        """One question as the chapters show theirs."""
        body = nodes.Element()
        text = as_markdown(asked).splitlines()
        self.state.nested_parse(StringList(text, asked["id"]), self.content_offset, body)
        (found,) = body.findall(quiz)
        found["question"], found["place"] = asked["id"], (asked["chapter"], variant)
        return found


def forms(question: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """A question, and the same with other numbers."""
    for number, form in enumerate([{}, *question.get("variants", ())]):
        yield number, question | form


def as_markdown(asked: dict[str, Any]) -> str:
    """A question of the bank as a `{quiz}`."""
    choices = "\n".join(
        f"- [{'x' if one['right'] else ' '}] {one['text']}\n\n{textwrap.indent(one['why'], '  ')}"
        for one in asked["choices"]
    )
    return f"::::{{quiz}}\n{asked['text']}\n\n{choices}\n::::"


def outdated(app: Sphinx, env: BuildEnvironment, *changes: set[str]) -> list[str]:
    """Read the page with every build: its questions come from all chapters."""
    page = getattr(env, "review_page", None)
    return [page] if page in env.all_docs else []


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Only these pages load what schedules, what asks twice, and what the map says of it."""
    scripts = list(SCRIPTS) if page == getattr(app.env, "review_page", None) else []
    if 'class="map-due' in (context.get("body") or ""):
        scripts += [*SCHEDULING, "due"]
    if "inventory-question" in (context.get("body") or ""):
        scripts.append("inventory")
    for name in scripts:
        app.add_js_file(f"review/{name}.js", priority=950)  # after those of every page


def lay_in(app: Sphinx) -> None:
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "review"
        shutil.copytree(Path(app.srcdir) / "_review", target, dirs_exist_ok=True)


def setup(app: Sphinx) -> dict:
    app.add_directive("review", Review)
    app.add_css_file("review/review.css")  # a part of every page's one sheet (page_style.py)
    app.connect("env-get-outdated", outdated)
    # Before others put another list in its place.
    app.connect("html-page-context", add_scripts, priority=400)
    app.connect("builder-inited", lay_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
