"""A figure beside the text that follows it: in wide windows it stays in view while that is read.

What follows a picture or a figure to play with, up to the next table, output of code or section,
becomes a pair with it, which stands side by side in the layer to read. In narrow windows the figure
stands above that text, as it does in the notebook. Beside text a figure has a phone's width, and a
phone's drawing where there is one.
"""

import html
import json
import math
from pathlib import Path

from docutils import nodes
from figures import BESIDE, FIGURE, NARROWED, drawn_size
from first_screen import PLACE
from reader import is_cell, shown
from sphinx.application import Sphinx
from sphinx_exercise.nodes import is_exercise_node

CONTROL = 40  # pixels for each of a chart's
READ = (nodes.paragraph, nodes.bullet_list, nodes.enumerated_list, nodes.Admonition)
WIDTH = 400  # pixels beside text, as custom.css has it
TALLEST = 420  # pixels: with its caption it is in the window as a whole
FEWEST = 40  # words: less than that is read at a glance, with the figure above it


def is_figure(node: nodes.Node) -> bool:
    """A cell that shows one picture with a caption, or one figure to play with, and no table."""
    if not is_cell(node) or PLACE in node["classes"]:
        return False
    pictures = [image for image in node.findall(nodes.image) if image.get("figure")]
    played = [raw for raw in node.findall(nodes.raw) if FIGURE.search(raw.astext())]
    return len(pictures) + len(played) == 1 and not list(node.findall(nodes.table))


def following(figure: nodes.Node) -> list[nodes.Node]:
    """What may stand beside a figure; a fold is there as a whole or not at all."""
    parent = figure.parent
    passed: list[nodes.Node] = []
    whole, depth = 0, 0
    for node in parent[parent.index(figure) + 1 :]:
        if isinstance(node, nodes.raw):
            depth += node.astext().count("<details") - node.astext().count("</details>")
        if depth < 0 or is_wide(node):
            break
        passed.append(node)
        whole = len(passed) if depth == 0 else whole
    return passed[:whole]


def is_wide(node: nodes.Node) -> bool:
    """Whether something needs the whole column: what is shown by a cell, a table, a section."""
    if isinstance(node, nodes.raw):
        return "<details" not in node.astext() and "</details>" not in node.astext()
    shows = is_cell(node) and bool(shown(node))
    return shows or isinstance(node, nodes.section) or bool(list(node.findall(nodes.table)))


def height(folder: Path, figure: nodes.Node) -> float:
    """How high a figure is beside text."""
    for image in figure.findall(nodes.image):
        picture = Path(folder, image["uri"].lstrip("/"))
        narrow = picture.with_suffix(NARROWED)
        wide, high = drawn_size(narrow if narrow.exists() else picture)
        return high * min(1, WIDTH / wide)
    for raw in figure.findall(nodes.raw):
        specification = json.loads(html.unescape(FIGURE.search(raw.astext())[2]))
        high = specification.get("height")
        if isinstance(high, int | float):
            return high + CONTROL * len(specification.get("params", []))
    return math.inf


def pair(app: Sphinx, doctree: nodes.document) -> None:
    """Put figures and what follows them side by side."""
    for figure in list(doctree.findall(is_figure)):
        beside = following(figure)
        read = [node for node in beside if isinstance(node, READ) and not is_exercise_node(node)]
        few = sum(len(node.astext().split()) for node in read) < FEWEST
        if few or height(Path(app.srcdir), figure) > TALLEST:
            continue
        for image in figure.findall(nodes.image):
            image["classes"].append(BESIDE)
        parent, at = figure.parent, figure.parent.index(figure)
        for node in (figure, *beside):
            parent.remove(node)
        text = nodes.container("", *beside, classes=["beside-text"])
        parent.insert(at, nodes.container("", figure, text, classes=["beside-pair"]))


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", pair, priority=403)  # after the figures are numbered
    return {"parallel_read_safe": True, "parallel_write_safe": True}
