"""What comes from code, printed as the prose is: quotes, apostrophes, minus signs, percentages."""

import re

from bs4 import BeautifulSoup, NavigableString
from docutils.utils.smartquotes import smartyPants

QUOTED = re.compile(r"(?<!\w)'([^']+)'(?!\w)")
MINUS = re.compile(r"(?<![\w)`-])-(?=\w)")
PERCENT = re.compile(r"(?<=\d) %(?!\w)")
SHAPE = re.compile(r"\[[\w.]{1,4}(?:, [\w.]{1,4}){0,3}\]")  # of letters: short enough for a table


def typeset(words: str) -> str:
    """Words as a book prints them."""
    return MINUS.sub("−", smartyPants(QUOTED.sub(r'"\1"', words), attr="q"))


def print_page(soup: BeautifulSoup, *_: object) -> None:
    """Print captions of figures to play with as a book does, and percent signs at their numbers."""
    for caption in soup.find_all("figcaption"):
        if len(caption.contents) == 1 and isinstance(caption.contents[0], NavigableString):
            caption.string = typeset(caption.string)
    before = ""
    for text in soup.find_all(string=True):
        if type(text) is NavigableString and not text.find_parent(["pre", "code"]):
            printed = PERCENT.sub("%", before[-1:] + text)[len(before[-1:]) :]
            if printed != text:
                text.replace_with(printed)
        before = text
    for literal in soup.select("code.literal"):
        if SHAPE.fullmatch(literal.get_text()):
            literal["class"].append("shape")
