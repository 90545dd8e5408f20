"""Outputs: left out of the students' copy, in which every number is their own."""

from autograder.cells import tags
from autograder.release.chapter import ChapterNotebook


def clear_outputs(chapter: ChapterNotebook) -> None:
    """Empty every code cell's outputs, and keep of the metadata what a student's Jupyter reads."""
    for cell in chapter.notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        if "hide-input" in tags(cell):
            cell.metadata.jupyter = {"source_hidden": True}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    chapter.notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
