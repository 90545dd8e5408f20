"""Runs a check, and when it fails finds out which misconception was made."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from autograder.checking.comparing import Failure, account_of, brief, current_draw, of_two_sizes
from autograder.checking.draw import Draw
from autograder.checking.events import Log, Reason, current_log
from autograder.checking.families import used_of
from autograder.checking.registry import Exercise, find
from autograder.checking.verdict import Verdict
from autograder.diagnosis.candidates import Known, candidates
from autograder.diagnosis.diagnose import Look, diagnose, plainly, still_planted
from autograder.diagnosis.explaining import Candidate, Rerun
from autograder.diagnosis.findings import fact
from autograder.diagnosis.parts import part
from autograder.diagnosis.patterns import Pattern
from autograder.diagnosis.section import section_of
from autograder.diagnosis.smallest import as_data, smallest
from autograder.diagnosis.steps import step_that_parts
from autograder.diagnosis.where import Calls
from autograder.remote.calling import Copies, Home
from autograder.remote.library import seeded
from autograder.remote.requests import (
    ConvertRequest,
    LoadRequest,
    ParametersRequest,
    Performer,
    Reply,
    Request,
    TrainRequest,
)
from autograder.remote.subject import Call, NotStarted, Raised, Subject
from autograder.remote.values import Ref

PUBLIC_SEED = 2017
AS_GIVEN = "Not mended yet, it answers as it did when it was given to you:"


class Lost(BaseException):
    """The place where the code under check runs is gone (time, memory, a crash).

    Not an Exception: no check may swallow it.
    """


def judge(
    name: str,
    home: Performer,
    reference: Performer,
    seed: int = PUBLIC_SEED,
    more: bool = False,
) -> Verdict:
    """Check the exercise `name` of the code that lives in `home` against `reference`.

    When it fails, the misconception is searched for; with `more`, a small example of it, too. Code
    that draws numbers without a seed of its own gets the same ones in every check.
    """
    with seeded(seed):
        return _verdict(find(name), home, reference, seed, more)


def _verdict(
    exercise: Exercise, home: Performer, reference: Performer, seed: int, more: bool
) -> Verdict:
    name = exercise.name
    remembered = _Remembered(reference)
    bounded = _Bounded(home, remembered)
    log = _Students(bounded)
    try:
        _examine(exercise, bounded, remembered, seed, log, bool(exercise.forbidden))
    except NotStarted:
        status = "not mended" if exercise.mend else "not started"
        return Verdict(name, 0.0, exercise.points, status, message=f"{status} yet")
    if log.failure is None:
        return Verdict(name, exercise.points, exercise.points, "passed", message="All cases hold.")
    failed = Verdict(name, 0.0, exercise.points, "failed", message=account_of(log.failure))
    if log.lost or not any(event.failed for event in log.events):
        return failed
    calls = functools.cache(functools.partial(_calls, exercise, bounded, remembered, seed))
    run = functools.partial(_imitate, exercise, remembered, seed)
    known = candidates(exercise, seed, getattr(reference, "patterns", ()), seed == PUBLIC_SEED)
    failed = _explained(failed, known, log, run, calls, bounded)
    asked = more and failed.status == "failed"
    return _with_example(failed, exercise, log, calls(), bounded) if asked else failed


def _explained(
    failed: Verdict,
    known: Known,
    log: Log,
    run: Rerun,
    calls: Callable[[], tuple[list[Call], list[Call]]],
    home: "_Bounded",
) -> Verdict:
    """The verdict with the mistake that was made, if one is found."""
    exercise = known.exercise
    asked = functools.cache(lambda: Calls(exercise, *calls(), home.again))
    look = Look(
        functools.cache(lambda: fact(exercise, log.events, *calls(), home.again, asked().both)),
        lambda: (
            part(exercise, *calls(), home.again) or step_that_parts(exercise, *calls(), home.again)
        ),
        asked,
    )
    if still_planted(known, log, run):
        message = f"{failed.message.removesuffix('.')}."
        text = " ".join(filter(None, (AS_GIVEN, message, plainly(known, log, look, run))))
        return replace(failed, status="not mended", message=text)
    diagnosis = diagnose(known, log, run, look)
    if diagnosis is None:
        return failed
    return replace(
        failed, misconception=diagnosis.sentence, message=diagnosis.shown.text, key=diagnosis.key
    )


def _with_example(
    failed: Verdict,
    exercise: Exercise,
    log: Log,
    calls: tuple[list[Call], list[Call]],
    home: "_Bounded",
) -> Verdict:
    """The verdict with a small input that goes wrong, if there is one."""
    names = (event.fields.get("names") for event in log.events)
    example = smallest(exercise, *calls, home.again, next(filter(None, names), ()))
    return replace(failed, more=as_data(example, section_of(exercise)) if example else None)


class _Found(BaseException):
    """The check has found something. Not an Exception: no check may swallow it."""


class _UntilItFails(Log):
    """The events of a check that ends at its first failure."""

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event; one that failed is the last."""
        super().note(kind, got, **details)
        if self.failure is not None:
            raise _Found


