"""In which calls an answer is wrong and in which it is right, told by what is given in them.

Every call of a check has traits: a mask is given, two lengths are equal, an option has some value.
A trait that all wrong calls have and no right one says where to look. Where the trait can be taken
away, as a mask can be left out, that is tried, too: the wrong calls must be right without it.
"""

import contextlib
import functools
import hashlib
import itertools
import operator
import pickle
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Closeness
from autograder.checking.registry import Exercise
from autograder.diagnosis.findings import (
    ALWAYS,
    TRAINING,
    Again,
    Asked,
    State,
    aligned,
    arguments,
    with_argument,
)
from autograder.diagnosis.smallest import reference_of, size_of
from autograder.remote.calling import Home, mapped, tensors
from autograder.remote.packing import packed
from autograder.remote.requests import (
    CallRequest,
    Reply,
    Request,
    Target,
    TrainRequest,
    message_of,
)
from autograder.remote.subject import Call
from autograder.remote.values import Ref
from autograder.source.sources import NoSource

RAISES, DIFFERS = "raises", "differs"
NEARLY = Closeness(dtype=False, nan_equal=True)
LARGE = 30.0  # from where on an exponential function leaves little room
MOST = 2 / 3  # of the calls with a trait, which must be wrong
TRIED_AT_MOST = 4  # wrong calls in which a trait is taken away
ASKED_TWICE, TOGETHER, ROUNDS_TRIED = 2, 3, 8
LITTLE = 1e-10
EXACTLY = Closeness(0.0, 0.0)


Without = tuple[str, Callable[[Any], Any]]


@dataclass(frozen=True)
class Trait:
    """Something that holds of a call or does not, in words for both."""

    holds: bool
    yes: str
    no: str
    strong: bool = False  # whether it is an option, and no chance of sizes and numbers
    without: Without | None = None  # an argument, and what is made of it where it does not hold
    about: str = ""  # the argument, where it is about one


@dataclass(frozen=True)
class Judged:
    """A call and what came of it; what is given by name, and to the making of its object, too."""

    asked: Asked
    given: Mapping[str, Any]
    number: int  # of its object's calls
    outcome: str  # empty if right
    options: frozenset[str] = frozenset()  # the arguments that may be left out

    @property
    def plain(self) -> CallRequest:
        """The call without what else is asked of it."""
        request = self.asked.request
        return CallRequest(request.target, request.args, request.kwargs, request.method)

    @property
    def named(self) -> dict[str, Any]:
        """What is given under a name, and not only by its place."""
        return {name: value for name, value in self.given.items() if not name.isdigit()}

    def traits(self) -> dict[str, Trait]:
        """By the words for those that hold."""
        every = itertools.chain(
            *(
                (replace(one, about=name) for one in _of_argument(name, value, self.options))
                for name, value in self.named.items()
            ),
            _of_tokens(self.named),
            _of_sizes(self.named),
            _of_the_call(self),
        )
        return {trait.yes: trait for trait in every}

    def repeats(self, other: "Judged") -> bool:
        """Whether it is the same call once more, as in float64 or in other memory."""
        one, two = self.asked.request, other.asked.request
        if (one.target, one.method) != (two.target, two.method):
            return False
        options = (mapped(_nothing, (each.args, each.kwargs)) for each in (one, two))
        if operator.ne(*options):
            return False
        mine, theirs = ([*tensors((each.args, each.kwargs))] for each in (one, two))
        return [path for path, _ in mine] == [path for path, _ in theirs] and all(
            a.shape == b.shape and torch.equal(a.double(), b.double())
            for (_, a), (_, b) in zip(mine, theirs, strict=True)
        )


