"""Queries, keys, values and weights in their colors in the formulas, as in figures and code.

Notebooks hold plain formulas, which every notebook program can show. On the page a symbol that
stands for one of the four is wrapped in the macro with its color (`_config.yml` has those). The
same letter means other things in other chapters: what it means where is said here.
"""

import re
from collections.abc import Iterator

from course import CHAPTER
from docutils import nodes
from sphinx.application import Sphinx

MACROS = {"q": "q", "Q": "q", "k": "k", "K": "k", "v": "v", "V": "v", "\\alpha": "w", "A": "w"}

# By chapter: the symbols that always have their role, and those that have it only with an index or
# beside another role. k is a shift of positions, too, v Bahdanau's vector, and V most often the
# size of a vocabulary.
MEANT = {
    "01": ("q k v \\alpha", ""),
    "02": ("q k v Q K V \\alpha", ""),
    "03": ("\\alpha", ""),
    "04": ("q k Q K V A \\alpha", "v"),
    "05": ("q Q K V A", "k v"),
    "06": ("q Q K", "k v"),
    "07": ("Q K V v", ""),
    "08": ("Q K A", ""),
    "09": ("", "k v"),
    "10": ("Q K A", ""),
    "11": ("Q K A", "V"),
    "12": ("A", ""),
}
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
INDEX = re.compile(r"_(?:\{[^{}]*\}|\\?\w)")
# Words are no symbols; what follows one of these in braces is left as it is.
WORDS = {"\\text", "\\operatorname", "\\mathrm", "\\begin", "\\end", "\\tag", "\\label", "\\class"}
WORDS |= {"\\q", "\\k", "\\v", "\\w"}


def colored(formula: str, chapter: str) -> str:
    """The formula, each symbol of a role (with its index) in that role's macro."""
    always, in_company = (set(symbols.split()) for symbols in MEANT.get(chapter, ("", "")))
    letters = list(symbols(formula))
    roles = {MACROS[name] for _, _, name in letters if name in always}
    for start, end, name in reversed(letters):
        symbol = formula[start:end]
        accompanied = "_" in symbol or roles - {MACROS[name]}
        if name in always or (name in in_company and accompanied):
            formula = f"{formula[:start]}\\{MACROS[name]}{{{symbol}}}{formula[end:]}"
    return formula


def symbols(formula: str) -> Iterator[tuple[int, int, str]]:
    """Where each letter of a role stands, with its index: (start, end, letter).

    Letters that are an index or an exponent themselves are left out, and those of functions.
    """
    groups: list[bool] = []  # of each open brace: whether what it holds is left out
    before, at = "", 0
    for match in TOKEN.finditer(formula):
        token = match[0]
        if match.start() < at or token.isspace():
            continue
        if token == "{":
            groups.append(before in {"_", "^"} or before in WORDS)
        elif token == "}" and groups:
            groups.pop()
        elif token in MACROS and before not in {"_", "^"} and not any(groups):
            index = INDEX.match(formula, match.end())
            at = index.end() if index else match.end()
            rest = formula[at:]
            function = rest.startswith("(") and token in {"K", "Q"}
            vector = token == "v" and rest.startswith("^")  # Bahdanau's v, transposed
            if not function and not vector:
                yield match.start(), at, token
        before = token


def color(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.format != "html" or not (chapter := CHAPTER.fullmatch(docname)):
        return
    for node in doctree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
        formula = colored(node.astext(), chapter[1])
        node.children = [nodes.Text(formula)]


def setup(app: Sphinx) -> dict:
    app.connect("doctree-resolved", color)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
