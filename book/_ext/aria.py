"""Roles and names of parts of a page as screen readers know them today.

Docutils marks the entries of a list of sources with a role that was withdrawn from the standard;
in a list, an entry is an item. MyST-NB names every folded cell "Toggle hidden content" over the
words that stand there, which say more.
"""

from sphinx.application import Sphinx

REPLACED = {
    ' role="doc-biblioentry"': ' role="listitem"',
    '<summary aria-label="Toggle hidden content">': "<summary>",
}


def replace(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Replace what is outdated on a page."""
    for before, after in REPLACED.items():
        context["body"] = context.get("body", "").replace(before, after)


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", replace)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
