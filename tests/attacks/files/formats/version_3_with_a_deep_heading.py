# A heading of format 3 whose level is a billion: as many number signs.
#
# /// expect
# ///

import json

import nbformat


def hand_in(notebook, path):
    old = json.loads(nbformat.writes(nbformat.convert(notebook, 3), version=3))
    heading = {"cell_type": "heading", "level": 10**9, "metadata": {}, "source": "deep"}
    old["worksheets"][0]["cells"].append(heading)
    path.write_text(json.dumps(old))
