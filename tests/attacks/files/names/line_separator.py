# The student's folder is named with U+2028, at which some readers of JSON end a line.
#
# /// expect
# student = "ada\u2028{}"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
