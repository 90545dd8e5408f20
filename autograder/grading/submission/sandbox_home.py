"""What a submission's objects answer from inside the sandbox, or how the sandbox was lost."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from autograder.checking.verdict import Verdict
from autograder.diagnosis.judge import Lost
from autograder.grading.text import one_line
from autograder.remote.requests import CallRequest, Performer, Reply, Request, message_of
from autograder.remote.wire import WireError
from autograder.sandbox.bounds import bounded, frame_limits
from autograder.sandbox.deadline import Deadline
from autograder.sandbox.errors import SandboxCrashed, SandboxMemory, SandboxTimeout
from autograder.sandbox.session import REPLIES, Session


class Gone(Lost):
    """The sandbox ended before it answered."""

    def __init__(self, status: str, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(message)

    def verdict(self, name: str, points: float) -> Verdict:
        """The verdict on an exercise that was lost with it."""
        return Verdict(name, 0.0, points, self.status, None, one_line(f"{name}: {self.message}."))


@dataclass
class SandboxHome(Performer):
    """The student's objects, behind a session of the sandbox that is asked one thing at a time."""

    session: Session
    deadline: Deadline
    right: int  # how large the right answers are
    lost: bool = False

    def hurry(self) -> None:
        """The check has failed: the rest may take about as long as all so far."""
        self.deadline.hurry()

    def answer(self, request: Request) -> Reply:
        """Ask the sandbox; whatever goes wrong there becomes `Gone`."""
        self.lost = True  # until it has answered
        self.session.replies = frame_limits(REPLIES, self.right)
        with lost_as_gone():
            self.session.limit_memory(room_of(request))
        answer = complete(request, ask(self.session, message_of(request), self.deadline))
        self.lost = False
        return bounded(request, answer, self.right)


def ask(session: Session, request: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    """One request to the sandbox; `Gone` with a typed status when no answer comes."""
    with lost_as_gone():
        reply = session.request(request, within(deadline))
    if not isinstance(reply, dict):
        raise Gone("crashed", "it sent an answer that is none")
    return reply


def within(deadline: Deadline) -> Deadline:
    """The same deadline. Raises SandboxTimeout if no time is left."""
    if deadline.left() <= 0:
        raise SandboxTimeout("no time is left")
    return deadline


@contextlib.contextmanager
def lost_as_gone() -> Iterator[None]:
    """What ends a session is raised as `Gone` with a typed status."""
    try:
        yield
    except SandboxTimeout:
        raise Gone("timeout", "it did not finish in time") from None
    except SandboxMemory:
        raise Gone("memory", "it ran out of memory") from None
    except SandboxCrashed as error:
        raise Gone("crashed", _clause(error)) from None
    except WireError as error:
        raise Gone("crashed", f"it sent what cannot be read: {_clause(error)}") from None


def _clause(error: Exception) -> str:
    """An error's sentence as a part of another."""
    sentence = one_line(str(error)).rstrip(".")
    return sentence[:1].lower() + sentence[1:]


def room_of(request: Request) -> int | None:
    """How many bytes more than now it may hold; None where that is not asked for."""
    return (request.room or None) if isinstance(request, CallRequest) else None


def complete(request: Request, reply: Any) -> dict[str, Any]:
    """The message, if it has every part that was asked for; else `Gone`."""
    error = reply.get("error") if isinstance(reply, dict) else None
    if isinstance(error, dict):
        if str(error.get("type")) == "MemoryError" and room_of(request) is None:
            raise Gone("memory", "it ran out of memory")
        return reply
    if not isinstance(reply, dict) or error is not None or not _whole(request, reply):
        raise Gone("crashed", "it sent an answer that is none")
    return reply


def _whole(request: Request, reply: dict[str, Any]) -> bool:
    if "value" not in reply:
        return False
    if isinstance(request, CallRequest) and request.gradients:
        gradients = reply.get("gradients")
        parts = (
            (gradients.get("inputs"), gradients.get("parameters"))
            if isinstance(gradients, dict)
            else ()
        )
        return len(parts) == 2 and all(
            isinstance(part, dict) and all(isinstance(grad, torch.Tensor) for grad in part.values())
            for part in parts
        )
    calls = reply.get("calls", [])
    return (
        isinstance(reply.get("inputs", {}), dict)
        and isinstance(reply.get("largest", 0), int)
        and isinstance(reply.get("traced", 0), int)
        and isinstance(reply.get("steps", 0), int)
        and isinstance(calls, list)
        and all(isinstance(call, str) for call in calls)
    )
