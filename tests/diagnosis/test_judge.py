"""A verdict on whatever a student hands in, and never an exception."""

import functools
import sys

import pytest
import torch
from torch import nn

from autograder.checking import exercises, find
from autograder.diagnosis import diagnose as diagnosis
from autograder.diagnosis.candidates import candidates
from autograder.diagnosis.judge import (
    PUBLIC_SEED,
    Lost,
    _Beyond,
    _Bounded,
    _Remembered,
    judge,
    passes,
)
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home
from autograder.remote.requests import CallRequest, GradientsFound, Performer, Reply
from tests.checking.samples import answering


def verdict_of(thing, name="softmax"):
    return judge(name, Home({name: thing}), live(find(name)))


def test_passes_agrees_with_the_verdict_and_ends_at_the_first_failure():
    calls = []

    def unscaled(scores, dim=-1):
        calls.append(dim)
        return scores.exp()

    right = find("softmax")
    assert not passes("softmax", Home({"softmax": unscaled}), live(right))
    until_it_failed = len(calls)
    assert verdict_of(unscaled).status == "failed"
    assert len(calls) - until_it_failed > until_it_failed
    shortcut = Home({"softmax": lambda scores, dim=-1: torch.softmax(scores, dim)})
    assert not passes("softmax", shortcut, live(right))
    assert passes("softmax", live(right), live(right))


class Liar:
    """Says that it is a tensor, and equal to everything."""

    __class__ = torch.Tensor

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __eq__(self, other):
        return True

    def __repr__(self):
        return "tensor([1., 2.])"

    __hash__ = None
    __iter__ = None


