# The notebook is a folder.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a plain file"]
# ///


def hand_in(notebook, path):
    path.mkdir()
