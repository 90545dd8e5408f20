"""Links from a chapter to the glossary: each term where it first stands in the prose.

A term that the text links itself, by `{term}`, is left to that link.
"""

import re
from pathlib import Path

from course import CHAPTER
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import is_exercise_node

GLOSSARY = "glossary"
BLOCK = re.compile(r"^:{3,}\{glossary\}\s*\n(?P<entries>.*?)^:{3,}\s*$", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^(?=\w)(?P<term>.+?)\s*$", re.MULTILINE)

# Where a word is not prose, or already leads somewhere.
NOT_PROSE = (
    nodes.title,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.raw,
    nodes.reference,
    nodes.caption,
    nodes.table,
    nodes.emphasis,
    addnodes.pending_xref,
)
OWN_NODES = ("quiz_question", "quiz_label", "exercise_title")


def terms(book: Path) -> list[str]:
    """The glossary's words, long ones first: "soft attention" before "attention"."""
    text = (book / f"{GLOSSARY}.md").read_text(encoding="utf-8")
    entries = [
        entry["term"]
        for block in BLOCK.finditer(text)
        for entry in ENTRY.finditer(block["entries"])
    ]
    return sorted(entries, key=len, reverse=True)


def pattern(words: list[str]) -> re.Pattern:
    """Finds any of the terms as a whole word, also in the plural and at a sentence's start."""
    spelled = [
        f"[{word[0].upper()}{word[0]}]{re.escape(word[1:])}" if word[0].islower() else word
        for word in words
    ]
    return re.compile(rf"(?<![\w-])(?P<term>{'|'.join(spelled)})s?(?![\w-])")


def is_prose(text: nodes.Text) -> bool:
    """Whether a text stands in a paragraph of its own right."""
    node = text.parent
    while node is not None:
        if (
            isinstance(node, NOT_PROSE)
            or type(node).__name__ in OWN_NODES
            or is_exercise_node(node)
        ):
            return False
        node = node.parent
    return True


def link_terms(app: Sphinx, doctree: nodes.document) -> None:
    """Link each term where it first stands."""
    if not CHAPTER.fullmatch(app.env.docname):
        return
    words = terms(Path(app.srcdir))
    unlinked = {word.lower(): word for word in words}
    for link in doctree.findall(addnodes.pending_xref):
        if link.get("reftype") == "term":
            unlinked.pop(link["reftarget"].lower(), None)
    find = pattern(words)
    for paragraph in list(doctree.findall(nodes.paragraph)):
        for text in [text for text in paragraph.findall(nodes.Text) if is_prose(text)]:
            pieces, done = [], 0
            for match in find.finditer(text):
                term = unlinked.pop(match["term"].lower(), None)
                if term is None:
                    continue
                pieces += [nodes.Text(text[done : match.start()]), reference(term, match[0])]
                done = match.end()
            if pieces:
                text.parent.replace(text, [*pieces, nodes.Text(text[done:])])


def reference(term: str, words: str) -> addnodes.pending_xref:
    """What Sphinx makes of `{term}`, marked as one that came by itself."""
    shown = nodes.inline("", words, classes=["xref", "std", "std-term", "first-term"])
    return addnodes.pending_xref(
        "", shown, refdomain="std", reftype="term", reftarget=term, refexplicit=True, refwarn=True
    )


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", link_terms)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