class LyingTensor(torch.Tensor):
    """A tensor whose every operation says yes."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True

    def detach(self):
        return Liar()


class LyingNumber(float):
    def __eq__(self, other):
        return True

    def __float__(self):
        return 1.0

    __hash__ = float.__hash__


class Explosive:
    """Raises whatever it is asked."""

    def __getattribute__(self, name):
        raise SystemExit("boom")

    def __repr__(self):
        raise SystemExit("boom")


class OwnBase(BaseException):
    pass


class Unspeakable(Exception):
    def __str__(self):
        raise OwnBase


class Meta(type):
    @property
    def __name__(cls):
        raise OwnBase

    @property
    def __mro__(cls):
        raise OwnBase


class Nameless(Exception, metaclass=Meta):
    pass


def raising(error):
    def thing(*args, **kwargs):
        raise error

    return thing


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def recursive():
    value = []
    value.append(value)
    return value


def endless(*args, **kwargs):
    return endless(*args, **kwargs)


class Module(nn.Module):
    def forward(self, scores, dim=-1):
        return scores


HOSTILE = {
    "nothing": answering(None),
    "a liar": answering(Liar()),
    "a lying tensor": answering(torch.ones(5, 7).as_subclass(LyingTensor)),
    "a lying number": answering(LyingNumber(2.0)),
    "an explosive": answering(Explosive()),
    "a type": answering(int),
    "a module": answering(Module()),
    "a generator": answering(iter([1])),
    "deep nesting": answering(nested(100_000)),
    "a list in itself": answering(recursive()),
    "a huge number": answering(10**400),
    "a number of many digits": answering(10**6000),
    "a huge text": answering("x" * 10_000_000),
    "a complex tensor": answering(torch.ones(5, 7, dtype=torch.complex64)),
    "a sparse tensor": answering(torch.eye(7).to_sparse()),
    "a tensor without memory": answering(torch.ones(5, 7, device="meta")),
    "an expanded tensor": answering(torch.ones(1).expand(5, 7)),
    "an odd key": answering({object(): 1, LyingNumber(1): 2}),
    "not a function": 3,
    "None": None,
    "the wrong arguments": lambda: 1,
    "SystemExit": raising(SystemExit(0)),
    "GeneratorExit": raising(GeneratorExit()),
    "the end of the sandbox": raising(Lost()),
    "its own kind of exception": raising(OwnBase("x")),
    "an error without words": raising(Unspeakable()),
    "an error without a name": raising(Nameless("x")),
    "a huge message": raising(ValueError("x" * 10_000_000)),
    "an error with an error as message": raising(ValueError(Explosive())),
    "endless recursion": endless,
    "a module in place of a function": Module,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize(
    "name", ["softmax", "letter_similarity", "soft_lookup", "weighted_average"]
)
def test_anything_gets_a_verdict(what, name):
    verdict = verdict_of(HOSTILE[what], name)
    assert (verdict.status, verdict.points, verdict.passed) == ("failed", 0.0, False)
    assert isinstance(verdict.message, str) and verdict.message
    assert len(verdict.message) < 3000


def test_an_error_is_told_with_what_it_says():
    verdict = verdict_of(raising(IndexError("list index out of range")))
    assert verdict.message == (
        "softmax(scores [L=5, S=7]) raised IndexError: list index out of range"
    )


def test_a_call_is_told_as_a_learner_would_write_it():
    def last_dimension_only(scores, dim=-1):
        if dim != -1:
            raise ValueError("no")
        return (scores - scores.logsumexp(-1, keepdim=True)).exp()

    assert verdict_of(last_dimension_only).message == (
        "along the middle dimension: softmax(scores [B=2, L=5, S=7], dim=1) raised ValueError: no"
    )


def test_the_library_s_own_function_is_told_from_right_code():
    verdict = verdict_of(lambda scores, dim=-1: torch.softmax(scores, dim).nan_to_num())
    assert verdict.status == "failed"

    def hidden(scores, dim=-1):
        empty = (scores == -torch.inf).all(dim, keepdim=True)
        return torch.softmax(scores.masked_fill(empty, 0.0), dim).masked_fill(empty, 0.0)

    verdict = verdict_of(hidden)
    assert verdict.message.startswith("softmax calls the library's own softmax")
    assert (verdict.misconception, verdict.key) == (verdict.message, "fact.library")


def test_of_a_wrong_answer_that_nobody_foresaw_something_true_is_said():
    verdict = verdict_of(lambda scores, dim=-1: scores + 17)
    assert verdict.status == "failed" and verdict.misconception is not None
    assert verdict.misconception.startswith("softmax is wrong in every case")
    assert (verdict.key or "").startswith("plain.")
    assert verdict.message.startswith("softmax(scores [L=5, S=7]) expected ")


def test_what_is_said_of_code_that_draws_does_not_hang_on_chance():
    def seldom_dropped(scores, dim=-1):
        weights = nn.functional.dropout(scores, 0.03).exp()
        return weights / weights.sum(dim=dim, keepdim=True)

    said = set()
    for seed in range(6):
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        said.add(verdict_of(seldom_dropped).message)
        assert torch.equal(torch.get_rng_state(), before)
    assert len(said) == 1


def test_points_are_the_exercise_s_own():
    exercise = find("double")
    verdict = judge("double", live(exercise), live(exercise))
    assert verdict.as_dict() == {
        "name": "double",
        "points": 1.0,
        "max_points": 1.0,
        "status": "passed",
        "misconception": None,
        "message": "All cases hold.",
        "key": None,
        "passed": True,
    }


def test_what_is_lost_is_no_verdict():
    class Gone(Performer):
        def answer(self, request):
            raise Lost

    with pytest.raises(Lost):
        judge("double", Gone(), live(find("double")))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(torch.zeros(5000)),
        Reply(list(range(5000))),
        Reply({"name": "x" * 5000}),
        Reply(0, gradients=GradientsFound(parameters={"table": torch.zeros(5000)})),
        Reply(0, later=torch.zeros(5000)),
        Reply(0, inputs={"0": torch.zeros(5000)}),
    ],
)
def test_no_part_of_an_answer_to_a_failed_check_is_far_larger_than_right(reply):
    class Answering(Performer):
        def answer(self, request):
            return reply

    home = _Bounded(Answering(), _Remembered(live(find("double"))))
    assert home.answer(CallRequest("double")) is reply
    home.fail()
    with pytest.raises(_Beyond):
        home.answer(CallRequest("double"))


def test_a_missing_definition_is_told():
    verdict = judge("double", Home({}), live(find("double")))
    assert verdict.message.endswith("raised NameError: name 'double' is not defined")


def test_an_unknown_exercise_is_told_with_what_comes_close():
    with pytest.raises(KeyError, match="Did you mean softmax"):
        find("sofmax")
    assert "softmax" in exercises()


def test_a_mistake_is_tried_only_until_something_speaks_against_it(monkeypatch):
    exercise = find("double")
    monkeypatch.setattr(exercise, "candidates", {})
    known = list(candidates(exercise, PUBLIC_SEED).misconceptions)
    calls = {id(one): [] for one in known}
    for one in known:
        one.make = functools.partial(counted, one.make(), calls[id(one)])
    alone = [one for one in diagnosis.STRATEGIES if one.find.__name__ == "_known"]
    monkeypatch.setattr(diagnosis, "STRATEGIES", alone)
    assert verdict_of(lambda x: x - 17, "double").misconception is None
    at_once = [one for one in known if len(one.values.events or one.whole.events) == 1]
    assert at_once and all(len(calls[id(one)]) == 1 for one in at_once)


def test_a_call_that_a_class_gets_wrong_alike_is_tried_once(monkeypatch):
    """Where nothing is known of a class's draw, each misconception answers it once for all."""
    exercise = find("softmax")
    monkeypatch.setattr(exercise, "candidates", {})
    tried = [one for one in diagnosis.STRATEGIES if one.find.__name__ == "_mended_in_part"]
    monkeypatch.setattr(diagnosis, "STRATEGIES", tried)
    made = []
    known = list(candidates(exercise, 3).misconceptions)
    for one in known:
        one.make = functools.partial(noted, one.make, made)

    def wrong(scores, dim=-1, power=2):
        return torch.exp(scores**power)

    first = judge("softmax", Home({"softmax": wrong}), live(exercise), seed=3)
    assert len(made) >= len(known)
    made.clear()
    cubes = functools.partial(wrong, power=3)
    second = judge("softmax", Home({"softmax": cubes}), live(exercise), seed=3)
    assert first.status == second.status == "failed" and made == []


def noted(make, made):
    made.append(make)
    return make()


def counted(function, calls):
    def call(x):
        calls.append(function)
        return function(x)

    return call


def test_the_recursion_limit_is_left_as_it_was():
    before = sys.getrecursionlimit()
    verdict_of(endless)
    assert sys.getrecursionlimit() == before
