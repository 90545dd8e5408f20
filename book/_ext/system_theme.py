"""Light or dark as the reader's system has it, where scripts are off.

The theme's rules ask for `data-theme="light"` or `"dark"`, which a script in the page's head sets
before anything is painted. Where none runs it stays `"auto"`: for that, the same rules are written
once more, each within the system's wish, into a style sheet that only such a reader loads.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx

SHEET = "system-theme.css"
THEMED = re.compile(r"\[data-theme=[\"']?(light|dark)[\"']?\]")
LINK = re.compile(r'<link [^>]*href="_static/([^"?]+\.css)')


def selectors(prelude: list) -> Iterator[str]:
    """The selectors of a rule; a comma within parentheses parts none."""
    one: list = []
    for token in prelude:
        if token == ",":
            yield tinycss2.serialize(one).strip()
            one = []
        else:
            one.append(token)
    yield tinycss2.serialize(one).strip()


def by_wish(rules: list) -> Iterator[str]:
    """The rules for a theme, each where the system asks for that theme."""
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content:
            inner = tinycss2.parse_rule_list(rule.content, True, True)
            if found := "\n".join(by_wish(inner)):
                yield f"@media {tinycss2.serialize(rule.prelude).strip()} {{\n{found}\n}}"
        elif rule.type == "qualified-rule":
            content = tinycss2.serialize(rule.content).strip()
            for theme in ("light", "dark"):
                meant = [
                    THEMED.sub('[data-theme="auto"]', selector)
                    for selector in selectors(rule.prelude)
                    if theme in THEMED.findall(selector)
                ]
                if meant:
                    wish = f"@media (prefers-color-scheme: {theme})"
                    yield f"{wish} {{ {', '.join(meant)} {{ {content} }} }}"


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the style sheet from those that the first page loads, in their order."""
    if error or app.builder.format != "html":
        return
    site = Path(app.outdir)
    page = (site / f"{app.config.root_doc}.html").read_text(encoding="utf-8")
    rules: list[str] = []
    for name in LINK.findall(page):
        if name != SHEET:
            text = (site / "_static" / name).read_text(encoding="utf-8")
            rules += by_wish(tinycss2.parse_stylesheet(text, True, True))
    (site / "_static" / SHEET).write_text("\n".join(rules) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("build-finished", write, priority=900)  # the theme writes sheets of its own then
    return {"parallel_read_safe": True, "parallel_write_safe": True}
