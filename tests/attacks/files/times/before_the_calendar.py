# A moment of the year 1, which in UTC would be before it.
#
# /// expect
# notes = ["timestamp.txt"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    (path.parent / "timestamp.txt").write_text("0001-01-01 00:00:00 +14:00")
