"""Whether an explanation holds up where the check has not looked: on its calls, a little varied.

Two pieces of code may give the same few answers by chance. Before a mixture of misconceptions is
named, or one beside a rest, both are asked the same calls with what is given in another order, or
with other sizes. What the reference itself refuses is not asked.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checking.comparing import Closeness, finite
from autograder.diagnosis.explaining import Candidate, entries_alike
from autograder.diagnosis.smallest import home_of
from autograder.diagnosis.where import Calls, Judged, SmallestWrong
from autograder.remote.calling import Home, mapped, tensors
from autograder.remote.requests import CallRequest, Reply, Target

ASKED = 12  # varied calls
LARGE = 1000.0  # times what is given: no exponential of it is a number
ROUNDED = 0.01  # of what is wrong, which is not looked at
LIKE = Closeness(dtype=False, nan_equal=True)


@dataclass(frozen=True)
class _Answer:
    """What comes of a varied call: of the student's code, of a changed reference, and rightly."""

    first: bool  # whether an input is moved along its first axis
    got: Any
    mine: Any
    want: Any

    @property
    def alike(self) -> bool:
        """Whether both are the same, or apart by far less than from what is right: by rounding."""
        if LIKE.surely_agree(self.got, self.mine):
            return True
        every = [dict(tensors(value)) for value in (self.got, self.mine, self.want)]
        if not every[0].keys() == every[1].keys() == every[2].keys() or self.mine is None:
            return False
        triples = [[each[path] for each in every] for path in every[0]]
        if any(len({one.shape for one in triple}) > 1 for triple in triples):
            return False
        return bool(triples) and all(_only_rounded(*triple) for triple in triples)


def _only_rounded(got: Tensor, mine: Tensor, want: Tensor) -> bool:
    """Whether a change's numbers are much nearer to the student's than the right ones are."""
    if not (got.is_floating_point() and mine.is_floating_point() and got.numel()):
        return torch.equal(got, mine)
    apart, wrong = ((got.double() - one.double()).abs().max() for one in (mine, want))
    return bool(apart <= ROUNDED * wrong) or LIKE.surely_agree(got, mine)


def holds_up(make: Callable[[], Any], calls: Calls) -> bool:
    """Whether a changed reference answers all varied calls as the student's code does."""
    home = _home(make, calls)
    tried = [one for one in calls.wrong if home and _like(home, one, calls)]
    return home is not None and all(one.alike for one in _answers(home, calls, tried))


def holds_up_where_large(make: Callable[[], Any], calls: Calls) -> bool:
    """Whether it does so where all numbers are far larger: NaN has many causes."""
    for one in calls.judged:
        args, kwargs = mapped(_large, (one.plain.args, one.plain.kwargs))
        request = replace(one.plain, args=args, kwargs=kwargs)
        values, home = calls.both(request), _home(make, calls, request.target)
        reply = home.answer(request) if home and values else None
        if values and (reply is None or reply.error):
            return False
        if values and reply and not LIKE.surely_agree(values[0], reply.value):
            return False
    return True


def _large(value: Tensor) -> Tensor:
    return LARGE * value if value.is_floating_point() else value


def mostly_holds_up(make: Callable[[], Any], calls: Calls) -> bool:
    """Whether it does so mostly, where it is wrong."""
    home = _home(make, calls)
    tried = [one for one in calls.wrong if home and _like(home, one, calls)]
    return home is not None and _mostly(list(_answers(home, calls, tried)))


def partly_holds_up(make: Callable[[], Any], calls: Calls) -> bool:
    """Whether it has all wrong numbers of the student's, and where it is wrong mostly no others."""
    home = _home(make, calls)
    answers = list(_answers(home, calls, calls.wrong)) if home else []
    told = all(entries_alike(one.mine, one.got, one.want) for one in answers)
    wrong = [one.alike for one in answers if not LIKE.surely_agree(one.mine, one.want)]
    return home is not None and told and 2 * sum(wrong) >= len(wrong)


def _mostly(answers: Sequence[_Answer]) -> bool:
    """Whether half of those that are wrong are alike, and all in which the first axis is moved.

    What is wrong with one example of a batch is so wherever it stands.
    """
    wrong = [one for one in answers if not LIKE.surely_agree(one.mine, one.want)]
    if not all(one.alike for one in wrong if one.first):
        return False
    return 2 * sum(one.alike for one in wrong) >= len(wrong)


def _answers(home: Home, calls: Calls, tried: Sequence[Judged]) -> Iterator[_Answer]:
    """Of few varied calls that both sides answer, and the reference with finite numbers."""
    for first, request in itertools.islice(_varied(tried), ASKED):
        values = calls.both(request)
        if values is None or not all(finite(one) for _, one in tensors(values[1])):
            continue
        if not LIKE.surely_agree(calls.right(request), values[1]):
            continue  # it is drawn at random
        reply = home.answer(request)
        yield _Answer(first, values[0], None if reply.error else reply.value, values[1])


