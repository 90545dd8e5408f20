# An exercise longer than what is looked through: its calls decide, as ever.
#
# /// expect
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "def double(x):\n    return 2 * x\n" + "a=1;" * 100_000
    save(notebook, path)
