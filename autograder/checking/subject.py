"""What a check holds: the student's object or the reference, wherever it lives."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from torch import Tensor

from autograder.checking.calling import copied, mapped
from autograder.checking.values import Function, Ref


class Performer(Protocol):
    """Answers requests: a `Home` in this process, a sandbox, or a recording."""

    def perform(self, request: dict[str, Any]) -> dict[str, Any]: ...


class Raised(Exception):
    """The code under check raised an exception."""

    def __init__(self, error: dict[str, Any], call: str) -> None:
        self.type = str(error.get("type", "Exception"))
        self.bases = [str(base) for base in error.get("bases", ())]
        self.message = str(error.get("message", ""))
        self.where = str(error.get("where", ""))
        self.call = call
        super().__init__(f"{self.type}: {self.message}")


class NotStarted(Exception):
    """The exercise still is its stub."""


@dataclass(frozen=True)
class Gradients:
    """Gradients of a fixed weighted sum of the outputs: by input path and by parameter name."""

    value: Any
    inputs: dict[str, Tensor]
    parameters: dict[str, Tensor]


@dataclass
class Call:
    """One request and its reply, as the transcript keeps them."""

    request: dict[str, Any]
    reply: dict[str, Any]


class Subject:
    """A callable that may be remote: every operation is a request, every answer is data."""

    def __init__(
        self,
        name: str,
        home: Performer,
        describe: Callable[[str, dict[str, Any]], str],
        watch: bool = False,
        target: str | Ref | None = None,
        transcript: list[Call] | None = None,
        keep: bool = True,
    ) -> None:
        self.name = name
        self.transcript: list[Call] = [] if transcript is None else transcript
        self._keep = keep
        self._home = home
        self._describe = describe
        self._watch = watch
        self._target = name if target is None else target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._wrapped(self._ask(None, args, kwargs)["value"])

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of an instance, `__len__` included."""
        return self._wrapped(self._ask(method, args, kwargs)["value"])

    def with_inputs(self, *args: Any, **kwargs: Any) -> tuple[Any, dict[str, Tensor]]:
        """The result, and the tensors given as they are after the call."""
        reply = self._ask(None, args, kwargs, inputs=True)
        return self._wrapped(reply["value"]), reply.get("inputs", {})

    def gradients(self, *args: Any, **kwargs: Any) -> Gradients:
        """The gradients with respect to every floating-point input and parameter."""
        return self.gradients_of(None, *args, **kwargs)

    def gradients_of(self, method: str | None, *args: Any, **kwargs: Any) -> Gradients:
        """The gradients that a call of a method gives."""
        reply = self._ask(method, args, kwargs, gradients=True)
        found = reply["gradients"]
        return Gradients(self._wrapped(reply["value"]), found["inputs"], found["parameters"])

    def largest(self, *args: Any, **kwargs: Any) -> int:
        """The number of elements of the largest tensor made on the way."""
        return int(self._ask(None, args, kwargs, watch=True).get("largest", 0))

    def within(self, room: int, *args: Any, **kwargs: Any) -> tuple[Any, int]:
        """The result of a call that may hold `room` bytes, and how many it held at once.

        In the sandbox it cannot hold more: the call then raises what running out of memory does.
        """
        reply = self._ask(None, args, kwargs, watch=True, room=room)
        held = 4 * int(reply.get("largest", 0)), int(reply.get("traced", 0))
        return self._wrapped(reply["value"]), max(held)

    def load(self, weights: dict[str, Tensor]) -> None:
        """Put weights in by name."""
        self._request({"op": "load", "target": self._target, "weights": weights})

    def parameters(self) -> dict[str, Tensor]:
        """The parameters of an instance by name."""
        return self._request({"op": "parameters", "target": self._target})["value"]

    def train(self, mode: bool = True) -> None:
        """Set training or evaluation mode."""
        self._request({"op": "train", "target": self._target, "mode": mode})

    def to(self, dtype: str) -> None:
        """Convert an instance to "float64" or "float32"."""
        self._request({"op": "to", "target": self._target, "dtype": dtype})

    @property
    def is_instance(self) -> bool:
        return isinstance(self._target, Ref)

    @property
    def last_call(self) -> str:
        """The last request in words, for messages."""
        if not self.transcript:
            return self.name
        return self._describe(self.name, self.transcript[-1].request)

    def describing(self) -> Callable[[], str]:
        """What will say the last request in words, if somebody asks."""
        return functools.partial(self._describe, self.name, self.transcript[-1].request)

    @property
    def used(self) -> set[str]:
        """The names of all torch functions that were seen to run."""
        return {name for call in self.transcript for name in call.reply.get("calls", ())}

    def _ask(self, method: str | None, args: tuple, kwargs: dict, **wanted: Any) -> dict:
        request = {
            "op": "call",
            "target": self._target,
            "method": method,
            "args": tuple(unwrapped(item) for item in args),
            "kwargs": {key: unwrapped(item) for key, item in kwargs.items()},
        }
        if self._watch and not wanted.get("gradients"):
            wanted["watch"] = True
        return self._request(request | wanted)

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        reply = self._home.perform(request)
        if self._keep:
            self.transcript.append(Call(mapped(copied, request), reply))  # a check may write in it
        else:
            self.transcript[:] = [Call(request, reply)]
        if error := reply.get("error"):
            # torch also raises NotImplementedError, but never without a message as a stub does.
            if error.get("type") == "NotImplementedError" and not error.get("message"):
                raise NotStarted(self.name)
            raise Raised(error, self._describe(self.name, request))
        return reply

    def _wrapped(self, value: Any) -> Any:
        if isinstance(value, Ref):
            return Subject(
                self.name,
                self._home,
                self._describe,
                self._watch,
                value,
                self.transcript,
                self._keep,
            )
        return value


def unwrapped(value: Any) -> Any:
    """An instance handle, given as an argument, travels as its reference."""
    if isinstance(value, Subject):
        return value._target
    if isinstance(value, list | tuple):
        return type(value)(unwrapped(item) for item in value)
    if isinstance(value, Function):
        bound = {key: unwrapped(item) for key, item in value.bound.items()}
        return replace(value, bound=bound)
    return value
