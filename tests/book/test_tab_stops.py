"""The Tab key stops once for each place that a chapter links to, and no place is out of reach."""

import pytest
from bs4 import BeautifulSoup

from tests.book.parsed import SITE, parsed

CHAPTERS = sorted(SITE.glob("[0-9][0-9]-*.html"))
LINK = '<a class="reference internal" href="{}"><span>x</span></a>'


@pytest.fixture
def few(extension):
    def lessened(body: str) -> BeautifulSoup:
        soup = BeautifulSoup(body, "html.parser")
        extension("tab_stops").lessen(soup, "01-a")
        return soup

    return lessened


def stops(page: BeautifulSoup) -> list[str]:
    return [link["href"] for link in page.find_all("a") if link.get("tabindex") != "-1"]


def test_is_a_second_link_to_a_place_passed_over(few):
    body = "".join(map(LINK.format, ["01-a.html", "masks.html#b", "01-a.html", "01-a.html#c"]))
    assert stops(few(body)) == ["01-a.html", "masks.html#b", "01-a.html#c"]


def test_does_a_link_that_is_folded_away_not_hide_the_next(few):
    fold = f"<details><summary>Why</summary>{LINK.format('01-a.html')}</details>"
    assert stops(few(fold + LINK.format("01-a.html"))) == ["01-a.html", "01-a.html"]


def test_is_a_figures_own_number_passed_over_and_a_link_to_it_not(few):
    number = f'<p class="figure-number" id="fig-a">{LINK.format("#fig-a")}</p>'
    assert stops(few(f"{number}<p>See {LINK.format('#fig-a')}</p>")) == ["#fig-a"]


def test_are_terms_and_sources_listed_once_in_a_fold_at_the_end(few):
    places = ["sources.html#b", "glossary.html#t", "glossary.html#t", "glossary.html#s"]
    page = few("".join(map(LINK.format, places)))
    fold = page.find_all("details")[-1]
    assert fold.summary.get_text() and not fold.find_next_sibling()
    links = [link["href"] for link in fold.find_all("a") if not link.get("tabindex")]
    assert sorted(links) == sorted({*places})


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_is_each_place_that_a_chapter_links_to_a_stop_in_it(path):
    page = parsed(path)
    links = page.select("article a.reference.internal[href]")
    reached = {link["href"] for link in links if link.get("tabindex") != "-1"}
    own = {f"#{number['id']}" for number in page.select(".figure-number")}
    assert {link["href"] for link in links} - reached - own == set()
