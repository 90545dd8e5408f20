# Format 3 whose worksheets are none.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a notebook"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps({"nbformat": 3, "worksheets": [{"cells": 5}, None]}))
