"""What comes after the name of a misconception, on request: the smallest input at hand that shows
it.

A call that failed is asked again with ever smaller inputs, and with whole numbers in the place of
others, as long as the student's code and the reference still differ.
"""

import functools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Closeness, brief, number
from autograder.checking.registry import Exercise
from autograder.diagnosis.findings import Again
from autograder.remote.calling import Home, mapped, tensors
from autograder.remote.requests import CallRequest, Reply, Target
from autograder.remote.subject import Call
from autograder.remote.values import Ref
from autograder.source.sources import NoSource, definition

ASKED_AT_MOST = 60  # questions, to either side
WITHIN = Closeness(dtype=False)
ROWS, COLUMNS = 6, 8  # of a table


@dataclass(frozen=True)
class Example:
    """A call with few numbers, and what came of it beside what should have come: plain data."""

    call: str
    given: Sequence[tuple[str, str]]  # the name of each input, and what it is
    result: str  # which of several, and which part of it
    got: Sequence[Sequence[str]]
    want: Sequence[Sequence[str]]
    wrong: Sequence[Sequence[bool]]  # where the two differ
    error: str = ""  # in the place of what came
    steps: Sequence[tuple[str, str]] = ()  # what the student's own variables held on the way


@dataclass
class _Both:
    """Both sides, each of which can be asked again."""

    student: Again
    reference: Home
    left: int = field(default=ASKED_AT_MOST)

    def answers(self, request: CallRequest) -> tuple[Reply, Any] | None:
        """What they say, if they differ; None if not, or if nobody may ask any more."""
        self.left -= 1
        if self.left < 0:
            return None
        want = self.reference.answer(request)
        if want.error or isinstance(want.value, Ref):
            return None
        got = self.student(request)
        if got is None or not got.error and WITHIN.surely_agree(got.value, want.value):
            return None
        return got, want.value


