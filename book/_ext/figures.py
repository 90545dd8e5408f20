"""Figures of the notebooks in the page: every picture described, moving ones with a still.

`lab.plots.show` stores a picture's description in the output's metadata; here it becomes the
page's `alt`. A picture without one is a warning, and so ends the build. `lab.play.play` stores a
chart's specification; here a still picture of it is drawn, for where scripts are off. Both are
numbered within their chapter.
"""

import hashlib
import html
import json
import re
import shutil
from base64 import b64decode
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from course import CHAPTER
from dark_cells import with_dark_cells
from docutils import nodes
from lab.play import theme
from lab.plots import CELL_INK, CELL_PAPER, INK, KEY, NEUTRAL, PAPER, QUERY, VALUE, WEIGHT
from narrow_figures import stacked
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging
from typography import typeset

log = logging.getLogger(__name__)

STILL_WIDTH = 640
NARROWED = ".narrow.svg"  # the figure as a phone shows it
PHONE = "(max-width: 576px)"
BESIDE = "beside"  # the class of a picture that stands beside text in wide windows (beside.py)
WIDE = "(min-width: 1200px)"
NARROW = 540  # pixels: a picture of no more than these can be read at a phone's width
FIGURE = re.compile(r"<figure class=\"play\"[^>]* data-name=\"([^\"]+)\" data-spec='([^']*)'>")
CAPTION = re.compile(r"<figcaption>([^<]*)</figcaption>")
OPENING = re.compile(r"<figure class=\"[^\"]+\"")
# Colors of the figures (lab.plots, lab.play) on a light page and on a dark one; custom.css has the
# same for words.
THEMED = {
    "ink": (INK, "#CED6DD"),
    "black": ("#000000", "#CED6DD"),
    "paper": (PAPER, "#121212"),
    "faint": ("#D9DEE4", "#3A4450"),
    "cell": ("#E3E7EC", "#3A4450"),
    "neutral": (NEUTRAL, "#9AA3AF"),
    "query": (QUERY, "#6DB9EE"),
    "key": (KEY, "#FF9D5C"),
    "value": (VALUE, "#3FC79A"),
    "weight": (WEIGHT, "#E39CC8"),
}
# Numbers in the cells of heat maps: what is dark on a light page is light on a dark one.
IN_CELLS = {"cell-ink": (CELL_INK, "#F2F4F6"), "cell-paper": (CELL_PAPER, "#121212")}
TWINS = (
    ".dark{display:none}"
    "@media (prefers-color-scheme:dark){.light{display:none}.dark{display:inline}}"
)
POINTS = re.compile(r'\b(width|height)="([\d.]+)pt"')
SVG = re.compile(r"<svg[^>]*>")
PLACE = re.compile(r'<p class="play-still">.*?</p>')
INSIDE = re.compile(r'(?<=src=")data:image/png;base64,([^"]+)')  # a still, as a notebook has it
PLAYED = Path("_static", "play")


def pictures(notebook: Path) -> dict[str, dict[str, str]]:
    """What is known of every picture in a notebook's outputs (`alt`, `name`), by its SHA-256."""
    by_digest = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            for kind, content in output.get("data", {}).items():
                if not kind.startswith("image/"):
                    continue
                content = "".join(content)
                picture = content.encode() if kind == "image/svg+xml" else b64decode(content)
                about = output.get("metadata", {}).get(kind, {})
                by_digest[hashlib.sha256(picture).hexdigest()] = about
    return by_digest


