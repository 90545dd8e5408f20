# The notebook is in UTF-16.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not UTF-8"]
# ///

import nbformat


def hand_in(notebook, path):
    path.write_bytes(nbformat.writes(notebook).encode("utf-16"))
