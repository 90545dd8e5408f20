# A hundred thousand cells.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["more than 5000"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(
        json.dumps(notebook | {"cells": [{"cell_type": "raw", "source": ""}] * 100_000})
    )