@dataclass(frozen=True)
class Condition:
    """Where the calls go wrong in one way, and where all of them are right."""

    words: str
    wrong: int
    such: int  # calls like that, of which most go wrong
    right: int  # all others, but for those that go wrong otherwise
    errors: bool = False  # whether some of the wrong ones end in an error

    @property
    def text(self) -> str:
        """To follow `In this check, it is wrong` or `ends in an error`: no more than was seen."""
        return f"or ends in an error {self._where}" if self.errors else self._where

    @property
    def _where(self) -> str:
        others = "one other" if self.right == 1 else f"{self.right} others"
        if self.such > self.wrong:
            many = f"in {self.wrong} of the {self.such} calls"
            none = "not in the one other" if self.right == 1 else f"in none of the {others}"
            return f"{many} {self.words}, and {none}"
        many = "in the one call" if self.wrong == 1 else f"in the {self.wrong} calls"
        return f"{many} {self.words}, and is right in {others}"


@dataclass
class SmallestWrong:
    """A call, what its object is asked before, what it returns and what it should."""

    before: Sequence[Request]
    asked: CallRequest
    got: Any
    want: Any

    @functools.cached_property
    def key(self) -> bytes:
        """Sums up all that is asked."""
        messages = [message_of(request) for request in (*self.before, self.asked)]
        return hashlib.sha256(pickle.dumps(packed(messages))).digest()


def _of(call: Call) -> tuple[Any, ...]:
    """What is asked, and the object that is made, if one is."""
    made = call.reply.value
    return (call.request.target, made) if isinstance(made, Ref) else (call.request.target,)


