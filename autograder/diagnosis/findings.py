"""What can be said of wrong answers before any number is explained, from the calls of one check.

Each finding is a fact about the student's answers that does not hold of the reference's.
"""

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import agree
from autograder.checking.events import Event, Reason
from autograder.checking.registry import Exercise
from autograder.diagnosis.errors import is_written
from autograder.diagnosis.explaining import Finding
from autograder.diagnosis.set_aside import (
    axis_kind,
    axis_sentence,
    dtype_sentences,
    rewritten_sentence,
)
from autograder.remote.calling import tensors
from autograder.remote.requests import (
    CallRequest,
    ConvertRequest,
    Error,
    LoadRequest,
    Reply,
    Request,
    Target,
    TrainRequest,
)
from autograder.remote.subject import Call
from autograder.remote.values import Function, Ref, pairs

ORDER = "order"
ABOUT_AXES = re.compile(
    r"[Dd]im|unpack|\d-?D|axis|axes|size of tensor|shape|subscripts|operand|matri"
)
ABOUT_MEMORY = re.compile(r"view|stride|contiguous")


@dataclass(frozen=True)
class Asked:
    """A call of the student's code, and its answer."""

    request: CallRequest
    reply: Reply
    state: "State"


@dataclass(frozen=True)
class State:
    """What was put into an instance before a call, which makes the answer another one."""

    loads: int = 0
    mode: bool = True
    dtype: str = "float32"

    def after(self, request: Request) -> "State":
        """As a request leaves it."""
        match request:
            case LoadRequest():
                return replace(self, loads=self.loads + 1)
            case TrainRequest():
                return replace(self, mode=request.mode)
            case ConvertRequest():
                return replace(self, dtype=request.dtype)
        return self


Pair = tuple[Asked, Reply]  # the student's call, and the reference's reply to the same


@dataclass(frozen=True)
class Fact:
    """What is said, and the wrong answers that it explains."""

    finding: Finding
    explained: tuple[Event, ...]
    stays: tuple[Event, ...] = ()  # what is wrong whether it is mended or not


@dataclass(frozen=True)
class Told:
    """What may be said, and which wrong answers it would explain: it stands over no other."""

    text: str
    explains: Callable[[Event], bool]
    leaves: Callable[[Event], bool]  # whether it is wrong whether that is mended or not


Again = Callable[[Request], Reply | None]  # ask the student's code once more; None if it cannot
Both = Callable[[CallRequest], tuple[Any, Any] | None]  # ask both sides, likewise


def fact(
    exercise: Exercise,
    events: Sequence[Event],
    mine: Sequence[Call],
    theirs: Sequence[Call],
    again: Again,
    both: Both,
) -> Fact | None:
    """The first that explains something: in the events of a check, or in what either side said."""
    pairs = list(aligned(mine, theirs))
    compared = (_parameters, _dtype, _shape)
    texts: list[tuple[str, Iterator[str]]] = [
        ("missing", _missing(exercise, events, mine)),
        ("written_into", _written_into(exercise, mine)),
        ("rewritten", _rewritten(exercise, events)),
        ("left_out", _left_out(exercise, mine)),
        *((look.__name__.strip("_"), look(exercise, pairs)) for look in compared),
        ("drawn", _drawn(exercise, pairs, again)),
        ("memory", _memory(exercise, pairs, again)),
        ("batch", _batch(exercise, pairs, again)),
        ("errors", _errors(exercise, pairs)),
    ]
    failing = [event for event in events if event.failed and not event.free]
    found = [(kind, _of_kind(kind, several, failing)) for kind, several in texts]
    found += [
        ("unused", _unused(exercise, pairs, both)),
        ("cut_off", _cut_off(exercise, pairs, both)),
    ]
    for kind, several in found:
        for told in several:
            explained = tuple(event for event in failing if told.explains(event))
            if explained:
                stays = tuple(event for event in failing if told.leaves(event))
                return Fact(Finding(f"fact.{kind}", told.text), explained, stays)
    return None


def _of_kind(kind: str, texts: Iterator[str], failing: Sequence[Event]) -> Iterator[Told]:
    """What of it may be said; nothing is looked for that would explain nothing."""
    explains = EXPLAINS.get(kind, _anything)
    for text in texts if any(map(explains, failing)) else ():
        yield Told(text, explains, _has_other_numbers if kind == "dtype" else _nothing)


