# Every cell of the release has another name.
#
# /// expect
# notes = ["is not one of the release's", "the metadata of 8 cells was gone and is put back"]
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id = "my-" + cell.metadata.nbgrader.grade_id
    save(notebook, path)
