"""What the search page searches: the text of every section, written as one script.

The page's scripts are in `book/_search`: MiniSearch, what finds sections by it, and what shows
them. A result opens at its section. What the sections are called is a small script by itself, which
the search fields of all pages suggest from (`_static/suggesting.js`).
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

# Not searched: code and what it printed, formulas in a line of their own, what is no text.
LEFT_OUT = (
    *(nodes.literal_block, nodes.doctest_block, nodes.raw, nodes.comment, nodes.image),
    *(nodes.math_block, nodes.title, nodes.target),
)
YEAR = re.compile(r".*?(\d{4})\w?$")  # a source is cited by a name that ends in its year
UNLISTED = {"inventory", "progress", "review", "search"}
EVERYWHERE = {"Sources", "Summary"}  # headings that name no section


def is_section(node: nodes.Node) -> bool:
    """Whether a node is found by itself: a section with a title, or a term of the glossary.

    An exercise's content is a section without a title, and belongs to the one around it.
    """
    if isinstance(node, nodes.definition_list_item):
        return bool(node[0]["ids"])
    return isinstance(node, nodes.section) and isinstance(node.next_node(), nodes.title)


def words(node: nodes.Node) -> Iterator[str]:
    """The text of a node without that of the sections in it."""
    if isinstance(node, nodes.Text):
        yield node.astext()
    elif isinstance(node, nodes.math):
        yield "…"
    elif isinstance(node, nodes.Element) and node.get("refdomain") == "cite":
        yield YEAR.sub(r"[\1]", node.astext())
    elif not isinstance(node, LEFT_OUT) and not (isinstance(node, nodes.term) and node["ids"]):
        for child in node.children:
            if not is_section(child):
                yield from words(child)
        if not isinstance(node, nodes.Inline):
            yield " "


def sections(doctree: nodes.document, page: str) -> list[tuple[str, str, str, str, str]]:
    """Of each section: its page, its place there, the page's title, its own title, its text."""
    entries: list[tuple[str, str, str, str, str]] = []
    title = ""
    for section in doctree.findall(is_section):
        own = section.next_node(lambda node: isinstance(node, nodes.title | nodes.term))
        title = title or own.astext()
        term = isinstance(own, nodes.term)
        anchor = (own if term else section)["ids"][0] if entries else ""
        text = " ".join("".join(words(section)).split())
        entries.append((page, anchor, title, own.astext(), text))
    return entries


def write(app: Sphinx, error: Exception | None) -> None:
    """Lay the scripts of the search page into the site."""
    if error or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "search"
    shutil.copytree(Path(app.srcdir) / "_search", target, dirs_exist_ok=True)
    listed = [
        section
        for page in sorted(set(app.env.found_docs) - UNLISTED)
        for section in sections(app.env.get_doctree(page), page)
    ]
    names = sorted({section[3] for section in listed} - EVERYWHERE, key=str.casefold)
    for name, variable, content in (
        ("sections", "courseSections", listed),
        ("names", "courseNames", names),
    ):
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        (target / f"{name}.js").write_text(f"window.{variable} = {text};\n", encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
