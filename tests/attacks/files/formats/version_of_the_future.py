# A format that does not exist yet: what can be read of it is graded, or it is refused.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a notebook"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps(notebook | {"nbformat": 99}))
