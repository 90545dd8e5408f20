"""What a browser keeps of the book for readers without a connection: all pages, and what they load.

That it works so is tested with a browser, in test_solving.py.
"""

import json

import pytest

from tests.book.parsed import SITE, needs_book

PAGE = """<link href="_static/look.css?v=1"><script src="_static/play.js?v=2"></script>
<img src="_images/one.svg"><source srcset="_images/one.narrow.svg"><a href="_sources/a.ipynb">a</a>
<script src="_static/models/large.js"></script><script src="_static/missing.js"></script>"""


@pytest.fixture
def site(tmp_path):
    files = {
        "index.html": "<p>Begin</p>",
        "01-lookup.html": PAGE,
        "_static/look.css": "@font-face { src: url(fonts/own.woff2) } a { src: url(none.woff2) }",
        "_static/fonts/own.woff2": "font",
        "_static/play.js": 'script.src = `${new URL("vega.js", here)}`;',
        "_static/vega.js": "vega",
        "_static/other.js": "nobody's",
        "_static/models/large.js": "numbers",
        "_images/one.svg": "<svg/>",
        "_images/one.narrow.svg": "<svg/>",
        "_sources/a.ipynb": "{}",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_pages_and_what_they_load_are_kept_but_no_models(extension, site):
    assert extension("offline").listed(site)["addresses"] == [
        "01-lookup.html",
        "_images/one.narrow.svg",
        "_images/one.svg",
        "_static/fonts/own.woff2",
        "_static/look.css?v=1",
        "_static/play.js?v=2",
        "_static/vega.js",
        "index.html",
    ]


def test_another_text_is_another_version(extension, site):
    offline = extension("offline")
    before = offline.listed(site)["version"]
    assert offline.listed(site)["version"] == before
    (site / "_static" / "look.css").write_text("a { color: red }")
    assert offline.listed(site)["version"] != before


@needs_book
def test_the_whole_book_is_a_few_megabytes():
    listed = json.loads((SITE / "offline.json").read_text())
    pages = {path.name for path in SITE.glob("*.html")}
    assert pages < set(listed["addresses"])
    assert all((SITE / one.partition("?")[0]).is_file() for one in listed["addresses"])
    assert listed["megabytes"] < 5
    assert (SITE / "offline-worker.js").is_file()
