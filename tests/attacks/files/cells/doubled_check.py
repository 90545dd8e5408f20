# A check is there many times, as if its points would add up.
#
# /// expect
# double = "failed"
# notes = ["the cell check-double was there more than once"]
# ///

import copy

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "def double(x):\n    return x"
    for number in range(50):
        again = copy.deepcopy(cell_of(notebook, "check-double"))
        notebook.cells.append(again | {"id": f"again-{number}"})
    save(notebook, path)
