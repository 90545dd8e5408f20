"""In which way wrong numbers are wrong: by a factor, a shift, a sign, in their range or order.

Each relation has the sentences that are true of one result; or None, where too few numbers are
there to tell. What is said must be true of all of them, and be seen in one.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import agree, number
from autograder.checking.events import Event
from autograder.diagnosis.places import AT, AXES, Numbers, Relations, told
from autograder.remote.calling import tensors

CLOSE = {"rtol": 2e-3, "atol": 1e-5}
NEARER = 0.05
FEW = 4  # numbers, of which something may hold by chance
WRONG_SIGN = "Every number has the wrong sign."
NAN_COMES = "as from 0 / 0, infinity minus infinity, or 0 times infinity"


def numbers_of(event: Event) -> Iterator[Numbers]:
    """The parts of an answer that are wrong, and of the right shape."""
    return numbers_in(event.got, event.want)


def numbers_in(mine: Any, right: Any) -> Iterator[Numbers]:
    """The parts of what came that are wrong, and of the right shape."""
    if isinstance(right, float | int) and isinstance(mine, float | int):
        if not agree(mine, right):
            yield Numbers("", *(torch.tensor([float(one)]).double() for one in (mine, right)))
        return
    theirs = dict(tensors(mine))
    for path, want in tensors(right):
        got = theirs.get(path)
        if got is None or got.is_meta:
            continue
        if got.shape == want.shape and not agree(got, want, dtype=False):
            truth = got.dtype == want.dtype == torch.bool
            whole = not want.is_floating_point()
            yield Numbers(path, got.double(), want.double(), truth, whole)


def related(numbers: Sequence[Numbers]) -> tuple[str, str]:
    """The key and the words of what is true of all of them; how far they are off if nothing is."""
    found = [pair for pair in (_first(HOW, numbers), _first(AT, numbers)) if pair]
    if not found:
        return "off", off(numbers)
    return "+".join(key for key, _ in found), " ".join(text for _, text in found)


def _first(relations: Relations, numbers: Sequence[Numbers]) -> tuple[str, str] | None:
    single = all(found.want.numel() == 1 for found in numbers)
    together = single and len(numbers) > 2  # they show what each of them cannot
    for key, relation in relations:
        if together and key in OF_AXES:
            continue
        asked = [_joined(numbers)] if together or key == "truth" else numbers
        texts = [one for one in map(functools.partial(told, relation), asked) if one is not None]
        common = [text for text in texts[0] if all(text in one for one in texts)] if texts else []
        if common:
            if key == "factor" and _is_one_number(numbers) and common != [WRONG_SIGN]:
                continue  # any number is some factor times any other
            return key, common[0]
        several = any(found.want.numel() > 1 for found in numbers)
        if key == "factor" and several and texts and all(texts):
            return key, "In each case, all numbers are wrong by one factor."
    return None


OF_AXES = {"counted", "moved", "rows", "sums", "alike", "vectors", "mirrored", "order", "triangle",
           "diagonal", "places", "zeros-only"}  # fmt: skip


def _is_one_number(numbers: Sequence[Numbers]) -> bool:
    return sum(found.want.numel() for found in numbers) == 1


def _joined(numbers: Sequence[Numbers]) -> Numbers:
    got, want = (torch.cat(each) for each in zip(*map(_flat, numbers), strict=True))
    truth, whole = (
        all(each) for each in zip(*((n.of_truth, n.whole) for n in numbers), strict=True)
    )
    return Numbers("", got, want, truth, whole)


def _flat(found: Numbers) -> tuple[Tensor, Tensor]:
    return found.got.flatten(), found.want.flatten()


def _same(one: Tensor, other: Tensor) -> bool:
    return bool(torch.isclose(one, other, **CLOSE, equal_nan=True).all())


def _explains(found: Numbers, expected: Tensor) -> bool:
    """Whether they are these numbers, and that is nearer than that they are nearly right."""
    if not _same(found.got, expected):
        return False
    apart, wrong = ((found.got - one).abs().nan_to_num(0.0, 0.0) for one in (expected, found.want))
    return bool(apart.max() <= NEARER * wrong.max()) if found.got.numel() else False


def _not_finite(found: Numbers) -> str:
    if bool(torch.isfinite(found.want).all()) and bool(torch.isnan(found.got).all()):
        return f"All numbers are NaN, {NAN_COMES}."
    return ""


def _not_finite_in_part(found: Numbers) -> str:
    wrong = torch.isnan(found.got)
    others_right = _same(found.got[~wrong], found.want[~wrong])
    if bool(torch.isfinite(found.want).all()) and bool(wrong.any()) and others_right:
        return f"Where it is wrong there is NaN, {NAN_COMES}."
    return ""


def _infinite(found: Numbers) -> str:
    """Right where it is finite; where it is not, both signs are told apart."""
    wrong = found.got[found.wrong]
    right = bool(torch.isfinite(found.want).all()) and wrong.numel() > 0
    for sign, words in ((1, "infinity, as from 1 / 0 or the exponential of a large number"),
                        (-1, "minus infinity, as from the logarithm of zero")):  # fmt: skip
        if right and bool((wrong == sign * math.inf).all()):
            return f"Where it is wrong there is {words}."
    return ""


def _zeros(found: Numbers) -> str:
    wrong = found.got[found.wrong]
    return "" if bool(wrong.any()) or not wrong.numel() else "All numbers that are wrong are zero."


def _factor(found: Numbers) -> str:
    big = found.want.abs() > 1e-3 * found.want.abs().max()
    if not bool(big.any()) or found.want.numel() < 1:
        return ""
    ratio = float((found.got[big] / found.want[big]).median())
    if not math.isfinite(ratio) or ratio == 0 or not _explains(found, ratio * found.want):
        return ""
    if abs(ratio + 1) < 1e-3:
        return WRONG_SIGN
    return f"Every number is {ratio:.4g} times what it should be."


def _offset(found: Numbers) -> str:
    gap = float((found.got - found.want).median())
    if found.want.numel() > 1 and math.isfinite(gap) and _explains(found, found.want + gap):
        return f"Every number is off by the same amount, {gap:.4g}."
    return ""


def _absolute(found: Numbers) -> str:
    if _explains(found, found.want.abs()):
        return "The numbers have the right size, but all are positive: a sign is lost."
    return ""


def _clamped(found: Numbers) -> str:
    for bound, limit, word in (
        (found.got.min(), found.want.clamp(min=float(found.got.min())), "below"),
        (found.got.max(), found.want.clamp(max=float(found.got.max())), "above"),
    ):
        beyond = bool((found.got != bound).any())  # a single number shows no limit
        if beyond and math.isfinite(float(bound)) and _explains(found, limit):
            return f"The numbers are cut off: none is {word} a limit, where some should be."
    return ""


def _moved(found: Numbers) -> Iterator[str]:
    """The right numbers, at other places."""
    got, want = found.got, found.want
    for axis in range(-1, -min(want.dim(), len(AXES)) - 1, -1):
        size, words = want.shape[axis], f"along {AXES[axis]}"
        if size < 2:
            continue
        for step, place in ((1, "far"), (-1, "early")):
            rest = slice(1, None) if step > 0 else slice(None, -1)
            moved = Numbers("", *(one.movedim(axis, 0)[rest] for one in (got, want)))
            right = want.roll(step, axis).movedim(axis, 0)[rest]
            if size > 2 and not bool((want == 0).all()) and _explains(moved, right):
                yield f"The right numbers stand one place too {place} {words}."
        if _explains(found, want.flip(axis)):
            yield f"The right numbers stand in reverse order {words}."
    square = want.dim() > 1 and want.shape[-1] == want.shape[-2]
    if square and _explains(found, want.mT):
        yield "The last two axes are exchanged."
    if want.numel() > 3 and not found.of_truth and _explains(found, _in_its_order(got, want)):
        yield "These are the right numbers, but at other places than they should stand."


def _in_its_order(got: Tensor, want: Tensor) -> Tensor:
    """The right numbers in the order in which the student's have their size."""
    places = got.flatten().argsort()
    ordered = torch.empty_like(want).flatten()
    ordered[places] = want.flatten().sort().values
    return ordered.reshape(want.shape)


