"""Of a layer that has parts: which of them answers wrongly, or beside which one the mistake stands.

Each part of the student's layer is given what flows through the same part of the reference. Where
all are right by themselves, one after another is switched off on both sides: its weights are
zeros. So are, at last, the parameters that belong to no part.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checking.comparing import Closeness
from autograder.checking.registry import Exercise
from autograder.diagnosis.experiments import PLACES, changed_at, hangs, moved
from autograder.diagnosis.explaining import Finding
from autograder.diagnosis.findings import Again, another
from autograder.diagnosis.places import AXES
from autograder.diagnosis.smallest import plain_calls, reference_of, size_of
from autograder.remote.calling import Home
from autograder.remote.requests import CallRequest, LoadRequest, ParametersRequest, Request
from autograder.remote.subject import Call
from autograder.remote.values import Ref
from autograder.source.sources import NoSource

CALLS_LOOKED_AT, NAMED = 8, 4
ALONE, CONSTANT = "alone", "constant"  # what is right without a part: all others, or a constant
THERE = "In the smallest call that goes wrong"
WITHIN = Closeness(1e-3, 1e-4, dtype=False, nan_equal=True)


@dataclass
class _Layer:
    """One instance on both sides, and a call that the student's answers wrongly."""

    again: Again
    home: Home
    request: CallRequest
    name: str

    @property
    def module(self) -> nn.Module:
        assert isinstance(self.request.target, Ref)
        return self.home.instances[self.request.target.number]

    def both(self, request: Request) -> tuple[Any, Any] | None:
        """What both sides answer; None where one of them has no answer."""
        mine, right = self.again(request), self.home.answer(request)
        return None if mine is None or mine.error or right.error else (mine.value, right.value)

    def agrees(self, request: CallRequest) -> bool | None:
        """Whether both give the same; None where one of them has no answer."""
        values = self.both(request)
        return None if values is None else WITHIN.surely_agree(*values)

    def flow(self) -> list[tuple[str, tuple, dict[str, Any]]]:
        """What every part of the reference is given in that call, from the inside out."""
        seen: list[tuple[str, tuple, dict[str, Any]]] = []
        if not hasattr(self.module, "register_forward_hook"):
            return seen  # as on NumPy: nobody can look inside
        hooks = []
        for path, part in self.module.named_modules():
            if path:
                note = _noting(seen, path)
                hooks.append(part.register_forward_hook(note, with_kwargs=True))
        try:
            self.home.answer(self.request)
        finally:
            for hook in hooks:
                hook.remove()
        return seen


def _noting(seen: list[tuple[str, tuple, dict[str, Any]]], path: str) -> Any:
    def note(_: nn.Module, args: tuple, kwargs: dict[str, Any], __: Any) -> None:
        seen.append((path, args, kwargs))

    return note


def part(
    exercise: Exercise, mine: Sequence[Call], theirs: Sequence[Call], again: Again
) -> Finding | None:
    """Where the numbers of a layer first part; None where that cannot be told."""
    layer = None if exercise.behavior else _wrong_layer(exercise, mine, theirs, again)
    if layer is None:
        return None
    if told := _other_weights(layer):
        return told
    right: list[str] = []
    for path, args, kwargs in layer.flow():
        asked = CallRequest(layer.request.target, args, kwargs, method=path)
        same = layer.agrees(asked)
        if same is False:
            return Finding("part.inside", _inside(layer.name, path))
        if same:
            right.append(path)
    whole = _outermost(right)
    without = [_right_without(layer, name) for name in whole]
    # Without a norm's weights nothing of what goes into it is left, wherever that stands.
    norms = {path for path, one in layer.module.named_modules() if "Norm" in type(one).__name__}
    alone = [path for path, how in zip(whole, without, strict=True) if how == ALONE]
    if beside := next((path for path in alone if path not in norms), None):
        return Finding("part.beside", _beside(whole, beside))
    if without and "" not in without:
        return Finding("part.between", _between("", whole[0]))
    first = without.index("") if without else 0
    place = next((place for place in range(first, len(without)) if without[place]), None)
    if place:
        return Finding("part.between", _between(whole[place - 1], whole[place]))
    return _own_parameter(layer)


def _own_parameter(layer: _Layer) -> Finding | None:
    """A parameter of no part without which all is right: what becomes of it."""
    own = [name for name, _ in layer.module.named_parameters() if "." not in name]
    for name in own:
        if _right_without(layer, name) == ALONE:
            return Finding("part.own", _without_own(name, _reaches(layer, name)))
    return None


