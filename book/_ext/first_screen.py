"""A chapter's live figure on its first screen: below the title and the question, before all else.

A notebook's cell with the tag `first-screen` shows its figure there, wherever the notebook has the
cell: what trains a model may stand far below. Without such a cell it is the attention machine. The
cell's code stays where the notebook has it, folded. What the chapter needs and where its notebook
is come after the figure, before the text.
"""

from docutils import nodes
from reader import is_cell, part, shown, source_of
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

TAG = "first-screen"
PLACE = "first-screen"  # the class of what stands there
BESIDE_TEXT = "beside-text"  # of the text that stands beside a figure (beside.py)
SHOWING = ("Show the code of the figure on the first screen", "Hide the code")
MACHINE = "stage("  # a call whose code is no code to read: it goes with it


def find(doctree: nodes.document) -> nodes.container | None:
    """The cell whose figure is seen first."""
    cells = [cell for cell in doctree.findall(is_cell) if shown(cell)]
    tagged = [cell for cell in cells if TAG in cell["cell_metadata"].get("tags", [])]
    if len(tagged) > 1:
        log.warning("two cells have the tag %s", TAG, location=tagged[1])
    return next(iter(tagged or filter(is_machine, cells)), None)


def is_machine(cell: nodes.container) -> bool:
    return any(line.startswith(MACHINE) for line in source_of(cell).splitlines())


def question(title: nodes.title) -> nodes.paragraph | None:
    """The question that a chapter begins with: a paragraph in bold below its title."""
    follower = title.next_node(descend=False, siblings=True)
    if not isinstance(follower, nodes.paragraph):
        return None
    parts = [part for part in follower if part.astext()]
    return follower if [type(part) for part in parts] == [nodes.strong] else None


def put_first(app: Sphinx, doctree: nodes.document) -> None:
    """Move the figure below the question."""
    cell, title = find(doctree), next(doctree.findall(nodes.title), None)
    if cell is None or title is None:
        return
    first = cell if is_machine(cell) else without_code(cell)
    if first is cell:
        cell.parent.remove(cell)
    first["classes"] = [*first["classes"], PLACE]
    before = question(title) or title
    if before is not title:
        before["classes"].append("chapter-question")
    title.parent.insert(title.parent.index(before) + 1, first)


def without_code(cell: nodes.container) -> nodes.container:
    """What a cell shows, taken out of it; its code stays in it, folded."""
    outputs = part(cell, "cell_code_output")
    first = nodes.container("", **cell.attributes)
    cell.remove(outputs)
    first += outputs
    first.attributes.pop("hide_mode", None)
    if source_of(cell):
        cell["hide_mode"], cell["prompt_show"], cell["prompt_hide"] = "input", *SHOWING
    else:
        cell.parent.remove(cell)
    return first


def put_below(title: nodes.title, *said: nodes.Node) -> None:
    """Put what a chapter says of itself below what its first screen begins with."""
    first = next(title.parent.findall(is_first), title)
    follower = first.next_node(descend=False, siblings=True)
    beside = isinstance(follower, nodes.container) and BESIDE_TEXT in follower["classes"]
    parent, at = (follower, 0) if beside else (first.parent, first.parent.index(first) + 1)
    parent[at:at] = said


def is_first(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and PLACE in node["classes"]


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", put_first, priority=301)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
