# A number of a million digits.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not valid JSON"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(
        json.dumps(notebook | {"nbformat_minor": 5})[:-1] + ', "x": ' + "9" * 1_000_000 + "}"
    )
