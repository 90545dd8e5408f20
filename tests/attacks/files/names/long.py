# The student's name is as long as a file name may be.
#
# /// expect
# letters = 255
# status = "invalid"
# every = "missing"
# notes = ["a name that cannot be an id"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
