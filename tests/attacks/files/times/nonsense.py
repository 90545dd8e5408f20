# The time of handing in is no time, or one before the world began.
#
# /// expect
# notes = ["timestamp.txt"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    (path.parent / "timestamp.txt").write_bytes(b"\xff\x00 0000-99-99 =1+1")
