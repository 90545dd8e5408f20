# Lists in lists, a hundred thousand deep.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["nested too deeply"]
# ///


def hand_in(notebook, path):
    path.write_text("[" * 100_000 + "]" * 100_000)
