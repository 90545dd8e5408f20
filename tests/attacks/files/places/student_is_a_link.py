# The student's folder is a link to a folder with a notebook.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["symbolic link"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    path.parent.rmdir()
    path.parents[1].rmdir()
    elsewhere = path.parents[3] / "elsewhere"
    (elsewhere / path.parent.name).mkdir(parents=True)
    save(notebook, elsewhere / path.parent.name / path.name)
    path.parents[1].symlink_to(elsewhere)
