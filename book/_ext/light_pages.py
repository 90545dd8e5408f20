"""What a page loads: scripts that wait for the page, few icons, small pictures.

The theme's icon script (1.5 MB) is left out by `_templates/layout.html`; the icons come from the
theme's fonts, of which a page loads only the part that the book uses.
"""

import re
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont
from page_models import at_once, first_figure, loaded_first
from sphinx.application import Sphinx

FONTS = ("fa-solid-900", "fa-brands-400")
ICON_CLASS = re.compile(r"\bfa-([a-z0-9-]+)")
# As version 6 of Font Awesome writes it, and as version 7 does.
ICON_RULE = re.compile(r'((?:\.fa-[a-z0-9-]+(?::before)?,?)+)\{(?:content|--fa):"\\([0-9a-f]+)"')
ICON_ESCAPED = re.compile(r'content: ?"\\([0-9a-f]{4})"')
ICON_ITSELF = re.compile("[\ue000-\uf8ff]")  # the theme's variables hold the characters
ICONS = "icons.css"

VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')

# Small, and needed by inline scripts that follow it in the page.
INLINE = "documentation_options.js"
# A stage's parts, and then what begins with figures as soon as it is there.
PARTS_FIRST = tuple(
    f"stage-{part}.js" for part in ("answer", "keys", "line", "parts", "rows", "table")
)
FIGURES = ("/stage.js", "/play.js")
OWN = {"stage": (*PARTS_FIRST, "/stage.js"), "play": ("/play.js",)}  # of kinds of figures


def defer_scripts(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Let the page be shown before its scripts are read, a figure's own first.

    All others wait for a first screen's figure, too, and for the file that it loads by itself: the
    template has the few lines that bring them then. The page of the search has scripts of its own
    that need the others at once.
    """
    # Docutils names the viewport once more.
    metatags = context.get("metatags", "")
    context["metatags"] = VIEWPORT.sub("", metatags)
    if page == "search":
        return
    body = context.get("body") or ""
    soon = tuple(at_once(body))
    context["loaded_first"] = loaded_first(body)
    first = first_figure(body)
    context["first_scripts"] = soon or OWN.get(first[1] if first else "", ())
    context["script_files"] = [
        in_turn(app, script, soon)
        for script in sorted(context.get("script_files", []), key=lambda script: script.priority)
    ]


def in_turn(app: Sphinx, script: Any, soon: tuple[str, ...]) -> Any:
    """A script as the page has it, a new one because pages share theirs; Sphinx sorts them then."""
    name = str(script.filename or "")
    path = Path(app.outdir, name)
    if name.endswith(INLINE) and path.exists():  # one request less, for which all would wait
        body = path.read_text(encoding="utf-8").strip()
        return type(script)("", priority=turn(name, soon), body=body)
    waits = {"defer": "defer"} if name and not name.endswith(soon) else {}
    return type(script)(script.filename, priority=turn(name, soon), **script.attributes | waits)


def turn(name: str, soon: tuple[str, ...]) -> int:
    """When a script has its turn: a first screen's figure begins before all others are there."""
    kinds = [(INLINE, *soon), PARTS_FIRST, FIGURES]
    return next((i for i, names in enumerate(kinds) if name.endswith(names)), len(kinds))


def used_icons(site: Path, static: Path) -> set[int]:
    """The characters of the icons in the pages, and of those that the styles put there."""
    theme = (static / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    book_theme = (static / "styles" / "sphinx-book-theme.css").read_text(encoding="utf-8")
    own = (static / "custom.css").read_text(encoding="utf-8")
    pages = "".join(page.read_text(encoding="utf-8") for page in site.glob("*.html"))
    named = set(ICON_CLASS.findall(pages))
    codes = {
        int(code, 16)
        for names, code in ICON_RULE.findall(theme)
        if named & set(ICON_CLASS.findall(names))
    }
    codes |= {int(code, 16) for code in ICON_ESCAPED.findall(own + book_theme)}
    return codes | {ord(icon) for icon in ICON_ITSELF.findall(theme)}


def subset_icons(app: Sphinx, error: Exception | None) -> None:
    """Write fonts of the icons that the book uses; a missing one still comes from the theme's."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    codes = used_icons(Path(app.outdir), static)
    rules = []
    for file in FONTS:
        # Where the theme has only the WOFF2, fontTools needs `brotli` to read it.
        font = TTFont(min((static / "vendor" / "fontawesome" / "webfonts").glob(f"{file}.*")))
        family, weight = font["name"].getBestFamilyName(), font["OS/2"].usWeightClass
        options = subset.Options(flavor="woff", notdef_outline=True, layout_features=[])
        maker = subset.Subsetter(options)
        maker.populate(unicodes=codes)
        maker.subset(font)
        font.flavor = "woff"
        font.save(static / f"{file}.woff")
        rules.append(
            f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-display: block; '
            f'src: url({file}.woff) format("woff"); '
            f"unicode-range: {', '.join(f'U+{code:x}' for code in sorted(codes))}; }}\n"
        )
    (static / ICONS).write_text("".join(rules), encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.add_css_file(ICONS, priority=900)
    app.connect("html-page-context", defer_scripts, priority=900)
    app.connect("build-finished", subset_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