def _counted(found: Numbers) -> Iterator[str]:
    """In each row as many are True as should be, at other places."""
    if found.of_truth and torch.equal(found.got.sum(dim=-1), found.want.sum(dim=-1)):
        yield "In each row as many are True as should be, but at other places."


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


def _function(found: Numbers) -> Iterator[str]:
    """A simple function of what they should be."""
    for words, function in FUNCTIONS:
        if found.want.numel() > 1 and _explains(found, function(found.want)):
            yield f"Every number is {words} of what it should be."


FUNCTIONS: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("the square", torch.square),
    ("the root", torch.sqrt),
    ("the reciprocal", torch.reciprocal),
    ("the exponential", torch.exp),
    ("the logarithm", torch.log),
    ("one minus that", lambda want: 1 - want),
)


def _rows(found: Numbers) -> Iterator[str]:
    """One factor or one amount along each row, and another one along the next."""
    for axis in range(-1, -min(found.want.dim(), 3) - 1, -1):
        if found.want.dim() < 2 or found.want.shape[axis] < 3:
            continue
        gap = (found.got - found.want).mean(dim=axis, keepdim=True)
        if bool(gap.isfinite().all()) and _explains(found, found.want + gap):
            yield f"Along {AXES[axis]}, all numbers are off by one amount, each time another."
        size = found.want.abs().sum(dim=axis, keepdim=True).clamp(min=1e-12)
        factor = (found.got * found.want.sign()).sum(dim=axis, keepdim=True) / size
        if bool(factor.isfinite().all()) and _explains(found, factor * found.want):
            yield f"Along {AXES[axis]}, all numbers are wrong by one factor, each time another."


