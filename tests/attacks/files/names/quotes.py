# The student's name has quotes, commas and a percent sign.
#
# /// expect
# student = "a\"b','%s{0}; drop table grade; --"
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
