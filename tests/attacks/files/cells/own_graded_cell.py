# A graded cell of one's own, worth more than the chapter.
#
# /// expect
# double = "not started"
# notes = ["the cell check-me is not one of the release's"]
# ///

import nbformat

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    marks = dict(
        cell_of(notebook, "check-double").metadata.nbgrader, grade_id="check-me", points=100
    )
    mine = nbformat.v4.new_code_cell("100.0", id="mine", metadata={"nbgrader": marks})
    notebook.cells.append(mine)
    cell_of(notebook, "double").source = "def double(x):\n    raise NotImplementedError"
    save(notebook, path)
