"""Queries, keys, values and weights in their colors in the code too, as in formulas and figures.

Only plain names are colored (`keys`, not `names.keys()`); `_static/custom.css` has the colors.
"""

from collections.abc import Iterator

from IPython.lib.lexers import IPython3Lexer
from pygments.lexers.python import PythonLexer
from pygments.token import Name, _TokenType
from sphinx.application import Sphinx

ROLES = {
    word: role
    for role in ("query", "key", "value", "weight")
    for word in (role, "queries" if role == "query" else f"{role}s")
}


def colored(
    tokens: Iterator[tuple[int, _TokenType, str]],
) -> Iterator[tuple[int, _TokenType, str]]:
    """The tokens, with a kind of its own for each of the four roles."""
    before = ""
    for at, kind, text in tokens:
        if kind is Name and before != "." and text in ROLES:
            kind = getattr(Name, ROLES[text].capitalize())
        yield at, kind, text
        before = text


class Python(PythonLexer):
    """Python with colored names."""

    def get_tokens_unprocessed(self, text: str):
        return colored(super().get_tokens_unprocessed(text))


class Notebook(IPython3Lexer):
    """A cell with colored names."""

    def get_tokens_unprocessed(self, text: str):
        return colored(super().get_tokens_unprocessed(text))


def setup(app: Sphinx) -> dict:
    app.add_lexer("ipython3", Notebook)
    for name in ("python", "python3"):
        app.add_lexer(name, Python)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
