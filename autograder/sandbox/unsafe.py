"""Grading without a sandbox, for one's own notebooks where none can be had.

The same worker in a plain process of the user's: it can read and change whatever the user can.
"""

from autograder.sandbox.child import ChildSession
from autograder.sandbox.session import Session


class UnsafeProcess:
    """A fork server that keeps nothing loaded, and nothing out."""

    alive = True

    def __init__(self, **_: int) -> None:
        pass

    def session(self) -> Session:
        """A fresh process for one submission."""
        return ChildSession()

    def close(self) -> None:
        """Nothing to end: each session ends its own process."""
