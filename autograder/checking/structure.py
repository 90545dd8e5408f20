"""What can be said of wrong answers before any number is explained, from the calls of one check.

Each finding is a fact about the student's answers that does not hold of the reference's.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from autograder.checking.calling import tensors
from autograder.checking.comparing import difference
from autograder.checking.registry import Exercise
from autograder.checking.subject import Call
from autograder.checking.values import Function, Ref

Pair = tuple[Call, dict[str, Any]]  # the student's call, and the reference's reply to the same


def finding(task: Exercise, mine: Sequence[Call], theirs: Sequence[Call]) -> str | None:
    """The first finding, if there is one."""
    pairs = list(_aligned(mine, theirs))
    for look in (_parameters, _dtype, _shape, _memory, _batch, _unused, _cut_off):
        for sentence in look(task, pairs):
            return sentence
    return None


def _aligned(mine: Sequence[Call], theirs: Sequence[Call]) -> Iterator[Pair]:
    """The student's calls with the reference's answers, which may have been asked once for two."""
    start = 0
    for call in mine:
        for index in (*range(start, len(theirs)), *range(start)):
            if _same_question(call.request, theirs[index].request):
                start = index + 1
                if call.request["op"] == "call":
                    yield call, theirs[index].reply
                break


def _same_question(one: dict[str, Any], other: dict[str, Any]) -> bool:
    # The objects of both sides are made in the same order, so the same one has the same number.
    keys = ("op", "method", "gradients", "target")
    if any(one.get(key) != other.get(key) for key in keys):
        return False
    return _same(one.get("args"), other.get("args")) and _same(
        one.get("kwargs"), other.get("kwargs")
    )


def _same(one: Any, other: Any) -> bool:
    """Whether two arguments have the same values, however they lie in memory."""
    if one is other:
        return True
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, Function) and isinstance(other, Function):
        return _same(vars(one), vars(other))  # what is bound may be tensors
    return type(one) is type(other) and not isinstance(one, Tensor) and one == other


def _parameters(task: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """Parameters that the contract does not name, and that change the result."""
    if task.behavior:
        return
    for call, wanted in pairs:
        own = call.reply.get("gradients", {}).get("parameters", {})
        named = wanted.get("gradients", {}).get("parameters", {})
        extra = [name for name in own if name not in named and own[name].any()]
        if named and extra:
            yield (
                f"{task.name} learns with parameters that its contract does not name: "
                f"{_and(extra)}. They change the result, and nobody can give them their values."
            )


def _answers(pairs: Sequence[Pair]) -> Iterator[tuple[Call, Any, Any]]:
    """Calls that both sides answered, with both values."""
    for call, wanted in pairs:
        if "value" in call.reply and "value" in wanted:
            yield call, call.reply["value"], wanted["value"]


def _matched(got: Any, want: Any) -> Iterator[tuple[Tensor, Tensor]]:
    """The tensors that stand in the same places of both: a name may be missing in one of them."""
    theirs = dict(tensors(want))
    for path, mine in tensors(got):
        if path in theirs:
            yield mine, theirs[path]


def _dtype(task: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    for call, got, want in _answers(pairs):
        given = {item.dtype for _, item in tensors(call.request["args"])}
        for one, other in _matched(got, want):
            mine, right = one.dtype, other.dtype
            if mine == right:
                continue
            if right == torch.float64 in given and mine == torch.float32:
                yield (
                    f"{task.name} gives float32 where it is given float64: something on the way is "
                    "made without the dtype of the input (as by torch.zeros, torch.arange or "
                    "torch.tensor), or turned into float32."
                )
            else:
                yield (
                    f"The result of {task.name} has another dtype than the contract says: "
                    f"{_plain(mine)}, not {_plain(right)}."
                )


def _shape(task: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    for _, got, want in _answers(pairs):
        for mine, right in _matched(got, want):
            if mine.shape == right.shape:
                continue
            few = [size for size in mine.shape if size != 1]
            if mine.dim() < right.dim() and few == [size for size in right.shape if size != 1]:
                yield (
                    f"An axis of size 1 is missing in what {task.name} returns: a size may be 1 by "
                    "chance, and `squeeze` takes such an axis away, too."
                )
            elif few == [size for size in right.shape if size != 1] and mine.dim() > right.dim():
                yield (
                    f"What {task.name} returns has an axis of size 1 too many, as `keepdim=True`, "
                    "`unsqueeze` or a slice in the place of an index leave behind."
                )
            elif sorted(mine.shape) == sorted(right.shape):
                yield f"The axes of what {task.name} returns are in another order than they should."


def _memory(task: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """Once right, and then not, for the same values: what else may have made the difference?"""
    for (one, first), (other, second) in combinations(pairs, 2):
        mine = one.request, other.request
        if mine[0].get("method") or mine[0]["target"] != mine[1]["target"]:
            continue
        if not isinstance(mine[0]["target"], Ref | str) or "value" not in one.reply:
            continue
        if not _same((mine[0]["args"], mine[0]["kwargs"]), (mine[1]["args"], mine[1]["kwargs"])):
            continue
        right = first.get("value")
        if _differ(right, second.get("value")) or _differ(one.reply["value"], right):
            continue
        packed = [all(item.is_contiguous() for _, item in tensors(ask["args"])) for ask in mine]
        if "error" in other.reply and packed == [True, False]:
            yield (
                f"{task.name} needs its inputs in one piece of memory, and a transposed or sliced "
                "tensor is not: `.view` then raises an error, where `.reshape` does not."
            )
        elif _differ(one.reply["value"], other.reply.get("value", one.reply["value"])):
            if packed == [True, False]:
                yield (
                    f"The result of {task.name} depends on how its inputs lie in memory: the same "
                    "numbers, transposed before and back, give another result."
                )
            elif packed[0] == packed[1]:
                yield (
                    f"{task.name} gives two results for the same inputs: something is left over "
                    "from the call before, or is drawn at random."
                )


def _batch(task: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """An example alone gives another result than in its batch."""
    calls = [(call, want) for call, want in pairs if {"value"} <= call.reply.keys() & want.keys()]
    for (whole, right), (alone, right_by_itself) in combinations(calls, 2):
        if whole.request["target"] != alone.request["target"] or whole.request.get("method"):
            continue
        number = _example(whole.request, alone.request)
        if number is None:
            continue
        values = [
            _first(item["value"]) for item in (whole.reply, alone.reply, right, right_by_itself)
        ]
        if not all(isinstance(value, Tensor) and value.dim() for value in values):
            continue
        in_batch, by_itself, wanted, wanted_alone = values
        if len(in_batch) <= number or len(wanted) <= number:
            continue
        consistent = not _differ(wanted[number], wanted_alone)
        right_alone = not _differ(by_itself, wanted_alone)
        if consistent and right_alone and _differ(in_batch[number], by_itself):
            yield (
                f"In {task.name} the examples of a batch are not independent: one of them alone "
                "gives another result than in its batch."
            )


def _example(whole: dict[str, Any], alone: dict[str, Any]) -> int | None:
    """Which example of a batch is given alone, if that is all that differs."""
    if len(whole["args"]) != len(alone["args"]) or not _same(whole["kwargs"], alone["kwargs"]):
        return None
    for number in (0, 1):
        every = [
            isinstance(one, Tensor) and len(one.shape) and len(one) > number
            and _same(one[number], other)
            for one, other in zip(whole["args"], alone["args"], strict=True)
        ]  # fmt: skip
        if every and all(every):
            return number
    return None


def _unused(task: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """An argument that makes a difference to the reference, and none to the student's code."""
    calls = list(_answers(pairs))
    makes_none: dict[str, bool] = {}
    for (one, mine, right), (other, my_other, right_other) in combinations(calls, 2):
        if one.request["target"] != other.request["target"] or one.request.get("method"):
            continue
        differing = _differing(one.request, other.request)
        if len(differing) == 1 and _differ(right, right_other):
            name = _name(task, one, differing[0])
            same = not _differ(mine, my_other, nan_equal=False)
            makes_none[name] = same and makes_none.get(name, True)
    for name in (name for name, none in makes_none.items() if none):
        yield (
            f"`{name}` makes no difference: what {task.name} returns is the same, whatever is "
            "given for it."
        )


