"""Where each misconception goes wrong in its check, found out once for all who are judged.

Most misconceptions are wrong where a student's code is right: their patterns tell that no run of
them is needed.
"""

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.checking.events import Event
from autograder.source.sources import packed, unpacked

Place = tuple[int, int]


@dataclass(frozen=True)
class Pattern:
    """The places of a check at which a misconception is wrong, and in which kind of comparison.

    Of values alone where some of them are wrong; where all are right, of whatever else is asked.
    """

    wrong: frozenset[tuple[Place, str]]
    of_values: bool

    @classmethod
    def of(cls, events: Iterable[Event], of_values: bool) -> "Pattern":
        """The pattern of a run."""
        failed = (event for event in events if event.failed and not event.free)
        return cls(frozenset((event.place, event.kind) for event in failed), of_values)

    def at(self, place: Place) -> str | None:
        """The kind of comparison that is wrong there; None where none is."""
        return next((kind for where, kind in self.wrong if where == place), None)


def written(patterns: Iterable[Pattern | None]) -> bytes:
    """Those of an exercise's misconceptions, in the order in which these are tried."""
    plain = [
        one and [one.of_values, sorted([*at, kind] for at, kind in one.wrong)] for one in patterns
    ]
    return packed(json.dumps(plain))


@functools.lru_cache(maxsize=128)
def read(blob: bytes) -> Sequence[Pattern | None]:
    """The patterns again; none at all where nothing was written."""
    plain = json.loads(unpacked(blob)) if blob else ()
    return tuple(
        one and Pattern(frozenset(((part, number), kind) for part, number, kind in one[1]), one[0])
        for one in plain
    )
