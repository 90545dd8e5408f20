# The format's number is a text.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a notebook"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps(notebook | {"nbformat": "4; drop table"}))
