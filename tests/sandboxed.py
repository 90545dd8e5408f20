"""Marks what needs a sandbox: skipped where none can be had, with the reason."""

import pytest

from autograder.sandbox.probe import available

needs_sandbox = pytest.mark.skipif(available() is not None, reason=str(available()))
