# The notebook is in UTF-16, as some editors save: it is read.
#
# /// expect
# ///

import nbformat


def hand_in(notebook, path):
    path.write_bytes(nbformat.writes(notebook).encode("utf-16"))