@dataclass(frozen=True)
class Calls:
    """All calls of a check that both sides have answered, and the student's code to ask more."""

    exercise: Exercise
    mine: Sequence[Call]
    theirs: Sequence[Call]
    again: Again

    @functools.cached_property
    def judged(self) -> list[Judged]:
        """Each with its outcome; those in which an error is asked for are left out."""
        made = {
            call.reply.value.number: arguments(self.exercise, call.request)
            for call in self.mine
            if isinstance(call.request, CallRequest) and isinstance(call.reply.value, Ref)
        }
        numbers = Counter[Target]()
        found: list[Judged] = []
        for asked, wanted in aligned(self.mine, self.theirs):
            request = asked.request
            if wanted.error or request.gradients or isinstance(wanted.value, Ref):
                continue
            numbers[request.target] += 1
            own = made.get(request.target.number, {}) if isinstance(request.target, Ref) else {}
            every = self.exercise.defaults | own | arguments(self.exercise, request)
            outcome = _outcome(asked.reply, wanted)
            if self.exercise.behavior and outcome != RAISES:
                outcome = ""  # right answers differ
            options = frozenset(self.exercise.defaults)
            one = Judged(asked, every, numbers[request.target], outcome, options)
            if not (found and found[-1].outcome == one.outcome and one.repeats(found[-1])):
                found.append(one)
        return found

    @functools.cached_property
    def _reference(self) -> Home | None:
        try:
            return reference_of(self.exercise, self.theirs or self.mine)
        except NoSource:
            return None

    def right(self, request: CallRequest) -> Any:
        """What the reference makes of a further call; None where it has no answer."""
        wanted = self._reference.answer(request) if self._reference else None
        return None if wanted is None or wanted.error else wanted.value

    def both(self, request: CallRequest) -> tuple[Any, Any] | None:
        """What both sides make of a further call; None where one of them has no answer."""
        request = CallRequest(request.target, request.args, request.kwargs, request.method)
        wanted = self.right(request)
        reply = None if wanted is None else self.again(request)
        return None if not reply or reply.error else (reply.value, wanted)

    @functools.cached_property
    def wrong(self) -> list[Judged]:
        """Those whose answer differs, small ones first."""
        differing = (one for one in self.judged if one.outcome == DIFFERS)
        return sorted(differing, key=lambda one: size_of(one.asked.request))

    @functools.cached_property
    def smallest_wrong(self) -> SmallestWrong | None:
        """The smallest call whose answer differs, and both answers when it is asked once more."""
        for one in self.wrong:
            asked = one.plain
            values = self.both(asked)
            if values is None or NEARLY.surely_agree(*values):
                continue
            before = [call.request for call in self.theirs if asked.target in _of(call)]
            return SmallestWrong(before, asked, *values)
        return None

    @functools.cached_property
    def smallest_error(self) -> SmallestWrong | None:
        """The smallest call that ends in an error, with the words of it."""
        raising = (one for one in self.judged if one.outcome == RAISES)
        for one in sorted(raising, key=lambda one: size_of(one.asked.request)):
            before = [call.request for call in self.theirs if one.plain.target in _of(call)]
            error = one.asked.reply.error
            return SmallestWrong(before, one.plain, error and error.message, None)
        return None

    @functools.cached_property
    def drawn(self) -> str:
        """How an answer is another one when the same is asked twice: empty if it is the same.

        The calls that go wrong are asked; where right numbers differ, none is known to.
        """
        asked = [one.asked for one in self.wrong]
        if self.exercise.behavior:
            pairs = aligned(self.mine, self.mine)
            asked = [one for one, own in pairs if not (own.error or isinstance(own.value, Ref))]
        asked = [one for one in asked if one.state.dtype == self._left(one.request.target).dtype]
        # With few numbers, what is seldom drawn is missed: the largest calls are asked, too.
        for one in (*asked[:ASKED_TWICE], *asked[ASKED_TWICE:][-ASKED_TWICE:]):
            if how := self._drawn_in(one):
                return how
        return ""

    def _drawn_in(self, one: Asked) -> str:
        """The same of one call, in the mode in which it was made."""
        target = one.request.target
        if not isinstance(target, Ref):
            return "" if self._same_twice(one.request) and self._as_before(one) else ALWAYS
        mode = one.state.mode
        with self._in_mode(target, mode):
            if self._same_twice(one.request):
                return ""
        with self._in_mode(target, not mode):
            return TRAINING if mode and self._same_twice(one.request) else ALWAYS

    def _same_twice(self, request: CallRequest) -> bool:
        """Whether the student's answers are as much the same as the right ones."""
        once, again = self.both(request), self.both(request)
        if not once or not again:
            return True
        mine, right = (NEARLY.surely_agree(*pair) for pair in zip(again, once, strict=True))
        return mine or not right

    def _as_before(self, one: Asked) -> bool:
        """Whether the answer is the one that the check has got."""
        reply = self.again(one.request)
        if reply is None:
            return True
        return not reply.error and NEARLY.surely_agree(reply.value, one.reply.value)

    @contextlib.contextmanager
    def _in_mode(self, target: Ref, mode: bool) -> Iterator[None]:
        """Both sides in training or in evaluation, and then as the check has left them."""
        self._set_mode(target, mode)
        try:
            yield
        finally:
            self._set_mode(target, self._left(target).mode)

    def _left(self, target: Target) -> State:
        """What an object is like after the check."""
        state = State()
        for call in self.mine:
            if call.request.target == target:
                state = state.after(call.request)
        return state

    def _set_mode(self, target: Ref, mode: bool) -> None:
        request = TrainRequest(target, mode)
        self.again(request)
        if self._reference:
            self._reference.answer(request)

    def rounds(self) -> bool:
        """Whether an input in float64 may change by so little that the right result alone does."""
        for one in self.wrong[:ROUNDS_TRIED]:
            if isinstance(one.plain.target, Ref):
                continue  # its weights are in float32
            args, kwargs = mapped(_doubled, (one.plain.args, one.plain.kwargs))
            asked = replace(one.plain, args=args, kwargs=kwargs)
            given = arguments(self.exercise, asked)
            if any(self._only_right_moves(asked, name, given[name]) for name in given):
                return True
        return False

    def _only_right_moves(self, asked: CallRequest, name: str, value: Any) -> bool:
        other = _little_larger(value)
        varied = None if other is None else with_argument(self.exercise, asked, name, other)
        before, after = (one and self.both(one) for one in (asked, varied))
        if not before or not after:
            return False
        mine, right = (EXACTLY.surely_agree(*pair) for pair in zip(after, before, strict=True))
        return mine and not right

    def condition(self, outcome: str) -> Condition | None:
        """What is given wherever the calls have this outcome, and nowhere else.

        What holds of those that end in an error, too, is told of all that go wrong.
        """
        found = self._condition(frozenset([outcome]))
        if found is None and outcome == DIFFERS:
            found = self._condition(frozenset([DIFFERS, RAISES]))
        return found

    def _condition(self, outcomes: frozenset[str]) -> Condition | None:
        of = [one.outcome for one in self.judged]
        wrong = frozenset(number for number, one in enumerate(of) if one in outcomes)
        otherwise = frozenset(number for number, one in enumerate(of) if one) - wrong
        right = of.count("")
        if not wrong or not right or not outcomes <= {*of}:
            return None
        traits = [one.traits() for one in self.judged]
        about = {key: trait.about for each in traits for key, trait in each.items()}
        holding = [_side(key, True, traits) for key in about]
        # Of a tensor that is there and has no such trait, nobody knows whether it has its opposite.
        known = (
            key
            for key in about
            if all(
                key in each or one.given.get(about[key]) is None
                for one, each in zip(self.judged, traits, strict=True)
            )
        )
        sides = [*holding, *(_side(key, False, traits) for key in known)]
        requests = [self.judged[number].asked.request for number in sorted(wrong)]
        sides = [one for one in sides if one.places != wrong or self._right_without(one, requests)]
        for found in _telling(sides, wrong, right, otherwise):
            such = len(found.places)
            others = len(wrong) + right - such
            return Condition(found.words, len(wrong), such, others, len(outcomes) > 1)
        return None

    def _right_without(self, side: "Side", wrong: Sequence[CallRequest]) -> bool:
        """Whether calls that are wrong are right as soon as a trait is taken away, if it can be."""
        if side.without is None:
            return True
        name, less = side.without
        given = ((one, arguments(self.exercise, one)) for one in wrong[:TRIED_AT_MOST])
        changed = (
            with_argument(self.exercise, one, name, less(every[name]))
            for one, every in given
            if name in every
        )
        values = (self.both(one) for one in changed if one)
        return all(NEARLY.surely_agree(*pair) for pair in values if pair)


