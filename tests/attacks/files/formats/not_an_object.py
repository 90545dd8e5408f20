# JSON, but a list.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a notebook"]
# ///


def hand_in(notebook, path):
    path.write_text("[1, 2, 3]")
