"""What the variables of a function hold, one after another, while it runs."""

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from torch import Tensor

MOST_STEPS = 12
MOST_NUMBERS = 48  # of a tensor that is kept


def _code_of(function: Any) -> CodeType | None:
    """The code that runs when it is called: of a layer, its `forward`."""
    forward = getattr(function, "forward", function)
    return getattr(getattr(forward, "__func__", forward), "__code__", None)


class Steps:
    """While it is entered, notes what the first call of a function sets its variables to."""

    def __init__(self, function: Callable) -> None:
        self.found: list[tuple[str, Any]] = []
        self._code = _code_of(function)
        self._frame: FrameType | None = None
        self._known: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> "Steps":
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *error: Any) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code is not self._code or self._frame is not None:
            return None
        self._frame = frame
        self._known = {name: _state(value) for name, value in frame.f_locals.items()}
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, arg: Any) -> Any:
        for name, value in frame.f_locals.items():
            state = _state(value)
            if self._known.get(name) != state and len(self.found) < MOST_STEPS:
                self._known[name] = state
                if isinstance(value, Tensor) and value.numel() <= MOST_NUMBERS:
                    self.found.append((name, value.detach().clone()))
                elif isinstance(value, int | float):
                    self.found.append((name, value))
        return self._stepped


def _state(value: Any) -> tuple[int, int]:
    """What is another one as soon as a variable, or the tensor in it, is changed."""
    return id(value), value._version if isinstance(value, Tensor) else 0
