# The notebook has another name.
#
# /// expect
# status = "missing"
# every = "missing: no notebook"
# notes = ["no notebook was handed in"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path.with_name("Untitled (1).ipynb"))