def describe(app: Sphinx, doctree: nodes.document) -> None:
    """Give each picture of a notebook its description."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    descriptions = pictures(path)
    for image in doctree.findall(nodes.image):
        stem = Path(image["uri"]).stem
        if stem in descriptions:
            image["alt"] = descriptions[stem].get("alt", "")
            image["figure"] = descriptions[stem].get("name", "")
            image["caption"] = descriptions[stem].get("caption", "")
            if data := descriptions[stem].get("stage"):
                image["stage"] = data  # the page draws it itself: machine_stage.py
            elif svg := descriptions[stem].get("svg"):
                vector(app, image, svg)
            else:
                smaller(app, image)
        if not image.get("alt"):
            log.warning("a figure has no description: use lab.plots.show", location=image)


def number(app: Sphinx, doctree: nodes.document) -> None:
    """Number a page's figures: a line below each, which `{ref}` finds as fig-06-NAME.

    Pages that are no chapters number only pictures that have a caption.
    """
    docname = app.env.docname
    if chapter := CHAPTER.fullmatch(docname):
        page, first = chapter[1], f"{int(chapter[1])}."
        places = [
            node
            for node in doctree.findall(lambda node: isinstance(node, nodes.image | nodes.raw))
            if node.get("figure") or FIGURE.search(node.astext())
        ]
    else:
        page, first = docname, ""
        places = [image for image in doctree.findall(nodes.image) if image.get("caption")]
    labels = set()
    for i, node in enumerate(places, start=1):
        play = FIGURE.search(node.astext())
        under = CAPTION.search(node.astext())
        label = f"fig-{page}-{play[1] if play else node['figure']}"
        if label in labels:  # a picture and a figure to play with may share a name
            label += "-play"
        labels.add(label)
        words = f"Figure {first}{i}"
        link = nodes.reference("", words, internal=True, refuri=f"#{label}")
        line = nodes.paragraph("", "", link, ids=[label], classes=["figure-number"])
        if caption := html.unescape(under[1]) if under else node.get("caption", ""):
            line += nodes.Text(f" {typeset(caption)}")
        node.parent.insert(node.parent.index(node) + 1, line)
        if under:  # said once, beside the number
            text = node.astext().replace(under[0], "")
            text = OPENING.sub(rf'\g<0> aria-labelledby="{label}"', text)
            node.replace_self(nodes.raw("", text, format="html"))
        app.env.get_domain("std").note_hyperlink_target(label, docname, label, words)


def vector(app: Sphinx, image: nodes.image, svg: str) -> None:
    """Show a notebook's figure as SVG in the page's colors."""
    target = Path(app.srcdir, image["uri"].lstrip("/")).with_suffix(".svg")
    target.write_text(themed(svg), encoding="utf-8")
    if narrow := stacked(svg):
        target.with_suffix(NARROWED).write_text(themed(narrow), encoding="utf-8")
    image["uri"] = Path(image["uri"]).with_suffix(".svg").as_posix()


def themed(svg: str) -> str:
    """A picture whose colors follow the page: light, or dark where the page is.

    As an image it knows the page's `color-scheme`. Sizes in points become pixels.
    """
    twice = with_dark_cells(svg)
    colors = THEMED | IN_CELLS if twice != svg else THEMED
    light, dark = ("".join(f"--{name}:{pair[i]};" for name, pair in colors.items()) for i in (0, 1))
    rules = (
        f":root{{fill:var(--black);{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )
    rules += TWINS if twice != svg else ""
    svg = twice
    for name, (color, _) in colors.items():
        svg = re.sub(rf"{color}\b", f"var(--{name})", svg, flags=re.IGNORECASE)
    svg = POINTS.sub(lambda match: f'{match[1]}="{float(match[2]) * 4 / 3:.0f}"', svg)
    return SVG.sub(lambda match: f"{match[0]}<style>{rules}</style>", svg, count=1)


def smaller(app: Sphinx, image: nodes.image) -> None:
    """Show a notebook's PNG as lossless WebP, which is the same picture in two thirds the bytes."""
    png = Path(app.srcdir, image["uri"].lstrip("/"))
    if png.suffix != ".png":
        return
    webp = png.with_suffix(".webp")
    if not webp.exists():
        with Image.open(png) as picture:
            picture.save(webp, lossless=True, quality=50)
    image["uri"] = str(Path(image["uri"]).with_suffix(".webp").as_posix())


def still(specification: dict, target: Path) -> None:
    """Draw a chart as it stands before anything is moved."""
    import vl_convert

    if specification.get("width") == "container":
        specification = specification | {"width": STILL_WIDTH}
    target.parent.mkdir(parents=True, exist_ok=True)
    drawn = vl_convert.vegalite_to_svg(specification, config=theme())
    target.write_text(themed(drawn), encoding="utf-8")


def compiled(specification: dict) -> str:
    """A chart as Vega draws it: the page needs no compiler."""
    import vl_convert

    return json.dumps(
        vl_convert.vegalite_to_vega(specification, config=theme()), separators=(",", ":")
    )


