"""Roles and names of parts of a page as screen readers know them today.

Docutils marks the entries of a list of sources with a role that was withdrawn from the standard;
in a list, an entry is an item. MyST-NB names every folded cell "Toggle hidden content" over the
words that stand there, which say more. A column whose name is a formula alone is named in words
too: browsers leave formulas out of names.
"""

import html
import re

from sphinx.application import Sphinx
from spoken import spoken

REPLACED = {
    ' role="doc-biblioentry"': ' role="listitem"',
    '<summary aria-label="Toggle hidden content">': "<summary>",
}
FORMULA_ALONE = re.compile(r"(<th\b[^>]*><p>)<math\b(.*?</math>)(?=</p></th>)", re.DOTALL)


def with_words(found: re.Match) -> str:
    """A column's name: its formula to see, and the same in words."""
    words = html.escape(spoken(f"<math{found[2]}"))
    named = f'<span class="visually-hidden">{words}</span>'
    return f'{found[1]}{named}<math aria-hidden="true"{found[2]}'


def replace(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Replace what is outdated on a page."""
    for before, after in REPLACED.items():
        context["body"] = context.get("body", "").replace(before, after)
    context["body"] = FORMULA_ALONE.sub(with_words, context["body"])


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", replace)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
