"""Faults that speak for themselves, whatever else is wrong: set aside, the rest may be a known one.

An error that is not raised, another dtype, the precision of float32, an input that is changed,
results in another order, an axis of size 1 that is missing or too many.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Closeness, reason_of
from autograder.checking.events import Event, Log, Reason
from autograder.diagnosis.explaining import Finding, Place
from autograder.remote.calling import mapped, tensors

SINGLE = {"rtol": 1e-4, "atol": 1e-5}  # to which two results in float32 are the same
ORDINALS = ("first", "second", "third", "fourth")
FLOAT64 = "float64"
UNSURE = "digits"
EXACT = 1e-6  # a tolerance that shows the digits of float64
DIGITS = {FLOAT64, "epsilon", UNSURE}  # what can be told of numbers that are nearly right
SINGLE_ROUNDING = 3e-7, 2e-8  # between these, rounding to float32 leaves the largest gap of many


@dataclass(frozen=True)
class Fault:
    """What is wrong with one event; of each kind one is told."""

    event: Event
    kind: str
    text: str

    @property
    def finding(self) -> Finding:
        return Finding(f"fault.{self.kind}", self.text)


@dataclass(frozen=True)
class SetAside:
    """A student's events with what is set aside, and what is to be said of that."""

    rest: Log
    faults: Sequence[Fault]
    suspects: Sequence[Fault]  # faults if what explains the answer does so only nearly
    restored: Log  # the events with all digits, and without what is wrong in their form

    def __bool__(self) -> bool:
        return bool(self.faults or self.suspects)

    @property
    def complete(self) -> bool:
        """Whether nothing else is wrong: no code need be run to see that."""
        return not any(event.failed and not event.free for event in self.rest.events)

    def findings(
        self,
        explained: frozenset[Place] = frozenset(),
        nearly: frozenset[Place] = frozenset(),
        exactly: frozenset[Place] = frozenset(),
        rounds: Callable[[], bool] = bool,
        given: Mapping[Place, Any] | None = None,
    ) -> tuple[Finding, ...]:
        """Of each kind the first that is not explained already.

        Where some answers have all digits, the explanation may be what has lost them, unless it is
        tried that the student's code `rounds`. So it may where the numbers are further from those
        that it has `given` than float32 rounds.
        """
        kinds: dict[str, Finding] = {}
        suspects = [
            fault
            for fault in self.suspects
            if fault.event.place in nearly - exactly
            and (fault.kind != FLOAT64 or _is_rounded(fault.event, given or {}))
        ]
        if suspects and any(map(_is_exact, self.rest.events)) and not rounds():
            suspects = []
        for fault in (*self.faults, *suspects):
            beside = given is not None and fault.kind == UNSURE  # of what explains the rest, maybe
            if fault.event.place not in explained and not beside:
                kinds.setdefault(fault.kind, fault.finding)
        return tuple(kinds.values())

    @property
    def certain(self) -> list[Fault]:
        """What is to be said whatever else is wrong: of digits, only where nothing else is."""
        return [fault for fault in self.faults if fault.kind not in DIGITS]

    @property
    def sure(self) -> tuple[Finding, ...]:
        """The same, of each kind one."""
        return tuple({fault.kind: fault.finding for fault in self.certain}.values())


def _is_exact(event: Event) -> bool:
    """Whether an answer in float64 has all of its digits, and is more than zeros and ones."""
    if event.kind != "value" or event.variant != FLOAT64 or event.failed or event.rtol >= EXACT:
        return False
    values = [one for _, one in tensors(event.got) if one.is_floating_point() and not one.is_meta]
    return any(bool(((one != 0) & (one != 1) & one.isfinite()).any()) for one in values)


def set_aside(students: Log, name: str) -> SetAside:
    """What can be set aside, and the rest."""
    rest, exact = Log(), Log()
    faults: list[Fault] = []
    suspects: list[Fault] = []
    events: Sequence[Event] = students.events
    for restore in (_as_sequences, _in_order, _as_many, _with_axes):
        restored, text = restore(events, name)
        for before, after in zip(events, restored, strict=True):
            if before is not after:
                faults.append(Fault(before, restore.__name__.strip("_"), text))
        events = restored
    exact.events = list(events)
    for event in events:
        kept, kind, text = _without(event, name)
        rest.events.append(kept)
        if text:
            (suspects if kept.failed and not kept.free else faults).append(Fault(event, kind, text))
    return SetAside(rest, _of_one_mind(faults, name), _of_one_mind(suspects, name), exact)


