"""Figures in which the course's own models work in the page.

A notebook trains the model and keeps it in `_static/models/NAME.safetensors`. The page computes
with it (`_static/attention.js`) once the reader asks for it. Each kind of figure has a script of
its name in `_static`: `writing.js`, `translating.js`, `drawing.js`, `encoding.js`, and
`training.js`, where the reader trains the model; `live.js` is what they share. The published
encoder of chapter 13 comes into the page when the book is built.
"""

import html
import json
from collections.abc import Mapping, Sequence

from torch import Tensor

from lab import stored
from lab.still import still

INK = 16  # a digit's darkest pixel: scikit-learn counts ink from 0 to 16


class Live:
    """The figure as a notebook's output: HTML that the page brings alive, and its description."""

    waiting = "<p>The model runs on the published page, with JavaScript on.</p>"

    def __init__(
        self,
        kind: str,
        model: str,
        alt: str,
        name: str,
        caption: str = "",
        look: str = "",
        **given: str,
    ):
        if not alt.strip():
            raise ValueError(f"{kind}: a figure needs a description; alt is empty")
        for called, word in (("model", model), ("name", name)):
            if not word.replace("-", "").isalnum():
                raise ValueError(
                    f"{kind}: a {called} is made of letters, digits and hyphens, not {word!r}"
                )
        self.kind, self.model, self.alt, self.name, self.given = kind, model, alt, name, given
        self.caption = caption
        if look:
            self.waiting = f"<p>{still(look)}<br>{self.waiting.removeprefix('<p>')}"

    def __repr__(self) -> str:
        return f"Figure to try a model in: {self.alt}"

    def _repr_html_(self) -> str:
        caption = html.escape(self.caption or self.alt, quote=False)
        heard = f' aria-label="{html.escape(self.alt)}"' if self.caption else ""
        attributes = "".join(
            f' data-{key}="{html.escape(text)}"' for key, text in self.given.items()
        )
        return (
            f'<figure class="live {self.kind}" id="live-{self.name}" data-name="{self.name}" '
            f'data-model="{self.model}"{heard}{attributes}>'
            f"{self.waiting}<figcaption>{caption}</figcaption></figure>"
        )


def writing_figure(
    model: str,
    text: str,
    alt: str,
    name: str,
    caption: str = "",
    look: str = "",
) -> Live:
    """A model of the course to write with; the last value of a cell.

    `model` is the name of a file in `_static/models`, without its ending; `text` is what stands
    there at first, in the model's own characters. `alt` says what can be done and what is seen
    then, to whoever hears it; `name` is short and unique in its page. `caption` says to whoever
    sees it what it is; without one, `alt` stands there. `look` names what `lab.stored.keep_look`
    kept of the model: its still stands there in a notebook, and where scripts are off. The look's
    `scores` of what may come after the text, by character, are what the page answers with until it
    has the model. Raises ValueError without a description, and with a look of another text.
    """
    given = {"text": text}
    if look:
        known = stored.look(look)
        if "".join(known["rows"]) != text:
            raise ValueError(f"writing: the look {look!r} is of another text")
        given["scores"] = json.dumps(known["scores"], separators=(",", ":"))
    return Live("writing", model, alt, name, caption, look, **given)


def translation_figure(
    model: str,
    text: str,
    alt: str,
    name: str,
    others: tuple[str, ...] = (),
    caption: str = "",
    look: str = "",
) -> Live:
    """A translator of dates to try; the last value of a cell.

    `text` is the source that stands there at first, `others` are more of them to choose from, in
    the model's own characters. The rest is as in `writing_figure`.
    """
    given = {"text": text, "others": "|".join(others)}
    return Live("translating", model, alt, name, caption, look, **given)


def digit_figure(
    model: str,
    images: Tensor,
    alt: str,
    name: str,
    first: int = 3,
    caption: str = "",
    look: str = "",
) -> Live:
    """A model that reads digits, and a grid to draw on; the last value of a cell.

    `images` (N, 1, 8, 8), with ink from 0 to 1, are examples to choose from: each pixel becomes a
    letter of "abcdefghijklmnopq", a for no ink. `first` is the one that it opens with.
    The rest is as in `writing_figure`.
    """
    levels = (images * INK).round().int().flatten(1).tolist()
    pixels = " ".join("".join(chr(ord("a") + level) for level in image) for image in levels)
    given = {"examples": pixels, "first": str(first)}
    return Live("drawing", model, alt, name, caption, look, **given)


def encoding_figure(
    text: str,
    layer: int,
    head: int,
    asking: str,
    questions: tuple[str, ...],
    alt: str,
    name: str,
) -> Live:
    """The published encoder: every head's weights in a sentence, and the course asked by meaning.

    `text` is the sentence that stands there at first, `layer` and `head`, from zero, the map that
    is shown of it, and `asking` the token whose row is. `questions` are some to choose from, the
    first of which stands there. The rest is as in `writing_figure`.
    """
    first = {"layer": str(layer), "head": str(head), "asking": asking}
    given = {"text": text} | first | {"questions": "|".join(questions)}
    return Live("encoding", "minilm", alt, name, **given)


def training_figure(
    task: str,
    losses: Mapping[int, Sequence[float]],
    highest: float,
    alt: str,
    name: str,
    tries: tuple[str, ...] = (),
) -> Live:
    """A model that the reader trains in the page; the last value of a cell.

    `task` is what it is trained on, "copying" or "sentences". `losses` are those of a run of the
    notebook, for each number of layers, and are drawn where scripts are off, from 0 to `highest`.
    `tries` are things to try, one after the other, each as it goes on after "Try next:".
    The rest is as in `writing_figure`.
    """
    figure = Live("training", task, alt, name, **({"try": "|".join(tries)} if tries else {}))
    lines = "".join(
        f'<polyline{" data-fewer" * (layers < max(losses))} points="{_points(curve, highest)}"/>'
        for layers, curve in losses.items()
    )
    ends = " and ".join(
        f"{curve[-1]:.2f} with {layers} layer{'s' * (layers > 1)}"
        for layers, curve in losses.items()
    )
    if len(losses) == 1:  # the reader's choice is one layer or none
        [curve] = losses.values()
        ends = f"{curve[-1]:.2f}, with the layer"
    figure.waiting = (
        '<div class="training-still"><div class="training-chart">'
        f"<span>loss, from 0 to {highest:g}</span>"
        f'<svg viewBox="0 0 1 {highest:g}" preserveAspectRatio="none" aria-hidden="true">{lines}'
        "</svg><span>first step</span><span>last step</span></div>"
        "<p>On the published page, with JavaScript on, the model is trained here. This is the loss "
        f"of the chapter's own training. It ends at {ends}.</p></div>"
    )
    return figure


def _points(curve: Sequence[float], highest: float) -> str:
    last = max(1, len(curve) - 1)
    return " ".join(f"{i / last:.3f},{highest - min(highest, y):.2f}" for i, y in enumerate(curve))
