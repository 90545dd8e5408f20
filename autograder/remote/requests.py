"""What a check asks of an object under check, and what comes back: plain data, wherever it lives.

Between two processes both travel as messages, which are dicts of what the wire can carry.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from autograder.remote.values import Ref

PLAIN = frozenset({int, float, str, bool, type(None)})  # what most of a request's parts are
Target = str | Ref  # a name of the notebook's, or an instance that was made from one


class Performer:
    """Answers requests: an object in this process, in a sandbox, or a recording."""

    def answer(self, request: "Request") -> "Reply":
        """What comes of a request, errors included."""
        raise NotImplementedError

    def again(self, request: "Request") -> "Reply | None":
        """The answer to a question that the check does not ask; None where there is none."""
        return self.answer(request)

    def rewind(self) -> None:
        """The same requests come once more, from the first. Who keeps none has nothing to do."""

    def hurry(self) -> None:
        """The check has failed: what follows is asked only to find out why."""


@dataclass(frozen=True)
class CallRequest:
    """Call it, or a method of it; gradients, inputs and what it calls are told where asked for."""

    target: Target
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    method: str | None = None
    gradients: bool = False
    of: tuple[int, ...] | None = None  # of which of several results; None for all
    before: tuple[Any, ...] | None = None  # of an earlier call, which get gradients too
    inputs: bool = False  # as they are after the call
    watch: bool = False
    room: int = 0  # bytes that it may hold; 0 for as many as a submission may
    shared: bool = False  # equal tensors are given as one object
    then: tuple[Any, ...] | None = None  # of a further call, which must leave the result as it is
    steps: bool = False  # the value is then what its variables are set to, one after another


@dataclass(frozen=True)
class LoadRequest:
    """Put weights into an instance by name."""

    target: Target
    weights: dict[str, Tensor]


@dataclass(frozen=True)
class ParametersRequest:
    """Give the parameters of an instance by name."""

    target: Target


@dataclass(frozen=True)
class TrainRequest:
    """Set training or evaluation mode."""

    target: Target
    mode: bool


@dataclass(frozen=True)
class ConvertRequest:
    """Convert an instance to another dtype, by its name."""

    target: Target
    dtype: str


Request = CallRequest | LoadRequest | ParametersRequest | TrainRequest | ConvertRequest
KINDS: dict[str, type[Request]] = {
    "call": CallRequest,
    "load": LoadRequest,
    "parameters": ParametersRequest,
    "train": TrainRequest,
    "to": ConvertRequest,
}
_OPS = {kind: op for op, kind in KINDS.items()}


def message_of(request: Request) -> dict[str, Any]:
    """A request as it travels."""
    return {"op": _OPS[type(request)]} | vars(request)


def request_of(message: dict[str, Any]) -> Request:
    """A request that has come. Raises KeyError or TypeError if it is none."""
    parts = dict(message)
    return KINDS[parts.pop("op")](**parts)


@dataclass(frozen=True)
class Error:
    """An exception as data: its type, what it says, and the last line of the code under check."""

    type: str = "Exception"
    bases: tuple[str, ...] = ()
    message: str = ""
    where: str = ""


@dataclass(frozen=True)
class GradientsFound:
    """By input path and by parameter name."""

    inputs: dict[str, Tensor] = field(default_factory=dict)
    parameters: dict[str, Tensor] = field(default_factory=dict)
    connected: bool = True  # whether `backward` has anything to go through


@dataclass(frozen=True)
class Reply:
    """The answer to a request: an error, or a value with what else was asked for."""

    value: Any = None
    gradients: GradientsFound | None = None
    inputs: dict[str, Tensor] | None = None
    calls: tuple[str, ...] | None = None
    largest: int | None = None
    traced: int | None = None
    steps: int | None = None  # operations of torch that ran
    later: Any = None  # the value as it is after the further call
    error: Error | None = None

    @property
    def found(self) -> GradientsFound:
        """The gradients, or none at all."""
        return self.gradients or GradientsFound()

    def message(self) -> dict[str, Any]:
        """The reply as it travels."""
        if self.error is not None:
            return {"error": vars(self.error) | {"bases": list(self.error.bases)}}
        parts = {name: part for name, part in vars(self).items() if part is not None}
        parts["value"] = self.value
        if self.gradients is not None:
            parts["gradients"] = dict(vars(self.gradients))
        if self.calls is not None:
            parts["calls"] = list(self.calls)
        return parts

    @classmethod
    def of(cls, message: dict[str, Any]) -> "Reply":
        """A reply that has come, of which somebody has seen that it is one."""
        parts = dict(message)
        if "error" in parts:
            error = dict(parts["error"])
            return cls(error=Error(**error | {"bases": tuple(error.get("bases", ()))}))
        if "gradients" in parts:
            parts["gradients"] = GradientsFound(**parts["gradients"])
        if "calls" in parts:
            parts["calls"] = tuple(parts["calls"])
        return cls(**parts)


def mapped_request(change: Callable[[Any], Any], request: Request) -> Request:
    """A request with every part of it changed."""
    other = object.__new__(type(request))  # in half the time of its `__init__`, as it is frozen
    parts = vars(request).items()
    vars(other).update((k, v if type(v) in PLAIN else change(v)) for k, v in parts)
    return other
