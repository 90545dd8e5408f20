"""MathJax and Vega, laid into the built site from their Python packages.

No page asks another host for anything, and no minified script is kept in the repository.
"""

import importlib.util
import json
import shutil
from importlib.metadata import version
from pathlib import Path

from lab.play import theme
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# MathJax's own files that a page may load: the renderer, its fonts, what a macro asks for,
# and what a screen reader's user turns on in the menu.
MATHJAX = [
    "tex-mml-chtml.js",
    "a11y/*.js",
    "input/tex/extensions/*.js",
    "output/chtml/fonts/woff-v2/*.woff",
    "sre/mathmaps/base.json",
    "sre/mathmaps/en.json",
]


def mathjax(static: Path) -> None:
    """Copy MathJax from the package `django-static-mathjax` (which needs no Django)."""
    package = importlib.util.find_spec("mathjax")
    if package is None or package.origin is None:
        raise ExtensionError("MathJax is missing: pip install django-static-mathjax")
    source = Path(package.origin).parent / "static" / "mathjax" / "es5"
    for pattern in MATHJAX:
        files = sorted(source.glob(pattern))
        if not files:
            raise ExtensionError(f"django-static-mathjax has no {pattern}")
        for file in files:
            target = static / "mathjax" / file.relative_to(source)
            if not target.exists() or target.stat().st_size != file.stat().st_size:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)


def vega(static: Path) -> None:
    """Write Vega, Vega-Lite and their embedding as one script, with the course's two themes."""
    import vl_convert

    themes = json.dumps({"light": theme(), "dark": theme(dark=True)}, sort_keys=True)
    mark = f"/* vl-convert {version('vl-convert-python')} {themes} */\n"
    target = static / "vega.js"
    if target.exists() and target.read_text(encoding="utf-8").startswith(mark):
        return
    bundle = vl_convert.javascript_bundle()
    script = f"{mark}(() => {{\n{bundle}\nwindow.playThemes = {themes};\n}})();\n"
    target.write_text(script, encoding="utf-8")


def lay_in(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    mathjax(static)
    vega(static)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", lay_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
