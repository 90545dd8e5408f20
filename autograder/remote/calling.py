"""Where objects under check live, and how they answer requests with plain data.

A `Home` is the same code on both sides: in the learner's kernel, around the reference,
and inside the sandbox. What it is asked and what it answers stands in `requests.py`.
"""

import contextlib
import functools
import linecache
import math
import operator
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.remote.library import Watch, plain_values, traced
from autograder.remote.requests import (
    PLAIN,
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
    request_of,
)
from autograder.remote.tracing import Steps
from autograder.remote.values import Function, Ref, tensors


def spread(tensor: Tensor) -> Tensor:
    """The same values in memory that is not contiguous (where a tensor can be so).

    Every axis has room to spare, so no two of them can be merged by `.view`.
    """
    room = tensor.new_ones(*(size + 1 for size in tensor.shape), 2)
    values = room[(*(slice(size) for size in tensor.shape), 0)]
    return values.copy_(tensor.detach())


def copied(tensor: Tensor) -> Tensor:
    """A copy that shares nothing with the original and is as contiguous as it was."""
    plain = tensor.detach().as_subclass(Tensor)
    return plain.clone() if plain.is_contiguous() else spread(plain)


class Copies:
    """Copies of tensors, one for each as long as nobody writes into it."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Tensor, int, Tensor]] = {}

    def __call__(self, tensor: Tensor) -> Tensor:
        original, version, copy = self._known.get(id(tensor), (None, 0, tensor))
        if original is not tensor or version != tensor._version:
            copy = copied(tensor)
            self._known[id(tensor)] = tensor, tensor._version, copy
        return copy


def mapped(change: Callable[[Tensor], Any], value: Any) -> Any:
    """`value` with every tensor in it changed."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple | list):
        return type(value)([mapped(change, item) for item in value])
    if isinstance(value, dict):
        return {key: mapped(change, item) for key, item in value.items()}
    if isinstance(value, Function):
        bound = mapped(change, value.bound)
        return Function(value.source, value.name, bound, value.build)
    return value


