# The notebook is a socket.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a plain file"]
# ///

import os
import socket


def hand_in(notebook, path):
    here = os.getcwd()
    os.chdir(path.parent)  # the full name is too long for a socket
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path.name)
    os.chdir(here)