def _sums(found: Numbers) -> Iterator[str]:
    """Rows that should add up to one."""
    for axis in range(-1, -min(found.want.dim(), 3) - 1, -1):
        sums, right = (one.sum(dim=axis) for one in (found.got, found.want))
        shares = bool((found.want >= 0).all()) and found.want.shape[axis] > 1
        if shares and _same(right, torch.ones_like(right)):
            if not _same(sums, right):
                yield f"The numbers should add up to one along {AXES[axis]}, and do not."
            if bool((found.got < 0).any()):
                yield "Some numbers are negative where shares of one belong."


def _signs(found: Numbers) -> str:
    """Right but for signs."""
    if not _explains(found, found.want.abs() * found.got.sign()):
        return ""
    return "The numbers have the right size, but some have the wrong sign."


def _range(found: Numbers) -> Iterator[str]:
    """All numbers lie between two bounds, as the right ones do not; or the other way around.

    Whole numbers lie where they lie for other reasons.
    """
    if found.whole:
        return
    for words, least, most in RANGES:
        inside = [bool(((one >= least) & (one <= most)).all()) for one in (found.got, found.want)]
        bounded = most == math.inf or _reaches(found, most)
        if found.want.numel() >= FEW and inside[0] is not inside[1] and bounded:
            yield words[inside[1]]


def _reaches(found: Numbers, most: float) -> bool:
    """Whether one side comes near the bound, and the other goes far beyond it."""
    sizes = sorted(float(one.abs().max()) for one in (found.got, found.want))
    return 0.9 * most < sizes[0] and 2 * most < sizes[1]


RANGES = (
    (("No number is negative, and some of the right ones are.",
      "Some numbers are negative, and none of the right ones is."), 0.0, math.inf),
    (("All numbers lie between -1 and 1, as after a tanh, and the right ones do not.",
      "Not all numbers lie between -1 and 1, and the right ones do."), -1.0, 1.0),
)  # fmt: skip


def _ordered(found: Numbers) -> Iterator[str]:
    """In the right order of size along one axis, and not of the right size."""
    for axis in range(-1, -min(found.want.dim(), 3) - 1, -1):
        if found.want.shape[axis] < FEW:
            continue
        ranks = [one.argsort(dim=axis, stable=True) for one in (found.got, found.want)]
        if torch.equal(*ranks) and bool((found.want.diff(dim=axis) != 0).any()):
            yield (
                f"Along {AXES[axis]}, the numbers are in the right order of size, and only of "
                "another size."
            )


def _statistics(found: Numbers) -> Iterator[str]:
    """Mean, length or equality of all vectors along the last axis, where the right ones differ.

    Where nothing but zeros belongs, all three are as they are for no reason of their own, and
    whole numbers, such as tokens, are alike by chance.
    """
    if (
        found.whole
        or not found.want.dim()
        or found.want.shape[-1] < 3
        or not bool(found.want.any())
    ):
        return
    for words, holds in VECTORS:
        mine, right = holds(found.got), holds(found.want)
        if mine and not right:
            yield f"Each vector along the last axis has {words}, which not all of them should."
        if right and not mine:
            yield f"Each vector along the last axis should have {words}, and not all of them have."


