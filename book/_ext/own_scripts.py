"""Vega, laid into the built site from its Python package.

No page asks another host for anything, and no minified script is kept in the repository.
"""

import json
from importlib.metadata import version
from pathlib import Path

from figures import THEMED
from lab.play import theme
from sphinx.application import Sphinx


def vega(static: Path) -> None:
    """Write Vega, Vega-Lite and their embedding as one script, with the course's look."""
    import vl_convert

    look = json.dumps(theme(), sort_keys=True)
    colors = json.dumps({light.upper(): dark for light, dark in THEMED.values()})
    mark = f"/* vl-convert {version('vl-convert-python')} {look} {colors} */\n"
    target = static / "vega.js"
    if target.exists() and target.read_text(encoding="utf-8").startswith(mark):
        return
    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # which may be left out
    handed = f"Object.assign(window, {{ playTheme: {look}, playColors: {colors} }});"
    script = f"{mark}(() => {{\n{bundle}\n{handed}\n}})();\n"
    target.write_text(script, encoding="utf-8")


def lay_in(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    vega(static)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", lay_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
