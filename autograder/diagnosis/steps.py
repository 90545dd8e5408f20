"""Of a function that calls another one again and again: at which call the two sides part.

A search calls its `step` with the tokens so far. In the place of `step`, both sides are given one
that ends at its n-th call with an error, which says what it was given.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.checking.comparing import agree
from autograder.checking.registry import Exercise
from autograder.diagnosis.explaining import Finding
from autograder.diagnosis.findings import Again
from autograder.diagnosis.smallest import plain_calls, reference_of, size_of
from autograder.remote.requests import CallRequest, Reply, Request
from autograder.remote.subject import Call
from autograder.remote.values import Function
from autograder.source.sources import NoSource

CALLS_LOOKED_AT, STEPS = 6, 12
SAYS = "this call was given "
STOPPING = f"""

_calls = []


def _stopping(*given, **others):
    _calls.append(given)
    if len(_calls) == NUMBER:
        whole = not given[0].is_floating_point()
        import json
        raise RuntimeError({SAYS!r} + json.dumps([whole, *(one.tolist() for one in given)]))
    return NAME(*given, **others)
"""
Ask = Callable[[Request], Reply | None]


@dataclass(frozen=True)
class _Step:
    """A call with a function among its arguments, and that function's name in the contract."""

    request: CallRequest
    place: int
    name: str

    def given(self, number: int, ask: Ask) -> list[Any] | None:
        """What its n-th call is given; None if it has none.

        Raises LookupError if that cannot be told.
        """
        args = list(self.request.args)
        step = args[self.place]
        code = STOPPING.replace("NUMBER", str(number)).replace("NAME", step.name)
        args[self.place] = replace(step, source=step.source + code, name="_stopping")
        reply = ask(replace(self.request, args=tuple(args)))
        if reply is not None and reply.error is None:
            return None
        said = reply.error.message if reply and reply.error else ""
        try:
            whole, *given = (
                json.loads(said.removeprefix(SAYS)) if said.startswith(SAYS) else [False]
            )
        except ValueError as error:
            raise LookupError("cut off, as it is too long") from error
        if whole is not True:
            raise LookupError("another error, or other numbers than tokens")
        return given


def step_that_parts(
    exercise: Exercise, mine: Sequence[Call], theirs: Sequence[Call], again: Again
) -> Finding | None:
    """Which call of such a function is the first with other tokens; None where none is."""
    steps = list(_steps(exercise, mine))
    if not steps:
        return None
    try:
        home = reference_of(exercise, theirs)
    except NoSource:
        return None
    for step in steps[:CALLS_LOOKED_AT]:
        if sentence := _parting(step, again, home.answer):
            return Finding("part.step", sentence)
    return None


def _steps(exercise: Exercise, mine: Sequence[Call]) -> list[_Step]:
    """The calls with such a function, the smallest first."""
    return [
        _Step(request, place, exercise.parameters[place])
        for request in sorted(plain_calls(mine), key=size_of)
        if request.target == exercise.name
        for place, given in enumerate(request.args[: len(exercise.parameters)])
        if isinstance(given, Function) and not given.build
    ]


def _parting(step: _Step, again: Ask, reference: Ask) -> str:
    """What is to be said of the first call that differs; empty if none does."""
    for number in range(1, STEPS + 1):
        try:
            got, want = step.given(number, again), step.given(number, reference)
        except LookupError:
            return ""
        if got is None and want is None:
            return ""
        if got is None or want is None:
            return _too_few_or_many(step.name, number, got)
        if not _same(got, want) and not _within(want, got):
            one_by_one = _within(got, want)
            return "" if one_by_one else _other_tokens(step.name, number, got, want)
    return ""


def _same(got: list[Any], want: list[Any]) -> bool:
    """Whether two calls are given the same; the order of a beam is free."""
    return agree(_ordered(got), _ordered(want), rtol=1e-3, atol=1e-4)


def _ordered(given: list[Any]) -> list[Any]:
    rows = given[0]
    beam = len(given) == 1 and isinstance(rows, list) and all(type(row) is list for row in rows)
    return [sorted(rows)] if beam else given


def _within(some: list[Any], more: list[Any]) -> bool:
    """Whether all rows of one call are among those of the other.

    Some give rows that have ended along, and others one row at a time.
    """
    rows, others = some[0], more[0]
    beam = len(some) == 1 and isinstance(rows, list) and isinstance(others, list)
    return beam and len(rows) < len(others) and all(row in others for row in rows)


def _other_tokens(name: str, number: int, got: list[Any], want: list[Any]) -> str:
    before = (
        f"The first call of `{name}` is given"
        if number == 1
        else f"Up to call {number - 1}, `{name}` is given what it should be. Call {number} is given"
    )
    if got[0] == want[0]:
        return f"{before} the right tokens, but something else beside them than it should be."
    look = (
        "what it is made of"
        if number == 1
        else "what is kept of the call before, and at what it is joined to"
    )
    return f"{before} {_brief(got[0])}, and should be given {_brief(want[0])}: look at {look}."


def _too_few_or_many(name: str, number: int, got: list[Any] | None) -> str:
    if got is None:
        return (
            f"`{name}` is called {_times(number - 1)}, as it should be, and then no more, where "
            "another call should follow: look at when it ends."
        )
    return (
        f"`{name}` is called {_times(number - 1)}, as it should be, and then once more, with "
        f"{_brief(got[0])}, where it should have ended."
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _brief(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