def first_failure(
    name: str, home: Performer, reference: Performer, seed: int = PUBLIC_SEED
) -> str | None:
    """What the check of `name` finds wrong first, where it ends; None if nothing is.

    `judge` goes on to the end, looks for the misconception, and keeps what it tried for the next
    one who is judged against that reference: this is for what is no student's, or against another
    one.
    """
    exercise, log = find(name), _UntilItFails()
    try:
        _examine(exercise, home, _Remembered(reference), seed, log, bool(exercise.forbidden))
    except _Found:
        pass
    except NotStarted:
        return "not started yet"
    return None if log.failure is None else account_of(log.failure)


def passes(name: str, home: Performer, reference: Performer, seed: int = PUBLIC_SEED) -> bool:
    """Whether the check of `name` finds nothing wrong; it ends at the first failure."""
    return first_failure(name, home, reference, seed) is None


class _Remembered(Performer):
    """The reference, asked once: when the check runs again, its answers are repeated."""

    def __init__(self, reference: Performer) -> None:
        self._reference = reference
        self._largest, self._measured = 1000, 0
        self._replies: list[Reply] = []
        self._next = 0
        reference.rewind()

    def rewind(self) -> None:
        self._next = 0

    @property
    def largest(self) -> int:
        """The number of elements of any answer so far; few ask."""
        new = self._replies[self._measured :]
        self._largest = max([self._largest, *(_size(reply.message()) for reply in new)])
        self._measured += len(new)
        return self._largest

    def answer(self, request: Request) -> Reply:
        if self._next == len(self._replies):
            self._replies.append(self._reference.answer(request))
        self._next += 1
        return self._replies[self._next - 1]


class _Bounded(Performer):
    """The student's code; once the check has failed, answers far larger than right are refused.

    The check goes on then with answers that it may not have been made for, and the code has about
    as long for the rest as it took so far.
    """

    def __init__(self, home: Performer, reference: _Remembered) -> None:
        self._home = home
        self._reference = reference
        self.failed = False
        self.replies: list[Reply] = []

    def fail(self) -> None:
        """The check has failed: what follows is asked only to find out why."""
        if not self.failed:
            self._home.hurry()
        self.failed = True

    def answer(self, request: Request) -> Reply:
        reply = self._home.answer(request)
        if self.failed and _size(reply.message()) > 4 * self._reference.largest:
            raise _Beyond
        self.replies.append(reply)
        return reply

    def again(self, request: Request) -> Reply | None:
        """The answer to a further question, which is no part of the check; None without one."""
        try:
            reply = self._home.again(request)
        except Lost:
            return None
        large = reply is not None and _size(reply.message()) > 4 * self._reference.largest
        return None if large else reply


class _Repeated(Performer):
    """Gives answers that have come once more, in their order."""

    def __init__(self, replies: list[Reply]) -> None:
        self._replies = iter(replies)

    def answer(self, request: Request) -> Reply:
        reply = next(self._replies, None)
        if reply is None:
            raise _Beyond
        return reply


def _size(value: Any) -> int:
    """The numbers in its largest tensor, or the items of what is longer."""
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, dict | list | tuple):
        return 0
    items = value.values() if isinstance(value, dict) else value
    return max([len(value), *map(_size, items)])


class _Beyond(Exception):
    """The student's code answers with more than the check can be expected to look at."""


class _Students(Log):
    """The events of the student's code."""

    def __init__(self, home: _Bounded) -> None:
        super().__init__()
        self._home = home

    def note(self, kind: str, got: Any = None, **details: Any) -> None:
        """Add an event, and take care of what comes after a failure.

        That a check looks no further is none of the student's errors.
        """
        if (kind, got) == ("raised", _Beyond.__name__):
            details["free"] = True
        super().note(kind, got, **details)
        if self.failure is not None:
            self._home.fail()


