"""nbgrader's settings for releasing. Classes are named as nbgrader loads them, on first use."""

from pathlib import Path

from traitlets.config import Config

from autograder.nbgrader_course import YOUR_ANSWER, at


def configure_release(config: Config, course: Path) -> None:
    """Set what a release needs of nbgrader."""
    at(config, course)
    # A stub is the signature, the docstring and this line.
    config.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
    config.ClearSolutions.text_stub = YOUR_ANSWER
    # nbgrader's own list, with our ClearSolutions, which keeps code that is to be mended.
    config.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.IncludeHeaderFooter",
        "nbgrader.preprocessors.InstantiateTests",
        "nbgrader.preprocessors.LockCells",
        "autograder.release.clear_solutions.ClearSolutions",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.SaveCells",
        "nbgrader.preprocessors.ClearHiddenTests",
        "nbgrader.preprocessors.ClearMarkScheme",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
