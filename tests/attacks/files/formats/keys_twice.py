# Every key is there twice; the last one counts, as in any JSON.
#
# /// expect
# double = "failed"
# ///

import json

from tests.attacks.corpus import cell_of


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "SOURCE"
    text = json.dumps(notebook)
    wrong = "\\n".join(["def double(x):", "    return x"])
    right = "\\n".join(["def double(x):", "    return 2 * x"])
    path.write_text(text.replace('"source": "SOURCE"', f'"source": "{right}", "source": "{wrong}"'))
