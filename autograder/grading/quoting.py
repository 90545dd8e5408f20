"""Text cells of a submission in the copy that is kept: nothing in them runs or loads on a page."""

import re

from nbformat import NotebookNode

from autograder.grading.notebook import Chapter
from autograder.grading.text import visible

# Markup, links, pictures, references and entities: with none of these, Markdown is words.
_LIVELY = re.compile(r"[<&]|\]\s*[(\[:]|https?:|www\.|javascript:", re.IGNORECASE)


def quote_text_cells(notebook: NotebookNode, chapter: Chapter) -> None:
    """Show the text cells that are not the release's as what was typed.

    nbconvert, and so nbgrader's formgrader, puts raw cells and the markup in Markdown on its pages
    as they are, scripts included.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code" or cell.source in chapter.demos:
            continue
        text = visible(cell.source)
        if cell.cell_type == "raw" or text != cell.source or _LIVELY.search(text):
            longest = max(map(len, re.findall("`+", text)), default=0)
            fence = "`" * max(3, longest + 1)
            cell.cell_type, cell.source = "markdown", f"{fence}text\n{text}\n{fence}"
