"""A chapter in two layers, to read and to build: what only building needs is a line that opens.

Code, exercises with all that helps with them, questions on what was read (not those to guess at
first), and long tables and printed text stand each in a `<details>` that is open in the page as it
is stored, so that print, PDF and browsers without scripts show everything. What folds them for a
reader is `_templates/layout.html`, before they are painted, and `_static/layers.js`.
"""

import ast
import html
import re
from copy import copy
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from quiz import quiz
from reader import fold_of, is_cell, part, shown, source_of
from sphinx.application import Sphinx
from sphinx_exercise.nodes import is_exercise_node

END = "</details>"
NAMES = 2  # of what a cell defines, in its line
BROAD = "printed-broad"  # the class of a cell that prints lines too long for a margin
BROADEST = 50  # letters
LONGEST = 8  # lines of printed text, or rows of a table, that a reader sees at once
SHOWN_WHOLE = "shown-whole"  # the tag of a cell whose printed text is read, however long it is
TITLE = re.compile(r"^(Exercise [\d.]+) \((.*)\)$", re.DOTALL)


def defined(code: str) -> list[str]:
    """What a cell makes: its functions and classes, or else the names that it gives."""
    try:
        statements = ast.parse(code).body
    except SyntaxError:  # a line for the notebook alone
        return []
    definitions = [
        node.name for node in statements if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    if definitions:
        return definitions
    targets = [one for node in statements if isinstance(node, ast.Assign) for one in node.targets]
    names = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return list(dict.fromkeys(name.id for name in names if isinstance(name.ctx, ast.Store)))


def in_a_line(code: str) -> str:
    """A cell's line: what it makes, and how long it is."""
    lines = len([line for line in code.splitlines() if line.strip()])
    length = "1 line" if lines == 1 else f"{lines} lines"
    names = defined(code)
    more = ["…"] if len(names) > NAMES else []
    words = ", ".join([f"<code>{html.escape(name)}</code>" for name in names[:NAMES]] + more)
    return f"Code: {words}, {length}" if words else f"Code: {length}"


def opening(kind: str, words: str = "") -> nodes.raw:
    text = f'<details class="layer layer-{kind}" open><summary>{words}</summary>'
    return nodes.raw("", text, format="html")


def closing() -> nodes.raw:
    return nodes.raw("", END, format="html")


def lay(app: Sphinx, doctree: nodes.document) -> None:
    """Put code and exercises into their folds."""
    for cells in unfolded_cells(doctree):
        first, last = cells[0], cells[-1]
        line = opening("code", in_a_line("\n".join(source_of(cell) for cell in cells)))
        if shown(first):  # its code alone: what it shows is read
            code = part(first, "cell_code_source")
            at = first.index(code)
            first[at : at + 1] = [line, code, closing()]
            continue
        parent = first.parent
        parent.insert(parent.index(last) + 1, closing())
        parent.insert(parent.index(first), line)
    for exercise in list(doctree.findall(is_exercise_node)):
        parent = exercise.parent
        first = last = parent.index(exercise)
        if last + 1 < len(parent) and "exercise-help" in parent[last + 1].astext():
            while parent[last].astext() != END:
                last += 1
        parent.insert(last + 1, closing())
        parent.insert(first, opening("exercise"))
    chapter = app.env.docname[:2].isdigit()  # elsewhere questions are what a page is for
    for question in list(doctree.findall(quiz)) if chapter else ():
        if not question.get("before") and isinstance(question.parent, nodes.section):
            fold(question, opening("quiz"))
    for table in list(doctree.findall(nodes.table)):
        rows = len(list(table.findall(nodes.row))) - 1
        if rows > LONGEST and isinstance(table.parent, nodes.section):
            first = next(table.findall(nodes.row))
            columns = ", ".join(entry.astext() for entry in first if entry.astext())
            fold(table, opening("table", html.escape(f"Table: {columns}, {rows} rows")))
    for block in list(doctree.findall(nodes.literal_block)):
        lines = block.astext().strip().splitlines()
        if block.parent.get("nb_element") != "cell_code_output":
            continue
        if max(map(len, lines), default=0) > BROADEST:
            block.parent.parent["classes"].append(BROAD)
        metadata = block.parent.parent["cell_metadata"]
        if len(lines) > LONGEST and SHOWN_WHOLE not in metadata.get("tags", []):
            fold(block, opening("output", printed(lines, metadata)))


def printed(lines: list[str], metadata: dict[str, Any]) -> str:
    """The line over what a cell prints: in its own words, if its metadata has them."""
    if words := metadata.get("printed"):
        return f"Printed: {html.escape(words)}"
    return f"Printed: {len(lines)} lines, from <code>{html.escape(lines[0].strip())}</code>"


def fold(node: nodes.Node, line: nodes.raw) -> None:
    """Put one node into a fold."""
    at = node.parent.index(node)
    node.parent.insert(at + 1, closing())
    node.parent.insert(at, line)


def unfolded_cells(doctree: nodes.document) -> list[list[nodes.container]]:
    """Cells whose code is not folded: those that show nothing and follow each other together."""
    groups: list[list[nodes.container]] = []
    for cell in list(doctree.findall(is_cell)):
        if not source_of(cell) or fold_of(cell) is not None or cell.get("hide_mode"):
            continue
        before = groups[-1][-1] if groups else None
        follows = before is not None and before.next_node(descend=False, siblings=True) is cell
        if follows and not shown(before) and not shown(cell):
            groups[-1].append(cell)
        else:
            groups.append([cell])
    return groups


def show_first(soup: BeautifulSoup, *_: object) -> None:
    """Put what a cell shows before its code where both are in one fold."""
    for code in soup.select(".cell.tag_hide-cell > details > .cell_input"):
        code.parent.append(code)


def name_lines(soup: BeautifulSoup, *_: object) -> None:
    """Give an exercise's line its number and title, and a question's its words.

    They have them when all pages are read.
    """
    for fold in soup.select("details.layer-exercise"):
        title = fold.select_one(".exercise > .admonition-title").get_text()
        fold.summary.string = TITLE.sub(r"\1: \2", " ".join(title.split()))
    for fold in soup.select("details.layer-quiz"):
        number, words = fold.select_one(".quiz-number"), copy(fold.select_one(".quiz-question > p"))
        for link in words("a"):
            link.unwrap()
        for named in words(id=True):
            del named["id"]
        fold.summary.extend([f"{number.get_text().removesuffix('.')}: ", *list(words.children)])


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", lay, priority=302)  # after the reader's page is made
    return {"parallel_read_safe": True, "parallel_write_safe": True}
