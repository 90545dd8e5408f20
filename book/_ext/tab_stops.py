"""Fewer stops for the Tab key in a chapter, and each place still within its reach.

Of several links to one place the Tab key stops at the first; a figure's number leads to where it
stands. Terms and citations, dozens in a chapter, it passes over in the text: a fold at the end
lists them, each a link. What is folded away does not count as a first: nobody comes there before
it is opened.
"""

import re

from course import CHAPTER
from sphinx.application import Sphinx

# Where these links lead, and what they are called in the fold.
LISTED = {"glossary.html#": "Words", "sources.html#": "Sources"}
PART = re.compile(
    r'(?P<fold><details\b)|(?P<end></details>)|(?P<number><p class="figure-number")|'
    r'<a class="reference internal[^"]*" href="(?P<place>[^"]+)"(?P<more>[^>]*)>(?P<words>.*?)</a>',
    re.DOTALL,
)
TITLE = re.compile(r' title="(.*?)\.?(?: URL: .*| doi:.*)?"')  # authors, title and year of a source
TAG = re.compile(r"<[^>]*>")


def with_few_stops(body: str) -> str:
    """A chapter whose links to places that were linked before are passed over by the Tab key."""
    seen: set[str] = set()
    listed: dict[str, str] = {}
    folds = 0
    own = False  # whether the next link is a figure's number

    def passed_over(found: re.Match) -> str:
        nonlocal folds, own
        if not (place := found["place"]):
            folds += bool(found["fold"]) - bool(found["end"])
            own = bool(found["number"])
            return found[0]
        if place.startswith(tuple(LISTED)):
            source = TITLE.search(found["more"])
            listed.setdefault(place, source[1] if source else TAG.sub("", found["words"]))
        again = own or place in seen or place in listed
        if not folds and not own:
            seen.add(place)
        own = False
        return f'<a tabindex="-1" {found[0][3:]}' if again else found[0]

    return PART.sub(passed_over, body) + fold_of(listed)


def fold_of(listed: dict[str, str]) -> str:
    """A fold with a link to each of the places."""
    lines = []
    for page, name in LISTED.items():
        links = sorted(
            (words.casefold(), f'<a class="reference internal" href="{place}">{words}</a>')
            for place, words in listed.items()
            if place.startswith(page)
        )
        if links:
            lines.append(f"<p>{name}: {'; '.join(link for _, link in links)}.</p>")
    if not lines:
        return ""
    summary = "<summary>Words and sources of this chapter</summary>"
    return f'<details class="chapter-places">{summary}{"".join(lines)}</details>'


def lessen(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    if CHAPTER.fullmatch(page):
        context["body"] = with_few_stops(context.get("body", ""))


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", lessen)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