def _anything(event: Event) -> bool:
    return True


def _nothing(event: Event) -> bool:
    return False


def _has_other_numbers(event: Event) -> bool:
    """Whether they are other ones even in float32."""
    if event.kind == "gradient":
        return True
    return event.kind == "value" and event.reason is Reason.VALUES and not event.variant


EXPLAINS: dict[str, Callable[[Event], bool]] = {
    "missing": lambda event: event.kind == "raised",
    "rewritten": lambda event: event.reason is Reason.RESULT_CHANGED,
    "left_out": lambda event: event.kind == "raised",
    "dtype": lambda event: event.reason is Reason.DTYPE or event.variant == "float64",
    "shape": lambda event: event.reason is Reason.SHAPE,
    "memory": lambda event: event.variant == "not contiguous" or event.kind == "raised",
    "errors": lambda event: event.kind == "raised",
}


def aligned(mine: Sequence[Call], theirs: Sequence[Call]) -> Iterator[Pair]:
    """The student's calls with the reference's answers, which may have been asked once for two."""
    start, states = 0, dict[Target, State]()
    for call in mine:
        before = states.get(call.request.target, State())
        state = states[call.request.target] = before.after(call.request)
        for index in (*range(start, len(theirs)), *range(start)):
            if _same_question(call.request, theirs[index].request):
                start = index + 1
                if isinstance(call.request, CallRequest):
                    yield Asked(call.request, call.reply, state), theirs[index].reply
                break


def _calls(transcript: Sequence[Call]) -> list[Asked]:
    return [
        Asked(call.request, call.reply, State())
        for call in transcript
        if isinstance(call.request, CallRequest)
    ]


def _same_question(one: Request, other: Request) -> bool:
    # The objects of both sides are made in the same order, so the same one has the same number.
    if type(one) is not type(other) or one.target != other.target:
        return False
    if not (isinstance(one, CallRequest) and isinstance(other, CallRequest)):
        return True
    if (one.method, one.gradients) != (other.method, other.gradients):
        return False
    return _same(one.args, other.args) and _same(one.kwargs, other.kwargs)


def _same(one: Any, other: Any) -> bool:
    """Whether two arguments have the same values, however they lie in memory."""
    return all(_same_leaf(mine, theirs) for _, mine, theirs in pairs(one, other))


