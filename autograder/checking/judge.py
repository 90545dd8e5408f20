"""Runs a check, and when it fails finds out which mistake was made."""

from typing import Any

from autograder.checking.calling import Home
from autograder.checking.comparing import Failure, brief, current_draw, difference
from autograder.checking.draw import Draw
from autograder.checking.families import used_of
from autograder.checking.registry import Exercise, find
from autograder.checking.subject import Call, NotStarted, Performer, Raised, Subject
from autograder.checking.values import Ref
from autograder.checking.verdict import Verdict

PUBLIC_SEED = 2017


class Lost(BaseException):
    """The place where the code under check runs is gone (time, memory, a crash).

    Not an Exception: no check may swallow it.
    """


def judge(name: str, home: Performer, reference: Performer, seed: int = PUBLIC_SEED) -> Verdict:
    """Check the exercise `name` of the code that lives in `home` against `reference`."""
    task = find(name)
    remembered = _Remembered(reference)
    transcript, failure = _examine(task, home, remembered, seed)
    if failure is None:
        return Verdict(name, task.points, task.points, "passed", message="All cases hold.")
    if isinstance(failure, NotStarted):
        return Verdict(name, 0.0, task.points, "not started", message="not started yet")
    sentence = _diagnose(task, transcript, failure, remembered, seed)
    return Verdict(name, 0.0, task.points, "failed", sentence, _account(failure))


class _Remembered:
    """The reference, asked once: when the check runs again, its answers are repeated."""

    def __init__(self, reference: Performer) -> None:
        self._reference = reference
        self._replies: list[dict[str, Any]] = []
        self._next = 0
        if rewind := getattr(reference, "rewind", None):
            rewind()

    def rewind(self) -> None:
        self._next = 0

    def perform(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._next == len(self._replies):
            self._replies.append(self._reference.perform(request))
        self._next += 1
        return self._replies[self._next - 1]


class _Apart(BaseException):
    """A known mistake answers otherwise than the student's code: no check may swallow it."""


class _Follower:
    """A known mistake, as long as it gives the student's answers."""

    def __init__(self, home: Performer, transcript: list[Call]) -> None:
        self._home = home
        self._transcript = transcript
        self._next = 0

    @property
    def arrived(self) -> bool:
        return self._next == len(self._transcript) > 0

    def perform(self, request: dict[str, Any]) -> dict[str, Any]:
        reply = self._home.perform(request)
        self._next += 1
        if self._next > len(self._transcript):
            raise _Apart
        # An error that the check asked for may say anything; the one that stopped it is compared
        # whole.
        if not _same_reply(self._transcript[self._next - 1].reply, reply, words=self.arrived):
            raise _Apart
        return reply


def _examine(
    task: Exercise, home: Performer, reference: _Remembered, seed: int
) -> tuple[list[Call], Exception | None]:
    """Run the check once: what was asked and answered, and what stopped it."""

    def describe(name: str, request: dict[str, Any]) -> str:
        return _in_words(task, name, request)

    draw = Draw(seed)
    watch = bool(task.forbidden)
    student = Subject(task.name, home, describe, watch)
    reference.rewind()
    token = current_draw.set(draw)
    try:
        task.check(student, Subject(task.name, reference, describe), draw)
        if banned := used_of(task.forbidden, student.used):
            raise Failure(
                f"{task.name} calls the library's own {' and '.join(banned)}: this exercise is to "
                "write that function, so build it from simpler operations."
            )
        if task.forbidden and not student.used:
            raise Failure(f"What {task.name} calls could not be seen: something hides it.")
    except (Failure, Raised, NotStarted) as failure:
        return student.transcript, failure
    except Exception as error:
        return student.transcript, Failure(
            f"{student.last_call} returned something the check cannot use "
            f"({type(error).__name__}: {error})."
        )
    finally:
        current_draw.reset(token)
    return student.transcript, None


def _diagnose(
    task: Exercise,
    transcript: list[Call],
    stopped: Exception,
    reference: _Remembered,
    seed: int,
) -> str | None:
    """The sentence of the misconception that gives the same answers, if there is one.

    Where behavior is graded: of the one that fails with the same words.
    """
    for known in task.misconceptions:
        if task.behavior:
            home = Home({task.name: known.wrong})
            _, failure = _examine(task, home, reference, seed)
            if str(failure) == str(stopped):
                return known.sentence
            continue
        if not _may_be(known.wrong, task.name, transcript[-1]):
            continue
        follower = _Follower(Home({task.name: known.wrong}), transcript)
        try:
            _, failure = _examine(task, follower, reference, seed)
        except _Apart:
            continue
        if failure is not None and follower.arrived:
            return known.sentence
    return None


def _may_be(wrong: Any, name: str, last: Call) -> bool:
    """Whether the mistake gives the last answer, where that can be asked without what led to it."""
    if last.request["target"] != name:
        return True
    return _same_reply(last.reply, Home({name: wrong}).perform(last.request), words=True)


def _same_reply(one: dict[str, Any], other: dict[str, Any], words: bool) -> bool:
    if ("error" in one) != ("error" in other):
        return False
    if "error" in one:
        mine, theirs = one["error"], other["error"]
        alike = not words or mine.get("message") == theirs["message"]
        return mine.get("type") == theirs["type"] and alike
    try:
        return all(
            not difference(one[part], other[part], nan_equal=True)
            for part in ("value", "gradients", "inputs")
            if part in one and part in other and not isinstance(one[part], Ref)
        )
    except Exception:  # a number too large for a float, a tensor that torch cannot compare
        return False


def _account(failure: Exception) -> str:
    if isinstance(failure, Raised):
        where = f" ({failure.where})" if failure.where else ""
        return f"{failure.call} raised {failure.type}: {failure.message}{where}"
    return str(failure)


def _in_words(task: Exercise, name: str, request: dict[str, Any]) -> str:
    """`softmax(scores [S=7], dim=-1)`: a request as a learner would write it."""
    made = isinstance(request["target"], Ref)
    if request["op"] != "call":
        return {
            "load": f"putting weights into {name}",
            "parameters": f"the parameters of {name}",
            "to": f"{name} in {request.get('dtype')}",
        }.get(request["op"], f"{name}.{request['op']}")
    method = request.get("method")
    names = task.forward_parameters if made else task.parameters
    args = [
        f"{names[index]} {brief(value)}" if index < len(names) and not method else brief(value)
        for index, value in enumerate(request["args"])
    ]
    kwargs = [f"{key}={brief(value)}" for key, value in request["kwargs"].items()]
    call = f"{name}.{method}" if method else f"the {name}'s forward" if made else name
    return f"{call}({', '.join(args + kwargs)})"
