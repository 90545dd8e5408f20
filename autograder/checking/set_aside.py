"""Faults that speak for themselves, whatever else is wrong: set aside, the rest may be a known one.

An error that is not raised, another dtype, the precision of float32, an input that is changed,
results in another order, an axis of size 1 that is missing or too many.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.calling import mapped, tensors
from autograder.checking.comparing import REWRITTEN, agree
from autograder.checking.events import Event, Log

SINGLE = {"rtol": 1e-4, "atol": 1e-5}  # to which two results in float32 are the same
ORDINALS = ("first", "second", "third", "fourth")
PRECISION = "precision"
KIND = re.compile(
    r"should (?:return|be) a (?:Python )?(float|int|bool)\b; it (?:returned|is) an? (\w+)"
)
REFUSED = re.compile(r"should raise (\w+); it (returned|raised (\w+))")


@dataclass(frozen=True)
class Fault:
    """What is wrong with one event, in words; of each kind one is told."""

    number: int
    event: Event  # with this fault
    kind: str
    text: str


@dataclass(frozen=True)
class SetAside:
    """A student's events with what is set aside, and what is to be said of that."""

    rest: Log
    faults: Sequence[Fault]
    alike: Callable[[Event, Event], bool]

    @property
    def complete(self) -> bool:
        """Whether nothing else is wrong: no code need be run to see that."""
        return all(map(_holds, self.rest.events))

    @property
    def alone(self) -> str | None:
        """What is to be said where nothing else is wrong."""
        kinds = {fault.kind: fault.text for fault in reversed(self.faults)}
        return " And: ".join(reversed(kinds.values())) or None

    @property
    def sure(self) -> str | None:
        """What is to be said whatever else is wrong."""
        kinds = {fault.kind: fault.text for fault in self.faults if fault.kind != PRECISION}
        return " And: ".join(kinds.values()) or None

    def beside(self, sentence: str, explained: Sequence[Event]) -> str:
        """The sentence, and those faults that it does not explain, each kind once."""
        kinds: dict[str, str] = {}
        for fault in self.faults:
            if not self.alike(explained[fault.number], fault.event):
                kinds.setdefault(fault.kind, fault.text)
        return " And: ".join([sentence, *kinds.values()])


def set_aside(students: Log, name: str, alike: Callable[[Event, Event], bool]) -> SetAside:
    """What can be set aside, and the rest."""
    rest, faults = Log(), []
    events: Sequence[Event] = students.events
    for restore in (_in_order, _as_many, _with_axes):
        restored, text = restore(events, name)
        for number, (before, after) in enumerate(zip(events, restored, strict=True)):
            if before is not after:
                faults.append(Fault(number, before, restore.__name__, text))
        events = restored
    for number, event in enumerate(events):
        kept, kind, text = _without(event, name)
        rest.events.append(kept)
        if text:
            faults.append(Fault(number, event, kind, text))
    return SetAside(rest, faults, alike)


def _without(event: Event, name: str) -> tuple[Event, str, str]:
    """The event without a fault that speaks for itself, and the fault's kind and words."""
    if not event.failed:
        return event, "", ""
    if event.kind == "asked":
        return replace(event, free=True), "asked", _not_refused(event, name)
    if event.kind == "holds" and "should raise" in event.text:
        return replace(event, free=True), "asked", event.text
    if event.kind == "holds" and "changes its input" in event.text:
        text = f"{name} writes into what it is given. {event.text}"
        return replace(event, free=True), "input", text
    if event.kind == "holds" and REWRITTEN in event.text:
        return replace(event, free=True), "earlier", rewritten_sentence(name)
    if event.kind == "holds" and (found := KIND.search(event.text)):
        wanted, outcome = found.groups()
        an = "an" if outcome[0] in "aeiou" else "a"
        text = (
            f"{name} gives {an} {outcome} where its contract says {wanted}: `{wanted}(...)` makes "
            "one of it."
        )
        return replace(event, free=True), "type", text
    if event.kind != "value":
        return event, "", ""
    dtypes = {tensor.dtype for _, tensor in tensors(event.got)}
    if event.dtype and "should have dtype" in event.text:
        text = next(dtype_sentences(name, event.got, event.want), event.text)
        return replace(event, dtype=False, **_looser(event)), "dtype", text
    if torch.float64 in dtypes and 0 < event.rtol < SINGLE["rtol"]:
        text = (
            f"{name} is only as exact as float32 where it is given float64: something on the way "
            "is made in float32, such as a table or a constant."
        )
        return replace(event, **_looser(event)), PRECISION, text
    return event, "", ""


def rewritten_sentence(name: str) -> str:
    """What is to be said where a later call changes an earlier result."""
    return (
        f"{name} writes into what it returned before: whoever keeps a result finds another one "
        "there after the next call. Make a new one each time."
    )


def dtype_sentences(name: str, got: Any, want: Any) -> Iterator[str]:
    """What is to be said of dtypes that differ in the same places of two answers."""
    theirs = dict(tensors(want))
    for path, tensor in tensors(got):
        if path not in theirs or tensor.dtype == theirs[path].dtype:
            continue  # a name may be missing in one of them
        if (tensor.dtype, theirs[path].dtype) == (torch.float32, torch.float64):
            yield (
                f"{name} gives float32 where it is given float64: something on the way is made "
                "without the dtype of the input (as by torch.zeros, torch.arange or torch.tensor), "
                "or turned into float32."
            )
        else:
            mine, right = (
                str(item.dtype).removeprefix("torch.") for item in (tensor, theirs[path])
            )
            yield (
                f"The result of {name} has another dtype than the contract says: {mine}, not "
                f"{right}."
            )


