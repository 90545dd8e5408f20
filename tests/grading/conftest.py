"""What tests of grading share."""

import pytest

from autograder.grading.run import workers


@pytest.fixture(autouse=True)
def kept_warm(monkeypatch):
    """The fork server that a run has started serves the next, of another test too.

    That a run ends it is asked in run/test_workers.py.
    """
    monkeypatch.setattr(workers, "end", lambda limits: None)
