"""Exercises that only these tests have, judged without the registry's modules."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.remote.calling import Home
from autograder.remote.subject import Subject


def subject(thing: Any, watch: bool = False, name: str = "thing") -> Subject:
    """What a check holds of `thing`."""
    return Subject(name, Home({name: thing}), lambda name, request: f"{name}(...)", watch)


def pair(student: Any, reference: Any) -> tuple[Subject, Subject]:
    """A student's and a reference's subject."""
    return subject(student), subject(reference)


class Scale(nn.Module):
    """A layer with one parameter, as a reference has it."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.seen = 0

    def forward(self, x):
        return self.weight * x

    def append(self, x):
        self.seen += len(x)
        return self.seen

    def __len__(self):
        return self.seen


def answering(value: Any) -> Callable[..., Any]:
    """A function that returns the value whatever it is given."""
    return lambda *args, **kwargs: value
