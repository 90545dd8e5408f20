# Halves of characters, which no file can hold: in sources, names and text.
#
# /// expect
# double = "failed"
# notes = ["is not one of the release's"]
# ///

import json

import nbformat

from tests.attacks.corpus import cell_of


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "def double(x):\n    raise ValueError('\ud800 \udfff')"
    notebook.cells.append(nbformat.v4.new_markdown_cell("\udc80", id="half"))
    notebook.cells[-1].metadata.nbgrader = {"grade_id": "\ud83d"}
    path.write_text(json.dumps(notebook))
