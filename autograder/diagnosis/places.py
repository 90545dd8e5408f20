"""Where in a result the wrong numbers stand: on the diagonal, in the first row, at zeros."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

AXES = {
    -1: "the last axis",
    -2: "the next to last axis",
    -3: "the third to last axis",
    -4: "the fourth to last axis",
}
TELLING = 3  # wrong numbers: fewer are on one side by chance


@dataclass(frozen=True)
class Numbers:
    """One result that is wrong in its numbers alone."""

    path: str
    got: Tensor
    want: Tensor
    of_truth: bool = False  # whether they are True and False
    whole: bool = False  # whether the right ones are whole numbers, or True and False

    @functools.cached_property
    def wrong(self) -> Tensor:
        """At which places it is."""
        return ~torch.isclose(self.got, self.want, rtol=1e-4, atol=1e-5, equal_nan=True)


# What is true of one result: a sentence, several, or none; None where too little shows it.
Relation = Callable[[Numbers], Iterable[str] | str | None]
Relations = tuple[tuple[str, Relation], ...]


def told(relation: Relation, found: Numbers) -> list[str] | None:
    """The sentences that are true of it; None where nobody can tell."""
    texts = relation(found)
    if texts is None or isinstance(texts, str):
        return None if texts is None else [texts] * bool(texts)
    return list(texts)


def _within(part: Callable[[Tensor], Tensor], words: str) -> Relation:
    """What is wrong stands in one part of the last two axes."""

    def relation(found: Numbers) -> str | None:
        wrong = found.wrong
        if wrong.dim() < 2 or bool((wrong & ~part(wrong)).any()):
            return ""
        if min(wrong.shape[-2:]) < 3 or int(wrong.sum()) < TELLING:
            return None
        return f"Only {words} of the last two axes numbers are wrong."

    return relation


def _diagonal(wrong: Tensor) -> Tensor:
    return torch.eye(*wrong.shape[-2:], dtype=torch.bool).expand_as(wrong)


def _off_diagonal(found: Numbers) -> str | None:
    """All but the diagonal is wrong."""
    wrong = found.wrong
    if wrong.dim() < 2 or bool((wrong & _diagonal(wrong)).any()):
        return ""
    if min(wrong.shape[-2:]) < 3 or int(wrong.sum()) < TELLING:
        return None
    return "On the diagonal of the last two axes every number is right."


Flags = Sequence[bool]
PATTERNS: tuple[tuple[str, int, Callable[[Flags], bool]], ...] = (
    ("Only the first entry {0} is wrong.", 1, lambda wrong: not any(wrong[1:])),
    ("Only the last entry {0} is wrong.", 1, lambda wrong: not any(wrong[:-1])),
    ("Only the first entry {0} is right.", 1, lambda wrong: not wrong[0] and all(wrong[1:])),
    ("Only the last entry {0} is right.", 1, lambda wrong: not wrong[-1] and all(wrong[:-1])),
    ("Only entries with an even index {0} are wrong.", 2,
     lambda wrong: all(wrong[::2]) and not any(wrong[1::2])),
    ("Only entries with an odd index {0} are wrong.", 2,
     lambda wrong: all(wrong[1::2]) and not any(wrong[::2])),
    ("Only in the first half {0} numbers are wrong.", 2,
     lambda wrong: all(wrong[: len(wrong) // 2]) and not any(wrong[len(wrong) // 2 :])),
    ("Only in the second half {0} numbers are wrong.", 2,
     lambda wrong: all(wrong[-(len(wrong) // 2) :]) and not any(wrong[: -(len(wrong) // 2)])),
)  # fmt: skip


def _along(axis: int, words: str, least: int, holds: Callable[[Flags], bool]) -> Relation:
    """What is wrong stands at such places along one axis, and at so many of them at least."""

    def relation(found: Numbers) -> str | None:
        wrong = found.wrong
        if wrong.dim() < -axis:
            return ""
        others = [other for other in range(-wrong.dim(), 0) if other != axis]
        flags = (wrong.any(dim=others) if others else wrong).tolist()
        if len(flags) < 2 or not any(flags):
            return None
        if not holds(flags):
            return ""
        telling = len(flags) >= 2 * least and (len(flags) > 2 or not flags[0])
        return words.format(f"along {AXES[axis]}") if telling else None

    return relation


def _where_zeros_stand(found: Numbers) -> str:
    """Wrong where zeros should be, and nowhere else."""
    wrong, zeros = found.wrong, found.want == 0
    if found.of_truth or not bool(zeros.any()) or bool((wrong & ~zeros).any()):
        return ""
    return ONLY_ZEROS if bool(zeros.all()) else ZEROS


ZEROS = "Wrong are only places at which zero should stand."
ONLY_ZEROS = "Nothing but zeros should stand there."


def _of_all() -> Iterator[tuple[str, Relation]]:
    yield "triangle", _within(lambda one: ~one.new_ones(one.shape).tril(), "above the diagonal")
    yield "triangle", _within(lambda one: ~one.new_ones(one.shape).triu(), "below the diagonal")
    yield "diagonal", _within(_diagonal, "on the diagonal")
    yield "diagonal", _off_diagonal
    for words, least, holds in PATTERNS:
        for axis in AXES:
            yield "places", _along(axis, words, least, holds)
    yield "zeros-only", _where_zeros_stand


AT: Relations = tuple(_of_all())
