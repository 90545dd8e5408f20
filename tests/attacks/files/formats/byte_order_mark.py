# A mark at the beginning, as some editors write.
#
# /// expect
# ///

import nbformat


def hand_in(notebook, path):
    path.write_bytes(b"\xef\xbb\xbf" + nbformat.writes(notebook).encode())
