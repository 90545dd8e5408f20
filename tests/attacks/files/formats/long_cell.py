# A long cell that no exercise needs.
#
# /// expect
# ///

import nbformat

from tests.attacks.corpus import save


def hand_in(notebook, path):
    notebook.cells.insert(1, nbformat.v4.new_code_cell("a\n" * 120_000, id="large"))
    save(notebook, path)
