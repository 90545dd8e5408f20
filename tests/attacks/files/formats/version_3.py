# The format of 2014, with worksheets: it is graded like any other.
#
# /// expect
# ///

import nbformat


def hand_in(notebook, path):
    path.write_text(nbformat.writes(nbformat.convert(notebook, 3), version=3))
