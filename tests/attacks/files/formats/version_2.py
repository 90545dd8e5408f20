# The format of 2011: no cell has metadata, so each is known by what it defines alone.
#
# /// expect
# notes = ["the cell double is missing"]
# ///

import json


def hand_in(notebook, path):
    cells = [
        {"cell_type": "code", "input": cell.source, "language": "python", "outputs": []}
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    path.write_text(json.dumps({"nbformat": 2, "worksheets": [{"cells": cells}]}))
