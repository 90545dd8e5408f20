# The chapter's folder is a link to the folder of the release.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["symbolic link"]
# ///


def hand_in(notebook, path):
    path.parent.rmdir()
    path.parent.symlink_to(path.parents[3] / "release" / path.parent.name)
