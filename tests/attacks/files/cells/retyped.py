# Exercise and check are turned into text: they are code again.
#
# /// expect
# notes = ["the cell double had its type changed", "the cell check-double had its type changed"]
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    for name, kind in (("double", "markdown"), ("check-double", "raw")):
        cell_of(notebook, name).cell_type = kind
    save(notebook, path)