@dataclass(frozen=True)
class Side:
    """A trait, or its opposite, and in which calls it holds."""

    words: str
    places: frozenset[int]
    strong: bool
    without: Without | None = None
    about: str = ""

    def __and__(self, other: "Side") -> "Side":
        words = f"{self.words} and {other.words}"
        return Side(words, self.places & other.places, True)


def _side(key: str, value: bool, traits: Sequence[Mapping[str, Trait]]) -> Side:
    found = [each.get(key) for each in traits]
    one = next(trait for trait in found if trait)
    places = (number for number, trait in enumerate(found) if trait and trait.holds is value)
    words, without = (one.yes, one.without) if value else (one.no, None)
    return Side(words, frozenset(places), one.strong, without, one.about)


def _telling(
    sides: Sequence[Side], wrong: frozenset[int], right: int, otherwise: frozenset[int]
) -> Iterator[Side]:
    """What holds in just these calls: one option, all options, two at once, or what most have.

    Of those that go wrong `otherwise` it does not hold.

    Then how sizes and numbers lie, of which too much holds by chance of a single call.
    """
    several = min(len(wrong), right) > 1
    strong = [side for side in sides if side.strong]
    both = (one & other for one, other in itertools.combinations(strong, 2))
    told = [side for side in sides if side.places == wrong]
    yield from (side for side in told if side.strong and side.without)
    yield from _together([side for side in told if side.strong and not side.without])
    yield from (side for side in both if several and side.places == wrong)
    for side in strong:
        most = wrong < side.places and MOST * len(side.places) < len(wrong)
        all_of_them = len(side.places) == len(wrong) + right
        if several and most and not side.places & otherwise and not all_of_them:
            yield side
    yield from _together([side for side in told if several and not side.strong])


