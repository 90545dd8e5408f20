"""What a page says of itself, with the course's addresses and without."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup, Comment

from tests.book.parsed import SITE, needs_book, parsed

ROOT = Path(__file__).parents[2]
CONF = """
extensions = ["myst_parser", "publishing", "take_away"]
project = "Course"
html_theme = "sphinx_book_theme"
html_baseurl = {site!r}
html_theme_options = {{"repository_url": {repository!r}}}
html_context = {{"default_mode": "auto", "slug": "course",
    "take_away": {{"branch": "student", "jupyterlab": "",
    "colab": "https://colab.example", "binder": "https://binder.example"}}}}
templates_path = ["templates"]
"""


def head(page: BeautifulSoup) -> dict[str, str]:
    tags = page.head.find_all("meta", content=True)
    return {tag.get("name") or tag.get("property"): tag["content"] for tag in tags}


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Builds a book of two pages with the addresses that are said."""

    def build(site: str, repository: str) -> Path:
        folder = tmp_path_factory.mktemp("published")
        (folder / "conf.py").write_text(CONF.format(site=site, repository=repository))
        (folder / "templates").mkdir()
        template = (ROOT / "book" / "_templates" / "404.html").read_text()
        (folder / "templates" / "404.html").write_text(template.replace("pathto('map')", "'x'"))
        (folder / "index.md").write_text("# Course\n\n" + "About attention. " * 20 + "\n")
        (folder / "01-lookup.md").write_text("---\norphan: true\n---\n# Lookup\n\nAsk & find.\n")
        command = [sys.executable, "-m", "sphinx", "-q", "-W", folder, folder / "out"]
        subprocess.run(command, env={"PYTHONPATH": str(ROOT / "book" / "_ext")}, check=True)
        return folder / "out"

    return build


@pytest.fixture(scope="module")
def with_addresses(build):
    return build("https://example.org/course/", "https://github.com/some/course")


@pytest.fixture(scope="module")
def without(build):
    return build("", "")


def test_is_a_page_described(with_addresses, without):
    for site in (with_addresses, without):
        assert head(parsed(site / "01-lookup.html"))["description"] == "Ask & find."
        cut = head(parsed(site / "index.html"))["description"]
        assert 140 < len(cut) <= 162 and re.search(r"(About|attention) …$", cut)


def test_are_the_addresses_where_they_are_said(with_addresses):
    page = parsed(with_addresses / "01-lookup.html")
    said = head(page)
    assert said["og:url"] == "https://example.org/course/01-lookup.html"
    assert said["og:image"] == "https://example.org/course/_static/cover.png"
    assert page.find("link", rel="canonical")["href"] == said["og:url"]
    listed = (with_addresses / "sitemap.xml").read_text()
    assert re.findall("<loc>(.*?)</loc>", listed) == [
        "https://example.org/course/01-lookup.html",
        "https://example.org/course/index.html",
    ]
    base = parsed(with_addresses / "404.html").head.find("base")
    assert base["href"] == "https://example.org/course/"
    text = (with_addresses / "01-lookup.html").read_text()
    assert "https://github.com/some/course" in text
    assert "https://colab.example/github/some/course/blob/student/01-lookup.ipynb" in text


def test_is_what_depends_on_an_address_left_out_without_it(without):
    assert not (without / "sitemap.xml").exists()
    for path in without.glob("*.html"):
        page = parsed(path)
        assert not {name for name in head(page) if re.match("og:(url|image)|twitter", name or "")}
        assert not page.find("link", rel="canonical") and not page.find("base")
        assert not page.select(".dropdown-source-buttons")
        assert "colab.example" not in path.read_text()
    page = parsed(without / "01-lookup.html")
    hidden = page.find_all(string=lambda text: isinstance(text, Comment) and "student/" in text)
    assert hidden and not page.select("a[href*='student/']")
    assert re.findall(r'href="(.*?)"', hidden[0]) == ["student/01-lookup.ipynb"]


@needs_book
def test_names_the_course_no_address_that_is_not_set():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    if config["html"]["baseurl"] or config["repository"]["url"]:
        pytest.skip("this course has an address")
    for path in (*SITE.glob("*.html"), ROOT / "README.md"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"attention-course\.github\.io|github\.com/attention-|colab\.research|mybinder", text
        )


@needs_book
def test_is_a_missing_page_told_and_the_course_cited():
    assert parsed(SITE / "404.html").select_one("article h1").get_text() == "No such page"
    page = parsed(SITE / "index.html")
    assert "@misc{attention-step-by-step," in page.get_text()
    assert head(page)["description"].startswith("Attention is the idea")
