"""Are the committed chapters as a run leaves them?"""

from pathlib import Path

import nbformat
import pytest

CHAPTERS = sorted((Path(__file__).parents[2] / "book").glob("[0-9][0-9]-*.ipynb"))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_cell_has_run_without_an_error(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code" and cell.source.strip():
            assert cell.execution_count is not None, f"{cell.id} was not run"
            assert not [out for out in cell.outputs if out.output_type == "error"], cell.id
