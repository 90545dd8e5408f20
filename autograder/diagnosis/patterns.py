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
Wrong = frozenset[tuple[Place, str]]  # at which places, and in which kind of comparison


@dataclass(frozen=True)
class Pattern:
    """Where a misconception is wrong in a check: by its values, and in what else is asked."""

    values: Wrong = frozenset()
    besides: Wrong = frozenset()

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Pattern":
        """The pattern of a whole run."""
        failed = [event for event in events if event.failed and not event.free]
        besides = {(event.place, event.kind) for event in failed if event.beside is not None}
        values = {(event.place, event.kind) for event in failed if event.beside is None}
        return cls(frozenset(values), frozenset(besides))

    @property
    def whole(self) -> Wrong:
        return self.values | self.besides


def written(patterns: Iterable[Pattern | None]) -> bytes:
    """Those of an exercise's misconceptions, in the order in which these are tried."""
    plain = [
        one and [sorted([*at, kind] for at, kind in part) for part in (one.values, one.besides)]
        for one in patterns
    ]
    return packed(json.dumps(plain))


@functools.lru_cache(maxsize=128)
def read(blob: bytes) -> Sequence[Pattern | None]:
    """The patterns again; none at all where nothing was written."""
    plain = json.loads(unpacked(blob)) if blob else ()
    return tuple(one and Pattern(*map(_wrong, one)) for one in plain)


def _wrong(plain: list[list]) -> Wrong:
    return frozenset(((part, number), kind) for part, number, kind in plain)
