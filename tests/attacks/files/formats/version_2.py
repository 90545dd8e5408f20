# The format of 2011: no cell has metadata, so each is known by what it defines alone.
#
# /// expect
# notes = ["the metadata of 8 cells was gone and is put back, by what stands there"]
# ///

import json


def hand_in(notebook, path):
    cells = [
        {"cell_type": "code", "input": cell.source, "language": "python", "outputs": []}
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    path.write_text(json.dumps({"nbformat": 2, "worksheets": [{"cells": cells}]}))