def _cut_off(task: Exercise, pairs: Sequence[Pair]) -> Iterator[str]:
    """An input that gets no gradient in any call, and should."""
    never: dict[str, bool] = {}
    wrong = False
    for call, wanted in pairs:
        mine = call.reply.get("gradients", {}).get("inputs", {})
        for path, right in wanted.get("gradients", {}).get("inputs", {}).items():
            found = mine.get(path)
            if found is not None and (right.abs() > 1e-6).any():
                name = _name(task, call, path.split(".")[0])
                never[name] = not found.any() and never.get(name, True)
                wrong |= _differ(call.reply.get("value"), wanted.get("value"))
    for name in (name for name, none in never.items() if none):
        if wrong:
            yield f"What {task.name} returns does not depend on `{name}` at all."
        else:
            yield (
                f"The values are right, but they are cut off from `{name}`: no gradient gets "
                "there. Keep every step from it to the result inside autograd."
            )


def _differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The places of the arguments that differ between two calls."""
    mine = {str(i): item for i, item in enumerate(one["args"])} | one["kwargs"]
    theirs = {str(i): item for i, item in enumerate(other["args"])} | other["kwargs"]
    return [
        key for key in dict.fromkeys([*mine, *theirs]) if not _same(mine.get(key), theirs.get(key))
    ]


def _name(task: Exercise, call: Call, place: str) -> str:
    """The name of an argument that is given by its place."""
    made = isinstance(call.request["target"], Ref)
    names = task.forward_parameters if made else task.parameters
    return names[int(place)] if place.isdigit() and int(place) < len(names) else place


def _differ(one: Any, other: Any, nan_equal: bool = True) -> bool:
    try:
        return bool(difference(one, other, rtol=1e-3, atol=1e-4, nan_equal=nan_equal))
    except Exception:  # answers of any kind, which cannot be compared
        return False


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple | list) and value else value


def _plain(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if names[1:] else names[0]
