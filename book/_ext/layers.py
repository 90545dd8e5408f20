"""A chapter in two layers, to read and to build: what only building needs is a line that opens.

Code and exercises with all that helps with them stand each in a `<details>` that is open in the
page as it is stored, so that print, PDF and browsers without scripts show everything. What folds
them for a reader is `_templates/layout.html`, before they are painted, and `_static/layers.js`.
"""

import ast
import html
import re

from bs4 import BeautifulSoup
from docutils import nodes
from reader import fold_of, is_cell, part, shown, source_of
from sphinx.application import Sphinx
from sphinx_exercise.nodes import is_exercise_node

END = "</details>"
NAMES = 2  # of what a cell defines, in its line
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
    for run in runs(doctree):
        first, last = run[0], run[-1]
        line = opening("code", in_a_line("\n".join(source_of(cell) for cell in run)))
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


def runs(doctree: nodes.document) -> list[list[nodes.container]]:
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


def name_exercises(soup: BeautifulSoup, *_: object) -> None:
    """Give each exercise's line its number and title, which it has when all pages are read."""
    for fold in soup.select("details.layer-exercise"):
        title = fold.select_one(".exercise > .admonition-title").get_text()
        fold.summary.string = TITLE.sub(r"\1: \2", " ".join(title.split()))


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", lay, priority=302)  # after the reader's page is made
    return {"parallel_read_safe": True, "parallel_write_safe": True}