def _same_leaf(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    branches = isinstance(one, tuple | list | dict)  # of other forms
    return type(one) is type(other) and not branches and one == other


def _parameters(exercise: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """Parameters that the contract does not name, and that are not zero."""
    if exercise.behavior:
        return
    for call, wanted in pairs:
        own, named = call.reply.found.parameters, wanted.found.parameters
        extra = [name for name in own if name not in named and own[name].any()]
        if named and extra:
            yield (
                f"{exercise.name} learns with parameters that its contract does not name: "
                f"{_and(extra)}. Who gives it weights by the contract's names has none for them."
            )


def _answers(pairs: Sequence[Pair]) -> Iterator[tuple[Asked, Any, Any]]:
    """Calls that both sides answered, with both values."""
    for call, wanted in pairs:
        if not (call.reply.error or wanted.error):
            yield call, call.reply.value, wanted.value


def _dtype(exercise: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    for _, got, want in _answers(pairs):
        if agree(got, want, rtol=1e-3, atol=1e-4, dtype=False, nan_equal=True):
            yield from dtype_sentences(exercise.name, got, want)


def _shape(exercise: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """The one thing that is wrong with every shape that is wrong."""
    if any(call.reply.error and not wanted.error for call, wanted in pairs):
        return  # what is nearly right in shape with one query and one key fails with more of them
    kinds = set()
    for _, got, want in _answers(pairs):
        theirs = dict(tensors(want))
        for path, mine in tensors(got):
            if path in theirs and mine.shape != theirs[path].shape:
                kinds.add(axis_kind(mine, theirs[path]) or _permuted(mine, theirs[path]))
    if len(kinds) == 1 and "" not in kinds:
        kind = kinds.pop()
        if kind == ORDER:
            yield f"Axes of what {exercise.name} returns are in another order than they should be."
        else:
            yield axis_sentence(kind, exercise.name)


def _permuted(mine: Tensor, right: Tensor) -> str:
    """Whether the axes are in another order: the sizes alone may be so by chance."""
    if sorted(mine.shape) != sorted(right.shape):
        return ""
    orders = itertools.permutations(range(mine.dim()))
    return ORDER if any(not _differ(mine.permute(order), right) for order in orders) else ""


def _missing(exercise: Exercise, events: Sequence[Event], calls: Sequence[Call]) -> Iterator[str]:
    """A parameter that the contract names, and that is not there or has another shape."""
    if not any((event.kind, event.got) == ("raised", "LookupError") for event in events):
        return  # a check may well ask for a parameter that should not be there
    for call in calls:
        error = call.reply.error
        if isinstance(call.request, LoadRequest) and error and error.type == "LookupError":
            yield f"{exercise.name} has other parameters than its contract names: {error.message}."


def _written_into(exercise: Exercise, calls: Sequence[Call]) -> Iterator[str]:
    """An argument that is another one after the call."""
    for call in _calls(calls):
        given = dict(tensors(call.request.args)) | dict(tensors(call.request.kwargs))
        for path, left in (call.reply.inputs or {}).items():
            if path in given and not agree(left, given[path], 0.0, 0.0, nan_equal=True):
                name = _name(exercise, call.request, path.split(".")[0])
                yield (
                    f"{exercise.name} writes into `{name}`, which belongs to the caller: `+=`, an "
                    "assignment to a part of it, and methods that end in an underscore change a "
                    "tensor in place. Make a new one."
                )


def _rewritten(exercise: Exercise, events: Sequence[Event]) -> Iterator[str]:
    """A result that a later call has changed."""
    for event in events:
        if event.reason is Reason.RESULT_CHANGED:
            yield rewritten_sentence(exercise.name)


def _errors(exercise: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """What is given where an error comes up, and not where none does."""
    asked = [(call, wanted) for call, wanted in pairs if not wanted.error]
    if any(call.reply.error and isinstance(call.request.target, Ref) for call, _ in asked):
        asked = [pair for pair in asked if isinstance(pair[0].request.target, Ref)]
    failed = [arguments(exercise, call.request) for call, _ in asked if call.reply.error]
    worked = [arguments(exercise, call.request) for call, _ in asked if not call.reply.error]
    texts = [call.reply.error.message for call, _ in asked if call.reply.error]
    if not failed or not worked or any(_differ(got, want) for _, got, want in _answers(asked)):
        return
    yield from _refused(exercise, asked)
    names = dict.fromkeys(name for given in (*failed, *worked) for name in given)
    axes: dict[tuple[str, ...], list[str]] = {}
    for name in names if all(map(ABOUT_AXES.search, texts)) else ():
        found = [
            {given[name].dim() if isinstance(given.get(name), Tensor) else None for given in side}
            for side in (failed, worked)
        ]
        if None not in found[0] and not found[0] & found[1] and found[1] - {None}:
            axes.setdefault(tuple(map(_numbers, found)), []).append(name)
    for (wrong, right), alike in axes.items():
        inputs = _and([f"`{name}`" for name in alike])
        yield (
            f"{exercise.name} works where {inputs} {'have' if alike[1:] else 'has'} {right} axes, "
            f"and ends in an error with {wrong}. The contract allows both: count axes from the end "
            "(as dim=-1 and transpose(-2, -1) do), and let what has fewer of them broadcast."
        )


def _left_out(exercise: Exercise, calls: Sequence[Call]) -> Iterator[str]:
    """An argument that may be None, and is used all the same."""
    asked = _calls(calls)
    failed = [(call, call.reply.error) for call in asked if call.reply.error]
    if any(isinstance(call.request.target, Ref) for call, _ in failed):
        asked = [call for call in asked if isinstance(call.request.target, Ref)]
    worked = [arguments(exercise, call.request) for call in asked if not call.reply.error]
    about_none = [(call, error) for call, error in failed if "None" in error.message]
    given = [arguments(exercise, call.request) for call, _ in about_none]
    for name in dict.fromkeys(name for side in worked for name in side if given):
        never = all(one.get(name) is None for one in given)
        if never and all(one.get(name) is not None for one in worked):
            yield (
                f"`{name}` may be left out and is None then, and {exercise.name} uses it all the "
                f"same: {about_none[0][1].message}."
            )


def sources_given(requests: Iterable[CallRequest]) -> list[str]:
    """The texts of all functions that are given in calls."""
    values = (value for one in requests for value in (*one.args, *one.kwargs.values()))
    return list(dict.fromkeys(value.source for value in values if isinstance(value, Function)))


def _refused(exercise: Exercise, asked: Sequence[Pair]) -> Iterator[str]:
    """An error that somebody wrote down, raised where there is nothing to refuse."""
    errors: list[Error] = [call.reply.error for call, _ in asked if call.reply.error]
    given = sources_given(call.request for call, _ in asked)
    if all(is_written(error.type, error.message, error.where, given) for error in errors):
        yield (
            f"{exercise.name} refuses what its contract allows: it raises {errors[0].type} "
            f"({errors[0].message}) where there is an answer to give."
        )


def arguments(exercise: Exercise, request: CallRequest) -> dict[str, Any]:
    """The arguments of a call by name."""
    by_place = {_name(exercise, request, str(i)): item for i, item in enumerate(request.args)}
    return by_place | request.kwargs


def _numbers(numbers: set[int | None]) -> str:
    return " or ".join(str(number) for number in sorted(one for one in numbers if one is not None))


def _drawn(exercise: Exercise, pairs: Sequence[Pair], again: Again) -> Iterator[str]:
    """Once right, and then not, whether the inputs lie otherwise in memory or not."""
    for asked, packed in _right_only_once(pairs):
        if not asked.reply.error and (packed[0] == packed[1] or _varies(asked, again)):
            yield drawn_sentence(exercise.name, ALWAYS)


def _memory(exercise: Exercise, pairs: Sequence[Pair], again: Again) -> Iterator[str]:
    """Right for inputs in one piece of memory, and not for the same numbers in several."""
    for asked, packed in _right_only_once(pairs):
        if packed != (True, False):
            continue
        if not asked.reply.error and not _varies(asked, again):
            yield (
                f"The result of {exercise.name} depends on how its inputs lie in memory: the "
                "same numbers, transposed before and back, give another result."
            )
        elif asked.reply.error and ABOUT_MEMORY.search(asked.reply.error.message):
            told = VIEW if "view size" in asked.reply.error.message else IN_PIECES
            yield f"{exercise.name} needs its inputs in one piece of memory, {told}"


def _right_only_once(pairs: Sequence[Pair]) -> Iterator[tuple[Asked, tuple[bool, bool]]]:
    """What is wrong where the same values gave the right result before.

    And whether all inputs lie in one piece of memory, in the right call and in the wrong one.
    """
    for (one, first), (other, second) in itertools.combinations(pairs, 2):
        mine = one.request, other.request
        if mine[0].method or mine[0].target != mine[1].target or one.reply.error:
            continue
        if one.state != other.state:
            continue
        if not _same((mine[0].args, mine[0].kwargs), (mine[1].args, mine[1].kwargs)):
            continue
        right = first.value
        if _differ(right, second.value) or _differ(one.reply.value, right):
            continue
        if other.reply.error or _differ(one.reply.value, other.reply.value):
            yield other, (_in_one_piece(mine[0]), _in_one_piece(mine[1]))


def _in_one_piece(request: CallRequest) -> bool:
    return all(item.is_contiguous() for _, item in tensors(request.args))


def _varies(asked: Asked, again: Again) -> bool:
    """Whether a call gives another result when it is repeated."""
    replies = [again(asked.request) for _ in range(2)]
    return any(
        reply and not reply.error and _differ(reply.value, asked.reply.value) for reply in replies
    )


VIEW = (
    "and a transposed or sliced tensor is not: `.view` then raises an error, where `.reshape` does "
    "not."
)
IN_PIECES = "and a transposed or sliced tensor may not be: `.contiguous()` makes one that is."


ALWAYS, TRAINING = "always", "in training"  # when equal calls give two results


def drawn_sentence(name: str, how: str) -> str:
    """What is to be said where the same is asked twice, and two results come."""
    if how == TRAINING:
        return (
            f"Asked the same twice, {name} gives two results in training, and one in evaluation: "
            "something is drawn at random, as dropout does, where the contract has none."
        )
    return (
        f"Asked the same twice, {name} gives two results: something is drawn at random, is left "
        "over from the call before, or hangs on rounding alone."
    )


def _batch(exercise: Exercise, pairs: Sequence[Pair], again: Again) -> Iterator[str]:
    """An example alone gives another result than in its batch.

    Others in the batch have an influence, or the number of axes has.
    """
    calls = [(call, want) for call, want in pairs if not (call.reply.error or want.error)]
    for (whole, right), (alone, right_by_itself) in itertools.combinations(calls, 2):
        if whole.request.target != alone.request.target or whole.request.method:
            continue
        if whole.state != alone.state:
            continue
        number = _example(whole.request, alone.request)
        if number is None:
            continue
        values = [_first(item.value) for item in (whole.reply, alone.reply, right, right_by_itself)]
        if not all(isinstance(value, Tensor) and value.dim() for value in values):
            continue
        in_batch, by_itself, wanted, wanted_alone = values
        if len(in_batch) <= number or len(wanted) <= number:
            continue
        consistent = not _differ(wanted[number], wanted_alone)
        right_alone = not _differ(by_itself, wanted_alone)
        if consistent and right_alone and _differ(in_batch[number], by_itself):
            reply = again(_with_others(whole.request, number))
            if reply and not reply.error and _differ(_first(reply.value)[number], in_batch[number]):
                yield (
                    f"In {exercise.name} the examples of a batch are not independent: one of them "
                    "alone gives another result than in its batch."
                )
            elif reply and not reply.error:
                yield (
                    f"An example by itself, without the batch's axis, gets another result from "
                    f"{exercise.name} than in its batch, and the other examples are not the "
                    "reason: the number of axes is. Count axes from the end, as dim=-1 does."
                )


def _with_others(request: CallRequest, number: int) -> CallRequest:
    """The call with other numbers in all examples of its batch but one."""
    given = [(one, another(one)) for one in request.args]
    args = [one if other is None else other for one, other in given]
    for one, other in zip(request.args, args, strict=True):
        if other is not one and isinstance(other, Tensor):
            other[number] = one[number]
    return replace(request, args=tuple(args), gradients=False)


def _example(whole: CallRequest, alone: CallRequest) -> int | None:
    """Which example of a batch is given alone, if that is all that differs."""
    if len(whole.args) != len(alone.args) or not _same(whole.kwargs, alone.kwargs):
        return None
    for number in (0, 1):
        every = [
            isinstance(one, Tensor) and len(one.shape) and len(one) > number
            and _same(one[number], other)
            for one, other in zip(whole.args, alone.args, strict=True)
        ]  # fmt: skip
        if every and all(every):
            return number
    return None


def _unused(exercise: Exercise, pairs: Sequence[Pair], both: Both) -> Iterator[Told]:
    """An argument that makes a difference to the reference, and none to the student's code.

    Where it is not given, it explains nothing.
    """
    calls = list(_answers(pairs))
    makes_none: dict[str, bool] = {}
    for (one, mine, right), (other, my_other, right_other) in itertools.combinations(calls, 2):
        if one.request.target != other.request.target or one.request.method:
            continue
        if one.state != other.state:
            continue
        differing = _differing(one.request, other.request)
        if len(differing) == 1 and _differ(right, right_other):
            name = _name(exercise, one.request, differing[0])
            same = not _differ(mine, my_other, nan_equal=False)
            makes_none[name] = same and makes_none.get(name, True)
    for name in (name for name, none in makes_none.items() if none):
        if not makes_no_difference(exercise, name, [call.request for call, _, _ in calls], both):
            continue
        without = [
            mine for call, mine, _ in calls if arguments(exercise, call.request).get(name) is None
        ]
        yield Told(
            f"`{name}` makes no difference: what {exercise.name} returns is the same, whatever is "
            "given for it.",
            functools.partial(_is_answer_but, without),
            functools.partial(_is_value_among, without),
        )


def _is_answer_but(others: Sequence[Any], event: Event) -> bool:
    """Whether an event is about an answer, and about none of the others."""
    return event.kind in ("value", "raised", "holds") and not _is_one_of(others, event)


def _is_value_among(answers: Sequence[Any], event: Event) -> bool:
    return event.kind == "value" and _is_one_of(answers, event)


def _is_one_of(answers: Sequence[Any], event: Event) -> bool:
    return any(event.got is one for one in answers)


TRIED, SURE = 12, 3  # calls in which an argument is varied, and results that should be others


def makes_no_difference(
    exercise: Exercise, name: str, asked: Sequence[CallRequest], both: Both
) -> bool:
    """Whether other values for an argument change the right result, and the student's never."""
    changed = 0
    values = ((one, arguments(exercise, one).get(name)) for one in asked)
    given = (pair for pair in values if pair[1] is not None)
    for request, value in itertools.islice(given, TRIED):
        before = both(request)
        for other in others(value) if before else ():
            varied = with_argument(exercise, request, name, other)
            after = both(varied) if varied else None
            if not before or not after:
                continue
            (mine, right), (my_other, other_right) = before, after
            if _differ(mine, my_other, nan_equal=False):
                return False
            changed += _differ(right, other_right)
    return changed >= SURE


def with_argument(
    exercise: Exercise, request: CallRequest, name: str, value: Any
) -> CallRequest | None:
    """The call with that value for an argument; None where it is not given in that call."""
    for place in range(len(request.args)):
        if _name(exercise, request, str(place)) == name:
            args = (*request.args[:place], value, *request.args[place + 1 :])
            return replace(request, args=args, gradients=False)
    if name not in request.kwargs:
        return None
    return replace(request, kwargs=request.kwargs | {name: value}, gradients=False)


def others(value: Any) -> Iterator[Any]:
    """Few other values of the same kind, if some are known."""
    for _ in range(SURE):
        value = another(value)
        if value is None:
            return
        yield value


def another(value: Any) -> Any:
    """Another value of the same kind; None where none is known."""
    match value:
        case bool():
            return not value
        case float():
            return 0.7 * value + 0.1
        case int():
            return value + 1
        case Tensor() if value.dtype == torch.bool:
            return ~value
        case Tensor() if value.is_floating_point():
            return 0.3 - 0.7 * value.flip(list(range(value.dim())))
        case Tensor():
            other = value.flip(list(range(value.dim())))
            return None if torch.equal(other, value) else other
    return None


def _cut_off(exercise: Exercise, pairs: Sequence[Pair], both: Both) -> Iterator[Told]:
    """An input that gets no gradient in any call, and should."""
    never: dict[str, bool] = {}
    wrong = False
    for call, wanted in pairs:
        mine = call.reply.found.inputs
        for path, right in wanted.found.inputs.items():
            found = mine.get(path)
            if found is not None and (right.abs() > 1e-6).any():
                name = _name(exercise, call.request, path.split(".")[0])
                never[name] = not found.any() and never.get(name, True)
                wrong |= _differ(call.reply.value, wanted.value)
    asked = [call.request for call, _, _ in _answers(pairs)]
    for name in (name for name, none in never.items() if none):
        if wrong and not makes_no_difference(exercise, name, asked, both):
            continue
        if wrong:
            text = f"What {exercise.name} returns does not depend on `{name}` at all."
            yield Told(text, _anything, _nothing)
        else:
            yield Told(
                f"The values are right, but they are cut off from `{name}`: no gradient gets "
                "there. Keep every step from it to the result inside autograd.",
                lambda event: event.kind == "gradient" or event.reason is Reason.CUT_OFF,
                _nothing,
            )


def _differing(one: CallRequest, other: CallRequest) -> list[str]:
    """The places of the arguments that differ between two calls."""
    mine = {str(i): item for i, item in enumerate(one.args)} | one.kwargs
    theirs = {str(i): item for i, item in enumerate(other.args)} | other.kwargs
    return [
        key for key in dict.fromkeys([*mine, *theirs]) if not _same(mine.get(key), theirs.get(key))
    ]


def _name(exercise: Exercise, request: CallRequest, place: str) -> str:
    """The name of an argument that is given by its place."""
    made = isinstance(request.target, Ref)
    names = exercise.forward_parameters if made else exercise.parameters
    return names[int(place)] if place.isdigit() and int(place) < len(names) else place


def _differ(one: Any, other: Any, nan_equal: bool = True) -> bool:
    try:
        return not agree(one, other, rtol=1e-3, atol=1e-4, nan_equal=nan_equal)
    except Exception:  # answers of any kind, which cannot be compared
        return False


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple | list) and value else value


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if names[1:] else names[0]
