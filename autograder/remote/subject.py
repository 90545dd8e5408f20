"""What a check holds: the student's object or the reference, wherever it lives."""

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from autograder.remote.calling import copied, mapped
from autograder.remote.requests import (
    CallRequest,
    ConvertRequest,
    Error,
    GradientsFound,
    LoadRequest,
    ParametersRequest,
    Performer,
    Reply,
    Request,
    Target,
    TrainRequest,
    mapped_request,
)
from autograder.remote.values import Function, Ref


class Raised(Exception):
    """The code under check raised an exception."""

    def __init__(self, error: Error, call: str) -> None:
        self.type = error.type
        self.bases = error.bases
        self.message = error.message
        self.where = error.where
        self.call = call
        super().__init__(f"{self.type}: {self.message}")


class NotStarted(Exception):
    """The exercise still is its stub."""


@dataclass(frozen=True)
class Gradients(GradientsFound):
    """Gradients of a fixed weighted sum of the outputs, with the outputs themselves."""

    value: Any = None


@dataclass
class Call:
    """One request and its reply, as the transcript keeps them."""

    request: Request
    reply: Reply


class Subject:
    """A callable that may be remote: every operation is a request, every answer is data."""

    def __init__(
        self,
        name: str,
        home: Performer,
        describe: Callable[[str, Request], str],
        watch: bool = False,
        keep: Callable[[Tensor], Tensor] | None = copied,
    ) -> None:
        self.name = name
        self.transcript: list[Call] = []
        self.used: set[str] = set()  # the names of all torch functions that were seen to run
        self._keep = keep
        self._home = home
        self._describe = describe
        self._watch = watch
        self._target: Target = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._wrapped(self._ask(None, args, kwargs).value)

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of an instance, `__len__` included."""
        return self._wrapped(self._ask(method, args, kwargs).value)

    def with_inputs(self, *args: Any, **kwargs: Any) -> tuple[Any, dict[str, Tensor]]:
        """The result, and the tensors given as they are after the call."""
        reply = self._ask(None, args, kwargs, inputs=True)
        return self._wrapped(reply.value), reply.inputs or {}

    def then(
        self, others: tuple[Any, ...] | None, *args: Any, method: str | None = None, **kwargs: Any
    ) -> tuple[Any, Any]:
        """The result, and as it is after a further call with other arguments, if there are any."""
        reply = self._ask(method, args, kwargs, then=others)
        return self._wrapped(reply.value), self._wrapped(reply.later)

    def gradients(self, *args: Any, **kwargs: Any) -> Gradients:
        """The gradients with respect to every floating-point input and parameter."""
        return self.gradients_of(None, *args, **kwargs)

    def gradients_of(
        self,
        method: str | None,
        *args: Any,
        of: tuple[int, ...] | None = None,
        before: tuple[Any, ...] | None = None,
        **kwargs: Any,
    ) -> Gradients:
        """The gradients that a call gives, and its result.

        With `of`, of some of several results; with `before`, also those that reach the arguments of
        an earlier call, whose paths begin with `before`.
        """
        reply = self._ask(method, args, kwargs, gradients=True, of=of, before=before)
        return Gradients(**vars(reply.found), value=self._wrapped(reply.value))

    def largest(self, *args: Any, **kwargs: Any) -> int:
        """The number of elements of the largest tensor made on the way."""
        return self._ask(None, args, kwargs, watch=True).largest or 0

    def steps(self, *args: Any, **kwargs: Any) -> int:
        """The number of operations of torch that a call takes."""
        return self._ask(None, args, kwargs, watch=True).steps or 0

    def within(self, room: int, *args: Any, **kwargs: Any) -> tuple[Any, int]:
        """The result of a call that may hold `room` bytes, and how many it held at once.

        In the sandbox it cannot hold more: the call then raises what running out of memory does.
        """
        reply = self._ask(None, args, kwargs, watch=True, room=room)
        return self._wrapped(reply.value), max(4 * (reply.largest or 0), reply.traced or 0)

    def load(self, weights: dict[str, Tensor]) -> None:
        """Put weights in by name."""
        self._request(LoadRequest(self._target, weights))

    def parameters(self) -> dict[str, Tensor]:
        """The parameters of an instance by name."""
        return self._request(ParametersRequest(self._target)).value

    def train(self, mode: bool = True) -> None:
        """Set training or evaluation mode."""
        self._request(TrainRequest(self._target, mode))

    def to(self, dtype: str) -> None:
        """Convert an instance to "float64" or "float32"."""
        self._request(ConvertRequest(self._target, dtype))

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

    def _ask(self, method: str | None, args: tuple, kwargs: dict, **wanted: Any) -> Reply:
        if self._watch and not wanted.get("gradients"):
            wanted["watch"] = True
        given = [id(item) for item in args if isinstance(item, Tensor)]
        if len(set(given)) < len(given) and not wanted.get("gradients"):
            wanted["shared"] = True
        return self._request(
            CallRequest(
                self._target,
                tuple(unwrapped(item) for item in args),
                {key: unwrapped(item) for key, item in kwargs.items()},
                method,
                **wanted,
            )
        )

    def _request(self, request: Request) -> Reply:
        reply = self._home.answer(request)
        self.used.update(reply.calls or ())
        if self._keep is not None:  # a copy: a check may write in what it gives
            stored = mapped_request(functools.partial(mapped, self._keep), request)
            self.transcript.append(Call(stored, reply))
        else:
            self.transcript[:] = [Call(request, reply)]
        if error := reply.error:
            # torch also raises NotImplementedError, but never without a message as a stub does.
            if error.type == "NotImplementedError" and not error.message:
                raise NotStarted(self.name)
            call = self._describe(self.name, request)
            # Where gradients are asked for, the call itself may have come back.
            if getattr(request, "gradients", False) and "backward" in error.message:
                call = f"backward() through {call}"
            raise Raised(error, call)
        return reply

    def _wrapped(self, value: Any) -> Any:
        if not isinstance(value, Ref):
            return value
        instance = copy.copy(self)  # of one transcript and one set of names
        instance._target = value
        return instance


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
