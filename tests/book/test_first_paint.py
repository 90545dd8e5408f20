"""What is there before any script has run: the theme, the formulas, one head."""

import re

import pytest

from tests.book.parsed import SITE

GROUND = "() => getComputedStyle(document.body).backgroundColor"
DARKNESS = {"light": lambda light: light > 200, "dark": lambda light: light < 60}


def lightness(color: str) -> float:
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_is_a_page_as_the_system_has_it_without_scripts(opened, scheme):
    seen = opened("02-softmax", scheme=scheme, scripts=False)
    assert DARKNESS[scheme](lightness(seen.page.evaluate(GROUND)))
    code = seen.page.locator("div.highlight pre").first
    assert DARKNESS[scheme](
        lightness(code.evaluate("code => getComputedStyle(code).backgroundColor"))
    )
    color = "word => getComputedStyle(word).color"
    assert code.locator(".kn, .k").first.evaluate(color) != code.evaluate(color)
    assert seen.troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("chosen", [None, "light", "dark"])
def test_is_the_theme_set_before_any_other_script_came(browser, address, scheme, chosen):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.route(re.compile(r"\.js(\?|$)"), lambda route: route.abort())
    if chosen:
        page.add_init_script(f"localStorage.setItem('mode', '{chosen}')")
    page.goto(f"{address}/00-start-here.html")
    assert page.evaluate("document.documentElement.dataset.theme") == (chosen or scheme)
    assert DARKNESS[chosen or scheme](lightness(page.evaluate(GROUND)))
    context.close()


@pytest.mark.parametrize("path", sorted(SITE.glob("*.html")), ids=lambda path: path.stem)
def test_has_a_page_one_viewport(path):
    assert path.read_text(encoding="utf-8").count('<meta name="viewport"') == 1
