# Null characters in the sources of cells.
#
# /// expect
# double = "failed: SyntaxError"
# notes = ["null bytes"]
# ///

import json

from tests.attacks.corpus import cell_of


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "def double(x):\0\n    return 2 * x"
    path.write_text(json.dumps(notebook))
