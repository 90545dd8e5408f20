"""A figure beside its section's text: in wide windows it stays in view while that is read.

A picture or a figure to play with becomes a pair with the text around it, up to the next figure,
wide table or section, and back to the section's beginning or to a guess at what the figure shows.
The figure on a chapter's first screen makes one with what follows it. The pair stands side by side
in the layer to read. In narrow windows the figure stands where the notebook has it. Beside text a
figure has a phone's width, and a phone's drawing where there is one.
"""

import html
import json
import math
from pathlib import Path
from typing import NamedTuple

from cues import STATES, cue
from docutils import nodes
from figures import BESIDE, FIGURE, NARROWED, drawn_size
from first_screen import BESIDE_TEXT, PLACE
from quiz import quiz
from reader import is_cell, shown
from sphinx.application import Sphinx
from sphinx_exercise.nodes import is_exercise_node

CONTROL = 40  # pixels for each of a chart's
READ = (nodes.paragraph, nodes.bullet_list, nodes.enumerated_list, nodes.Admonition)
WIDTH, WIDER = 448, 672  # pixels of the columns beside text, as custom.css has them
LINE = 26  # pixels
WORDS_A_LINE = {True: 9, False: 13}  # beside a wide figure, and else
STAGE = '<figure class="stage'
LIVE = '<figure class="live'
HEIGHT = 600  # pixels: no higher, there too
TALLEST = 720  # pixels: what is higher cannot be read when it is made so small
FEWEST = 20  # words: less than that is read at a glance, with the figure above it


def is_figure(node: nodes.Node) -> bool:
    """A cell that shows one picture with a caption, one figure to play with or a stage alone.

    A model at work needs the whole column, but on the first screen.
    """
    if not is_cell(node) or is_folded_cell(node):
        return False
    pictures = [image for image in node.findall(nodes.image) if image.get("figure")]
    raws = [raw.astext() for raw in node.findall(nodes.raw)]
    played = [raw for raw in raws if FIGURE.search(raw) or STAGE in raw]
    played += [raw for raw in raws if LIVE in raw and PLACE in node["classes"]]
    return len(pictures) + len(played) == 1 and not list(node.findall(nodes.table))


def units(parent: nodes.Element) -> list[list[nodes.Node]]:
    """A section's parts: a fold with all that is in it is one, or else a node."""
    found: list[list[nodes.Node]] = []
    depth = 0
    for node in parent:
        if depth:
            found[-1].append(node)
        else:
            found.append([node])
        if isinstance(node, nodes.raw):
            depth += node.astext().count("<details") - node.astext().count("</details>")
            depth = max(depth, 0)
    return found


def is_text(unit: list[nodes.Node]) -> bool:
    """Whether a part may stand beside a figure: it is folded, or needs no wide column."""
    first = unit[0]
    if isinstance(first, nodes.raw):
        text = "".join(node.astext() for node in unit if isinstance(node, nodes.raw))
        return 0 < text.count("<details") == text.count("</details>")
    if is_cell(first):
        if is_folded_cell(first):
            return True
        blocks = [node for node in shown(first) if not is_fold(node)]
        return all(isinstance(node, nodes.literal_block) for node in blocks)
    if isinstance(first, nodes.section | nodes.title):
        return False
    return PLACE not in first.get("classes", [])


def is_folded_cell(node: nodes.Node) -> bool:
    """Whether a cell is folded with all that it shows."""
    return node.get("hide_mode") == "all"


def is_fold(node: nodes.Node) -> bool:
    """Whether it begins or ends a fold."""
    return isinstance(node, nodes.raw) and node.astext().startswith(("<details", "</details>"))


class Size(NamedTuple):
    """How a figure stands beside text: in the column for wide ones or not, and how high."""

    wide: bool
    height: float

    def most(self) -> float:
        """How many words beside a wide figure are as high as it; others have no such limit."""
        return self.height / LINE * WORDS_A_LINE[True] if self.wide else math.inf

    def cost(self, words: int) -> float:
        """How high the figure is with so many words, of which some may come below it."""
        beside = min(words, self.most())
        below = words - beside
        lines = beside / WORDS_A_LINE[self.wide], below / WORDS_A_LINE[False]
        return max(self.height, LINE * lines[0]) + LINE * lines[1]


