# Raw cells, which go onto some pages as they are.
#
# /// expect
# ///

import nbformat

from tests.attacks.corpus import save


def hand_in(notebook, path):
    for number, kind in enumerate(["text/html", "text/restructuredtext", "", None]):
        cell = nbformat.v4.new_raw_cell("<script>alert(1)</script>", id=f"raw-{number}")
        cell.metadata = {"raw_mimetype": kind, "format": kind}
        notebook.cells.append(cell)
    save(notebook, path)
