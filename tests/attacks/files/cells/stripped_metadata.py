# Every cell has lost its metadata, as some converters do.
#
# /// expect
# notes = ["the metadata of 8 cells was gone and is put back, by what stands there"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    for cell in notebook.cells:
        cell.metadata = {}
    save(notebook, path)