def _examine(
    exercise: Exercise,
    home: Performer,
    reference: _Remembered,
    seed: int,
    log: Log,
    watch: bool = False,
    keep: Callable[[Tensor], Tensor] | None = None,
) -> tuple[list[Call], list[Call]]:
    """Run the check once, and note what is compared; return what either side was asked, if kept.

    Raises NotStarted if nothing has failed before.
    """
    describe = functools.partial(_in_words, exercise)
    draw = Draw(seed)
    student = Subject(exercise.name, home, describe, watch, keep=keep)
    right = Subject(exercise.name, reference, describe, keep=keep)
    reference.rewind()
    tokens = current_draw.set(draw), current_log.set(log)
    try:
        with _noting(log, student):
            exercise.check(student, right, draw)
            shortcut = _shortcut(exercise, student, watch and log.failure is None)
            if shortcut:
                log.note("holds", False, failure=shortcut, reason=Reason.LIBRARY)
    finally:
        current_draw.reset(tokens[0])
        current_log.reset(tokens[1])
    return student.transcript, right.transcript


def _calls(
    exercise: Exercise, home: _Bounded, reference: _Remembered, seed: int
) -> tuple[list[Call], list[Call]]:
    """What either side was asked: the check runs again, and this time what it asks is kept.

    To copy all that is given takes time, and few answers need that look.
    """
    watch = bool(exercise.forbidden)
    return _examine(exercise, _Repeated(home.replies), reference, seed, Log(), watch, Copies())


def _shortcut(exercise: Exercise, student: Subject, watch: bool) -> Failure | None:
    """What is wrong with what the student's code calls."""
    if banned := used_of(exercise.forbidden, student.used):
        return Failure(
            f"{exercise.name} calls the library's own {' and '.join(banned)}, which the contract "
            "rules out: build what is asked for from simpler operations."
        )
    if exercise.forbidden and watch and not student.used:
        return Failure(calls_hidden(exercise.name))
    return None


def calls_hidden(name: str) -> str:
    """What is said where an exercise forbids functions and nothing shows which ones it calls."""
    return f"What {name} calls could not be seen: something hides it."


@contextlib.contextmanager
def _noting(log: Log, student: Subject) -> Iterator[None]:
    """Note what ends a check. Raises NotStarted if nothing has failed before."""
    try:
        yield
    except Failure as error:
        log.failure = log.failure or error
    except (Raised, NotStarted) as error:
        if isinstance(error, NotStarted) and log.failure is None:
            raise
        log.note(
            "raised",
            getattr(error, "type", "NotImplementedError"),
            failure=error,
            account=account_of(error),
            reason=Reason.ERROR,
            fields={"message": getattr(error, "message", "")},
        )
    except Exception as error:
        failure = Failure(
            f"{student.last_call} returned something the check cannot use "
            f"({type(error).__name__}: {error})."
        )
        log.note("raised", type(error).__name__, failure=failure, reason=Reason.ERROR)
    except (Lost, KeyboardInterrupt):
        if log.failure is None:
            raise
        log.lost = True  # the verdict stands


def _imitate(exercise: Exercise, reference: _Remembered, seed: int, thing: Any, log: Log) -> None:
    """Run the check with something that makes a misconception."""
    with seeded(seed):
        _examine(exercise, Home({exercise.name: thing}), reference, seed, log)
    if log.lost:  # by an interrupt: half a run must not be taken for a whole one
        raise KeyboardInterrupt


def patterns_of(name: str, reference: Performer) -> list[Pattern | None]:
    """The patterns of its misconceptions, in the order in which they are tried."""
    exercise, remembered = find(name), _Remembered(reference)
    return [_pattern(exercise, remembered, one) for one in Known(exercise).misconceptions]


def _pattern(exercise: Exercise, reference: _Remembered, one: Candidate) -> Pattern | None:
    """Where it goes wrong with the public seed; None where it makes no code."""
    log = Log()
    try:
        _imitate(exercise, reference, PUBLIC_SEED, one.make(), log)
    except Exception:
        return None
    return Pattern.of(log.events)


def _in_words(exercise: Exercise, name: str, request: Request) -> str:
    """`softmax(scores [S=7], dim=-1)`: a request as a learner would write it."""
    match request:
        case LoadRequest():
            return f"putting weights into {name}"
        case ParametersRequest():
            return f"the parameters of {name}"
        case ConvertRequest():
            return f"{name} in {request.dtype}"
        case TrainRequest():
            return f"{name}.train"
    made = isinstance(request.target, Ref)
    method = request.method
    names = exercise.forward_parameters if made else exercise.parameters
    unclear = of_two_sizes((request.args, request.kwargs))
    args = [
        f"{names[index]} {brief(value, unclear)}"
        if index < len(names) and not method
        else brief(value, unclear)
        for index, value in enumerate(request.args)
    ]
    kwargs = [f"{key}={brief(value, unclear)}" for key, value in request.kwargs.items()]
    call = f"{name}.{method}" if method else f"the {name}'s forward" if made else name
    return f"{call}({', '.join(args + kwargs)})"
