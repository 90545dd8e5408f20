# Names and tags of cells are numbers, lists and objects.
#
# /// expect
# notes = ["the metadata of 8 cells was gone and is put back, by what stands there"]
# ///

import json


def hand_in(notebook, path):
    odd = [7, None, ["double"], {"grade_id": "double"}, True, 1e400]
    for cell, value in zip(notebook.cells, odd * 3, strict=False):
        cell.metadata = {"nbgrader": {"grade_id": value}, "tags": value, "collapsed": value}
    notebook.cells[0].metadata = {"nbgrader": "double"}
    notebook.cells[1].metadata = "double"
    path.write_text(json.dumps(notebook))
