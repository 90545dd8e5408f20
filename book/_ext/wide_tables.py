"""Tables that scroll on a phone, marked: their other columns need not be squeezed.

A browser gives each column what its longest word needs, and a column of short words then becomes a
tall one, though the table scrolls all the same. Code in a table stays whole, so it is such a word.
"""

from docutils import nodes
from sphinx.application import Sphinx

FITS = 46  # letters, beside each other on a phone
MOST = 3  # columns of sentences; more are columns of numbers, which may be narrow
EDGES = 2  # as wide as so many letters are a cell's edges
FORMULA = 8  # about so many letters is one wide


def longest(cell: nodes.entry) -> int:
    """The letters of the longest word, or of the longest code."""
    lengths = [0]
    for node in cell.findall(
        lambda node: isinstance(node, nodes.literal | nodes.math | nodes.Text)
    ):
        if isinstance(node, nodes.literal):
            lengths.append(len(node.astext()))
        elif isinstance(node, nodes.math):
            lengths.append(FORMULA)
        elif not isinstance(node.parent, nodes.literal | nodes.math):
            lengths += map(len, node.astext().split())
    return max(lengths)


def mark(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for table in doctree.findall(nodes.table):
        rows = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)]
        columns = [max(map(longest, column)) for column in zip(*rows, strict=False)]
        if len(columns) <= MOST and sum(columns) + EDGES * len(columns) > FITS:
            table["classes"].append("wide")


def setup(app: Sphinx) -> dict:
    app.connect("doctree-resolved", mark, priority=400)  # before formulas are colored
    return {"parallel_read_safe": True, "parallel_write_safe": True}
