"""What a check has compared, whatever came of it.

A check that has found a failure goes on, so that every one of its cases has an answer. Which
misconception was made is told by these events and by nothing else: what a check does not compare is
free, and what it compares is compared with its own tolerances.
"""

import contextvars
import enum
import functools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


class Reason(enum.Enum):
    """Why a comparison fails. What it is about stands in the fields of the event."""

    VALUES = "other numbers"
    SHAPE = "another shape"
    DTYPE = "another dtype"
    KIND = "another kind of thing"  # wanted, got
    COUNT = "another number of values"
    SEQUENCE = "a list in the place of a tuple, or the other way around"
    GRADIENT = "another gradient"
    NOT_RAISED = "no error where one is asked for"  # wanted
    OTHER_ERROR = "an error of another type"  # wanted, got
    UNNAMED = "an error that does not say what it is about"
    INPUT_CHANGED = "an input is changed"
    RESULT_CHANGED = "an earlier result is changed"
    CUT_OFF = "a result that hangs on no input"
    LIBRARY = "a library function that the exercise is to write"
    PROPERTY = "a property does not hold"
    ERROR = "an error that nobody asked for"  # got


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
    free: bool = False  # whether a misconception may give something else
    account: str | Callable[[], str] = ""  # what failed, or how to say it; empty if it holds
    part: int = 0  # of the check: an error leaves out what else is in it
    number: int = 0  # in its part
    beside: int | None = None  # the part with the values of the call that it asks more of
    reason: Reason | None = None  # why it fails
    fields: Mapping[str, Any] = field(default_factory=dict)
    case: str = ""  # the author's words for what is given
    variant: str = ""  # of the case: not contiguous, float64, a gradient of what

    @property
    def place(self) -> tuple[int, int]:
        """Where in the check it stands, whatever came before."""
        return self.part, self.number

    @property
    def failed(self) -> bool:
        return bool(self.account)

    @functools.cached_property
    def text(self) -> str:
        """What failed; empty if it holds."""
        return self.account() if callable(self.account) else self.account


class Log:
    """The events of one run of a check, and the first failure.

    A brief one has the values of every call, and nothing of what else is asked of it.
    """

    def __init__(self, brief: bool = False) -> None:
        self.brief = brief
        self.events: list[Event] = []
        self.failure: Exception | None = None
        self.part = 0
        self.beside: int | None = None
        self._noted: Counter[int] = Counter()  # events by part
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
        reason: Reason | None = None,
        fields: Mapping[str, Any] | None = None,
        case: str = "",
        variant: str = "",
    ) -> None:
        """Add an event, and keep the first failure."""
        account = account or (str(failure) if failure else "")
        number = self._noted[self.part]
        self._noted[self.part] += 1
        self.events.append(
            Event(
                kind,
                got=got,
                want=want,
                rtol=rtol,
                atol=atol,
                dtype=dtype,
                free=free,
                account=account,
                part=self.part,
                number=number,
                beside=self.beside,
                reason=reason if account else None,
                fields=fields or {},
                case=case,
                variant=variant,
            )
        )
        if self.failure is None:
            self.failure = failure


current_log: contextvars.ContextVar[Log | None] = contextvars.ContextVar("log", default=None)
