# The student's name has a line break and colors of the terminal.
#
# /// expect
# student = "ada\n\u001b[31mred"
# status = "invalid"
# every = "missing"
# notes = ["a name that cannot be an id"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
