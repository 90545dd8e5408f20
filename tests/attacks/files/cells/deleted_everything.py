# A notebook without a cell.
#
# /// expect
# every = "missing"
# notes = ["the cell double is missing", "the cell check-double is missing"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    notebook.cells.clear()
    save(notebook, path)
