# Headings whose text is the id by which the formgrader's script finds a score's field.
#
# /// expect
# ///

from nbformat.v4 import new_markdown_cell

from tests.attacks.corpus import save

HEADINGS = (
    "# check-double",
    "### check-double ###",
    "> # double-comment",
    "1. # check-double",
    "- x\n\n  # *check*-double",
    "check-double\n===",
    "> check-double\n> ---",
    "#\tstatusmessage",
)


def hand_in(notebook, path):
    notebook.cells[:0] = [
        new_markdown_cell(text, id=f"heading-{i}") for i, text in enumerate(HEADINGS)
    ]
    save(notebook, path)
