"""In which way wrong numbers are wrong: by a factor, a shift, a sign, at some places only.

Each relation says something of one result, or nothing; what is said must be true of all of them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checking.comparing import agree, number
from autograder.checking.events import Event
from autograder.remote.calling import tensors

CLOSE = {"rtol": 2e-3, "atol": 1e-5}
WRONG_SIGN = "Every number has the wrong sign."
AXES = {
    -1: "the last axis",
    -2: "the next to last axis",
    -3: "the third to last axis",
    -4: "the fourth to last axis",
}


@dataclass(frozen=True)
class Numbers:
    """One result that is wrong in its numbers alone."""

    path: str
    got: Tensor
    want: Tensor
    of_truth: bool = False  # whether they are True and False


def numbers_of(event: Event) -> Iterator[Numbers]:
    """The parts of an answer that are wrong, and of the right shape."""
    if isinstance(event.want, float | int) and isinstance(event.got, float | int):
        yield Numbers("", torch.tensor([float(event.got)]), torch.tensor([float(event.want)]))
        return
    theirs = dict(tensors(event.got))
    for path, want in tensors(event.want):
        got = theirs.get(path)
        if got is None or got.is_meta:
            continue
        if got.shape == want.shape and not agree(got, want, dtype=False):
            truth = got.dtype == want.dtype == torch.bool
            yield Numbers(path, got.double(), want.double(), truth)


def related(numbers: Sequence[Numbers]) -> tuple[str, str]:
    """The key and the words of what is true of all of them; how far they are off if nothing is."""
    found = [pair for pair in (_first(HOW, numbers), _first(AT, numbers)) if pair]
    if not found:
        return "off", _off(numbers)
    return "+".join(key for key, _ in found), " ".join(text for _, text in found)


def _first(relations: "Relations", numbers: Sequence[Numbers]) -> tuple[str, str] | None:
    for key, relation in relations:
        texts = {relation(found) for found in ([_joined(numbers)] if key == "truth" else numbers)}
        if "" in texts:
            continue
        if len(texts) == 1:
            if key == "factor" and _is_one_number(numbers) and texts != {WRONG_SIGN}:
                continue  # any number is some factor times any other
            return key, texts.pop()
        if key == "factor" and any(found.want.numel() > 1 for found in numbers):
            return key, "In each case, all numbers are wrong by one factor."
    return None


def _is_one_number(numbers: Sequence[Numbers]) -> bool:
    return sum(found.want.numel() for found in numbers) == 1


def _joined(numbers: Sequence[Numbers]) -> Numbers:
    got, want = (torch.cat(each) for each in zip(*map(_flat, numbers), strict=True))
    return Numbers("", got, want, all(found.of_truth for found in numbers))


def _flat(found: Numbers) -> tuple[Tensor, Tensor]:
    return found.got.flatten(), found.want.flatten()


def _same(one: Tensor, other: Tensor) -> bool:
    return bool(torch.isclose(one, other, **CLOSE, equal_nan=True).all())


def _not_finite(found: Numbers) -> str:
    if bool(torch.isfinite(found.want).all()) and bool(torch.isnan(found.got).all()):
        return "All numbers are NaN, as from 0 / 0 or infinity minus infinity."
    return ""


def _not_finite_in_part(found: Numbers) -> str:
    wrong = torch.isnan(found.got)
    others_right = _same(found.got[~wrong], found.want[~wrong])
    if bool(torch.isfinite(found.want).all()) and bool(wrong.any()) and others_right:
        return "Where it is wrong there is NaN, as from 0 / 0 or infinity minus infinity."
    return ""


def _zeros(found: Numbers) -> str:
    return "" if bool(found.got.any()) else "All numbers are zero."


def _factor(found: Numbers) -> str:
    big = found.want.abs() > 1e-3 * found.want.abs().max()
    if not bool(big.any()) or found.want.numel() < 1:
        return ""
    ratio = float((found.got[big] / found.want[big]).median())
    if not math.isfinite(ratio) or ratio == 0 or not _same(found.got, ratio * found.want):
        return ""
    if abs(ratio + 1) < 1e-3:
        return WRONG_SIGN
    return f"Every number is {ratio:.4g} times what it should be."


def _offset(found: Numbers) -> str:
    gap = float((found.got - found.want).median())
    if found.want.numel() > 1 and math.isfinite(gap) and _same(found.got, found.want + gap):
        return f"Every number is off by the same amount, {gap:.4g}."
    return ""


def _absolute(found: Numbers) -> str:
    if _same(found.got, found.want.abs()):
        return "The numbers have the right size, but all are positive: a sign is lost."
    return ""


def _clamped(found: Numbers) -> str:
    for bound, limit, word in (
        (found.got.min(), found.want.clamp(min=float(found.got.min())), "below"),
        (found.got.max(), found.want.clamp(max=float(found.got.max())), "above"),
    ):
        beyond = bool((found.got != bound).any())  # a single number shows no limit
        if beyond and math.isfinite(float(bound)) and _same(found.got, limit):
            return f"The numbers are cut off: none is {word} a limit, where some should be."
    return ""


def _moved(found: Numbers) -> str:
    """The right numbers, at other places."""
    for axis in range(found.want.dim()):
        words = f"along axis {axis - found.want.dim()}"
        if found.want.shape[axis] < 2:
            continue
        for step in (1, -1):
            if _same(found.got, found.want.roll(step, axis)):
                return f"The right numbers stand one place too far {words}."
        if _same(found.got, found.want.flip(axis)):
            return f"The right numbers stand in reverse order {words}."
    square = found.want.dim() > 1 and found.want.shape[-1] == found.want.shape[-2]
    if square and _same(found.got, found.want.mT):
        return "The last two axes are exchanged."
    one, other = found.got.flatten().sort().values, found.want.flatten().sort().values
    if found.want.numel() > 3 and _same(one, other):
        return "These are the right numbers, but at other places than they should stand."
    return ""


def _places(found: Numbers) -> str:
    """Where along one axis all that is wrong stands, if the rest is right."""
    wrong = _wrong(found)
    if not bool(wrong.any()):
        return ""
    for axis in range(wrong.dim()):
        size = wrong.shape[axis]
        others = [other for other in range(wrong.dim()) if other != axis]
        flags = (wrong.any(dim=others) if others else wrong).tolist()
        words = f"along axis {axis - wrong.dim()}"
        if size < 3 and not (size == 2 and flags == [False, True]):
            continue
        if sum(flags) == size:
            continue
        if flags == [True] + [False] * (size - 1):
            return f"Only the first entry {words} is wrong."
        if flags == [False] * (size - 1) + [True]:
            return f"Only the last entry {words} is wrong."
        if flags == [False] + [True] * (size - 1):
            return f"Only the first entry {words} is right."
        if flags == [True] * (size - 1) + [False]:
            return f"Only the last entry {words} is right."
    return ""


def _truth(found: Numbers) -> str:
    """What stands in the place of what, in a mask."""
    if not found.of_truth:
        return ""
    wrong = found.got != found.want
    if bool(wrong.all()):
        return "True and False have changed places."
    if bool(found.got[wrong].all()):
        return "True stands where False belongs, and never the other way around."
    if not bool(found.got[wrong].any()):
        return "False stands where True belongs, and never the other way around."
    return ""


def _function(found: Numbers) -> str:
    """A simple function of what they should be."""
    for words, function in FUNCTIONS:
        if found.want.numel() > 1 and _same(found.got, function(found.want)):
            return f"Every number is {words} of what it should be."
    return ""


FUNCTIONS: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("the square", torch.square),
    ("the root", torch.sqrt),
    ("the reciprocal", torch.reciprocal),
    ("the exponential", torch.exp),
    ("the logarithm", torch.log),
    ("one minus that", lambda want: 1 - want),
)


def _rows(found: Numbers) -> str:
    """One factor or one amount along each row, and another one along the next."""
    for axis in range(-1, -min(found.want.dim(), 3) - 1, -1):
        if found.want.dim() < 2 or found.want.shape[axis] < 3:
            continue
        gap = (found.got - found.want).mean(dim=axis, keepdim=True)
        if bool(gap.isfinite().all()) and _same(found.got, found.want + gap):
            return f"Along {AXES[axis]}, all numbers are off by one amount, each time another."
        size = found.want.abs().sum(dim=axis, keepdim=True).clamp(min=1e-12)
        factor = (found.got * found.want.sign()).sum(dim=axis, keepdim=True) / size
        if bool(factor.isfinite().all()) and _same(found.got, factor * found.want):
            return f"Along {AXES[axis]}, all numbers are wrong by one factor, each time another."
    return ""


def _wrong(found: Numbers) -> Tensor:
    return ~torch.isclose(found.got, found.want, rtol=1e-4, atol=1e-5, equal_nan=True)


def _triangle(found: Numbers) -> str:
    if found.want.dim() < 2 or min(found.want.shape[-2:]) < 3:
        return ""
    wrong = _wrong(found)
    if int(wrong.sum()) < 3:
        return ""  # few places are on one side by chance
    if not bool(wrong.tril().any()):
        return "Only above the diagonal of the last two axes some numbers are wrong."
    if not bool(wrong.triu().any()):
        return "Only below the diagonal of the last two axes some numbers are wrong."
    outside = wrong & ~torch.eye(*wrong.shape[-2:], dtype=torch.bool)
    return "" if bool(outside.any()) else "Only on the diagonal of the last two axes it is wrong."


def _where_zeros_stand(found: Numbers) -> str:
    """Wrong where zeros should be, or at all others."""
    wrong, zeros = _wrong(found), found.want == 0
    if found.of_truth or not bool(zeros.any()) or bool(zeros.all()):
        return ""
    if not bool((wrong & ~zeros).any()):
        return "Wrong are only places at which zero should stand."
    return ""


def _sums(found: Numbers) -> str:
    """Rows that should add up to one."""
    for axis in range(-1, -min(found.want.dim(), 3) - 1, -1):
        sums, right = (one.sum(dim=axis) for one in (found.got, found.want))
        shares = bool((found.want >= 0).all()) and found.want.shape[axis] > 1
        if shares and _same(right, torch.ones_like(right)):
            if not _same(sums, right):
                return f"The numbers should add up to one along {AXES[axis]}, and do not."
            if bool((found.got < 0).any()):
                return "Some numbers are negative where shares of one belong."
    return ""


def _side(found: Numbers) -> str:
    """All too large, or all too small."""
    gap = (found.got - found.want)[_wrong(found)]
    if gap.numel() > 3 and bool((gap > 0).all()):
        return "All numbers that are wrong are too large."
    if gap.numel() > 3 and bool((gap < 0).all()):
        return "All numbers that are wrong are too small."
    return ""


def _off(numbers: Sequence[Numbers]) -> str:
    """How many are off, and by how much: what is left to say."""
    wrong = [_wrong(found) for found in numbers]
    count, every = sum(int(one.sum()) for one in wrong), sum(one.numel() for one in wrong)
    gaps = [float((found.got - found.want).abs().max()) for found in numbers]
    sizes = [float(found.want.abs().max()) for found in numbers]
    if every == len(numbers):
        return f"It is off by up to {number(max(gaps))}."
    share = "all" if count == every else f"{count} of {every}"
    if not math.isfinite(max(gaps) + max(sizes)):
        return f"The shape is right, but {share} numbers are wrong."
    return (
        f"The shape is right, but {share} numbers are wrong, by up to {number(max(gaps))}; the "
        f"right ones go up to {number(max(sizes))}."
    )


def shapes_in_words(got: Tensor, want: Tensor) -> tuple[str, str]:
    """The key and the words of how a shape is wrong."""
    mine, right = list(got.shape), list(want.shape)
    if len(mine) != len(right):
        count = abs(len(mine) - len(right))
        axes = "one axis" if count == 1 else f"{count} axes"
        few = "too few" if len(mine) < len(right) else "too many"
        return "axes", f"The result has {axes} {few}: {mine}, where {right} belongs."
    if sorted(mine) == sorted(right):
        return "order", f"The axes stand in another order: {mine}, where {right} belongs."
    places = [place - len(right) for place in range(len(right)) if mine[place] != right[place]]
    words = [AXES.get(place, f"axis {place}") for place in places]
    sizes = [f"{one} has the size {mine[at]}, where {right[at]} belongs"
             for one, at in zip(words, places, strict=True)]  # fmt: skip
    text = ", and ".join(sizes)
    return "size", f"{text[0].upper()}{text[1:]}."


Relations = tuple[tuple[str, Callable[[Numbers], str]], ...]
HOW: Relations = (
    ("truth", _truth),
    ("nan", _not_finite),
    ("nan", _not_finite_in_part),
    ("zeros", _zeros),
    ("factor", _factor),
    ("offset", _offset),
    ("absolute", _absolute),
    ("clamped", _clamped),
    ("moved", _moved),
    ("function", _function),
    ("rows", _rows),
    ("sums", _sums),
    ("side", _side),
)
AT: Relations = (
    ("triangle", _triangle),
    ("places", _places),
    ("zeros-only", _where_zeros_stand),
)
