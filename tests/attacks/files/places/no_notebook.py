# The folder is there, the notebook is not.
#
# /// expect
# status = "missing"
# every = "missing: no notebook"
# notes = ["no notebook was handed in"]
# ///


def hand_in(notebook, path):
    pass
