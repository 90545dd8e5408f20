"""The attention machine in the page: the drawing of `lab.machine` that a reader can work.

A chapter's cell `machine("scores", ...)` stores a picture, for notebooks. On the page the same row
stands as text and a table, in the same places and with the same parts lit. It can be read without
scripts; where they run, `_static/machine.js` lets a reader step through it and change its numbers.
`{attention-machine}` puts it on any other page.
"""

import ast
import html
import json
from collections.abc import Collection, Mapping
from decimal import ROUND_HALF_UP, Decimal

from docutils import nodes
from lab import machine, plots
from lab.machine import PARTS
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)

NAME = "machine"  # what the picture is called in the notebook's output
COLUMNS = ["keys", "scores", "scale", "mask", "weights", "values"]
ROLES = {
    plots.QUERY: "query",
    plots.KEY: "key",
    plots.VALUE: "value",
    plots.WEIGHT: "weight",
    machine.OTHER: "other",
}
# As long as the longest that the script says: room for it is kept, so that nothing moves.
ROOM = "query, first number, from here to there, and what follows from it: " * 3 + "the output."
# What a reader may change: name in the script, words, and whether it is of the row that is chosen.
SLIDERS = {
    "query-0": "query, first number",
    "query-1": "query, second number",
    "key-0": "its key, first number",
    "key-1": "its key, second number",
    "value-0": "its value, first number",
}


def number(value: float, digits: int) -> str:
    """A number as the script writes it: halves rounded up, a real minus sign, no negative zero."""
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{rounded if rounded else abs(rounded)}".replace("-", "−")


def vector(values: list[float]) -> str:
    return " ".join(number(value, 1) for value in values)


def box(part: str, words: str, lit: Collection[str]) -> str:
    """One part of the drawing that is not a column of the table."""
    return f"<div {about(part, lit)}>{words}</div>"


def about(part: str, lit: Collection[str]) -> str:
    """A part's attributes."""
    shown = " data-lit" if part in lit else ""
    return f'data-part="{part}" data-role="{ROLES[PARTS[part].color]}"{shown}'


def drawing(lit: Collection[str]) -> str:
    """The machine's parts, from top to bottom."""
    words = {name: html.escape(part.words) for name, part in PARTS.items()}
    matrices = "".join(f"<span><i>W</i><sub>{letter}</sub></span>" for letter in "qkv")
    words["projections"] = f"{matrices}<span>three learned matrices</span>"
    words["query"] += f' <span data-number="query">{vector(machine.QUERY)}</span> …'
    words["output"] += f' <span data-number="output">{vector(machine.OUTPUT)}</span> …'
    words["softmax"] += ": the sum is 1"
    above = ["asking", "asked", "positions", "projections", "query", "softmax"]
    below = ["sum", "output", "heads", "block"]
    return (
        "".join(box(part, words[part], lit) for part in above)
        + table(lit, words)
        + "".join(box(part, words[part], lit) for part in below)
    )


