# NaN and infinity, which Python writes and JSON does not have.
#
# /// expect
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps(notebook | {"metadata": {"a": float("nan"), "b": -1e999}}))