def place_stills(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put a still picture into each figure to play with, and what Vega draws in its place."""
    if app.builder.format != "html":
        return
    for node in list(doctree.findall(nodes.raw)):
        if INSIDE.search(node.astext()):
            text = INSIDE.sub(lambda found: laid_beside(app, b64decode(found[1])), node.astext())
            node.replace_self(nodes.raw("", text, format="html"))
            continue
        match = FIGURE.search(node.astext())
        if not match:
            continue
        name, stored = match[1], html.unescape(match[2])
        digest = hashlib.sha256(f"{THEMED}{stored}".encode()).hexdigest()[:12]
        file = f"{PLAYED.as_posix()}/{name}-{digest}.svg"
        specification = json.loads(stored)
        if not (Path(app.outdir) / file).exists():
            still(specification, Path(app.outdir) / file)
        alt = html.escape(specification["description"])
        width, height = drawn_size(Path(app.outdir) / file)
        # As high as the chart will be, which takes the page's width and keeps its height.
        fitted = specification.get("width") == "container"
        style = f"height: {height}px; width: {'100%' if fitted else f'{width}px'}"
        image = (
            f'<div class="play-still"><img src="{file}" alt="{alt}" loading="lazy" '
            f'width="{width}" height="{height}" style="{style}"></div>{reserved(specification)}'
        )
        text = node.astext().replace(match[2], html.escape(compiled(specification)))
        text = PLACE.sub(lambda _, image=image: image, text)
        node.replace_self(nodes.raw("", text, format="html"))


def laid_beside(app: Sphinx, picture: bytes) -> str:
    """Lay a still into the site: few see it, and all would wait for it within their page."""
    file = PLAYED / f"{hashlib.sha256(picture).hexdigest()[:12]}.png"
    target = Path(app.outdir, file)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(picture)
    return file.as_posix()


def reserved(specification: dict) -> str:
    """The room that a chart's controls will take: the same elements, not to be seen or used."""
    rows = []
    for parameter in specification.get("params", []):
        bound = parameter.get("bind")
        if not isinstance(bound, dict) or "input" not in bound:
            continue
        match bound["input"]:
            case "select":
                options = map(str, bound.get("labels") or bound.get("options", []))
                field = f"<select><option>{html.escape(max(options, key=len))}</option></select>"
            case "radio":
                options = map(str, bound.get("labels") or bound.get("options", []))
                choices = "".join(
                    f'<label><input type="radio">{html.escape(option)}</label>'
                    for option in options
                )
                field = f'<span class="vega-bind-radio">{choices}</span>'
            case kind:
                field = f'<input type="{html.escape(kind)}"><span>0</span>'
        name = html.escape(bound.get("name", parameter["name"]))
        label = f'<label><span class="vega-bind-name">{name}</span>{field}</label>'
        rows.append(f'<div class="vega-bind">{label}</div>')
    if not rows:
        return ""
    return f'<div class="vega-bindings play-reserved pst-js-only" inert>{"".join(rows)}</div>'


def drawn_size(picture: Path) -> tuple[int, int]:
    """A picture's width and height in pixels."""
    if picture.suffix == ".svg":
        opening = SVG.search(picture.read_text(encoding="utf-8"))[0]
        size = [re.search(rf'\b{side}="([\d.]+)', opening) for side in ("width", "height")]
        return tuple(round(float(side[1])) for side in size)
    with Image.open(picture) as opened:
        return opened.size


def size_images(soup: BeautifulSoup, page: str, app: Sphinx) -> None:
    """Say every picture's size, so that nothing moves when it comes; load those below later.

    Below is what follows another picture, or a figure that works in the page.
    """
    files = {name: path for path, name in getattr(app.builder, "images", {}).items()}
    own = [
        image
        for image in soup.select('img[src^="_images/"]:not([width])')
        if Path(image["src"]).name in files
    ]
    for i, image in enumerate(own):
        picture = Path(app.srcdir, files[Path(image["src"]).name])
        width, height = drawn_size(picture)
        image["width"], image["height"] = str(width), str(height)
        if i > 0 or image.find_previous("figure", class_=["live", "play", "stage"]):
            image["loading"] = "lazy"
        if width <= NARROW:
            image["data-narrow"] = ""
        if (narrow := picture.with_suffix(NARROWED)).exists():
            image.wrap(soup.new_tag("picture")).insert(0, source(app, narrow, image))


def source(app: Sphinx, narrow: Path, image: Tag) -> Tag:
    """What a phone shows in a picture's place."""
    images = Path(app.outdir) / app.builder.imagedir
    images.mkdir(exist_ok=True)
    shutil.copy(narrow, images)
    width, height = drawn_size(narrow)
    media = f"{PHONE}, {WIDE}" if BESIDE in image.get_attribute_list("class") else PHONE
    address = f"{app.builder.imgpath}/{narrow.name}"
    sized = {"width": width, "height": height}
    return Tag(
        name="source", can_be_empty_element=True, attrs={"media": media, "srcset": address, **sized}
    )


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", describe, priority=400)  # before Sphinx collects the pictures
    app.connect("doctree-read", number, priority=401)
    app.connect("doctree-resolved", place_stills)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