def _together(sides: Sequence[Side]) -> Iterator[Side]:
    """All at once, of each argument the first: nobody knows which of them it is."""
    first = {side.about or side.words: side for side in reversed(sides)}
    if first:
        yield functools.reduce(operator.and_, [*reversed(first.values())][:TOGETHER])


def _nothing(_: Tensor) -> None:
    return None


def _doubled(value: Tensor) -> Tensor:
    return value.double() if value.is_floating_point() else value


def _little_larger(value: Any) -> Any:
    """By less than float32 can tell; None where there is no such value."""
    if isinstance(value, float) or isinstance(value, Tensor) and value.dtype == torch.float64:
        return value * (1 + LITTLE)
    return None


def _outcome(reply: Reply, wanted: Reply) -> str:
    if reply.error:
        return RAISES
    return "" if NEARLY.surely_agree(reply.value, wanted.value) else DIFFERS


def _of_argument(name: str, value: Any, options: Collection[str] = ()) -> Iterator[Trait]:
    """What can be told of one argument, given or not."""
    word = f"`{name}`"
    yield Trait(
        value is not None,
        f"where {word} is given",
        f"where {word} is left out",
        True,
        (name, lambda _: None),
    )
    match value:
        case bool():
            yield Trait(value, f"where {word} is True", f"where {word} is False", True)
        case int():
            for number in (0, 1):
                yield _is(value == number, word, f"is {number}", f"is not {number}")
            yield _is(value % 2 == 1, word, "is odd", "is even")
            yield _is(value < 0, word, "is negative", "is not negative")
        case float():
            for number in (0, 1):
                yield _is(value == number, word, f"is {number}", f"is not {number}")
            yield _is(value < 1, word, "is less than 1", "is at least 1")
        case str():
            words = f"where {word} is {value!r}", f"where {word} is not {value!r}"
            yield Trait(True, *words, name in options)
            yield _is(not value, word, "is empty", "is not empty")
        case Tensor():
            content = _of_mask if value.dtype == torch.bool else _of_numbers
            yield from content(word, value)
            yield from _of_axes(word, value)
        case tuple() | list():
            yield _is(not value, word, "is empty", "is not empty")
            yield _is(len(value) == 1, word, "has one item", "has another number of items than one")


def _of_tokens(given: Mapping[str, Any]) -> Iterator[Trait]:
    """Whether a token of a special meaning is among others."""
    for name, token in given.items():
        for other, value in given.items() if name.endswith("_id") and type(token) is int else ():
            if isinstance(value, Tensor) and value.dtype == torch.int64:
                holds = bool((value == token).any())
                yes, no = (f"where `{name}` {verb} in `{other}`" for verb in STANDS)
                yield Trait(holds, yes, no, True)


STANDS = "stands", "does not stand"


def _is(holds: bool, word: str, yes: str, no: str) -> Trait:
    return Trait(holds, f"where {word} {yes}", f"where {word} {no}")


def _of_mask(word: str, mask: Tensor) -> Iterator[Trait]:
    yield Trait(
        not bool(mask.all()),
        f"where something is False in {word}",
        f"where {word} is True everywhere",
        True,
        (word.strip("`"), torch.ones_like),
    )
    if mask.dim():
        empty = bool((~mask.any(dim=-1)).any())
        yield Trait(
            empty,
            f"where a row of {word} is False throughout",
            f"where no row of {word} is False throughout",
            True,
        )
    if mask.dim() > 1:
        yield Trait(
            not bool((mask == mask[:1]).all()),
            f"where the first axis of {word} has entries that differ",
            f"where {word} is the same all along its first axis",
        )


