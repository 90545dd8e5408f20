# The upload broke off.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not valid JSON"]
# ///

import nbformat


def hand_in(notebook, path):
    path.write_text(nbformat.writes(notebook)[:-500])
