"""What comes from code is printed as the prose is."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[2]


@pytest.fixture
def typography(extension):
    return extension("typography")


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ('nearer to Luke\'s 20, "Lake"', "nearer to Luke’s 20, “Lake”"),
        ("In 'the bank' the word 'was' asks", "In “the bank” the word “was” asks"),
        ("scores of -3 and (-4, x-1, 5-6)", "scores of −3 and (−4, x-1, 5-6)"),
        ("exp(-z), of top-k", "exp(−z), of top-k"),
    ],
)
def test_are_quotes_and_minus_signs_those_of_a_book(typography, written, printed):
    assert typography.typeset(written) == printed


@pytest.fixture
def printed(typography):
    def printed(page: str) -> str:
        soup = BeautifulSoup(page, "html.parser")
        typography.print_page(soup)
        return str(soup)

    return printed


def test_are_captions_printed_and_their_tags_left(printed):
    page = "<figcaption>a &quot;b&quot; &lt; c</figcaption><figcaption><p>'d'</p></figcaption>"
    wanted = "<figcaption>a “b” &lt; c</figcaption><figcaption><p>'d'</p></figcaption>"
    assert printed(page) == wanted


def test_does_a_percent_sign_follow_its_number_but_not_in_code(printed):
    page = '<b>50</b> % of <pre class="c">x = 10 % y</pre> 3 % and 7 %s <code>4 % 3</code> 5 %'
    assert printed(page) == (
        '<b>50</b>% of <pre class="c">x = 10 % y</pre> 3% and 7 %s <code>4 % 3</code> 5%'
    )


def test_does_no_line_break_within_a_shape(printed):
    literal = '<code class="docutils literal notranslate">{}</code>'.format
    word = '<span class="pre">{}</span>'.format
    shape = f"{word('[...,')} {word('L]')}"
    call = f"{word('f(x,')} {word('y)')}"
    long = f"{word('[L,')} {word('value_dim]')}"
    page = literal(shape) + literal(call) + literal(long)
    assert printed(page) == page.replace("notranslate", "notranslate shape", 1)
