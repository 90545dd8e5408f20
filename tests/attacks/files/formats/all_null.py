# A file of the right size, all of it null bytes.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not valid JSON"]
# ///

import nbformat


def hand_in(notebook, path):
    path.write_bytes(bytes(len(nbformat.writes(notebook))))
