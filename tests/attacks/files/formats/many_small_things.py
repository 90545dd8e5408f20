# Ten million empty lists: small in the file, gigabytes in memory.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["too many parts"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(
        json.dumps(notebook)[:-1] + ', "metadata": {"a": [' + "[]," * 6_000_000 + "[]]}}"
    )
