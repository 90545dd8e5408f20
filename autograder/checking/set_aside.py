"""Faults that speak for themselves, whatever else is wrong: set aside, the rest may be a known one.

An error that is not raised, another dtype, the precision of float32, an input that is changed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from autograder.checking.calling import tensors
from autograder.checking.events import Event, Log

SINGLE = {"rtol": 1e-4, "atol": 1e-5}  # to which two results in float32 are the same
PLAIN = ("changes its input", "should raise")  # of what holds, in the words of the checks


@dataclass(frozen=True)
class SetAside:
    """A student's events with what is set aside, and what is to be said of that."""

    rest: Log
    faults: Sequence[tuple[int, str]]  # the event's number, and the fault in words
    imprecise: str
    alike: Callable[[Event, Event], bool]

    @property
    def precision(self) -> str | None:
        """What is to be said where nothing but the precision of float32 is wrong."""
        texts = {text for _, text in self.faults}
        return texts.pop() if texts == {self.imprecise} else None

    def told(self, sentence: str, explained: Sequence[Event], students: Log) -> str:
        """The sentence, and those faults that it does not explain, each kind once."""
        kinds: dict[str, str] = {}
        for number, text in self.faults:
            event = students.events[number]
            if not self.alike(explained[number], event):
                kinds.setdefault(event.kind, text)
        return " And: ".join([sentence, *kinds.values()])


def set_aside(students: Log, name: str, alike: Callable[[Event, Event], bool]) -> SetAside:
    """What can be set aside, and the rest."""
    rest, faults = Log(), []
    imprecise = (
        f"{name} is only as exact as float32 where it is given float64: something on the way is "
        "made in float32, such as a table or a constant."
    )
    for number, event in enumerate(students.events):
        kept, text = _without(event, imprecise)
        rest.events.append(kept)
        if text:
            faults.append((number, text))
    return SetAside(rest, faults, imprecise, alike)


def _without(event: Event, imprecise: str) -> tuple[Event, str]:
    """The event without a fault that speaks for itself, and the fault in words."""
    if not event.text:
        return event, ""
    plain = any(words in event.text for words in PLAIN)
    if event.kind == "asked" or event.kind == "holds" and plain:
        return replace(event, free=True), event.text
    if event.kind != "value":
        return event, ""
    dtypes = {tensor.dtype for _, tensor in tensors(event.got)}
    if event.dtype and "should have dtype" in event.text:
        return replace(event, dtype=False, **_looser(event)), event.text
    if torch.float64 in dtypes and 0 < event.rtol < SINGLE["rtol"]:
        return replace(event, **_looser(event)), imprecise
    return event, ""


def _looser(event: Event) -> dict[str, float]:
    return {key: max(getattr(event, key), value) for key, value in SINGLE.items()}
