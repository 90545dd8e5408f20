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
LITERAL = re.compile(
    r'<code class="(docutils literal notranslate)">((?:<span class="pre">[^<]*</span> ?)+)'
)
TAG = re.compile(r"<[^>]+>")
SHAPE = re.compile(r"\[[\w.]{1,4}(?:, [\w.]{1,4}){0,3}\]")  # of letters: short enough for a table


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


def keep_shapes(body: str) -> str:
    """A page's body with its shapes, such as [B, L, E], marked: no line breaks within one."""

    def marked(found: re.Match) -> str:
        if not SHAPE.fullmatch(TAG.sub("", found[2])):
            return found[0]
        return f'<code class="{found[1]} shape">{found[2]}'

    return LITERAL.sub(marked, body)


def print_page(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    if body := context.get("body"):
        context["body"] = keep_shapes(keep_percentages(typeset_captions(body)))


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", print_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
