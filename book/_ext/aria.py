"""Roles of parts of a page as screen readers know them today.

Docutils marks the entries of a list of sources with a role that was withdrawn from the standard;
in a list, an entry is an item.
"""

from sphinx.application import Sphinx

WITHDRAWN, ITEM = ' role="doc-biblioentry"', ' role="listitem"'


def replace_roles(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Replace the withdrawn role on a page."""
    if WITHDRAWN in context.get("body", ""):
        context["body"] = context["body"].replace(WITHDRAWN, ITEM)


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", replace_roles)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
