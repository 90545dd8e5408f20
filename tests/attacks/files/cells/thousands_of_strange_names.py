# Thousands of cells with names that the release does not know: the notes stay few.
#
# /// expect
# notes = ["is not one of the release's", "more"]
# ///

import nbformat

from tests.attacks.corpus import save


def hand_in(notebook, path):
    for number in range(3000):
        cell = nbformat.v4.new_markdown_cell("", id=f"c{number}")
        cell.metadata.nbgrader = {"grade_id": f"line\nbreak \u202e{number}"}
        notebook.cells.append(cell)
    save(notebook, path)
