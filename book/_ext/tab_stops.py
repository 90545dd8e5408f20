"""Fewer stops for the Tab key in a chapter, and each place still within its reach.

Of several links to one place the Tab key stops at the first; a figure's number leads to where it
stands. Terms and citations, dozens in a chapter, it passes over in the text: a fold at the end
lists them, each a link. What is folded away does not count as a first: nobody comes there before
it is opened.
"""

import html
import re

from bs4 import BeautifulSoup
from course import CHAPTER

# Where these links lead, and what they are called in the fold.
LISTED = {"glossary.html#": "Words", "sources.html#": "Sources"}
SOURCE = re.compile(r"(.*?)\.?(?: URL: .*| doi:.*)?")  # authors, title and year


def lessen(soup: BeautifulSoup, page: str, *_: object) -> None:
    """Let the Tab key pass over the links of a chapter to places that were linked before."""
    if not CHAPTER.fullmatch(page):
        return
    seen: set[str] = set()
    listed: dict[str, str] = {}
    for link in soup.select("a.reference.internal"):
        place = link["href"]
        if place.startswith(tuple(LISTED)):
            source = link.get("title")
            listed.setdefault(place, SOURCE.fullmatch(source)[1] if source else link.get_text())
        number = link.find_parent(class_="figure-number")
        if number or place in seen or place in listed:
            link["tabindex"] = "-1"
        elif not link.find_parent("details"):
            seen.add(place)
    soup.append(BeautifulSoup(fold_of(listed), "html.parser"))


def fold_of(listed: dict[str, str]) -> str:
    """A fold with a link to each of the places."""
    lines = []
    for page, name in LISTED.items():
        places = [place for place in listed if place.startswith(page)]
        links = [
            f'<a class="reference internal" href="{place}">{html.escape(listed[place])}</a>'
            for place in sorted(places, key=lambda place: listed[place].casefold())
        ]
        if links:
            lines.append(f"<p>{name}: {'; '.join(links)}.</p>")
    if not lines:
        return ""
    summary = "<summary>Words and sources of this chapter</summary>"
    return f'<details class="chapter-places">{summary}{"".join(lines)}</details>'
