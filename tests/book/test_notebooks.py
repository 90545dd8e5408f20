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


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_draws_is_not_drawn_for_a_check(path):
    """`autograder check` leaves out what is tagged: a figure takes longer than the checks do."""
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            if any(kind.startswith("image/") for kind in output.get("data", {})):
                assert "ungraded" in cell.metadata.get("tags", []), cell.id
