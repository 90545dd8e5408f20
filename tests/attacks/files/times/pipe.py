# The time of handing in is a pipe that nobody writes into.
#
# /// expect
# notes = ["timestamp.txt"]
# ///

import os

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    os.mkfifo(path.parent / "timestamp.txt")
