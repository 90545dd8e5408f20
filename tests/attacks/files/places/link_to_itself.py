# The notebook is a link to itself.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["symbolic link"]
# ///


def hand_in(notebook, path):
    path.symlink_to(path)
