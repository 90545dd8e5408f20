# The student's name is a formula for a spreadsheet.
#
# /// expect
# student = "=cmd|' -C calc'!A0"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
