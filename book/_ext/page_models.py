"""The models that figures of the page compute with: each file becomes one script.

Notebooks write `_static/models/NAME.safetensors` when they train. The page loads it on the reader's
click, and a page that was saved to a disk may load scripts, but no other files: so the site gets
`_static/models/NAME.js`, which hands the file's bytes to `_static/attention.js`.
"""

import json
import re
from base64 import b64encode
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

FOLDER = Path("_static", "models")
FIGURE = re.compile(r'<figure class="writing"[^>]* data-name="([^"]+)" data-model="([^"]+)"')


def script(name: str, content: bytes) -> str:
    """The script that hands over a model's file."""
    return f'attention.models["{name}"] =\n  "{b64encode(content).decode()}";\n'


def header(content: bytes) -> dict:
    """The beginning of a safetensors file: its tensors, and what it says of itself."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length])


def sizes(content: bytes) -> dict[str, str]:
    """What the page says and draws before it has the model: megabytes, layers, heads."""
    known = header(content)
    config = json.loads(known["__metadata__"]["course"])
    layers = {found[1] for name in known if (found := re.match(r"layers\.(\d+)\.", name))}
    return {
        "size": f"{len(script('', content)) / 1e6:.1f} MB",
        "heads": f"{len(layers)}x{config['num_heads']}",
    }


def offer(app: Sphinx, doctree: nodes.document) -> None:
    """Say in each figure that asks for a model how large that is; a missing file is a warning."""
    for node in list(doctree.findall(nodes.raw)):
        if not (found := FIGURE.search(node.astext())):
            continue
        path = Path(app.srcdir) / FOLDER / f"{found[2]}.safetensors"
        app.env.note_dependency(str(path))
        if not path.exists():
            log.warning("the model %s is not in _static/models: run its notebook", found[2])
            continue
        said = "".join(f' data-{key}="{text}"' for key, text in sizes(path.read_bytes()).items())
        text = node.astext().replace(found[0], found[0] + said)
        node.replace_self(nodes.raw("", text, format="html", figure=found[1]))


def lay_in(app: Sphinx, error: Exception | None) -> None:
    """Put every model's script in the place of its file."""
    if error or app.builder.format != "html":
        return
    target = Path(app.outdir) / FOLDER
    for file in (Path(app.srcdir) / FOLDER).glob("*.safetensors"):
        target.mkdir(exist_ok=True)
        (target / f"{file.stem}.js").write_text(script(file.stem, file.read_bytes()))
        (target / file.name).unlink(missing_ok=True)


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", offer, priority=399)  # before the figures are numbered
    app.connect("build-finished", lay_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