def _looser(event: Event) -> dict[str, Any]:
    return {key: max(getattr(event, key), value) for key, value in SINGLE.items()}


def _holds(event: Event) -> bool:
    """Whether right code may give this answer, too."""
    if event.free or not event.failed:
        return True
    tolerances = event.rtol, event.atol, event.dtype
    try:
        return event.kind == "value" and agree(event.got, event.want, *tolerances)
    except Exception:  # answers of any kind, which cannot be compared
        return False


def _not_refused(event: Event, name: str) -> str:
    """What is wrong where an error was asked for."""
    found = REFUSED.search(event.text)
    if found is None:
        return f"The error that {name} raises does not say what it is about. {event.text}"
    wanted, outcome, other = found.groups()
    if outcome == "returned":
        return f"{name} accepts what its contract refuses with a {wanted}. {event.text}"
    return (
        f"{name} ends with {other} where its contract says {wanted}: ask for what is refused "
        f"before anything is computed, and raise that error. {event.text}"
    )


def _values(events: Sequence[Event]) -> Iterator[tuple[int, Event]]:
    return ((number, event) for number, event in enumerate(events) if event.kind == "value")


def _in_order(events: Sequence[Event], name: str) -> tuple[Sequence[Event], str]:
    """Several results in the order of the contract, if their shapes tell that they are not."""
    several = [
        (number, event)
        for number, event in _values(events)
        if isinstance(event.want, tuple | list)
        and isinstance(event.got, tuple | list)
        and 1 < len(event.want) == len(event.got) <= len(ORDINALS)
    ]
    numbers = {len(event.want) for _, event in several}
    if len(numbers) != 1:
        return events, ""
    for order in itertools.permutations(range(numbers.pop())):
        swapped = {
            number: _with(event, type(event.got)(event.got[place] for place in order))
            for number, event in several
        }
        if all(_shapes(event.got) == _shapes(event.want) for event in swapped.values()):
            break
    else:
        return events, ""
    if list(order) == sorted(order):
        return events, ""
    order_text = ", then ".join(
        f"the {ORDINALS[order.index(place)]}" for place in range(len(order))
    )
    text = (
        f"{name} returns its {len(order)} values in another order than its contract: {order_text}."
    )
    return [swapped.get(number, event) for number, event in enumerate(events)], text


def _as_many(events: Sequence[Event], name: str) -> tuple[Sequence[Event], str]:
    """One result alone, as if the others had come with it and were right."""
    several = [
        (number, event) for number, event in _values(events) if isinstance(event.want, tuple)
    ]
    if not several or not all(isinstance(event.got, Tensor) for _, event in several):
        return events, ""
    for place in range(min(len(event.want) for _, event in several)):
        if all(_shapes(event.got) == _shapes(event.want[place]) for _, event in several):
            break
    else:
        return events, ""
    whole = {
        number: _with(event, (*event.want[:place], event.got, *event.want[place + 1 :]))
        for number, event in several
    }
    count = len(several[0][1].want)
    text = (
        f"{name} returns one value alone, the {ORDINALS[place]}; its contract says {count}: "
        "return them all, separated by a comma."
    )
    return [whole.get(number, event) for number, event in enumerate(events)], text


def _with(event: Event, got: Any) -> Event:
    """The event with another answer, which may be right."""
    right = agree(got, event.want, event.rtol, event.atol, event.dtype)
    return replace(event, got=got, account="" if right else event.account)


MISSING, EXTRA = "missing", "extra"


def _with_axes(events: Sequence[Event], name: str) -> tuple[Sequence[Event], str]:
    """Results with the axes of size 1 that they should have, if those alone are wrong in shape."""
    wrong = {
        number: event
        for number, event in _values(events)
        if _shapes(event.got) != _shapes(event.want)
    }
    kinds = {_axis(event) for event in wrong.values()}
    if any(event.kind == "raised" for event in events):
        return events, ""  # what is nearly right with one query and one key fails with more
    if len(kinds) != 1 or "" in kinds:
        return events, ""
    shaped = {number: _with(event, _reshaped(event)) for number, event in wrong.items()}
    return [shaped.get(number, event) for number, event in enumerate(events)], axis_sentence(
        kinds.pop(), name
    )


def axis_sentence(kind: str, name: str) -> str:
    """What is to be said of an axis of size 1."""
    if kind == MISSING:
        return (
            f"An axis of size 1 is missing in what {name} returns: a size may be 1 by chance, and "
            "`squeeze` takes such an axis away, too."
        )
    return (
        f"What {name} returns has an axis of size 1 too many, as `keepdim=True`, `unsqueeze` or a "
        "slice in the place of an index leave behind."
    )


def axis_kind(mine: Tensor, right: Tensor) -> str:
    """Whether a shape is right but for an axis of size 1; empty if it is wrong otherwise."""
    one, other = ([size for size in tensor.shape if size != 1] for tensor in (mine, right))
    if one != other or mine.dim() == right.dim():
        return ""
    return MISSING if mine.dim() < right.dim() else EXTRA


def _axis(event: Event) -> str:
    mine, right = (list(tensors(value)) for value in (event.got, event.want))
    if [path for path, _ in mine] != [path for path, _ in right]:
        return ""
    pairs = zip(mine, right, strict=True)
    kinds = {axis_kind(a, b) for (_, a), (_, b) in pairs if a.shape != b.shape}
    return kinds.pop() if len(kinds) == 1 else ""


def _reshaped(event: Event) -> Any:
    shapes = iter([tensor.shape for _, tensor in tensors(event.want)])
    return mapped(lambda tensor: tensor.reshape(next(shapes)), event.got)


def _shapes(value: Any) -> list[tuple[str, torch.Size]]:
    return [(path, tensor.shape) for path, tensor in tensors(value)]
