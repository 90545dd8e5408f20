# The check of a hard exercise is pointed at an easy one, and the other way around.
#
# /// expect
# double = "failed"
# softmax = "failed"
# notes = ["the locked cell check-double was edited", "the locked cell check-softmax was edited"]
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    ours, theirs = cell_of(notebook, "check-double"), cell_of(notebook, "check-softmax")
    ours.metadata, theirs.metadata = theirs.metadata, ours.metadata
    for name in ("double", "softmax"):
        cell_of(notebook, name).source = f"def {name}(x, dim=-1):\n    return x"
    save(notebook, path)
