# The student's name is markup.
#
# /// expect
# student = "<script>alert(1)< script>"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