def _of_one_mind(faults: list[Fault], name: str) -> list[Fault]:
    """The faults; of all digits that are lost the same is said, if what is sure of some allows it.

    Otherwise that there may be several causes.
    """
    digits = [fault for fault in faults if fault.kind in DIGITS]
    sure = {fault.kind: fault.text for fault in reversed(digits) if fault.kind != UNSURE}
    if len({fault.kind for fault in digits}) < 2:
        return faults
    kind, text = sure.popitem() if len(sure) == 1 else (UNSURE, _nearly(name))
    return [
        replace(fault, kind=kind, text=text) if fault.kind in DIGITS else fault for fault in faults
    ]


def _without(event: Event, name: str) -> tuple[Event, str, str]:
    """The event without a fault that speaks for itself, and the fault's kind and words."""
    if not event.failed:
        return event, "", ""
    if event.kind == "asked":
        return replace(event, free=True), "asked", _not_refused(event, name)
    if event.reason is Reason.INPUT_CHANGED:
        text = f"{name} writes into what it is given. {event.text}"
        return replace(event, free=True), "input", text
    if event.reason is Reason.RESULT_CHANGED:
        return replace(event, free=True), "earlier", rewritten_sentence(name)
    if event.reason is Reason.CUT_OFF:
        text = (
            f"A result of {name} hangs on no input, so that `backward()` ends in an error: it is "
            "made anew, as by `torch.tensor(...)`, `.item()` or a constant. Steps that autograd "
            "follows should lead to it; a sum over nothing is zero, too, and has zeros for its "
            "gradient."
        )
        return replace(event, free=True), "constant", text
    if event.kind == "holds" and event.reason is Reason.KIND:
        wanted, outcome = event.fields["wanted"], event.fields["got"]
        an = "an" if outcome[0] in "aeiou" else "a"
        text = (
            f"{name} gives {an} {outcome} where its contract says {wanted}: `{wanted}(...)` makes "
            "one of it."
        )
        return replace(event, free=True), "type", text
    if event.kind != "value":
        return event, "", ""
    if event.dtype and event.reason is Reason.DTYPE:
        text = next(dtype_sentences(name, event.got, event.want), event.text)
        return _relaxed(event, dtype=False, **_looser(event)), "dtype", text
    if event.variant != "float64" or event.reason is not Reason.VALUES:
        return event, "", ""
    relaxed = _relaxed(event, **_looser(event))
    text, kind = (_rounded(name), FLOAT64) if relaxed.failed else _inexact(event, name)
    return (relaxed, kind, text) if text else (event, "", "")


def _is_rounded(event: Event, given: Mapping[Place, Any]) -> bool:
    """Whether numbers are as far from those given at that place as float32 rounds; or none are."""
    other = given.get(event.place)
    forms = [[(path, one.shape) for path, one in tensors(value)] for value in (event.got, other)]
    if other is None or forms[0] != forms[1]:
        return True
    gap, exact = _gap(event.got, other)
    most, least = SINGLE_ROUNDING
    return exact or (bool(len(gap)) and least < float(gap.abs().max()) < most)


def _gap(mine: Any, right: Any) -> tuple[Tensor, bool]:
    """How far numbers in float64 are from others, in shares, and whether they fit in float32."""
    gaps, exact = [], True
    for (_, got), (_, want) in zip(tensors(mine), tensors(right), strict=True):
        if got.dtype != torch.float64 or not torch.isfinite(got).all():
            continue
        exact &= bool((got.float().double() == got).all())
        scale = want.abs().clamp(min=1e-3 * float(want.abs().max()) if want.numel() else 1.0)
        gaps.append(((got.abs() - want.abs()) / scale)[got != want].flatten())
    return torch.cat(gaps) if gaps else torch.empty(0), exact


def _inexact(event: Event, name: str) -> tuple[str, str]:
    """What makes numbers in float64 right to some digits only, and the kind of fault that it is."""
    gap, exact = _gap(event.got, event.want)
    if exact or not len(gap):
        return _rounded(name), FLOAT64
    smaller = float((gap < 0).double().mean())
    one_sided = len(gap) >= 4 and (smaller > 0.95 or smaller < 0.05)
    size, (most, least) = float(gap.abs().max()), SINGLE_ROUNDING
    if one_sided and not least < size < most:
        return _too_small(name, smaller, size), "epsilon"
    if len(gap) >= 4 and not one_sided and least < size < most:
        return _rounded(name), FLOAT64
    return (_nearly(name), UNSURE) if size < 1e-5 else ("", "")


