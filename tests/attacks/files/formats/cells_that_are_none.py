# Cells that are numbers, lists and texts.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["is not a notebook cell"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps(notebook | {"cells": [1, [], "x", None, {}]}))
