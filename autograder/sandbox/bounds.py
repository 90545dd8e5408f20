"""How much of an answer is taken: what was asked for, and not much more than the reference gives.

A check computes with what it is told, and keeps it until it ends. An honest mistake may be larger
than the right answer, but no check needs gigabytes to tell that it is one.
"""

import contextlib
import functools
import math
import resource
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from autograder.remote.calling import BEFORE, tensors
from autograder.remote.requests import (
    CallRequest,
    Error,
    GradientsFound,
    ParametersRequest,
    Reply,
    Request,
)
from autograder.remote.wire import FrameLimits

TIMES = 4  # as large as the reference's answer to the same question
AT_LEAST = 2**16  # what may come however small the reference's answer is
ENTRY = 16  # what a part of a tree counts, in numbers: it takes that much memory
CHECKING_BYTES = 2 * 2**30  # for the arithmetic of a check
_ERROR = {"type": 200, "message": 2000, "where": 500}
MOST_BASES = 50


def size(value: Any) -> int:
    """How large a reply is, in numbers: of tensors, characters, and parts of the tree."""
    if isinstance(value, Tensor):
        return ENTRY + value.numel()
    if isinstance(value, str | bytes):
        return ENTRY + len(value)
    if isinstance(value, dict):
        return ENTRY + sum(ENTRY + len(key) + size(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return ENTRY + sum(map(size, value))
    return ENTRY


def allowed(reference: int) -> int:
    """How large a reply may be, by the size of the reference's."""
    return max(AT_LEAST, TIMES * reference)


@functools.lru_cache(maxsize=4096)  # for each answer of a class, and few of them differ in size
def frame_limits(limits: FrameLimits, reference: int) -> FrameLimits:
    """What a reply may be on its way: some more, so that its sender can be told what is wrong."""
    most = 16 * allowed(reference)
    return replace(
        limits,
        frame_bytes=min(limits.frame_bytes, limits.header_bytes + 8 * most),
        elements=min(limits.elements, most),
    )


def bounded(request: Request, reply: dict[str, Any], reference: int) -> Reply:
    """What was asked for of a reply; where that is too large, an error that says so."""
    error = reply.get("error")
    if isinstance(error, dict):
        return Reply(error=_error(error))
    asked = _asked(request, reply)
    message = asked.message()
    numbers = size(message)
    if numbers <= allowed(reference):
        return asked
    text = f"the answer is too large to look at: about {numbers} numbers"
    if shapes := [tensor.shape for _, tensor in tensors(message)]:
        text += f", with a tensor of shape {list(max(shapes, key=math.prod))}"
    text += f"; the right one has about {reference}"
    return Reply(error=Error("ValueError", ("ValueError", "Exception"), text))


def _error(error: dict[str, Any]) -> Error:
    plain = {name: str(error.get(name, ""))[:most] for name, most in _ERROR.items()}
    bases = error.get("bases")
    bases = bases[:MOST_BASES] if isinstance(bases, list | tuple) else []
    return Error(**plain, bases=tuple(str(base)[:200] for base in bases))


def _asked(request: Request, reply: dict[str, Any]) -> Reply:
    if isinstance(request, ParametersRequest):
        return Reply(reply["value"])
    if not isinstance(request, CallRequest):
        return Reply()
    paths = {path for part in (request.args, request.kwargs) for path, _ in tensors(part)}
    paths |= {path for path, _ in tensors(request.before, BEFORE)}
    if request.gradients:
        gradients = reply["gradients"]
        found = GradientsFound(
            _only(gradients["inputs"], paths),
            gradients["parameters"],
            gradients.get("connected") is not False,
        )
        return Reply(reply["value"], found)
    return Reply(
        reply["value"],
        inputs=_only(reply.get("inputs", {}), paths) if request.inputs else None,
        calls=tuple(reply["calls"]) if request.watch and "calls" in reply else None,
        largest=reply.get("largest") if request.watch else None,
        traced=reply.get("traced") if request.watch else None,
        steps=reply.get("steps") if request.watch else None,
        later=reply.get("later") if request.then is not None else None,
    )


def _only(found: dict[str, Any], paths: set[str]) -> dict[str, Any]:
    return {path: tensor for path, tensor in found.items() if path in paths}


@contextlib.contextmanager
def checking_memory(room: int = CHECKING_BYTES) -> Iterator[None]:
    """No more memory than this for what is computed inside; more is an ordinary error there."""
    if not sys.platform.startswith("linux"):
        yield
        return
    with open("/proc/self/statm") as file:
        present = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = present + room
    within = [limit for limit in (soft, hard, wanted) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(within), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
