"""The models that figures of the page compute with: each file becomes one script.

Notebooks write `_static/models/NAME.safetensors` and `NAME.json` when they train. The page loads a
model on the reader's click, and a page that was saved to a disk may load scripts, but no other
files: so the site gets `_static/models/NAME.js`, which hands the bytes to `_static/attention.js`.
A large file comes in pieces, `NAME-1.js` and so on, so that the page can say how far it is. The
published model of chapter 13 is no file of the notebooks: see published_encoder.py. Nor is a
model that the reader trains: see learning.py.
"""

import json
import re
import string
from base64 import b64encode
from pathlib import Path

import first_screen
import learning
import published_encoder
from date_words import date_words
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

FOLDER = Path("_static", "models")
SYMBOLS = string.ascii_letters + string.digits + "+-"  # for tokens that are no characters
PIECE = 3_000_000  # letters of base64, a multiple of four
KINDS = {
    "writing",
    "translating",
    "drawing",
    "encoding",
    "training",
    "transformer",
}  # of figures, each with its script
# Other scripts that a kind needs.
PARTS = {
    "encoding": {"wordpiece"},
    "translating": {"date-symbols"},
    "transformer": {"date-symbols"},
}
FIRST = f"{first_screen.PLACE} "  # a class, as Sphinx writes it
KIND = re.compile(r'<figure class="live (\w+)"')
HANDED = ["characters", "source_characters", "target_characters", "vocabulary"]
HANDED += ["sections", "of"]  # of passages: where they stand
HANDED += ["notice"]  # of others' work
# Where the scripts are there already, a figure has its size before what follows it is painted.
BEGIN = "<script>window.live?.begin();</script>"
OPENING = re.compile(r'<figure class="(play|stage|live)\b[^>]*>')
SIZE = re.compile(r' data-size="([\d.]+) MB"')
SMALL = 1  # megabytes: as live.js has it
WAITING = re.compile(r"(?<=<p>).*?(?=</p>)")  # what a figure says until scripts run
FIGURE = re.compile(
    r'<figure class="live \w+"[^>]* data-name="([^"]+)" data-model="([^"]+)"[^>]*(?=>)'
)


def about(file: Path) -> dict:
    """What the page needs to know of a model, from the JSON beside its file.

    A model of tokens that are no characters, such as random ones, is shown with symbols for them.
    """
    description = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    sizes = description["sizes"]
    handed = {"sizes": sizes} | {name: description[name] for name in HANDED if name in description}
    if "vocab_size" in sizes:  # it goes on with what it has read
        handed["context"] = sizes.get("context") or sizes["length"]
        handed.setdefault("characters", SYMBOLS[: sizes["vocab_size"]])
    if "source_characters" in handed:
        handed["words"] = date_words()
    return handed


def script(file: Path) -> str:
    """The script that hands over a model: what is known of it, and its file."""
    return handing(file.stem, about(file) | {"file": b64encode(file.read_bytes()).decode()})


def handing(name: str, what: dict) -> str:
    return f"attention.models[{json.dumps(name)}] = {json.dumps(what)};\n"


def scripts(file: Path) -> dict[str, str]:
    """The script of a model by its name, or those of a large one: the first, and its pieces."""
    letters = b64encode(file.read_bytes()).decode()
    if len(letters) <= PIECE:
        return {file.stem: script(file)}
    starts = range(0, len(letters), PIECE)
    by_name = {file.stem: handing(file.stem, about(file) | {"pieces": len(starts)})}
    for i, start in enumerate(starts, start=1):
        name = f"{file.stem}-{i}"
        by_name[name] = handing(name, {"file": letters[start : start + PIECE]})
    return by_name


def write(file: Path, target: Path) -> None:
    """Lay a model's scripts into the site, unless they are there."""
    target.mkdir(exist_ok=True)
    first = target / f"{file.stem}.js"
    changed = max(path.stat().st_mtime for path in (file, file.with_suffix(".json")))
    if first.exists() and first.stat().st_mtime > changed:
        return
    for name, text in reversed(scripts(file).items()):  # the first comes last, and says all is here
        (target / f"{name}.js").write_text(text)


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def attributes(file: Path) -> dict[str, str]:
    """What the page says and draws before it has the model: megabytes, layers, heads."""
    sizes = about(file)["sizes"]
    size = sum(len(text) for text in scripts(file).values())
    words = {"size": megabytes(size)}
    if "num_heads" in sizes:
        words["heads"] = f"{sizes['num_layers']}x{sizes['num_heads']}"
    return words


