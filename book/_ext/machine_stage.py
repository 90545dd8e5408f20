"""The machine's stage in the page: a figure that stands without scripts, and that they bring alive.

`lab.machine.stage` leaves its data in the metadata of the picture that a notebook shows. Here that
picture becomes the figure; `_static/stage.js` and its like let a reader work it.
"""

import html
import json
import math
import re
from typing import Any

from docutils import nodes
from lab import milk, stage_rows
from lab.stage import described
from lab.stage_rows import Row, row_of
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from stage_keys import keys_box
from stage_parts import bars, plane, ribbons, stretched, woven
from stage_table import explained, table

ALONE = ("keys", "dial")  # modes in which one alone asks
SCRIPT = re.compile(r"_static/stage(-\w+)?\.js$")
PICTURE = 4  # letters: as wide as a small picture
TAG = re.compile(r"<.*?>")
SHORTEST = 140  # letters of what the steps before the last say
MOVES = ("Ask", "Compare", "Share out", "Take")
DIALED = ("Average", "Softmax", "Lookup")


def figure(data: dict[str, Any]) -> str:
    """The whole stage, as it stands at its end."""
    asks = data.get("asks", 0)
    row = row_of(data, asks)
    stored = html.escape(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    classes = " ".join(["stage", *shapes(data)])
    return (
        f'<figure class="{classes}" data-mode="{data["mode"]}" data-stage="{stored}" role="group" '
        f'aria-label="{html.escape(label(data))}" style="--n:{len(data["items"])};'
        f'--m:{len(data.get("askers") or data["items"])}">'
        f'<div class="stage-inside">{head(data, asks, row)}'
        f"{stage_heads(data, asks)}{line(data, asks, row)}"
        f"{answer(data, row)}{numbers(data, row, asks)}</div></figure>"
    )


def shapes(data: dict[str, Any]) -> list[str]:
    """How much room the items need in a line."""
    longest = max(len(item) for item in [*data["items"], *(data.get("askers") or [])])
    if data.get("pictures"):
        longest = PICTURE
    across = len(data["items"]) * max(2, longest)
    names = ["stage-crossing"] if data.get("askers") and data["mode"] != "dial" else []
    return [*names, "stage-upright"] if across > 110 else names


def label(data: dict[str, Any]) -> str:
    if data["mode"] == "keys":
        return "A query among keys, and the answer that it takes from their values"
    if data["mode"] == "dial":
        return "Scores, and the weights that a dial makes of them"
    return f"Who takes how much from whom: {', '.join(data['items'])}"


def said(data: dict[str, Any], asks: int, found: Row) -> str:
    """What the end shows, in two sentences."""
    if data["mode"] == "dial":
        return dialed(data, found)
    parts = stage_rows.taking(data, asks, found, bold)
    takes = stage_rows.joined(parts) + stage_rows.rounding(parts)
    who = html.escape(stage_rows.asking(data, asks, first=True))
    return (
        f'<b class="stage-asking">{who}</b> looks at '
        f"{everyone(data, found)} and takes {takes}. Such a share is a "
        '<b class="stage-weight">weight</b>; all weights together make 100%.'
    )


def dialed(data: dict[str, Any], found: Row) -> str:
    """The dial in its middle, where it is softmax."""
    best = stage_rows.ranked(found.weights)[0]
    average = ", ".join(stage_rows.number(part, 1) for part in found.output)
    sentence = (
        'Scores, any numbers, become <b class="stage-weight">weights</b>, shares of one: softmax '
        f"of the scores times 1.00. {bold(data['items'][best])} has "
        f"{stage_rows.percent(found.weights[best])}."
    )
    return (
        f"{sentence} The average of the values by these weights is {average}."
        if average
        else sentence
    )


def bold(item: str) -> str:
    return f"<b>{html.escape(item)}</b>"


def everyone(data: dict[str, Any], found: Row) -> str:
    """All that the one who asks may look at."""
    hidden = None in found.scores
    return f"every {data['noun']}{' up to itself' if hidden else ''}"


def head(data: dict[str, Any], asks: int, found: Row) -> str:
    """What is said, and the buttons; room is kept for the longest that may be said."""
    words = said(data, asks, found)
    names = DIALED if data["mode"] == "dial" else MOVES
    last = len(names) - 1
    buttons = "".join(
        f'<li><button type="button" disabled{" aria-current=step" if i == last else ""}>'
        f"{name}</button></li>"
        for i, name in enumerate(names)
    )
    return (
        f'<div class="stage-head"><div class="stage-words" data-room="{room(data)}">'
        f'<p class="stage-said">{words}</p></div>'
        '<p class="visually-hidden" role="status"></p>'
        f'<div class="stage-moves pst-js-only"><ol>{buttons}</ol>'
        f'<button type="button" class="stage-play" disabled>Play</button>{hint(data)}</div></div>'
    )


def hint(data: dict[str, Any]) -> str:
    """What there is to try."""
    if data["mode"] == "keys":
        words = "Drag the query, or a key."
    elif data["mode"] == "dial":
        words = "Move the dial."
    else:
        words = f"Tap any {data['noun']}: it asks." if not data.get("askers") else "Tap who asks."
    return f'<span class="stage-hint">{html.escape(words)}</span>'


def room(data: dict[str, Any]) -> str:
    """As many letters as the longest that may be said has, and some more: bold ones are wider."""
    askers = range(len(data.get("askers") or data["items"])) if data["mode"] not in ALONE else [0]
    heads = range(len(data.get("heads") or [""]))
    longest = max(
        len(TAG.sub("", said(data, asks, row_of(data, asks, head))))
        for asks in askers
        for head in heads
    )
    return "and so on " * math.ceil(1.08 * max(longest, SHORTEST) / 10)


def stage_heads(data: dict[str, Any], asks: int) -> str:
    """The heads side by side, each small, to choose the one that is shown large."""
    heads = data.get("heads") or []
    if data["mode"] != "heads" or len(heads) < 2:
        return ""
    choices = "".join(
        f'<label class="stage-head-choice"><input type="radio" value="{i}" disabled '
        f'class="visually-hidden"{" checked" if i == 0 else ""}><span>{html.escape(one["name"])}'
        f"</span>{small(data, asks, i)}</label>"
        for i, one in enumerate(heads)
    )
    return (
        f'<fieldset class="stage-heads"><legend>{len(heads)} heads, the same words</legend>'
        f"{choices}</fieldset>"
    )


def small(data: dict[str, Any], asks: int, head: int) -> str:
    """A head's strands, small."""
    return stretched("stage-mini", woven(data, asks, row_of(data, asks, head).weights))


def line(data: dict[str, Any], asks: int, found: Row) -> str:
    """The items in a line with what lies between them, or keys in their plane."""
    if data["mode"] == "keys":
        return keys_box(data, found) + strip_alone(data, found)
    weights = found.weights
    drawn = ribbons(weights) if data["mode"] == "dial" else woven(data, asks, weights)
    askers = data.get("askers")
    whole = items(data, asks, found, chooses=not askers)
    if askers and data["mode"] != "dial":
        whole = asking_line(askers, asks) + whole
    return (
        '<fieldset class="stage-line"><legend class="visually-hidden">Who asks?</legend>'
        f"{stretched('stage-curves', drawn)}{whole}"
        '<p class="stage-whole">all shares together: 100%</p></fieldset>'
        f"{strip_alone(data, found) if data['mode'] == 'dial' else ''}{leak(data)}{dial(data)}"
    )


def items(data: dict[str, Any], asks: int, found: Row, chooses: bool) -> str:
    pieces = []
    drawn = zip(data["items"], bars(found.scores, found.weights), found.weights, strict=True)
    for i, (item, style, weight) in enumerate(drawn):
        masked = " data-masked" if found.scores[i] is None else ""
        asking = " data-asking" if chooses and i == asks else ""
        low = " data-low" if (found.scores[i] or 0) < 0 else ""
        word = html.escape(item)
        seen = drawn_item(data, i) or word
        pieces.append(
            f'<div class="stage-item" style="--i:{i};{style}"{masked}{asking}{low}>'
            + (choice(seen, i, i == asks) if chooses else f'<span class="stage-word">{seen}</span>')
            + f'<span class="stage-share">{stage_rows.percent(weight)}</span>'
            f'<i class="stage-bar"{named(weight)}><b>{word}</b></i></div>'
        )
    return "".join(pieces)


def drawn_item(data: dict[str, Any], i: int) -> str:
    """An item's picture, with its name for those who do not see it."""
    if not (pictures := data.get("pictures")):
        return ""
    width, shades = pictures["width"], pictures["shades"][i]
    pixels = "".join(
        f'<path d="M{at % width} {at // width}h1v1h-1z" opacity="{int(shade, 16) / 15:.2f}"/>'
        for at, shade in enumerate(shades)
        if shade != "0"
    )
    name = f'<span class="visually-hidden">{html.escape(data["items"][i])}</span>'
    box = f"0 0 {width} {len(shades) // width}"
    return f'{name}<svg class="stage-picture" viewBox="{box}" aria-hidden="true">{pixels}</svg>'


def named(weight: float, room: float = stage_rows.FEW) -> str:
    """Whether a piece of the strip has room for a name."""
    return " data-wide" if weight >= room else ""


def choice(word: str, i: int, checked: bool) -> str:
    return (
        f'<label class="stage-word"><input type="radio" value="{i}" disabled '
        f'class="visually-hidden"{" checked" if checked else ""}><span>{word}</span></label>'
    )


def asking_line(askers: list[str], asks: int) -> str:
    return "".join(
        f'<div class="stage-asker" style="--i:{i}"{" data-asking" if i == asks else ""}>'
        f"{choice(html.escape(asker), i, i == asks)}</div>"
        for i, asker in enumerate(askers)
    )


def strip_alone(data: dict[str, Any], found: Row) -> str:
    pieces = "".join(
        f'<i class="stage-bar" style="{style}"{named(weight)}><b>{html.escape(item)} '
        f"{stage_rows.percent(weight)}</b></i>"
        for item, style, weight in zip(
            data["items"], bars(found.scores, found.weights), found.weights, strict=True
        )
    )
    return f'<div class="stage-strip" aria-hidden="true">{pieces}</div>'


def leak(data: dict[str, Any]) -> str:
    if not data.get("causal"):
        return ""
    n = len(data["items"])
    switch = (
        '<label class="stage-leak pst-js-only"><input type="checkbox" disabled>'
        "<span>let it look ahead</span></label>"
        if len(data["heads"]) > 1
        else ""
    )
    cells = "".join(
        f'<path d="M{j} {i}h1v1h-1z" opacity="{weight:.3f}"/>'
        for i in range(n)
        for j, weight in enumerate(row_of(data, i).weights)
        if weight
    )
    cells += "".join(
        f'<path class="stage-forbidden" d="M{i + 1} {i}H{n}v1H{i + 1}z"/>' for i in range(n - 1)
    )
    return (
        f'<div class="stage-map"><svg viewBox="0 0 {n} {n}" aria-hidden="true"><g>{cells}</g>'
        f'<path class="stage-map-row" d="M0 {data["asks"]}h{n}v1h-{n}z"/></svg>'
        f"<div><p>All rows at once: each {data['noun']} that asks has a row, each "
        f"{data['noun']} that is asked a column.</p>"
        f"{switch}</div></div>"
    )


def dial(data: dict[str, Any]) -> str:
    if data["mode"] != "dial":
        return ""
    return (
        '<label class="stage-dial pst-js-only"><span>average</span>'
        '<input type="range" min="0" max="1" step="0.01" value="0.5" disabled '
        'aria-label="Dial from the average to the lookup"><span>lookup</span></label>'
    )


def answer(data: dict[str, Any], found: Row) -> str:
    """The values with their average, and whose numbers all this is."""
    drawn = plane(data, found.weights)
    parts = []
    if drawn:
        parts.append(f'<p class="stage-sum">{summed(data, found)}</p>')
        parts.append(f'<p class="stage-legend">{legend(data)}</p>')
    parts += [
        f"<p>{html.escape(text)}</p>" for text in (data.get("note"), data.get("about")) if text
    ]
    return f'<div class="stage-answer">{drawn}<div>{"".join(parts)}</div></div>'


def summed(data: dict[str, Any], found: Row) -> str:
    """The sum that makes the answer, as far as it matters."""
    order = [j for j in stage_rows.ranked(found.weights) if found.weights[j] > 0]
    largest = [j for j in order[:3] if found.weights[j] >= stage_rows.SMALLEST]
    terms = [
        '<span class="stage-term"><b class="stage-weight">'
        f"{stage_rows.percent(found.weights[j])}</b> of {html.escape(taken(data, j))}</span>"
        for j in largest
    ]
    more = " + …" if len(order) > len(largest) else ""
    made = f'<span class="stage-term">= {result(found.output)}</span>'
    return f"The answer: {' + '.join(terms)}{more} {made}"


def result(output: list[float]) -> str:
    if len(output) == 1:
        return stage_rows.number(output[0], 1)
    return f"({', '.join(stage_rows.number(part) for part in output)})"


def taken(data: dict[str, Any], j: int) -> str:
    """What is taken of an item: its value, where that is one number."""
    value = data["values"][j] if data.get("values") else []
    item = data["items"][j]
    return f"{value[0]:g} ({item})".replace("-", "−") if len(value) == 1 else item


def legend(data: dict[str, Any]) -> str:
    """What the drawing of the values shows."""
    flat = len(data["values"][0]) == 2
    end = "stage-ring" if flat else "stage-point"
    way = "; the line to it: the shares, added one after another" if flat else ""
    return (
        '<span class="stage-dot"></span> what each '
        f'{html.escape(data["noun"])} has to give, its <b class="value">value</b> '
        f'<span class="{end}"></span> the answer, their weighted average{way}'
    )


def numbers(data: dict[str, Any], found: Row, asks: int) -> str:
    return (
        '<details class="stage-numbers"><summary>Show the numbers (rounded)</summary>'
        f'<div class="stage-scroll" tabindex="0" role="group" aria-label="The numbers">'
        f"{table(data, found, asks)}</div>{explained(data)}</details>"
    )


def put_in(app: Sphinx, doctree: nodes.document) -> None:
    """Put a stage in the place of each picture of one, and leave out the code that asks for it."""
    for image in list(doctree.findall(nodes.image)):
        if not (data := image.get("stage")):
            continue
        cell = image.parent
        while cell is not None and cell.get("nb_element") != "cell_code":
            cell = cell.parent
        image.replace_self(nodes.raw("", figure(data), format="html"))
        for part in list(cell or []):
            if part.get("nb_element") == "cell_code_source":
                cell.remove(part)


class Stage(SphinxDirective):
    """The sentence of the first chapter on any other page."""

    def run(self) -> list[nodes.Node]:
        data = described("sentence", **milk.milk())
        return [nodes.raw("", figure(data), format="html")]


def leave_out(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load its scripts where there is a stage."""
    if 'class="stage' in (context.get("body") or ""):
        return
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if not SCRIPT.search(str(script.filename or ""))
    ]


def setup(app: Sphinx) -> dict:
    app.add_directive("stage", Stage)
    # After the figures are described and numbered, before Sphinx collects the pictures.
    app.connect("doctree-read", put_in, priority=402)
    app.connect("html-page-context", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
