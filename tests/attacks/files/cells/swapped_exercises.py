# Two exercises change names: each is checked for what it defines.
#
# /// expect
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    ours, theirs = cell_of(notebook, "double"), cell_of(notebook, "softmax")
    ours.metadata, theirs.metadata = theirs.metadata, ours.metadata
    save(notebook, path)
