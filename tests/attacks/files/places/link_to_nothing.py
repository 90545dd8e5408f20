# The notebook is a link to nothing.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["symbolic link"]
# ///


def hand_in(notebook, path):
    path.symlink_to("nowhere")
