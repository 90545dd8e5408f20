"""Highlighted code in few elements: what looks alike is one span, what looks plain is none.

Pygments puts a span around every word and sign, of one of sixty kinds. The book's styles, one for
a light page and one for a dark page, tell about ten of them apart. A dot between names is the most
frequent sign, and too small for a color: it stays plain.
"""

from collections.abc import Iterator

from pygments.formatters import HtmlFormatter
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Error, Generic, Operator, Text, _TokenType
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.highlighting import PygmentsBridge

DOT = (Operator, ".")
STYLES = ("pygments_light_style", "pygments_dark_style")


def look_alikes(styles: list[str]) -> dict[_TokenType, _TokenType]:
    """For each kind of token the first that looks as it does in all of the styles."""
    drawn = [get_style_by_name(name) for name in styles]
    first: dict[str, _TokenType] = {}
    alike = {}
    # Text, which has no span, comes first. Other programs look for prompts and outputs.
    for kind in [Text, *STANDARD_TYPES]:
        if kind not in Generic and kind is not Error:
            look = repr([style.style_for_token(kind) for style in drawn])
            alike[kind] = first.setdefault(look, kind)
    return alike


def formatter(alike: dict[_TokenType, _TokenType]) -> type[HtmlFormatter]:
    """A formatter that writes each token as the one that it looks like."""

    class FewSpans(HtmlFormatter):
        def format_unencoded(self, tokensource: Iterator, outfile) -> None:
            few = (
                (Text if (kind, text) == DOT else alike.get(kind, kind), text)
                for kind, text in tokensource
            )
            super().format_unencoded(few, outfile)

    return FewSpans


def write_few(app: Sphinx, config: Config) -> None:
    styles = [config.html_theme_options.get(name) for name in STYLES]
    if all(styles):
        PygmentsBridge.html_formatter = formatter(look_alikes(styles))


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", write_few)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
