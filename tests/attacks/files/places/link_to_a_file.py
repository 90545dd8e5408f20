# The notebook is a link to a file of the teacher's.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["symbolic link"]
# ///


def hand_in(notebook, path):
    path.symlink_to("/etc/passwd")
