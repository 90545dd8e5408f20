# The cells stand in reverse order: nothing is defined when it is checked.
#
# /// expect
# double = "missing"
# softmax = "missing"
# distance_scores = "missing"
# LearnedPositions = "missing"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    notebook.cells.reverse()
    save(notebook, path)