def _too_small(name: str, smaller: float, size: float) -> str:
    """What is to be said where something small is added, by the share of smaller numbers."""
    side = "small" if smaller > 0.5 else "large"
    each = "each" if smaller in (0.0, 1.0) else "nearly each"
    parts = float(f"{1 / max(size, 1e-15):.0e}")
    return (
        f"The numbers of {name} are nearly right, and {each} a little too {side}, which float64 "
        f"shows (by up to one part in {parts:,.0f}), as where something small is added on the way, "
        "such as an epsilon, or has another place or size than it should."
    )


def _nearly(name: str) -> str:
    """What is to be said where digits are lost in a way that has several causes."""
    return (
        f"In float64, numbers of {name} are right to some digits only, as where something on the "
        "way is made in float32, a table or a constant, or where something small, such as an "
        "epsilon, has another place or size than it should."
    )


def _rounded(name: str) -> str:
    """What is to be said of numbers that have passed through float32."""
    return (
        f"{name} is only as exact as float32 where it is given float64: something on the way "
        "is made in float32, such as a table or a constant, or is turned into it."
    )


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


def _relaxed(event: Event, **closeness: Any) -> Event:
    """The event, compared less closely, after which it may hold."""
    event = replace(event, **closeness)
    return _with(event, event.got)


def _not_refused(event: Event, name: str) -> str:
    """What is wrong where an error was asked for."""
    if event.reason is Reason.UNNAMED:
        return f"The error that {name} raises does not name all that it is about. {event.text}"
    wanted, other = event.fields["wanted"], event.fields["got"]
    if event.reason is Reason.NOT_RAISED:
        return f"{name} accepts what its contract refuses with a {wanted}. {event.text}"
    return (
        f"{name} ends with {other} where its contract says {wanted}: ask for what is refused "
        f"before anything is computed, and raise that error. {event.text}"
    )


def _values(events: Sequence[Event]) -> Iterator[tuple[int, Event]]:
    return ((number, event) for number, event in enumerate(events) if event.kind == "value")


def _as_sequences(events: Sequence[Event], name: str) -> tuple[Sequence[Event], str]:
    """Results in a tuple or in a list as the contract says, if that alone is wrong in kind."""
    other = {number: event for number, event in _values(events) if event.reason is Reason.SEQUENCE}
    if not other:
        return events, ""
    right = {
        number: _with(event, _in_the_kind_of(event.want, event.got))
        for number, event in other.items()
    }
    kinds = {_sequence_kinds(event.got, event.want) for event in other.values()}
    mine, wanted = kinds.pop() if len(kinds) == 1 else ("another sequence", "its own")
    text = (
        f"{name} gives a {mine} where its contract says a {wanted}: `a, b` is a tuple, `[a, b]` is "
        "a list."
    )
    return [right.get(number, event) for number, event in enumerate(events)], text


def _sequence_kinds(got: Any, want: Any) -> tuple[str, str]:
    """What stands where, and what should stand there."""
    if isinstance(got, tuple) != isinstance(want, tuple):
        return ("list", "tuple") if isinstance(want, tuple) else ("tuple", "list")
    pairs = zip(got, want, strict=True)
    return next(_sequence_kinds(*pair) for pair in pairs if reason_of(*pair) is Reason.SEQUENCE)


def _in_the_kind_of(want: Any, got: Any) -> Any:
    if not (isinstance(want, tuple | list) and isinstance(got, tuple | list)):
        return got
    if len(got) != len(want):
        return got
    return (tuple if isinstance(want, tuple) else list)(map(_in_the_kind_of, want, got))


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
    right = Closeness(event.rtol, event.atol, event.dtype).surely_agree(got, event.want)
    reason = None if right else reason_of(got, event.want, event.dtype)
    return replace(event, got=got, account="" if right else event.account, reason=reason)


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
        f"What {name} returns has an axis of size 1 too many, as `keepdim=True`, `unsqueeze`, a "
        "slice in the place of an index or a tensor of one number leave behind."
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
