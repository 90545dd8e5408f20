# Metadata nested deeper than any notebook's.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a notebook"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps(notebook)[:-1] + ', "metadata": ' + '{"a":' * 500 + "1" + "}" * 501)
