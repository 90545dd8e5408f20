# The notebook has another name: its cells say which chapter it is.
#
# /// expect
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path.with_name("Untitled (1).ipynb"))
