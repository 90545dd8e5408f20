# A notebook whose cells are no list.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["no list of cells"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps(notebook | {"cells": {"0": "x"}}))
