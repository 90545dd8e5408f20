# The notebook is a pipe that nobody writes into.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a plain file"]
# ///

import os


def hand_in(notebook, path):
    os.mkfifo(path)
