# The student's folder is a formula for spreadsheets that take a full-width sign for the sign.
#
# /// expect
# student = "\uff1d1+1"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
