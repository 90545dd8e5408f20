# An empty file.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["the file is empty"]
# ///


def hand_in(notebook, path):
    path.write_bytes(b" \n")
