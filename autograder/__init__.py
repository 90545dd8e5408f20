"""The attention course's autograder: a notebook needs only `check` and `predict` of it."""

__version__ = "0.1.0"


def __getattr__(name: str):
    # Imported on first use: grading and release tools import this package without a notebook.
    if name == "check":
        from autograder.checking.notebook import check

        return check
    if name == "predict":
        from autograder.checking.predicting import predict

        return predict
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
