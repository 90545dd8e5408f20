# The student's name looks like an option of a command.
#
# /// expect
# student = "--unsafe-no-sandbox"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
