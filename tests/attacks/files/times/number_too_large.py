# The time of handing in has an offset that no computer's integer holds.
#
# /// expect
# notes = ["timestamp.txt"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    (path.parent / "timestamp.txt").write_text("2026-03-01 10:00:00 " + "9" * 40)
