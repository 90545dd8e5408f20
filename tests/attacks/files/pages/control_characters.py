# Eighteen million control characters in text cells: made visible, each takes six.
#
# /// expect
# ///

import json

from nbformat.v4 import new_markdown_cell, new_raw_cell


def hand_in(notebook, path):
    notebook.cells += [
        new_markdown_cell("\x7f" * 9_000_000, id="one"),
        new_raw_cell("\x7f" * 9_000_000, id="other"),
        new_markdown_cell("`" * 900_000, id="fences"),
    ]
    path.write_text(json.dumps(notebook, ensure_ascii=False))