def sizes_beside(folder: Path, figure: nodes.Node) -> list[Size]:
    """As it may stand there."""
    found = []
    first = PLACE in figure["classes"]  # which is no higher than its screen
    for image in figure.findall(nodes.image):
        picture = Path(folder, image["uri"].lstrip("/"))
        narrow = picture.with_suffix(NARROWED)
        drawn = [(False, narrow if narrow.exists() else picture, WIDTH), (True, picture, WIDER)]
        found = [Size(wide, scaled(path, column)) for wide, path, column in drawn]
    for raw in figure.findall(nodes.raw):
        if STAGE in raw.astext() or LIVE in raw.astext():
            return [Size(True, HEIGHT)]
        if not (play := FIGURE.search(raw.astext())):
            continue
        specification = json.loads(html.unescape(play[2]))
        high = specification.get("height", math.inf)
        high += CONTROL * len(specification.get("params", []))
        high = min(HEIGHT, high) if first else high
        stretches = specification.get("width") == "container"
        found = [Size(wide, high) for wide in ([True, False] if first and stretches else [False])]
    return [size for size in found if size.height <= HEIGHT]


def scaled(picture: Path, column: int) -> float:
    """How high a picture is in a column of so many pixels; endless if it is too high."""
    wide, drawn = drawn_size(picture)
    high = drawn * min(1, column / wide)
    return min(HEIGHT, high) if high <= TALLEST else math.inf


def pair(app: Sphinx, doctree: nodes.document) -> None:
    """Put figures and the text of their sections side by side."""
    for parent in {id(one.parent): one.parent for one in doctree.findall(is_figure)}.values():
        parts = units(parent)
        free = 0  # the first part that no figure before took
        for at, (figure, *_) in enumerate(parts):
            if not is_figure(figure) or not (sizes := sizes_beside(Path(app.srcdir), figure)):
                continue
            first, last = at, at + 1
            free = at if PLACE in figure["classes"] else free  # above it is the chapter's title
            while first > free and is_text(parts[first - 1]) and not is_guess(parts[first - 1]):
                first -= 1
            while (
                last < len(parts)
                and is_text(parts[last])
                and not tells_of_another(parts[last], figure)
            ):
                last += 1
            number = words(parts[first:last])
            if number < FEWEST:
                continue
            size = min(sizes, key=lambda size: size.cost(number))
            while last > at + 1 and words(parts[first : last - 1]) > size.most():
                last -= 1
            while first < at and words(parts[first + 1 : last]) > size.most():
                first += 1
            free = last
            put_beside(figure, parts[first:at], parts[at + 1 : last], size.wide)


def tells_of_another(unit: list[nodes.Node], figure: nodes.Element) -> bool:
    """Whether its words show something in another figure than the first screen's."""
    if PLACE not in figure["classes"]:
        return False
    names = {name for node in unit for words in node.findall(cue) for name in words["state"]}
    drawn = "".join(raw.astext() for raw in figure.findall(nodes.raw))
    if STAGE in drawn:
        return not names <= STATES
    if play := FIGURE.search(drawn):
        given = {one["name"] for one in json.loads(html.unescape(play[2])).get("params", [])}
        # Of a parameter with several numbers, each has a name of its own.
        return any(name not in given and name.partition("_")[0] not in given for name in names)
    return not names <= {"text"}


def is_guess(unit: list[nodes.Node]) -> bool:
    """Whether it asks what the figure below it answers."""
    return any(isinstance(node, quiz) and node.get("before") for node in unit)


def words(parts: list[list[nodes.Node]]) -> int:
    """How many words of text there are in what is not folded."""
    passed = [node for part in parts for node in part]
    read = [node for node in passed if isinstance(node, READ) and not is_exercise_node(node)]
    return sum(len(node.astext().split()) for node in read)


def put_beside(figure: nodes.Node, before: list, after: list, wide: bool) -> None:
    if not wide:
        for image in figure.findall(nodes.image):
            image["classes"].append(BESIDE)
    sides = [[node for part in side for node in part] for side in (before, after)]
    parent = figure.parent
    at = parent.index((sides[0] or [figure])[0])
    for node in (*sides[0], figure, *sides[1]):
        parent.remove(node)
    texts = [nodes.container("", *side, classes=[BESIDE_TEXT]) for side in sides]
    shown = [node for node in (texts[0], figure, texts[1]) if node.children]
    classes = ["beside-pair", "beside-wide"] if wide else ["beside-pair"]
    parent.insert(at, nodes.container("", *shown, classes=classes))


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", pair, priority=403)  # after the figures are numbered
    return {"parallel_read_safe": True, "parallel_write_safe": True}
