"""Text cells of a submission in the copy that is kept: nothing in them runs or loads on a page."""

import re

from nbformat import NotebookNode

from autograder.grading.course.released import ReleasedChapter
from autograder.grading.text import visible

# Markup, links, pictures, references and entities: with none of these, Markdown is words. So it
# is without headings: a page makes their text the ids by which its scripts find things.
_LIVELY = re.compile(
    r"[<&]|\]\s*[(\[:]|https?:|www\.|javascript:"
    r"|(?:^|[\s>])#{1,6}[ \t]|\S[ \t]*\n[ \t>]*(?:=+|-+)[ \t]*(?:\n|$)",
    re.IGNORECASE,
)
CHARACTERS = 10**6  # of all of a notebook's text cells that are not the release's
CUT_OFF = "\n[The text was cut off here; it is whole in what was handed in.]"


def quote_text_cells(notebook: NotebookNode, chapter: ReleasedChapter) -> None:
    """Show the text cells that are not the release's as what was typed.

    nbconvert, and so nbgrader's formgrader, puts raw cells and the markup in Markdown on its pages
    as they are, scripts included.
    """
    room = CHARACTERS
    for cell in notebook.cells:
        if cell.cell_type == "code" or cell.source in chapter.demos:
            continue
        # Cut off before it is made visible: a hidden character takes six to show.
        text = visible(cell.source[:room])
        text = text[:room] + CUT_OFF if max(len(text), len(cell.source)) > room else text
        room = max(0, room - len(text))
        if cell.cell_type == "raw" or text != cell.source or _LIVELY.search(text):
            longest = max(map(len, re.findall("`+", text)), default=0)
            fence = "`" * max(3, longest + 1)
            cell.cell_type, cell.source = "markdown", f"{fence}text\n{text}\n{fence}"
