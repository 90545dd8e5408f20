# The time of handing in is a link to a file of the teacher's.
#
# /// expect
# notes = ["timestamp.txt"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    (path.parent / "timestamp.txt").symlink_to("/etc/passwd")
