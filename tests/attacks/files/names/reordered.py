# The student's name has characters that turn the line around.
#
# /// expect
# student = "ada\u202exslx.gnp"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