def smallest(
    exercise: Exercise,
    mine: Sequence[Call],
    theirs: Sequence[Call],
    again: Again,
    names: Sequence[str] = (),
) -> Example | None:
    """A small call that goes wrong, of those that were asked and their smaller kin.

    `names` are those of several results.
    """
    if exercise.behavior or "generator" in exercise.parameters:
        return None  # right answers differ: the weights are their own, or what is drawn
    try:
        reference = reference_of(exercise, theirs)
    except NoSource:
        return None
    both = _Both(again, reference)
    failed = sorted(plain_calls(mine), key=size_of)
    for request in failed[: ASKED_AT_MOST // 3]:
        answers = both.answers(request)
        if answers is None:
            continue
        smaller = _shrunk(request, answers[0].error is not None, both)
        return _example(exercise, smaller, both, names)
    return None


def reference_of(exercise: Exercise, asked: Sequence[Call]) -> Home:
    """The reference where it can be asked anew, with the instances that the check has made."""
    return home_of(definition(exercise.module, exercise.reference).built(), exercise, asked)


def home_of(
    thing: Any, exercise: Exercise, asked: Sequence[Call], only: Target | None = None
) -> Home:
    """The same of a changed reference; of the instances `only` that one, if one is named."""
    home = Home({exercise.name: thing})
    for call in asked:
        request, made = call.request, call.reply.value
        if isinstance(request, CallRequest) and not isinstance(made, Ref):
            continue
        if only is None or only in (request.target, made):
            home.answer(request)
        elif isinstance(made, Ref):
            home.instances.append(None)  # in its place, so that the others keep their numbers
    return home


def plain_calls(mine: Sequence[Call]) -> Iterator[CallRequest]:
    """The calls whose answer is a value."""
    for call in mine:
        request = call.request
        if isinstance(request, CallRequest) and not request.method and not request.gradients:
            yield CallRequest(request.target, request.args, request.kwargs)


def size_of(request: CallRequest) -> int:
    """How many numbers it brings; float64 counts for a little more."""
    given = [tensor for _, tensor in tensors((request.args, request.kwargs))]
    return sum(tensor.numel() + (tensor.dtype == torch.float64) for tensor in given)


def _still(answers: tuple[Reply, Any] | None, with_error: bool) -> bool:
    return answers is not None and (answers[0].error is not None) is with_error


def _shrunk(request: CallRequest, with_error: bool, both: _Both) -> CallRequest:
    """The smallest that still fails likewise, of those that one step after another leads to."""
    found = True
    while found:
        found = False
        for smaller in _smaller(request):
            if _still(both.answers(smaller), with_error):
                request, found = smaller, True
                break
    return request


def _smaller(request: CallRequest) -> Iterator[CallRequest]:
    """One step: one example, axes of one size cut to two, small sizes, or whole numbers."""
    given = [tensor for _, tensor in tensors((request.args, request.kwargs))]
    if any(tensor.dim() > 2 and tensor.shape[0] > 1 for tensor in given):
        yield _changed(request, lambda one: one[:1].clone() if one.dim() > 2 else one)
    for size in sorted({size for tensor in given for size in tensor.shape if size > 2}):
        yield _changed(request, functools.partial(_cut, size))
    for place, value in enumerate(request.args):
        for other in _simpler(value):
            args = (*request.args[:place], other, *request.args[place + 1 :])
            yield replace(request, args=args)
    for factor in (1.0, 2.0):
        rounded = _changed(request, functools.partial(_rounded, factor))
        others = [tensor for _, tensor in tensors((rounded.args, rounded.kwargs))]
        if not all(map(torch.equal, given, others)):
            yield rounded


def _changed(request: CallRequest, change: Callable[[Tensor], Tensor]) -> CallRequest:
    return replace(
        request, args=mapped(change, request.args), kwargs=mapped(change, request.kwargs)
    )


def _cut(size: int, tensor: Tensor) -> Tensor:
    places = tuple(slice(2 if one == size else one) for one in tensor.shape)
    return tensor[places].clone()


def _simpler(value: Any) -> Iterator[Any]:
    """A smaller whole number, or a shorter word."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield from (other for other in (2, 3) if other < value)
    if isinstance(value, str):
        yield from (value[: len(value) // 2], value[1:]) if len(value) > 1 else ()


def _rounded(factor: float, tensor: Tensor) -> Tensor:
    if not tensor.is_floating_point() or not bool(torch.isfinite(tensor).all()):
        return tensor
    if not bool((tensor != tensor.round()).any()):
        return tensor
    return (factor * tensor).round() + 0.0  # no zero with a sign


def _example(
    exercise: Exercise, request: CallRequest, both: _Both, results: Sequence[str]
) -> Example | None:
    both.left = 1
    answers = both.answers(request)
    if answers is None:
        return None
    got, want = answers
    made = isinstance(request.target, Ref)
    names = exercise.forward_parameters if made else exercise.parameters
    given = [
        (names[place] if place < len(names) else f"input {place}", _written(value))
        for place, value in enumerate(request.args)
    ]
    given += [(name, _written(value)) for name, value in request.kwargs.items()]
    call = f"the {exercise.name}'s forward" if made else exercise.name
    path, mine, right = _where_they_differ(got.value, want)
    first = path.partition(".")[0]
    if first.isdigit() and int(first) < len(results):
        path = results[int(first)] + path.removeprefix(first)
    error = f"{got.error.type}: {got.error.message}" if got.error else ""
    tables = _tables(mine, right, bool(error))
    asked = replace(request, steps=True)
    return Example(call, given, path, *tables, error, _steps(both.student(asked)))


def _steps(reply: Reply | None) -> list[tuple[str, str]]:
    """Those that can be written down."""
    found = reply.value if reply and isinstance(reply.value, list | tuple) else ()
    pairs = [pair for pair in found if isinstance(pair, list | tuple) and len(pair) == 2]
    return [(str(name), _written(value)) for name, value in pairs]


def _written(value: Any) -> str:
    """An input as one would write it, if that is short."""
    if isinstance(value, Tensor) and value.numel() <= ROWS * COLUMNS:
        return _nested(value.tolist())
    return brief(value)


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_nested, value)) + "]"
    return _cell(value)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        whole = math.isfinite(value) and value == round(value)
        return f"{value + 0.0:.0f}" if whole else number(value)
    return str(value)


def _where_they_differ(got: Any, want: Any) -> tuple[str, Any, Any]:
    """The first part of a result that is wrong, and its name."""
    theirs = dict(tensors(got))
    for path, right in tensors(want):
        mine = theirs.get(path)
        if mine is None or not WITHIN.surely_agree(mine, right):
            return path, mine, right
    return "", got, want


def _tables(got: Any, want: Any, failed: bool) -> tuple[list, list, list]:
    """Both as rows of texts, and where they differ; of many axes the last two."""
    if isinstance(got, Tensor) and isinstance(want, Tensor) and got.shape == want.shape:
        apart = ~torch.isclose(got.double(), want.double(), rtol=1e-4, atol=1e-5)
        while apart.dim() > 2:
            place = int(apart.flatten(1).any(dim=1).nonzero()[0])
            got, want, apart = got[place], want[place], apart[place]
        wrong = _rows(apart)
        return _texts(got), _texts(want), wrong
    mine = [] if failed else _texts(got)
    return mine, _texts(want), [[True] * len(row) for row in mine]


def _rows(value: Tensor) -> list[list[Any]]:
    while value.dim() > 2:
        value = value[0]
    rows = value.reshape(1, -1) if value.dim() < 2 else value
    return rows[:ROWS, :COLUMNS].tolist()


def _texts(value: Any) -> list[list[str]]:
    if isinstance(value, Tensor):
        return [[_cell(one) for one in row] for row in _rows(value)]
    return [[_cell(value) if isinstance(value, bool | int | float) else brief(value)]]


def as_data(example: Example, read: str) -> Mapping[str, Any]:
    """What a verdict keeps of it, with where to `read` again: as it comes back from JSON."""
    return json.loads(json.dumps({**vars(example), "read": read}))