def _of_numbers(word: str, tensor: Tensor) -> Iterator[Trait]:
    """What stands in a tensor."""
    yield _is(not tensor.numel(), word, "is empty", "is not empty")
    if tensor.is_floating_point():
        yield _is(tensor.dtype == torch.float64, word, "is float64", "is float32")
        real = tensor[tensor.isfinite()]
        yield _is(real.numel() < tensor.numel(), word, "has infinite numbers", "is finite")
        large = bool((real.abs() > LARGE).any())
        yield _is(large, word, "has large numbers", "has no large numbers")
    elif tensor.dim() and tensor.shape[-1] > 1:
        ordered = tensor.sort(dim=-1).values
        twice = bool((ordered[..., 1:] == ordered[..., :-1]).any())
        words = f"comes twice in a row of {word}"
        yield Trait(twice, f"where a number {words}", f"where no number {words}")
    yield _is(bool((tensor == 0).any()), word, "has a zero", "has no zero")
    yield _is(bool((tensor < 0).any()), word, "has negative numbers", "has no negative numbers")


def _of_axes(word: str, tensor: Tensor) -> Iterator[Trait]:
    """How a tensor lies."""
    axes = tensor.dim()
    for number in range(1, 5):
        yield _is(
            axes == number,
            word,
            f"has {_axes(number)}",
            f"has another number of axes than {number}",
        )
    for place in range(-min(axes, 3), 0):
        yield Trait(
            tensor.shape[place] == 1,
            f"where {AXES[place]} of {word} has the size 1",
            f"where {AXES[place]} of {word} is larger than 1",
        )
    yield Trait(
        not tensor.is_contiguous(),
        f"where {word} is not contiguous in memory",
        f"where {word} is contiguous in memory",
        without=(word.strip("`"), Tensor.contiguous),
    )


AXES = {-1: "the last axis", -2: "the next to last axis", -3: "the third to last axis"}


def _axes(number: int) -> str:
    return "one axis" if number == 1 else f"{number} axes"


def _of_sizes(given: Mapping[str, Any]) -> Iterator[Trait]:
    """How the sizes of two arguments, or two numbers among them, compare."""
    held = [(name, value) for name, value in given.items() if isinstance(value, Tensor)]
    for (name, one), (other_name, other) in itertools.combinations(held, 2):
        pair = f"`{name}` and `{other_name}`"
        for place in range(-min(one.dim(), other.dim(), 2), 0):
            yield Trait(
                one.shape[place] != other.shape[place],
                f"where {AXES[place]} of {pair} is not of one size",
                f"where {AXES[place]} of {pair} is of one size",
            )
        yield Trait(
            one.dim() != other.dim(),
            f"where {pair} have different numbers of axes",
            f"where {pair} have as many axes",
        )
        equal = one.shape == other.shape and torch.equal(one, other)
        yield Trait(equal, f"where {pair} are the same", f"where {pair} are not the same", True)
    for (name, axis), (other_name, one) in itertools.product(given.items(), held):
        if name == "dim" and type(axis) is int and one.dim() > 1:
            last = axis in (-1, one.dim() - 1)
            words = f"the last axis of `{other_name}`"
            yield Trait(last, f"where `{name}` is {words}", f"where `{name}` is not {words}", True)
    whole = [(name, value) for name, value in given.items() if type(value) is int]
    for (name, one), (other_name, other) in itertools.combinations(whole, 2):
        pair = f"`{name}` and `{other_name}`"
        yield Trait(one == other, f"where {pair} are equal", f"where {pair} differ")


def _of_the_call(call: Judged) -> Iterator[Trait]:
    """When it is made."""
    state, method = call.asked.state, call.asked.request.method
    yield Trait(call.number > 1, "from the second call on", "in the first call")
    yield Trait(not state.mode, "in evaluation", "in training", True)
    yield Trait(state.dtype == "float64", "once it is made float64", "in float32")
    if method:
        yield Trait(True, f"in `{method}`", f"outside of `{method}`", True)
