# Format 3 with 30,000 outputs of a kind that nobody knows, in metadata as well: validating them
# took 45 kB and 0.7 ms each.
#
# /// expect
# ///

import json

import nbformat


def hand_in(notebook, path):
    old = json.loads(nbformat.writes(nbformat.convert(notebook, 3), version=3))
    strange = [{"output_type": "x"}] * 30_000
    for cell in old["worksheets"][0]["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = strange
            break
    old["worksheets"][0]["metadata"] = {"strange": strange}
    old["metadata"]["strange"] = strange
    path.write_text(json.dumps(old))