def offer(app: Sphinx, doctree: nodes.document) -> None:
    """Say in each figure that asks for a model how large that is; a missing file is a warning."""
    for node in list(doctree.findall(nodes.raw)):
        if not (found := FIGURE.search(node.astext())):
            continue
        if found[2] in learning.TASKS:
            size = len(learning.script(Path(app.srcdir), found[2]))
            offer_at(node, found, {"size": megabytes(size)})
            continue
        path: Path | None = Path(app.srcdir) / FOLDER / f"{found[2]}.safetensors"
        if found[2] == published_encoder.NAME:
            path = published_encoder.prepared(app)
        if path is None:
            text = WAITING.sub(published_encoder.ABSENT, node.astext())
            node.replace_self(nodes.raw("", text, format="html", figure=found[1]))
            continue
        for file in (path, path.with_suffix(".json")):
            app.env.note_dependency(str(file))
        if not path.exists():
            log.warning("the model %s is not in _static/models: run its notebook", found[2])
            continue
        offer_at(node, found, attributes(path))


def offer_at(node: nodes.raw, figure: re.Match, said: dict[str, str]) -> None:
    """Let a figure say this, and on a first screen begin where it stands."""
    added = "".join(f' data-{key}="{text}"' for key, text in said.items())
    text = node.astext().replace(figure[0], figure[0] + added)
    place: nodes.Node | None = node
    while place is not None and first_screen.PLACE not in place.get("classes", []):
        place = place.parent
    text += "" if place is None else BEGIN
    node.replace_self(nodes.raw("", text, format="html", figure=figure[1]))


def needed(scripts: list[str], page: str) -> list[str]:
    """Of a page's scripts those that it needs: of figures, the ones for the kinds that it has."""
    kinds = set(KIND.findall(page))
    names = (KINDS - kinds).union(*PARTS.values(), set() if kinds else {"live"})
    names -= set().union(*(PARTS.get(kind, set()) for kind in kinds))
    unused = {f"_static/{name}.js" for name in names}
    return [script for script in scripts if script not in unused]


def at_once(page: str) -> set[str]:
    """The scripts that a page needs before it is painted: its first screen's live figure's."""
    start = page.find(FIRST)
    kind = KIND.search(page, start) if start >= 0 else None
    begins = kind and page.rfind("</figure>", start, kind.start()) < 0
    if not begins or "data-size" not in page[kind.start() : page.find(">", kind.start())]:
        return set()
    names = {"attention", "live", kind[1], *PARTS.get(kind[1], ())}
    return {f"_static/{name}.js" for name in names}


def first_figure(page: str) -> re.Match | None:
    """How the first screen's figure opens: its kind is the match's first group."""
    start = page.find(FIRST)
    return OPENING.search(page, start) if start >= 0 else None


def loaded_first(page: str) -> str | None:
    """What the first screen's figure loads by itself: Vega, or a small model."""
    if not (opening := first_figure(page)):
        return None
    if opening[1] == "play":
        return "_static/vega.js"
    model, size = FIGURE.search(opening[0]), SIZE.search(opening[0])
    return f"{FOLDER}/{model[2]}.js" if model and size and float(size[1]) <= SMALL else None


def leave_out(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load no script for figures that a page does not have."""
    scripts = {str(script.filename): script for script in context.get("script_files", [])}
    names = set(needed(list(scripts), context.get("body") or ""))
    context["script_files"] = [
        script for script in context.get("script_files", []) if str(script.filename) in names
    ]


def lay_in(app: Sphinx, error: Exception | None) -> None:
    """Put every model's script in the place of its file."""
    if error or app.builder.format != "html":
        return
    target = Path(app.outdir) / FOLDER
    for file in (Path(app.srcdir) / FOLDER).glob("*.safetensors"):
        write(file, target)
        for copied in (file.name, f"{file.stem}.json"):
            (target / copied).unlink(missing_ok=True)
    for file in published_encoder.files(app):
        write(file, target)
    for task in learning.TASKS:
        (target / f"{task}.js").write_text(learning.script(Path(app.srcdir), task))


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", offer, priority=399)  # before the figures are numbered
    app.connect("html-page-context", leave_out)
    app.connect("build-finished", lay_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
