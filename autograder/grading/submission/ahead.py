"""A check's requests, asked all at once: what it will ask is known from asking the reference.

Every check runs here, one request at a time, and each answer would cost a round trip through the
sandbox's wall. Since a check asks the same things of every correct object, the check is run once
with the reference on both sides; its requests are then sent to each submission in a single frame,
and answered while the check looks at the first answers. Nothing is taken on trust: an answer
is used only if the check really asks that very request at that point.
"""

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checking.calling import copied, mapped
from autograder.checking.judge import judge
from autograder.checking.recording import Recorder, Recording, live
from autograder.checking.registry import find
from autograder.checking.requests import Reply, Request, changed, message_of
from autograder.checking.subject import Performer
from autograder.checking.values import Function, Ref
from autograder.errors import BrokenCheck
from autograder.grading.submission.sandbox_home import complete, lost_as_gone, room_of, within
from autograder.sandbox.bounds import bounded, frame_limits, size
from autograder.sandbox.deadline import Deadline
from autograder.sandbox.session import REPLIES, Session, many


class Unforeseen(BaseException):
    """The check asks something else than foreseen. Not an Exception: no check may swallow it."""


@dataclass(frozen=True)
class Part:
    """Requests that are sent in one frame, and what memory their answers may take."""

    begins: int
    count: int
    frame: bytes
    room: int | None


def parts(requests: list[Request]) -> list[Part]:
    """The requests, apart where the memory that a call may take is another."""
    found = []
    for room, group in itertools.groupby(enumerate(requests), lambda each: room_of(each[1])):
        asked = list(group)
        frame = many([message_of(request) for _, request in asked])
        found.append(Part(asked[0][0], len(asked), frame, room))
    return found


@dataclass
class Plan:
    """What a check asks of a correct object, and how the reference answers its own questions."""

    requests: list[Request]
    answers: list[Reply]
    parts: list[Part]
    sizes: list[int]  # of the right answers
    holds: bool = True  # until a check has asked something else of a submission

    @property
    def bounds_memory(self) -> bool:
        """Whether some call may hold no more than so much beyond what was held before."""
        return any(map(room_of, self.requests))

    def reference(self) -> Recording:
        """The reference's answers, from the first on."""
        return Recording(self.answers)


class _Noting:
    """Passes requests on and notes them."""

    def __init__(self, home: Performer) -> None:
        self._home = home
        self.requests: list[Request] = []
        self.sizes: list[int] = []

    def answer(self, request: Request) -> Reply:
        # The check may change its inputs later.
        self.requests.append(changed(functools.partial(mapped, copied), request))
        reply = self._home.answer(request)
        self.sizes.append(size(reply.message()))
        return reply


@functools.lru_cache(maxsize=128)  # a chapter's exercises, for each of a run's draws
def plan(name: str, seed: int) -> Plan:
    """Run the check of `name` with the reference on both sides. Raises BrokenCheck if it fails."""
    task = find(name)
    asked, recorder = _Noting(live(task)), Recorder(live(task))
    verdict = judge(name, asked, recorder, seed)
    if not verdict.passed:
        raise BrokenCheck(f"The reference of {name} does not pass its own check: {verdict.message}")
    return Plan(asked.requests, recorder.replies, parts(asked.requests), asked.sizes)


class Ahead:
    """The student's objects, behind a session that is asked everything at once."""

    def __init__(self, session: Session, foreseen: Plan, deadline: Deadline) -> None:
        self._session = session
        self._plan = foreseen
        self._deadline = deadline
        self._next = 0
        self.failed = False  # whether the rest is asked only to find out why
        self.lost = False

    def hurry(self, seconds: float) -> None:
        """The check has failed: allow no more than so many seconds from here on."""
        self._deadline.shorten(seconds)
        self.failed = True

    def answer(self, request: Request) -> Reply:
        """The answer to the next request. Raises Unforeseen when it is not the foreseen one."""
        requests = self._plan.requests
        if self._next == len(requests) or not alike(request, requests[self._next]):
            raise Unforeseen
        self.lost = True  # until it has answered
        with lost_as_gone():
            left = within(self._deadline)
            for part in self._plan.parts:
                if part.begins == self._next:
                    self._session.limit_memory(part.room)
                    self._session.ask_all(part.frame, part.count, left)
            right = self._plan.sizes[self._next]
            self._session.replies = frame_limits(REPLIES, right)
            self._next += 1
            reply = self._session.next(left)
        answer = complete(request, reply)
        self.lost = False
        return bounded(request, answer, right)


def alike(one: Any, other: Any) -> bool:
    """Whether two requests, or parts of them, are the same to the last bit."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor):
        if (
            one.dtype != other.dtype
            or one.shape != other.shape
            or one.is_contiguous() != other.is_contiguous()
        ):
            return False
        return torch.equal(one, other) or _bits(one) == _bits(other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return one == other or (one != one and other != other)
    if isinstance(one, Request):
        return alike(vars(one), vars(other))
    if isinstance(one, Function):
        plain = (one.source, one.name, one.build) == (other.source, other.name, other.build)
        return plain and alike(one.bound, other.bound)
    if isinstance(one, Ref):
        return one.number == other.number
    return one == other


def _bits(tensor: Tensor) -> bytes:
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
