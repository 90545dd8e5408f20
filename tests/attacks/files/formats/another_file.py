# A picture under the name of a notebook.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not UTF-8"]
# ///


def hand_in(notebook, path):
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
