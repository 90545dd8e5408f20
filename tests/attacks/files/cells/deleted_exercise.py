# An exercise's cell is deleted; its check finds nothing.
#
# /// expect
# double = "missing: not defined"
# notes = ["the cell double is missing"]
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    notebook.cells.remove(cell_of(notebook, "double"))
    save(notebook, path)
