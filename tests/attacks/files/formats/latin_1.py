# The notebook is in an encoding of the last century.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not UTF-8"]
# ///

import json


def hand_in(notebook, path):
    path.write_bytes(
        json.dumps(notebook | {"metadata": {"a": "\xe9"}}, ensure_ascii=False).encode("latin-1")
    )
