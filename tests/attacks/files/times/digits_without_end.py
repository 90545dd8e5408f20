# The time of handing in is a number that a decimal's own arithmetic gives up on.
#
# /// expect
# notes = ["timestamp.txt"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    (path.parent / "timestamp.txt").write_text("0.9h" + "9" * 60)
