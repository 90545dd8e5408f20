# A notebook of 30 MB.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["30 MiB without its outputs; at most 20 MiB"]
# ///


def hand_in(notebook, path):
    path.write_bytes(b" " * (30 * 2**20))
