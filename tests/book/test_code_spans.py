"""Highlighted code in few elements looks as it does with a span for every word."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from IPython.lib.lexers import IPython3Lexer
from pygments import highlight
from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).parents[2]
STYLES = ["a11y-high-contrast-light", "a11y-high-contrast-dark"]
CODE = '''from torch import nn
@decorated
def attend(query: Tensor, size: int = 0x10) -> None:
    """What it is for."""
    # why
    text = f"{query!r:>8} of {size}\\n" + r'raw'
    try:
        return softmax(query @ keys.T / 5**-0.5) if not None else self.x[..., 1e-4]
    except ValueError as error:
        raise KeyError(error) from None
%timeit attend(1)
!ls
'''


@pytest.fixture
def few(extension):
    code_spans = extension("code_spans")
    return code_spans.formatter(code_spans.look_alikes(STYLES))


def letters(page: BeautifulSoup, look: str) -> list[tuple[str, str]]:
    """Every letter that is not a blank, and an attribute of the span around it."""
    return [
        (letter, "".join(text.parent.get(look, "") if text.parent.name == "span" else ""))
        for text in page.pre.find_all(string=True)
        for letter in text
        if not letter.isspace()
    ]


def colors(style: str) -> dict[str, str]:
    """What each class looks like, from the style sheet that Pygments writes."""
    rules = HtmlFormatter(style=style).get_style_defs()
    return dict(re.findall(r"^\.(\w+) \{ ([^}]*?);? \}", rules, re.MULTILINE))


@pytest.mark.parametrize("style", STYLES)
def test_has_every_letter_the_color_that_pygments_gives_it_but_dots(few, style):
    ours = letters(BeautifulSoup(highlight(CODE, IPython3Lexer(), few()), "html.parser"), "class")
    drawn = HtmlFormatter(style=style, noclasses=True)
    theirs = letters(BeautifulSoup(highlight(CODE, IPython3Lexer(), drawn), "html.parser"), "style")
    look = colors(style)
    plain = look["n"]
    assert [(letter, look.get(name, plain)) for letter, name in ours if letter != "."] == [
        (letter, said or plain) for letter, said in theirs if letter != "."
    ]


def test_are_there_few_spans(few):
    stock = highlight(CODE, IPython3Lexer(), HtmlFormatter())
    assert highlight(CODE, IPython3Lexer(), few()).count("<span") < 0.6 * stock.count("<span")
