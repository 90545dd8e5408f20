"""A check's requests, asked all at once: what it will ask is known from asking the reference.

Every check runs here, one request at a time, and each answer would cost a round trip through the
sandbox's wall. Since a check asks the same things of every correct object, the check is run once
with the reference on both sides; its requests are then sent to each submission in a single frame,
and answered while the check looks at the first answers. Nothing is taken on trust: an answer
is used only if the check really asks that very request at that point.

What a check finds depends on its draw and on the answers alone. Where they are those of an earlier
submission, to the last bit and from the first to the last, it is what was found then.
"""

import functools
import gc
import hashlib
import itertools
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from autograder.checking.registry import find
from autograder.checking.verdict import Verdict
from autograder.diagnosis.judge import Lost, first_failure
from autograder.diagnosis.recording import Recorder, live
from autograder.errors import BrokenCheck
from autograder.grading.submission.sandbox_home import (
    SandboxHome,
    complete,
    lost_as_gone,
    room_of,
    within,
)
from autograder.remote.calling import copied, mapped
from autograder.remote.requests import (
    Performer,
    Reply,
    Request,
    mapped_request,
    message_of,
)
from autograder.remote.values import pairs
from autograder.sandbox.bounds import bounded, frame_limits, size
from autograder.sandbox.deadline import Deadline
from autograder.sandbox.session import REPLIES, Session, many, opened

MOST_FOUND = 2000  # answers of which a plan knows what follows from them


class Unforeseen(BaseException):
    """The check asks something else than foreseen. Not an Exception: no check may swallow it."""


@dataclass(frozen=True)
class Part:
    """Requests that are sent in one frame, and what memory their answers may take."""

    count: int
    frame: bytes
    room: int | None


def parts(requests: list[Request]) -> dict[int, Part]:
    """The requests by where they begin, apart where a call may take another amount of memory."""
    by_start = {}
    for room, group in itertools.groupby(enumerate(requests), lambda each: room_of(each[1])):
        asked = list(group)
        frame = many([message_of(request) for _, request in asked])
        by_start[asked[0][0]] = Part(len(asked), frame, room)
    return by_start


@dataclass
class Plan:
    """What a check asks of a correct object, and how the reference answers its own questions."""

    requests: list[Request]
    answers: list[Reply]
    parts: dict[int, Part]
    sizes: list[int]  # of the right answers
    holds: bool = True  # until a check has asked something else of a submission
    # By what sums up the answers so far: the verdict, or whether the check has failed by then.
    found: dict[bytes, Verdict | bool] = field(default_factory=lambda: {b"": False})

    @property
    def bounds_memory(self) -> bool:
        """Whether some call may hold no more than so much beyond what was held before."""
        return any(map(room_of, self.requests))


class _Noting(Recorder):
    """Keeps the requests too."""

    def __init__(self, home: Performer) -> None:
        super().__init__(home)
        self.requests: list[Request] = []

    def answer(self, request: Request) -> Reply:
        # The check may change its inputs later.
        self.requests.append(mapped_request(functools.partial(mapped, copied), request))
        return super().answer(request)


@functools.lru_cache(maxsize=128)  # a chapter's exercises, for each of a run's draws
def plan(name: str, seed: int) -> Plan:
    """Run the check of `name` with the reference on both sides. Raises BrokenCheck if it fails."""
    exercise = find(name)
    asked, recorder = _Noting(live(exercise)), Recorder(live(exercise))
    if wrong := first_failure(name, asked, recorder, seed):
        raise BrokenCheck(f"The reference of {name} does not pass its own check: {wrong}")
    sizes = [size(reply.message()) for reply in asked.replies]
    gc.collect()
    gc.freeze()  # it stays, as do all modules: a collection need not look at them each time
    return Plan(asked.requests, recorder.replies, parts(asked.requests), sizes)


class Ahead(Performer):
    """The student's objects, behind a session that is asked everything at once."""

    def __init__(self, session: Session, foreseen: Plan, deadline: Deadline) -> None:
        self._session = session
        self._plan = foreseen
        self._deadline = deadline
        self._next = 0
        self._came: deque[tuple[int, bytes]] = deque()  # and not yet asked for
        self._now = b""  # sums up all that came, and where each answer ends
        self._found: dict[bytes, Verdict | bool] = {b"": False}
        self.failed = False  # whether the rest is asked only to find out why
        self.lost = False

    def hurry(self) -> None:
        """The check has failed: the rest may take about as long as all so far."""
        if not self.failed:
            self._deadline.hurry()
        self.failed = self._found[self._now] = True

    def recalled(self) -> Verdict | None:
        """What was found on the same answers; else `answer` gives those that have come again."""
        while not isinstance(found := self._plan.found.get(self._now), Verdict | None):
            if found:
                self.hurry()
            if len(self._came) == len(self._plan.requests):
                return None  # all was asked
            try:
                self._receive()
            except Lost:
                return None
        self.lost = False
        return found

    def keep(self, verdict: Verdict) -> None:
        """Know from now on what is found on these answers."""
        if not self.lost and len(self._plan.found) < MOST_FOUND:
            self._plan.found |= self._found | {self._now: verdict}

    def _receive(self) -> None:
        """Take the next answer as it comes."""
        self.lost = True  # until it can be used
        number = len(self._found) - 1
        with lost_as_gone():
            left = within(self._deadline)
            if part := self._plan.parts.get(number):
                self._session.limit_memory(part.room)
                self._session.ask_all(part.frame, part.count, left)
            self._session.replies = frame_limits(REPLIES, self._plan.sizes[number])
            self._came.append(self._session.frame(left))
        self._now = hashlib.sha256(self._now + self._came[-1][1]).digest()
        self._found[self._now] = self.failed

    def again(self, request: Request) -> Reply:
        """The answer to a question that the check does not ask, once it has failed."""
        while (number := len(self._found) - 1) < len(self._plan.requests):
            if number in self._plan.parts:
                break  # what has been asked is answered, and no more need be
            self._receive()
        self.lost = True  # until it has answered
        home = SandboxHome(self._session, self._deadline, max(self._plan.sizes))
        reply = home.answer(request)
        self.lost = False
        return reply

    def answer(self, request: Request) -> Reply:
        """The answer to the next request. Raises Unforeseen when it is not the foreseen one."""
        requests = self._plan.requests
        if self._next == len(requests) or not same_request(request, requests[self._next]):
            raise Unforeseen
        if not self._came:
            self._receive()
        right = self._plan.sizes[self._next]
        self._next += 1
        with lost_as_gone():
            reply = opened(*self._came.popleft(), frame_limits(REPLIES, right))
        answer = complete(request, reply)
        self.lost = False
        return bounded(request, answer, right)


def same_request(one: Request, other: Request) -> bool:
    """Whether two requests are the same to the last bit."""
    return type(one) is type(other) and identical(vars(one), vars(other))


def identical(one: Any, other: Any) -> bool:
    """Whether two trees are the same to the last bit."""
    return all(_same(mine, theirs) for _, mine, theirs in pairs(one, other))


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other) or isinstance(one, tuple | list | dict):
        return False
    if isinstance(one, Tensor):
        kinds = [(each.dtype, each.shape, each.is_contiguous()) for each in (one, other)]
        return kinds[0] == kinds[1] and (torch.equal(one, other) or _bits(one) == _bits(other))
    return one == other or (one != one and other != other)


def _bits(tensor: Tensor) -> bytes:
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
