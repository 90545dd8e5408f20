# Outputs and attachments that were handed in are not those of grading.
#
# /// expect
# double = "failed"
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    cell_of(notebook, "double").source = "def double(x):\n    return x"
    page = {"text/html": "<script>alert(1)</script>", "text/plain": "1.0"}
    shown = {"output_type": "execute_result", "data": page, "metadata": {}, "execution_count": 1}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [shown]
        else:
            cell["attachments"] = {"a.svg": {"image/svg+xml": "<svg onload=alert(1)>"}}
    save(notebook, path)
