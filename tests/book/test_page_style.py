"""One style sheet for all pages: what is in it, and does a page look as with all rules?"""

import pytest

from tests.book.parsed import SITE
from tests.book.test_pages import AT_REST

NAMES = frozenset({"used", "also", "place", "sm:wide"})
# Of each kind of element, by its name and classes and those of what it stands in, all properties.
LOOKS = """() => {
  const kinds = new Map();
  for (const element of document.querySelectorAll("body, body *")) {
    const kind = [element, element.parentElement]
      .map((one) => `${one.tagName}.${one.getAttribute("class") ?? ""}`).join(" in ");
    if (kinds.has(kind)) continue;
    const style = getComputedStyle(element);
    kinds.set(kind, [...style].map((name) => style.getPropertyValue(name)).join("|"));
  }
  return Object.fromEntries(kinds);
}"""
# Every sheet in the place of the one that is made of them.
WHOLE = """async (sheets) => {
  const one = document.querySelector("link[href*='page.css']");
  const links = sheets.map((sheet) => {
    const link = document.createElement("link");
    [link.rel, link.href] = ["stylesheet", `_static/${sheet}`];
    return link;
  });
  const loaded = links.map((link) => new Promise((resolve) => (link.onload = resolve)));
  one.replaceWith(...links);
  await Promise.all(loaded);
}"""
STILL = "* { animation: none !important; transition: none !important; }"


@pytest.mark.parametrize(
    ("style", "left"),
    [
        (".used{a:b}.unused{a:b}", ".used{a:b}"),
        (".used .cm-gutters{a:b}", ".used .cm-gutters{a:b}"),  # of the editor
        (".unused,.used>.also{a:b}", ".used>.also{a:b}"),
        (".used:not(.unused,#no){a:b}", ".used:not(.unused,#no){a:b}"),
        (".used:is(.unused, .also){a:b}", ".used:is(.unused, .also){a:b}"),
        ('[x=".unused"]{a:b}', '[x=".unused"]{a:b}'),
        (r".sm\:wide{a:b}", r".sm\:wide{a:b}"),
        ("#place #none{a:b}p{a:b}", "p{a:b}"),
        ("@media print{.unused{a:b}}", ""),
        ("@media print{.unused{a:b}p{a:b}}", "@media print{p{a:b}}"),
        (
            "@supports (a: b) { @media print{.used{a:b}} }",
            "@supports (a: b) {@media print{.used{a:b}}}",
        ),
        ("@font-face{src:url(a)}", "@font-face{src:url(a)}"),
        ("@charset 'utf-8';/* .used{} */", ""),
    ],
)
def test_are_those_rules_left_that_a_page_can_use(extension, style, left):
    page_style = extension("page_style")
    assert page_style.pruned(page_style.parsed(style), NAMES) == left


@pytest.mark.parametrize(
    ("address", "from_one_for_all"),
    [
        ("url(../fonts/a.woff)", 'url("fonts/a.woff")'),
        ('url("a.png")', 'url("styles/a.png")'),
        ("url(data:font/woff;base64,AA)", "url(data:font/woff;base64,AA)"),
        ("url('data:image/svg+xml,<a b=\"c\">')", "url('data:image/svg+xml,<a b=\"c\">')"),
        ("url(https://a.b/c)", "url(https://a.b/c)"),
        ("url(#clip)", "url(#clip)"),
    ],
)
def test_do_addresses_lead_to_the_same_files(extension, address, from_one_for_all):
    assert extension("page_style").relocated(address, "styles/theme.css") == from_one_for_all


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    [
        "02-softmax",
        *(
            pytest.param(page, marks=pytest.mark.exhaustive)
            for page in ("index", "12-vit", "glossary", "map", "search", "running-the-course")
        ),
    ],
)
def test_looks_a_page_as_it_does_with_every_rule_of_every_sheet(opened, name, scheme):
    page = opened(name, scheme=scheme).page
    page.add_style_tag(content=STILL)
    page.evaluate(AT_REST)
    found = page.evaluate(LOOKS)
    sheets = ["basic.css", "styles/pydata-sphinx-theme.css", "pygments.css"]
    sheets += ["styles/sphinx-book-theme.css", "togglebutton.css", "copybutton.css"]
    sheets += sorted(path.name for path in (SITE / "_static").glob("mystnb*.css"))
    sheets += ["exercise.css", "sphinx-design.min.css"]
    own = ["custom.css", "machine.css", "transformer.css", "icons.css", "emblems.css"]
    page.evaluate(WHOLE, sheets + own)
    page.evaluate("document.fonts.ready.then(() => null)")
    whole = page.evaluate(LOOKS)
    both = found.keys() & whole.keys()
    assert len(both) > 50 and len(both) > 0.9 * len(found)
    assert {kind for kind in both if found[kind] != whole[kind]} == set()
