# Sources that bring Python's parser to its limits.
#
# /// expect
# double = "failed: stopped"
# notes = ["stopped"]
# ///

import nbformat

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    deep = ["(" * 5000, "[" * 90 + "]" * 90, "-" * 90_000 + "1", "x" + ".a" * 90_000]
    deep += ["1" + "+1" * 90_000, "if 1:\n" + "".join(" " * n + "if 1:\n" for n in range(1, 99))]
    deep += ["f" + "(f" * 150 + ")" * 150, "lambda:" * 5000 + "1", "not " * 50_000 + "1"]
    for number, source in enumerate(deep):
        notebook.cells.insert(1, nbformat.v4.new_code_cell(source, id=f"deep-{number}"))
    cell_of(notebook, "double").source = "def double(x):\n    return " + "-" * 50_001 + "x"
    save(notebook, path)
