"""`{show}`: words of the text that bring a figure to what they speak of.

    {show}`"get" takes most from "milk" <asks=get>`

They move the figure beside them, or the one on the chapter's first screen, or else the first that
has what they name (`_static/cues.js`):
of a stage `asks` (an item or its place), `time`, `head`, `leak`, `sharpness` or `query`; of a chart
its parameters by their names; in a figure in which a model works the `text` that is typed there.
Without scripts they are words.
"""

import json
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole
from sphinx.writers.html5 import HTML5Translator

CUE = re.compile(r"(?P<words>.+?) *<(?P<state>[^<>]+)>", re.DOTALL)
STATES = {"asks", "time", "head", "leak", "sharpness", "query"}  # of a stage, as cues.js has them


class cue(nodes.General, nodes.Inline, nodes.TextElement):
    """The words, with the state that they speak of."""


class Show(SphinxRole):
    """The role."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        found = CUE.fullmatch(self.text)
        state = state_of(found["state"]) if found else None
        if not state:
            message = self.inliner.reporter.error(  # type: ignore[attr-defined]
                f"{{show}} takes words and a state, as in `words <asks=get>`, not {self.text!r}",
                line=self.lineno,
            )
            return [nodes.Text(self.text)], [message]
        return [cue("", found["words"], state=state)], []


def state_of(text: str) -> dict[str, str] | None:
    """The state as a cue gives it: names with their values; nothing where one has none."""
    pairs = [part.partition("=") for part in text.split(";")]
    if not all(name.strip() and sign and value.strip() for name, sign, value in pairs):
        return None
    return {name.strip(): value.strip() for name, _, value in pairs}


def visit(self: HTML5Translator, node: cue) -> None:
    self.body.append(
        self.starttag(node, "span", "", CLASS="cue", **{"data-show": json.dumps(node["state"])})
    )


def depart(self: HTML5Translator, node: cue) -> None:
    self.body.append("</span>")


def setup(app: Sphinx) -> dict:
    app.add_role("show", Show())
    app.add_node(cue, html=(visit, depart))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
