# The time zone's name is the path of a file, which is no time zone's.
#
# /// expect
# notes = ["timestamp.txt"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    (path.parent / "timestamp.txt").write_text("2026-03-01 10:00:00 /etc/passwd")
