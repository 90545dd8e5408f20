"""nbgrader's `ClearSolutions`, which leaves alone what is to be mended."""

from typing import Any

from nbformat import NotebookNode
from nbgrader import preprocessors

from autograder.release.debugging_exercises import MEND


class ClearSolutions(preprocessors.ClearSolutions):
    """Empties every solution but those that are wrong on purpose."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """One cell."""
        if cell.metadata.get(MEND):
            return cell, resources
        return super().preprocess_cell(cell, resources, cell_index)
