"""The attention course's autograder: a notebook needs only `from autograder import check`."""

__version__ = "0.1.0"


def __getattr__(name: str):
    # Imported on first use: grading and release tools import this package without a notebook.
    if name == "check":
        from autograder.checking.notebook import check

        return check
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
