# The checks are worth a thousand points each, or no number at all.
#
# /// expect
# double = "failed"
# notes = ["the metadata of the cell check-double was edited"]
# ///

import json

from tests.attacks.corpus import cell_of


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "def double(x):\n    return x"
    worth = [1000, 1e308, -5, "1000", float("nan"), None, [1000], True]
    checks = [cell for cell in notebook.cells if "check" in cell.get("id", "")]
    for cell, points in zip(checks, worth, strict=False):
        cell.metadata.nbgrader.points = points
    path.write_text(json.dumps(notebook))
