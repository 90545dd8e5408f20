# Every cell says that it need not be run.
#
# /// expect
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    for cell in notebook.cells:
        cell.metadata["tags"] = ["ungraded", "remove-cell", "hide-input"]
    save(notebook, path)
