# The checks say that all is well.
#
# /// expect
# double = "failed"
# notes = ["the locked cell check-double was edited"]
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "def double(x):\n    return x"
    cell_of(notebook, "check-double").source = "print('passed')\n1.0"
    cell_of(notebook, "check-double").metadata.nbgrader.locked = False
    save(notebook, path)
