# The student's name is dots that a path might take for a folder above.
#
# /// expect
# student = "ada.."
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
