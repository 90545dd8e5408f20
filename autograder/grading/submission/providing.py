"""What is said where a provided exercise stood in for a student's own."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.checking.registry import find
from autograder.checking.verdict import UNTOUCHED, Verdict
from autograder.grading.text import one_line
from autograder.source.content import references

NOT_THERE = {"not started": "not written yet", "missing": "missing"}


@dataclass(frozen=True)
class StandingIn:
    """Earlier exercises that were provided, with how the student's own had done."""

    names: Sequence[str]
    statuses: Sequence[str]

    @property
    def listed(self) -> str:
        """`softmax and attend`."""
        return " and ".join(self.names)

    @property
    def absent(self) -> str:
        """`not written yet`, or `missing`, where there was none of the student's own at all."""
        reasons = list(dict.fromkeys(NOT_THERE.get(status, "") for status in self.statuses))
        return " or ".join(reasons) if all(reasons) else ""

    def note(self, name: str) -> str:
        """What a teacher is told of an exercise that is right with them."""
        return f"{name} is right with the provided {self.listed}, and has its points for that"

    def verdict(self, alone: Verdict, again: Verdict, points: float) -> Verdict:
        """The verdict on an exercise, from those without and with what is provided.

        Of a failure with them only that it was one: its words may hold the provided source.
        """
        many = len(self.names) > 1
        if again.passed:
            text = f"Right with the provided {self.listed} in place of yours. "
            text += f"With yours: {alone.message}"
            if self.absent:
                yours = "yours are" if many else "yours is"
                text = f"Right with the provided {self.listed}, since {yours} {self.absent}."
            return replace(again, points=points, max_points=points, message=one_line(text))
        if alone.status in UNTOUCHED and again.status in UNTOUCHED:
            return alone
        text = f"{alone.message} With the provided {self.listed} in place of yours it fails too."
        if self.absent:
            text = (
                f"{alone.name} uses {self.listed}, which {'are' if many else 'is'} {self.absent}."
            )
            text += f" With the provided {self.listed} it fails too."
        status = "failed" if alone.status in UNTOUCHED else alone.status
        return replace(alone, status=status, message=one_line(text))


def provided_source(name: str) -> str:
    """The reference of an exercise, as later chapters hand it out."""
    return inspect.getsource(getattr(references(find(name).module), name))
