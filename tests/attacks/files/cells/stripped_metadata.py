# Every cell has lost its metadata, as some converters do.
#
# /// expect
# notes = ["the cell double is missing", "the cell check-double is missing"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    for cell in notebook.cells:
        cell.metadata = {}
    save(notebook, path)
