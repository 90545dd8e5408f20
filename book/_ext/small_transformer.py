"""`{transformer}`: a drawing of a whole, small Transformer that works, for the front page.

Each part is a link to the chapter that builds it, and is filled when that is read
(`_static/progress.js`). The model of chapter 11, which translates dates, runs in it
(`_static/transformer.js`, `transformer.css`); without scripts it is a drawing with links.
"""

import html
from pathlib import Path
from typing import NamedTuple

from course import chapters, module_of
from docutils import nodes
from emblems import emblem
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FIGURE = 'class="live transformer"'
SOURCES = ["22 décembre 2015", "3 mai 2009", "May 4, 1987"]


class Part(NamedTuple):
    """A part: its chapter's module, a section of it, its name, and what it does."""

    module: str
    section: str
    name: str
    does: str


# Down each side, in about the order of the work, some within others. The script fills them by name.
READS = {
    "embedding": Part("self_attention", "one-word-one-vector", "Vectors", "64 numbers a letter"),
    "positions": Part("positions", "", "Positions", "added: where each stands"),
    "self": Part(
        "self_attention", "three-roles-for-one-word", "Self-attention", "letters look at letters"
    ),
    "heads": Part("multi_head", "", "Heads", "four looks at a time"),
    "norm": Part(
        "transformer_block", "add-do-not-replace", "Residual, norm", "added, and kept in bounds"
    ),
    "feed": Part(
        "transformer_block",
        "a-small-network-for-every-position",
        "Feed-forward",
        "128 units a letter",
    ),
}
WRITES = {
    "mask": Part("masked", "", "Masked self-attention", "no look at what comes"),
    "cross": Part(
        "encoder_decoder",
        "cross-attention-who-asks-whom",
        "Cross-attention",
        "it asks what was read",
    ),
    "align": Part("bahdanau", "", "Alignment", "which letter for which digit"),
    "fed": Part("transformer_block", "the-block", "Block", "attention, feed-forward"),
    "softmax": Part("softmax", "", "Softmax", "scores become shares"),
    "next": Part("writer", "which-token-is-drawn", "Next symbol", "one is taken, and so on"),
}
WITHIN = {
    "lookup": Part("lookup", "", "Soft lookup", "the heart of every head"),
    "layer": Part("attention_layer", "", "Query, key, value", "the layer around it"),
}
ALONE = {
    "images": Part("vit", "", "For images", "patches instead of letters"),
    "encoder": Part("real_encoder", "", "The left side alone", "finds sentences by meaning"),
    "decoder": Part(
        "real_writer", "", "The right side alone", "a language model, without cross-attention"
    ),
}
COLUMNS = [
    ("reads", "The encoder reads", READS),
    ("writes", "The decoder writes", WRITES),
    ("within", "In every head", WITHIN),
    ("alone", "Larger, and elsewhere", ALONE),
]


class Transformer(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", self.figure(), format="html")]

    def figure(self) -> str:
        columns = "".join(self.column(*column) for column in COLUMNS)
        reads, writes = self.present(READS), self.present(WRITES)
        asks = ""  # where the way from the last part of the encoder to who asks it is drawn
        if "cross" in writes and reads:
            at = list(writes).index("cross") + 1
            asks = f' style="--reads: {len(reads)}; --writes: {len(writes)}; --at: {at}"'
        first, *others = map(html.escape, SOURCES)
        return (
            f'<figure {FIGURE} id="live-transformer" data-name="transformer" data-model="dates" '
            f'data-text="{first}" data-others="{"|".join(others)}" '
            'aria-label="A whole Transformer at work, whose parts lead to their chapters">'
            "<p>With JavaScript on, it translates dates here.</p>"
            f'<div class="transformer-columns"{asks}>{columns}</div></figure>'
        )

    def present(self, parts: dict[str, Part]) -> dict[str, tuple[Part, str]]:
        """Parts and their pages; where a chapter was taken out, its parts are too."""
        pages = {module_of(page): page for page in chapters(Path(self.env.srcdir))}
        return {
            name: (part, pages[part.module]) for name, part in parts.items() if part.module in pages
        }

    def column(self, kind: str, title: str, parts: dict[str, Part]) -> str:
        items = "".join(
            self.part(name, part, page) for name, (part, page) in self.present(parts).items()
        )
        return (
            f'<div class="transformer-column transformer-{kind}"><p>{title}</p>'
            f"<ol>{items}</ol></div>"
        )

    def part(self, name: str, part: Part, page: str) -> str:
        number = chapters(Path(self.env.srcdir))[page].number
        address = self.env.app.builder.get_relative_uri(self.env.docname, page)
        section = f"#{part.section}" if part.section else ""
        return (
            f'<li><a class="transformer-part" data-part="{name}" data-chapter="{page}" '
            f'href="{address}{section}">{emblem(page)}<span><b>{part.name}</b> '
            f"<small>{number} · {part.does}</small></span></a></li>"
        )


def setup(app: Sphinx) -> dict:
    app.add_directive("transformer", Transformer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
