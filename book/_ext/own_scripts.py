"""Vega, laid into the built site from its Python package.

No page asks another host for anything, and no minified script is kept in the repository.
"""

import json
from importlib.metadata import version
from pathlib import Path

from figures import THEMED
from sphinx.application import Sphinx

# The name by which the package holds Vega: nothing is fetched from there.
MODULE = "https://cdn.jsdelivr.net/npm/vega@{}/+esm"


def vega(static: Path) -> None:
    """Write Vega as one script, with the course's colors; the build compiles the charts for it."""
    import vl_convert

    colors = json.dumps({light.upper(): dark for light, dark in THEMED.values()})
    module = MODULE.format(vl_convert.get_vega_version())
    handed = (
        f'import {{ View, parse }} from "{module}"; '
        f"Object.assign(window, {{ vega: {{ View, parse }}, playColors: {colors} }});"
    )
    mark = f"/* vl-convert {version('vl-convert-python')} {handed} */\n"
    target = static / "vega.js"
    if target.exists() and target.read_text(encoding="utf-8").startswith(mark):
        return
    bundle = vl_convert.javascript_bundle(handed)  # without what this does not use
    target.write_text(f"{mark}(() => {{\n{bundle}\n}})();\n", encoding="utf-8")


def lay_in(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    vega(static)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", lay_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
