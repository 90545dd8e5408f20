"""What a check has compared, whatever came of it.

A check that has found a failure goes on, so that every one of its cases has an answer. Which
mistake was made is told by these events and by nothing else: what a check does not compare is free,
and what it compares is compared with its own tolerances.
"""

import contextvars
import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """One comparison: what the student's code gave, and how closely that was looked at."""

    # value, gradient, holds, asked (an error), raised (one that nobody asked for), broken
    kind: str
    got: Any = None
    want: Any = None
    rtol: float = 0.0
    atol: float = 0.0
    dtype: bool = True
    free: bool = False  # whether a mistake may give something else
    account: str | Callable[[], str] = ""  # what failed, or how to say it; empty if it holds
    part: int = 0  # of the check: an error leaves out what else is in it

    @property
    def failed(self) -> bool:
        return bool(self.account)

    @functools.cached_property
    def text(self) -> str:
        """What failed; empty if it holds."""
        return self.account() if callable(self.account) else self.account

    @functools.cached_property
    def words(self) -> str:
        """What failed, without numbers."""
        return re.sub(r"[\d.]+", "#", self.text)


class Log:
    """The events of one run of a check, and the first failure."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.failure: Exception | None = None
        self.part = 0
        self.asked_later = False  # whether some result was looked at after a further call, too
        self.lost = False  # whether the check would have asked more, and there is nobody to answer

    def note(
        self,
        kind: str,
        got: Any = None,
        *,
        want: Any = None,
        failure: Exception | None = None,
        account: str | Callable[[], str] = "",
        rtol: float = 0.0,
        atol: float = 0.0,
        dtype: bool = True,
        free: bool = False,
    ) -> None:
        """Add an event, and keep the first failure."""
        account = account or (str(failure) if failure else "")
        self.events.append(Event(kind, got, want, rtol, atol, dtype, free, account, self.part))
        if self.failure is None:
            self.failure = failure


current_log: contextvars.ContextVar[Log | None] = contextvars.ContextVar("log", default=None)