def table(lit: Collection[str], words: Mapping[str, str]) -> str:
    """A row for each token, a column for each thing that is computed of it."""
    head = "".join(f'<th scope="col" {about(part, lit)}>{words[part]}</th>' for part in COLUMNS)
    rows = []
    for row, token in enumerate(machine.TOKENS):
        weight = machine.WEIGHTS[row]
        scaled = machine.SCORES[row] / machine.WIDTH**0.5
        shown = {
            "keys": vector(machine.KEYS[row]),
            "scores": number(machine.SCORES[row], 1),
            "scale": number(scaled, 1),
            "mask": "yes",
            "weights": f"<span>{number(weight, 2)}</span>"
            f'<span class="machine-bar" style="--weight: {weight}"></span>',
            "values": vector(machine.VALUES[row]),
        }
        cells = "".join(f"<td {about(part, lit)}>{shown[part]}</td>" for part in COLUMNS)
        choice = f'<input type="radio" value="{row}" disabled class="visually-hidden pst-js-only">'
        rows.append(
            f'<tr><th scope="row"><label>{choice}{html.escape(token)}</label></th>{cells}</tr>'
        )
    return (
        '<table class="machine-rows"><thead><tr><th scope="col"><span class="visually-hidden">'
        f"token</span></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def largest() -> str:
    """What the row says, in words: the tokens with the largest weights."""
    order = sorted(range(len(machine.TOKENS)), key=lambda row: -machine.WEIGHTS[row])
    first, *others = [(machine.TOKENS[row], machine.WEIGHTS[row]) for row in order[:4]]
    rest = ", ".join(f"{token} {weight:.2f}" for token, weight in others)
    asking = machine.TOKENS[machine.ASKING]
    return (
        f"“{asking}” looks at all eleven tokens of “{machine.SENTENCE}” and takes most from "
        f"“{first[0]}”: a weight of {first[1]:.2f}. Then come {rest}."
    )


def controls() -> str:
    """What a reader may change; of use where scripts run."""
    sliders = "".join(
        # The input first: a label is for the first control in it, and an output is one too.
        f"<label><span>{words}</span>"
        f'<input type="range" min="-5" max="5" step="any" data-change="{name}">'
        f'<output data-of="{name}"></output></label>'
        for name, words in SLIDERS.items()
    )
    return (
        '<details class="machine-change pst-js-only"><summary>Change a number</summary>'
        '<fieldset aria-label="Change a number" disabled>'
        f'<p class="machine-chosen">The row of “milk”. Choose another in the table.</p>'
        f"{sliders}"
        '<label class="machine-switch"><input type="checkbox" data-change="mask" checked>'
        "<span>“get” may look at it</span></label>"
        '<label class="machine-switch"><input type="checkbox" data-change="causal">'
        "<span>mask all that follows “get”</span></label>"
        '<label class="machine-switch"><input type="checkbox" data-change="scale" checked>'
        "<span>divide by √32</span></label></fieldset></details>"
    )


def otherwise(labels: Mapping[str, str]) -> str:
    """Whose row is drawn, and what a chapter has in the place of its parts."""
    whole = (
        "This row is from a model that reads a sentence as a whole, the encoder of chapter 13: "
        f"“{machine.TOKENS[machine.ASKING]}” may look at later words too."
    )
    for label in labels.values():
        verb, _, who = label.partition(": ")
        whole += f" In this chapter, {f'{who} {verb}' if who else label}."
    return html.escape(whole, quote=False)


def figure(lit: Collection[str], labels: Mapping[str, str]) -> str:
    """The whole machine."""
    row = {
        "tokens": machine.TOKENS,
        "asking": machine.ASKING,
        "width": machine.WIDTH,
        "query": machine.QUERY,
        "keys": machine.KEYS,
        "values": machine.VALUES,
        "scores": machine.SCORES,
    }
    data = html.escape(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    buttons = "".join(
        f'<button type="button" class="machine-{name}" disabled>{words}</button>'
        for name, words in (("back", "Back"), ("next", "Next"), ("again", "Start over"))
    )
    return (
        f'<figure class="machine" role="group" data-row="{data}" '
        'aria-label="The attention machine: one row of real attention"><div class="machine-inside">'
        f'<div class="machine-guide"><div class="machine-words" data-room="{ROOM}">'
        f'<p class="machine-said" role="status">{largest()}</p></div>'
        f'<div class="machine-buttons pst-js-only">{buttons}'
        '<label class="machine-scroll"><input type="checkbox" disabled>'
        "<span>step by scrolling</span></label>"
        '<span class="machine-place"></span></div>'
        f'<p class="machine-row-of">{otherwise(labels)}</p></div>'
        f'<div class="machine-drawing">{drawing(lit)}</div>{controls()}</div></figure>'
    )


def called(source: str) -> tuple[list[str], dict[str, str]]:
    """The parts that a cell's call of `machine` lights, and their labels."""
    for call in ast.walk(ast.parse(source)):
        match call:
            case ast.Call(ast.Name("machine"), arguments, keywords):
                given = {item.arg: ast.literal_eval(item.value) for item in keywords}
                return [ast.literal_eval(part) for part in arguments], given.get("labels") or {}
    raise ValueError("no call of machine(...)")


def put_in(app: Sphinx, doctree: nodes.document) -> None:
    """Put the machine in the place of each picture of it."""
    for image in list(doctree.findall(nodes.image)):
        if image.get("figure") != NAME:
            continue
        cell = image.parent
        while cell is not None and cell.get("nb_element") != "cell_code":
            cell = cell.parent
        try:
            sources = [block.astext() for block in cell.findall(nodes.literal_block)]
            lit, labels = called(sources[0])
        except (AttributeError, IndexError, SyntaxError, ValueError) as error:
            log.warning("the machine's cell cannot be read: %s", error, location=image)
            continue
        image.replace_self(nodes.raw("", figure(lit, labels), format="html"))
        # What draws it is no code to read.
        for written in [part for part in cell if part.get("nb_element") == "cell_code_source"]:
            cell.remove(written)


class AttentionMachine(SphinxDirective):
    """The directive; its argument names the parts that are lit."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        lit = self.arguments[0].split() if self.arguments else []
        return [nodes.raw("", figure(lit, {}), format="html")]


def setup(app: Sphinx) -> dict:
    app.add_directive("attention-machine", AttentionMachine)
    # After the figures are described and numbered, before Sphinx collects the pictures.
    app.connect("doctree-read", put_in, priority=402)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
