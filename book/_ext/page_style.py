"""One style sheet for all pages, of the rules that some page can use.

The theme, its extensions and the course bring over a dozen sheets, each of which a page waits for
before anything of it is seen. Here they become one, in their order, without the rules whose
selector names a class or an id that stands in no page and in no script.
"""

import hashlib
import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import tinycss2
from sphinx.application import Sphinx
from tinycss2.ast import AtRule, Node, QualifiedRule

SHEET = "page.css"
# The theme's own come first; its template names them itself. theme.css does nothing but import
# basic.css.
FIRST = ["basic.css", "styles/pydata-sphinx-theme.css"]
LARGE = {"vega.js", "fontawesome.js"}  # scripts without classes of the page's style
NESTING = {"media", "supports", "container", "layer"}  # rules with rules in them
OF_THE_EDITOR = "cm-"  # classes that CodeMirror sets, whose script is no part of the book
DROPPED = {"charset"}

NAMES = re.compile(r'\b(?:class|id)="([^"]*)"')
WORD = re.compile(r"[A-Za-z_][\w-]*")
STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
INNERMOST = re.compile(r"\([^()]*\)")  # of :not(...), :is(...) and the like
NAMED = re.compile(r"[.#]((?:[\w-]|\\.)+)")
ADDRESS = re.compile(r"url\((?![\"']?(?:data:|[a-z]+://|#|/))([\"']?)([^)\"']+)\1\)")


def names_in(site: Path) -> frozenset[str]:
    """The classes and ids of all pages, and all words of all scripts, which may set some."""
    names: set[str] = set()
    for page in site.glob("*.html"):
        for found in set(NAMES.findall(page.read_text(encoding="utf-8"))):
            names.update(found.split())
    for script in (site / "_static").glob("**/*.js"):
        if script.name not in LARGE and script.parent.name != "models":
            names.update(WORD.findall(script.read_text(encoding="utf-8")))
    return frozenset(names)


def is_used(selector: str, names: frozenset[str]) -> bool:
    """Whether there may be what a selector names, as far as it must be there."""
    text = STRING.sub("", selector)
    while text != (text := INNERMOST.sub("", text)):
        pass
    found = (name.replace("\\", "") for name in NAMED.findall(text))
    return all(name in names or name.startswith(OF_THE_EDITOR) for name in found)


def selectors(prelude: list[Node]) -> list[str]:
    """The selectors of a rule: commas within brackets and parentheses part none."""
    parts: list[list[Node]] = [[]]
    for node in prelude:
        if node.type == "literal" and node.value == ",":
            parts.append([])
        else:
            parts[-1].append(node)
    return [tinycss2.serialize(part).strip() for part in parts]


def pruned(rules: list[Node], names: frozenset[str]) -> str:
    """The rules that can be used, as text."""
    texts = []
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            used = [one for one in selectors(rule.prelude) if is_used(one, names)]
            if used:
                texts.append(f"{','.join(used)}{{{tinycss2.serialize(rule.content).strip()}}}")
        elif isinstance(rule, AtRule) and rule.lower_at_keyword in DROPPED:
            continue
        elif isinstance(rule, AtRule) and rule.lower_at_keyword in NESTING and rule.content:
            inside = pruned(parsed(rule.content), names)
            if inside:
                condition = tinycss2.serialize(rule.prelude)
                texts.append(f"@{rule.at_keyword}{condition}{{{inside}}}")
        elif isinstance(rule, AtRule):
            texts.append(tinycss2.serialize([rule]))
    return "\n".join(texts)


def parsed(content: str | list[Node]) -> list[Node]:
    parse = tinycss2.parse_stylesheet if isinstance(content, str) else tinycss2.parse_rule_list
    return parse(content, skip_comments=True, skip_whitespace=True)


def relocated(style: str, name: str) -> str:
    """A sheet whose addresses hold from the folder of the one for all."""
    return ADDRESS.sub(lambda match: f'url("{normpath(join(dirname(name), match[2]))}")', style)


@cache
def version(static: Path, names: tuple[str, ...]) -> str:
    """Changes when a sheet does: a browser then asks for the one for all anew."""
    found = [static / name for name in names]
    contents = b"".join(path.read_bytes() for path in found if path.exists())
    return hashlib.sha256(contents).hexdigest()[:8]


def replace_sheets(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Let a page ask for the one sheet in place of those that are in it."""
    in_order = sorted(context.get("css_files", []), key=lambda sheet: sheet.priority)
    sheets = {name_of(sheet): sheet for sheet in in_order}
    together = [name for name in sheets if name.endswith(".css") and "://" not in name]
    sheets_so_far = getattr(app.env, "page_sheets", FIRST)
    app.env.page_sheets = [
        *sheets_so_far,
        *(name for name in together if name not in sheets_so_far),
    ]
    context["css_files"] = [sheet for name, sheet in sheets.items() if name not in together]
    context["page_sheet"] = f"_static/{SHEET}"
    context["page_sheet_version"] = version(Path(app.outdir, "_static"), tuple(together))


def name_of(sheet: Any) -> str:
    """A sheet's name in the folder of all."""
    return str(sheet.filename or "").partition("?")[0].removeprefix("_static/")


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the sheet, when all pages and all other sheets are there; if any page was written."""
    sheets = getattr(app.env, "page_sheets", None)
    if error or app.builder.format != "html" or not sheets:
        return
    static = Path(app.outdir) / "_static"
    found = [name for name in sheets if (static / name).exists()]
    texts = [relocated((static / name).read_text(encoding="utf-8"), name) for name in found]
    names = names_in(Path(app.outdir))
    style = "\n".join(pruned(parsed(text), names) for text in texts)
    (static / SHEET).write_text(f"{style}\n", encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", replace_sheets, priority=990)
    app.connect("build-finished", write, priority=600)  # below those that write sheets
    return {"parallel_read_safe": True, "parallel_write_safe": True}
