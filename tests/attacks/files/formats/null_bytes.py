# Null bytes between the characters.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not valid JSON"]
# ///

import nbformat


def hand_in(notebook, path):
    path.write_bytes(nbformat.writes(notebook).encode().replace(b"cells", b"ce\0lls"))
