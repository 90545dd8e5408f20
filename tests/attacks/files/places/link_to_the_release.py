# The notebook is a link to the course's own.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["symbolic link"]
# ///


def hand_in(notebook, path):
    path.symlink_to(path.parents[3] / "release" / path.parent.name / path.name)
