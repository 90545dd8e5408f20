"""The page "Your progress": a row for each chapter, filled in by `_static/progress.js`."""

import html

from docutils import nodes
from quiz import questions_of
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class progress_table(nodes.General, nodes.Element):
    """The table's place."""


class Progress(SphinxDirective):
    """The directive `{progress}`; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        self.env.progress_page = self.env.docname
        return [progress_table()]


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the table into its place, when all chapters are known."""
    for place in doctree.findall(progress_table):
        rows = []
        for chapter in sorted(name for name in app.env.all_docs if name[:2].isdigit()):
            questions = questions_of(app.env, chapter)
            title = html.escape(app.env.titles[chapter].astext())
            address = app.builder.get_relative_uri(docname, chapter)
            rows.append(
                f'<tr data-chapter="{chapter}" data-questions="{" ".join(questions)}">'
                f'<th scope="row"><a class="reference internal" href="{address}">{title}</a></th>'
                f'<td class="progress-read">–</td>'
                f'<td class="progress-answered">{len(questions) or "–"}</td></tr>'
            )
        table = (
            '<div class="progress-page"><table class="table"><thead><tr>'
            '<th scope="col">Chapter</th><th scope="col">Read</th>'
            '<th scope="col">Questions answered</th></tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
        )
        place.replace_self(nodes.raw("", table, format="html"))


def refresh(app: Sphinx, env) -> list[str]:
    """Write the page again with every build: it counts the chapters' questions."""
    page = getattr(env, "progress_page", None)
    return [page] if page in env.all_docs else []


def end_the_road(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """The reader's pages end here: those that follow are for who maintains the course."""
    if page == getattr(app.env, "progress_page", None):
        context["next"] = None


def setup(app: Sphinx) -> dict:
    app.add_directive("progress", Progress)
    app.add_node(progress_table)
    app.connect("doctree-resolved", fill)
    app.connect("env-updated", refresh)
    app.connect("html-page-context", end_the_road)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
