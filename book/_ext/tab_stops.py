"""Fewer stops for the Tab key in a chapter, and each place still within its reach.

Of several links to one place the Tab key stops at the first. Terms and citations lead to the
glossary and the sources, each one stop away in the sidebar; a figure's number leads to where it
stands. What is folded away does not count as a first: nobody comes there before it is opened.
"""

import re

from course import CHAPTER
from sphinx.application import Sphinx

LISTED = ("glossary.html#", "sources.html#")
PART = re.compile(
    r'(?P<fold><details\b)|(?P<end></details>)|(?P<number><p class="figure-number")|'
    r'<a class="reference internal[^"]*" href="(?P<place>[^"]+)"'
)


def with_few_stops(body: str) -> str:
    """A chapter whose links to places that were linked before are passed over by the Tab key."""
    seen: set[str] = set()
    folds = 0
    own = False  # whether the next link is a figure's number

    def passed_over(found: re.Match) -> str:
        nonlocal folds, own
        if not (place := found["place"]):
            folds += bool(found["fold"]) - bool(found["end"])
            own = bool(found["number"])
            return found[0]
        again = own or place in seen or place.startswith(LISTED)
        if not folds and not own:
            seen.add(place)
        own = False
        return f'<a tabindex="-1" {found[0][3:]}' if again else found[0]

    return PART.sub(passed_over, body)


def lessen(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    if CHAPTER.fullmatch(page):
        context["body"] = with_few_stops(context.get("body", ""))


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", lessen)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