def _reaches(layer: _Layer, name: str) -> str:
    """Which place of the result hangs on which place of a parameter, and should not."""
    value = layer.module.get_parameter(name).detach().clone()
    axis = -2 if value.dim() > 1 else -1
    before = layer.both(layer.request)
    if before is None or not value.dim():
        return ""
    extra: set[tuple[int, int]] = set()
    try:
        for place in range(min(value.shape[axis], PLACES)):
            other = next(changed_at(value, axis, place))
            layer.both(LoadRequest(layer.request.target, {name: other}))
            mine, right = map(moved, before, layer.both(layer.request) or before)
            if mine is None or right is None or len(mine) != len(right):
                return ""
            pairs = enumerate(zip(mine, right, strict=True))
            extra |= {(number, place) for number, (one, two) in pairs if one and not two}
    finally:
        layer.both(LoadRequest(layer.request.target, {name: value}))
    if not extra or not right:
        return ""
    several, lined_up = len(right) > 1, len(right) == value.shape[axis]
    of, last = f"`{name}` along {AXES[axis]}", value.shape[axis] - 1
    return hangs(extra, "depends", of, several, lined_up, last)


def _other_weights(layer: _Layer) -> Finding | None:
    """Parameters that hold other numbers than they should, in the middle of everything."""
    values = layer.both(ParametersRequest(layer.request.target))
    if not values or not all(isinstance(one, dict) for one in values):
        return None
    mine, right = values
    other = [name for name in right
             if name in mine and not WITHIN.surely_agree(mine[name], right[name])]  # fmt: skip
    return Finding("part.weights", _weights(layer.name, other)) if other else None


def _wrong_layer(
    exercise: Exercise, mine: Sequence[Call], theirs: Sequence[Call], again: Again
) -> _Layer | None:
    """The smallest call of an instance in whose numbers the two sides differ."""
    try:
        home = reference_of(exercise, theirs)
    except NoSource:
        return None
    of_layers = (
        one
        for one in plain_calls(mine)
        if isinstance(one.target, Ref) and one.target.number < len(home.instances)
    )
    for request in sorted(of_layers, key=size_of)[:CALLS_LOOKED_AT]:
        layer = _Layer(again, home, request, exercise.name)
        if isinstance(layer.module, nn.Module) and layer.agrees(request) is False:
            return layer
    return None


def _outermost(paths: Sequence[str]) -> list[str]:
    """Those that are in no other; of a list of layers each."""
    return [
        path
        for path in dict.fromkeys(paths)
        if not any(path.startswith(f"{other}.") for other in paths)
    ]


def _right_without(layer: _Layer, path: str) -> str:
    """How the answer is right as soon as a part gives zeros: whether it still hangs on its input.

    Empty if it is not, in that call and with other numbers.
    """
    own = {
        name: one.detach().clone()
        for name, one in layer.module.named_parameters()
        if name == path or name.startswith(f"{path}.")
    }
    if not own:
        return ""
    zeros = {name: torch.zeros_like(one) for name, one in own.items()}
    try:
        if layer.both(LoadRequest(layer.request.target, zeros)) is None:
            return ""
        varied = list(_varied(layer.request))
        if not varied or not all(layer.agrees(one) for one in (layer.request, *varied)):
            return ""
        answer = layer.home.answer(layer.request).value
        others = [layer.home.answer(one).value for one in varied]
        alike = any(WITHIN.surely_agree(answer, other) for other in others)
        return CONSTANT if alike else ALONE
    finally:
        layer.both(LoadRequest(layer.request.target, own))


def _varied(request: CallRequest) -> Iterator[CallRequest]:
    """The call with other numbers, one input after another."""
    for place, given in enumerate(request.args):
        other = another(given) if isinstance(given, Tensor) else None
        if other is not None and given.dtype != torch.bool:
            yield replace(request, args=(*request.args[:place], other, *request.args[place + 1 :]))


def _inside(name: str, path: str) -> str:
    return (
        f"The first part of {name} that answers wrongly is `{path}`: given what the right one is "
        "given at that place, it returns something else. Look at what it does, and at what it was "
        "made with."
    )


def _between(before: str, path: str) -> str:
    start = f"{THERE}, with all weights of `{path}` zero, the whole is right"
    middle = f", and with those of `{before}` zero it is wrong all the same" if before else ""
    return (
        f"{start}{middle}. By itself, `{path}` answers rightly: look at what it is given, and at "
        "what is done with its result."
    )


def _without_own(name: str, reaches: str) -> str:
    start = (
        f"{THERE}, with `{name}` all zero, the whole is right: look at what is done with `{name}`."
    )
    if not reaches:
        return start
    return f"{start} Tried with other numbers in it: {reaches}, which it should not."


def _weights(name: str, parameters: Sequence[str]) -> str:
    named = ", ".join(f"`{one}`" for one in parameters[:NAMED])
    more = " and others" if len(parameters) > NAMED else ""
    return f"Parameters of {name} hold other numbers than they should: {named}{more}."


def _beside(right: Sequence[str], path: str) -> str:
    several = ", ".join(f"`{name}`" for name in right)
    return (
        f"{THERE}, each part answers rightly by itself ({several}), and with `{path}` switched "
        f"off, all of its weights zero, the whole is right, too: look at what `{path}` is given, "
        "and at what is done with its result."
    )