VECTORS: tuple[tuple[str, Callable[[Tensor], bool]], ...] = (
    ("entries that are all the same",
     lambda one: bool((one - one[..., :1]).abs().max() < 1e-5)),
    ("the length 1",  # of ones and zeros that has another reason
     lambda one: _same(one.norm(dim=-1), one.new_ones(one.shape[:-1])) and not _same(one, one**2)),
    ("the mean 0", lambda one: bool(one.mean(dim=-1).abs().max() < 1e-4)),
)  # fmt: skip


def _alike(found: Numbers) -> Iterator[str]:
    """Along an axis all entries are the same, as they should not be; or the other way around."""
    for axis in range(-2, -min(found.want.dim(), 4) - 1, -1):
        if found.want.shape[axis] < 2:
            continue
        mine, right = (_same(one, one.narrow(axis, 0, 1).expand_as(one))
                       for one in (found.got, found.want))  # fmt: skip
        if mine and not right:
            yield f"All entries along {AXES[axis]} are the same, and should not be."
        if right and not mine and bool(found.want.any()):
            yield f"All entries along {AXES[axis]} should be the same, and are not."


def _mirrored(found: Numbers) -> str | None:
    """Whether a matrix equals its transpose, where the right one does not; or the reverse."""
    if found.want.dim() < 2 or found.want.shape[-1] != found.want.shape[-2]:
        return ""
    if found.want.shape[-1] < 3:
        return None
    mine, right = (_same(one, one.mT) for one in (found.got, found.want))
    if mine is right or not bool(found.want.any()):
        return ""
    return (
        "Over the last two axes the result is symmetric, and should not be." if mine
        else "Over the last two axes the result should be symmetric, and is not."
    )  # fmt: skip


def _side(found: Numbers) -> str:
    """All too large, or all too small."""
    gap = (found.got - found.want)[found.wrong]
    if gap.numel() > 3 and bool((gap > 0).all()):
        return "All numbers that are wrong are too large."
    if gap.numel() > 3 and bool((gap < 0).all()):
        return "All numbers that are wrong are too small."
    return ""


def off(numbers: Sequence[Numbers], right: int = 0) -> str:
    """How many are off, and by how much: what is left to say.

    Beside these results so many numbers of others are right.
    """
    wrong = [found.wrong for found in numbers]
    count, every = sum(int(one.sum()) for one in wrong), sum(one.numel() for one in wrong) + right
    gaps = [float((found.got - found.want).abs().max()) for found in numbers]
    sizes = [float(found.want.abs().max()) for found in numbers]
    if every == len(numbers):
        return f"It is off by up to {number(max(gaps))}."
    share = "all" if count == every else f"{count} of {every}"
    if not math.isfinite(max(gaps) + max(sizes)):
        return f"The shape is right, but {share} numbers are wrong, and some are not finite."
    negative = max(float(found.want.max()) for found in numbers) < max(sizes)
    up_to = "have sizes up to" if negative else "go up to"
    return (
        f"The shape is right, but {share} numbers are wrong, by up to {number(max(gaps))}; the "
        f"right ones {up_to} {number(max(sizes))}."
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


def shape_gap(pairs: Sequence[tuple[Tensor, Tensor]]) -> str:
    """By how much all results are too short or too long, along one axis; empty if it differs."""
    gaps = set()
    for got, want in pairs:
        if got.dim() != want.dim():
            return ""
        apart = [mine - right for mine, right in zip(got.shape, want.shape, strict=True)]
        gaps |= {(axis - len(apart), gap) for axis, gap in enumerate(apart) if gap}
    if len(gaps) != 1:
        return ""
    axis, gap = gaps.pop()
    many = "one entry" if abs(gap) == 1 else f"{abs(gap)} entries"
    few = "few" if gap < 0 else "many"
    return f"Along {AXES.get(axis, f'axis {axis}')} the result has {many} too {few}, each time."


HOW: Relations = (
    ("truth", _truth),
    ("nan", _not_finite),
    ("nan", _not_finite_in_part),
    ("infinite", _infinite),
    ("zeros", _zeros),
    ("factor", _factor),
    ("offset", _offset),
    ("absolute", _absolute),
    ("clamped", _clamped),
    ("moved", _moved),
    ("counted", _counted),
    ("function", _function),
    ("rows", _rows),
    ("sums", _sums),
    ("signs", _signs),
    ("alike", _alike),
    ("vectors", _statistics),
    ("mirrored", _mirrored),
    ("range", _range),
    ("order", _ordered),
    ("side", _side),
)
