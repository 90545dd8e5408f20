"""What comes from code, printed as the prose is: quotes, apostrophes, minus signs, percentages."""

import html
import re

from docutils.utils.smartquotes import smartyPants
from sphinx.application import Sphinx

QUOTED = re.compile(r"(?<!\w)'([^']+)'(?!\w)")
MINUS = re.compile(r"(?<![\w)`-])-(?=\w)")
CAPTION = re.compile(r"(?<=<figcaption>)[^<]*(?=</figcaption>)")
CODE = re.compile(r"(<(pre|code)\b.*?</\2>)", re.DOTALL)
PERCENT = re.compile(r"(\d(?:</\w+>)*) %(?!\w)")


def typeset(words: str) -> str:
    """Words as a book prints them."""
    return MINUS.sub("−", smartyPants(QUOTED.sub(r'"\1"', words), attr="q"))


def typeset_captions(body: str) -> str:
    """A page's body with the captions of figures to play with as a book prints them."""

    def printed(found: re.Match) -> str:
        return html.escape(typeset(html.unescape(found[0])), quote=False)

    return CAPTION.sub(printed, body)


def keep_percentages(body: str) -> str:
    """A page's body in which no line breaks between a number and its percent sign."""
    parts = CODE.split(body)  # text, code, the name of its element, text, and so on
    parts[::3] = [PERCENT.sub("\\1\N{NO-BREAK SPACE}%", text) for text in parts[::3]]
    del parts[2::3]
    return "".join(parts)


def print_page(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    if body := context.get("body"):
        context["body"] = keep_percentages(typeset_captions(body))


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", print_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
