# An exercise is there twice, first right, then wrong: the last one is graded.
#
# /// expect
# double = "failed"
# notes = ["the cell double was there more than once"]
# ///

import copy

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    again = copy.deepcopy(cell_of(notebook, "double"))
    again.update(id="again", source="def double(x):\n    return x")
    notebook.cells.insert(notebook.cells.index(cell_of(notebook, "double")) + 1, again)
    save(notebook, path)
