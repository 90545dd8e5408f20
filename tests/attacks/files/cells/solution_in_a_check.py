# The exercises are solved in locked cells, which are put back.
#
# /// expect
# double = "missing"
# notes = ["the locked cell check-double was edited", "the cell double is missing"]
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    cell_of(notebook, "check-double").source = cell_of(notebook, "double").source
    notebook.cells.remove(cell_of(notebook, "double"))
    save(notebook, path)
