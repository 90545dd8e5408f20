"""The figure in which one of the course's models writes in the page, and shows how it looks back.

A notebook trains the model and keeps it in `_static/models/NAME.safetensors`. The page computes
with it (`_static/attention.js`, `_static/writing.js`) once the reader asks for it.
"""

import html


class Writing:
    """The figure as a notebook's output: HTML that the page brings alive, and its description."""

    def __init__(self, model: str, text: str, alt: str, name: str):
        if not alt.strip():
            raise ValueError("writing_figure: a figure needs a description; alt is empty")
        for called, word in (("model", model), ("name", name)):
            if not word.replace("-", "").isalnum():
                raise ValueError(
                    f"writing_figure: a {called} is made of letters, digits and hyphens, "
                    f"not {word!r}"
                )
        self.model, self.text, self.alt, self.name = model, text, alt, name

    def __repr__(self) -> str:
        return f"Figure to write with: {self.alt}"

    def _repr_html_(self) -> str:
        text, alt = html.escape(self.text), html.escape(self.alt, quote=False)
        return (
            f'<figure class="writing" id="writing-{self.name}" data-name="{self.name}" '
            f'data-model="{self.model}" data-text="{text}">'
            "<p>The model writes in the published page, where scripts run.</p>"
            f"<figcaption>{alt}</figcaption></figure>"
        )


def writing_figure(model: str, text: str, alt: str, name: str) -> Writing:
    """A model of the course to write with; the last value of a cell.

    `model` is the name of a file in `_static/models`, without its ending; `text` is what stands
    there at first, in the model's own characters. `alt` says what can be done and what is seen
    then; `name` is short and unique in its page. Raises ValueError without a description.
    """
    return Writing(model, text, alt, name)
