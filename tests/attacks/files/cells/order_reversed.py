# The cells stand in reverse order: nothing that a definition needs is there.
#
# /// expect
# double = "failed: is not defined"
# softmax = "failed: is not defined"
# distance_scores = "failed: is not defined"
# LearnedPositions = "failed: is not defined"
# notes = ["The cell that defines"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    notebook.cells.reverse()
    save(notebook, path)