def sharing(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with one object in the place of tensors that are equal."""
    found: list[Tensor] = []

    def first_of_its_kind(tensor: Tensor) -> Tensor:
        equal = (one for one in found if one.dtype == tensor.dtype and torch.equal(one, tensor))
        one = next(equal, tensor)
        found.append(one)
        return one

    return mapped(first_of_its_kind, args)


def cotangent(tensor: Tensor) -> Tensor:
    """A fixed direction to differentiate along: no two entries weigh the same."""
    steps = torch.arange(tensor.numel(), dtype=torch.float64)
    return torch.cos(1.7 * steps + 0.3).reshape(tensor.shape).to(tensor)


@functools.lru_cache(maxsize=256)
def _compiled(source: str) -> Any:
    return compile(source, "<argument>", "exec")


BEFORE = "before"  # the paths of what an earlier call was given begin so
NO_TENSOR = (
    "a NumPy array came back where a tensor of torch is wanted: leave `.numpy()` out, or make a "
    "tensor of it with torch.as_tensor"
)


class Home(Performer):
    """Holds named objects and the instances made from them, and performs requests on them."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.instances: list[Any] = []
        self._buffers: dict[int, list[tuple[nn.Module, str, Tensor]]] = {}
        self.limited = False  # whether what one call may hold is limited from outside

    def answer(self, request: Request) -> Reply:
        """Answer one request; whatever the code under check raises becomes part of the reply."""
        try:
            match request:
                case CallRequest():
                    return self._call(request)
                case LoadRequest():
                    self._load(request)
                case ParametersRequest():
                    return Reply(self._parameters(request))
                case TrainRequest():
                    self._module(request.target).train(request.mode)
                case ConvertRequest():
                    self._convert(self._module(request.target), getattr(torch, request.dtype))
            return Reply()
        except KeyboardInterrupt:
            raise  # the learner stops the cell
        except BaseException as error:
            return Reply(error=described(error))

    def perform(self, message: dict[str, Any]) -> dict[str, Any]:
        """The same for a request that has come as a message, with the answer as one."""
        return self.answer(request_of(message)).message()

    def _target(self, target: str | Ref) -> Any:
        if isinstance(target, Ref):
            return self.instances[target.number]
        if target not in self.namespace:
            raise NameError(f"name {target!r} is not defined")
        return self.namespace[target]

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return copied(value)
        if isinstance(value, Ref):
            return self.instances[value.number]
        if isinstance(value, tuple | list):
            return type(value)(self._argument(item) for item in value)
        if isinstance(value, dict):
            return {key: self._argument(item) for key, item in value.items()}
        if isinstance(value, Function):
            names = {"math": math, "torch": torch, "Tensor": Tensor, "nn": nn, "F": F}
            exec(_compiled(value.source), names)
            bound = {key: self._argument(item) for key, item in value.bound.items()}
            made = functools.partial(names[value.name], **bound) if bound else names[value.name]
            return made() if value.build else made
        return value

    def _result(self, value: Any, depth: int = 0) -> Any:
        if depth > 20:
            raise ValueError("the result is nested more than 20 deep")
        kind = type(value)
        if issubclass(kind, Tensor):
            return plain_values(value)
        if value is None or kind is bool:
            return value
        for plain, exact in ((int, int.__int__), (float, float.__float__), (str, str.__str__)):
            if issubclass(kind, plain):
                return exact(value)
        if issubclass(kind, tuple | list):
            items = [self._result(item, depth + 1) for item in value]
            return tuple(items) if issubclass(kind, tuple) else items
        if issubclass(kind, dict):
            return {_text(key): self._result(item, depth + 1) for key, item in value.items()}
        if kind is torch.dtype:
            return str(value)
        if hasattr(value, "__array__") and hasattr(value, "dtype"):
            found = np.array(value)  # torch may crash on what is no array
            if found.ndim:
                raise TypeError(NO_TENSOR)
            return torch.as_tensor(found)
        return self._kept(value)

    def _kept(self, value: Any) -> Ref:
        self.instances.append(value)
        return Ref(len(self.instances) - 1)

    def _call(self, request: CallRequest) -> Reply:
        target = self._target(request.target)
        function = operator.attrgetter(request.method)(target) if request.method else target
        args = self._argument(tuple(request.args))
        args = sharing(args) if request.shared else args
        kwargs = self._argument(dict(request.kwargs))
        if request.gradients:
            return self._gradients(request, target, function, args, kwargs)
        if request.steps:
            with contextlib.suppress(Exception), Steps(function) as steps:
                function(*args, **kwargs)
            return Reply(self._result(steps.found))
        watch = Watch() if request.watch else None
        traces = request.room and not self.limited
        memory = traced() if traces else contextlib.nullcontext[list[int]]([])
        with watch or contextlib.nullcontext(), memory as peak:
            value = function(*args, **kwargs)
        if isinstance(function, type) and isinstance(value, function):
            result: Any = self._kept(value)  # an object, though it may be a list or a dict too
        else:
            result = self._result(value)
        later = None
        if request.then is not None:
            with contextlib.suppress(Exception):  # what is asked for is the value before
                function(*self._argument(tuple(request.then)), **kwargs)
            later = self._result(value)
        left = [*tensors(args), *tensors(kwargs)] if request.inputs else []
        return Reply(
            result,
            inputs={path: copied(one) for path, one in left} if request.inputs else None,
            calls=tuple(sorted(watch.names)) if watch else None,
            largest=watch.largest if watch else None,
            traced=peak[0] if peak else None,
            steps=watch.steps if watch else None,
            later=later,
        )

    def _gradients(
        self,
        request: CallRequest,
        target: Any,
        function: Callable,
        args: tuple,
        kwargs: dict[str, Any],
    ) -> Reply:
        before = self._argument(request.before)
        given = [*tensors(args), *tensors(kwargs), *tensors(before, BEFORE)]
        leaves = {
            path: tensor.requires_grad_() for path, tensor in given if tensor.is_floating_point()
        }
        parameters = dict(target.named_parameters()) if isinstance(target, nn.Module) else {}
        with torch.enable_grad():
            earlier = () if before is None else function(*before)
            # Its square needs it as it was: who writes into it later breaks its graph.
            squares = [tensor.square() for _, tensor in tensors(earlier)]
            value = function(*args, **kwargs)
            looked_at = [one for _, one in tensors(_some_of(value, request.of))]
            total = sum(
                (tensor * cotangent(tensor)).sum()
                for tensor in (*looked_at, *squares)
                if tensor.requires_grad
            )
        sources = [*leaves.values(), *parameters.values()]
        found: Any = [None] * len(sources)
        if isinstance(total, Tensor):
            found = torch.autograd.grad(total, sources, allow_unused=True)
        filled = [
            torch.zeros_like(source) if grad is None else grad.detach().clone()
            for source, grad in zip(sources, found, strict=True)
        ]
        found_gradients = GradientsFound(
            dict(zip(leaves, filled[: len(leaves)], strict=True)),
            dict(zip(parameters, filled[len(leaves) :], strict=True)),
            connected=any(grad is not None for grad in found),
        )
        return Reply(self._result(value), found_gradients)

    def _module(self, target: Target) -> nn.Module:
        module = self._target(target)
        if not isinstance(module, nn.Module):
            raise TypeError(f"{type(module).__name__} is not an nn.Module, so it has no parameters")
        return module

    def _convert(self, module: nn.Module, dtype: torch.dtype) -> None:
        """To another dtype; back in float32, a buffer is what it was, which may be of any dtype."""
        if dtype == torch.float64 and id(module) not in self._buffers:
            self._buffers[id(module)] = [
                (part, name, buffer.clone())
                for part in module.modules()
                for name, buffer in part.named_buffers(recurse=False)
            ]
        module.to(dtype)
        for part, name, buffer in self._buffers.pop(id(module), []) if dtype.itemsize < 8 else ():
            setattr(part, name, buffer)

    def _load(self, request: LoadRequest) -> None:
        module = self._module(request.target)
        own = dict(module.named_parameters())
        for name, weight in request.weights.items():
            if name not in own:
                same = _attribute(module, name)
                for first in (other for other in own if own[other] is same):
                    raise LookupError(f"the parameters {first} and {name} are one and the same")
                names = ", ".join(own) or "none"
                raise LookupError(f"there is no parameter {name}; its parameters are: {names}")
            if own[name].shape != weight.shape:
                raise LookupError(
                    f"the parameter {name} has shape {list(own[name].shape)}, "
                    f"not {list(weight.shape)}"
                )
            with torch.no_grad():
                own[name].copy_(weight)

    def _parameters(self, request: ParametersRequest) -> dict[str, Tensor]:
        named = self._module(request.target).named_parameters()
        return {name: copied(parameter) for name, parameter in named}


def _attribute(module: nn.Module, path: str) -> Any:
    """What stands there, though it may be listed under another name; None for nothing."""
    try:
        return operator.attrgetter(path)(module)
    except AttributeError:
        return None


def _some_of(value: Any, places: tuple[int, ...] | None) -> Any:
    """Some of several results."""
    if places is None or not isinstance(value, tuple | list):
        return value
    return [value[place] for place in places if place < len(value)]


def _text(value: Any) -> str:
    return str.__str__(str(value))  # a plain str, even if `__str__` gives something derived


def described(error: BaseException) -> Error:
    """An exception as data: its type, what it says, and the last line of the code under check."""
    where = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if "ipython-input" in code.co_filename or "ipykernel" in code.co_filename:
            line = linecache.getline(code.co_filename, number).strip()
            where = f"line {number} of {code.co_name}: {line}"
    try:
        message = _text(error)
    except BaseException:
        message = ""
    name = type.__dict__["__name__"].__get__  # whatever a metaclass may say
    return Error(
        name(type(error)),
        tuple(name(base) for base in type.mro(type(error))),
        message[:2000],
        where[:500],
    )
