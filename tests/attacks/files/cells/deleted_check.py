# A check's cell is deleted; the exercise is checked all the same.
#
# /// expect
# notes = ["the cell check-softmax is missing"]
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    notebook.cells.remove(cell_of(notebook, "check-softmax"))
    save(notebook, path)
