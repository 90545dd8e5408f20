# A notebook without a cell.
#
# /// expect
# every = "missing"
# notes = ["the cells double and check-double and "]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    notebook.cells.clear()
    save(notebook, path)