def gives_a_wrong_answer(one: Candidate, calls: Calls) -> bool:
    """Whether a changed reference has the wrong numbers of the student's smallest wrong call."""
    call, reply = calls.smallest_wrong, _reply(one, calls)
    return call is not None and reply is not None and entries_alike(reply, call.got, call.want)


def gives_the_wrong_answer(one: Candidate, calls: Calls) -> bool:
    """Whether a changed reference has the student's answer to that call, if there is one."""
    call = calls.smallest_wrong
    return call is None or _Answer(False, call.got, _reply(one, calls), call.want).alike


def gives_the_error(one: Candidate, calls: Calls) -> bool:
    """Whether a changed reference ends in the student's error in the smallest call that has one."""
    call = calls.smallest_error
    if call is None:
        return False
    reply = _asked(one, calls, call)
    return reply is not None and reply.error is not None and reply.error.message == call.got


def _reply(one: Candidate, calls: Calls) -> Any:
    """What it answers to the student's smallest wrong call; None for an error."""
    call = calls.smallest_wrong
    if call is None:
        return None
    if one.sure:  # few are tried
        reply = _asked(one, calls, call)
    elif call.key in one.answers:  # of an earlier student who got the same call wrong
        reply = one.answers[call.key]
    else:
        reply = one.answers[call.key] = _asked(one, calls, call)
    return None if reply is None or reply.error else reply.value


def _asked(one: Candidate, calls: Calls, call: SmallestWrong) -> Reply | None:
    home = _home(one.make, calls, call.asked.target)
    return home.answer(call.asked) if home else None


def only_wrong_result(calls: Calls) -> int | None:
    """The place of the only one of several results that is ever wrong; None if there is none."""
    places: set[int] = set()
    for one in calls.wrong:
        got, want = one.asked.reply.value, calls.right(one.plain)
        if not (isinstance(got, tuple) and isinstance(want, tuple) and len(got) == len(want)):
            return None
        pairs = enumerate(zip(got, want, strict=True))
        places |= {place for place, pair in pairs if not LIKE.surely_agree(*pair)}
    return places.pop() if len(places) == 1 else None


def gives_one_result(make: Callable[[], Any], calls: Calls, place: int) -> bool:
    """Whether a changed reference has that one of the student's results in all calls.

    In those that go wrong, in the others, and in varied ones.
    """
    for one in (*calls.wrong, *(one for one in calls.judged if not one.outcome)):
        home, values = _home(make, calls, one.asked.request.target), calls.both(one.plain)
        reply = home.answer(one.plain) if home else None
        if reply is None or reply.error or not isinstance(reply.value, tuple) or not values:
            return False
        if not LIKE.surely_agree(values[0][place], reply.value[place]):
            return False
    home = _home(make, calls)
    others = _answers(home, calls, calls.wrong) if home else ()
    return all(LIKE.surely_agree(one.got[place], one.mine[place]) for one in others if one.mine)


def _home(make: Callable[[], Any], calls: Calls, only: Target | None = None) -> Home | None:
    try:
        return home_of(make(), calls.exercise, calls.theirs, only)
    except Exception:  # it makes no code
        return None


def _like(home: Home, one: Judged, calls: Calls) -> bool:
    """Whether the change explains the call, asked again."""
    values, reply = calls.both(one.plain), home.answer(one.plain)
    return values is not None and not reply.error and LIKE.surely_agree(values[0], reply.value)


def _varied(tried: Sequence[Judged]) -> Iterator[tuple[bool, CallRequest]]:
    """Each argument of each call in another order; of all calls one after another."""
    kinds = [list(_others(one.asked.request)) for one in tried]
    for row in itertools.zip_longest(*kinds):
        yield from (one for one in row if one is not None)


def _others(request: CallRequest) -> Iterator[tuple[bool, CallRequest]]:
    """Masks and sizes first, which have few values: two of them may be alike by chance."""
    given = [*enumerate(request.args), *request.kwargs.items()]
    for place, value in sorted(given, key=lambda one: _is_of_numbers(one[1])):
        for number, other in enumerate(_values(value)):
            args = tuple(other if place == at else one for at, one in enumerate(request.args))
            kwargs = {name: other if place == name else one for name, one in request.kwargs.items()}
            yield number == 0, CallRequest(request.target, args, kwargs, request.method)


def _is_of_numbers(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _values(value: Any) -> Iterator[Any]:
    """What is like a value, and another one."""
    if isinstance(value, Tensor):
        for axis in range(value.dim()):
            other = value.roll(1, axis)
            if not torch.equal(other, value):
                yield other
    elif type(value) is int:
        yield value + 1
        if value > 1:
            yield value - 1
