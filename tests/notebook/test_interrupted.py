"""Is what a check says the same after an earlier one was interrupted, or could make no code?"""

import contextlib

import pytest
import torch

from autograder.checking import exercises
from autograder.checking.registry import Exercise
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home
from autograder.source.sources import Definition
from tests.content.test_checks import SEEDS

INTERRUPTS = (KeyboardInterrupt, MemoryError)


def doubled_in_place(x: torch.Tensor) -> torch.Tensor:
    x *= 2
    return x


def key(exercise: Exercise) -> str | None:
    torch.default_generator.manual_seed(SEEDS[0])
    return judge("double", Home({"double": doubled_in_place}), live(exercise), SEEDS[0]).key


@pytest.mark.parametrize("kind", INTERRUPTS)
@pytest.mark.parametrize("calls", range(1, 4))
def test_a_search_that_was_interrupted_leaves_no_half_made_candidates(monkeypatch, kind, calls):
    exercise = exercises()["double"]
    exercise.candidates.clear()
    made, built = 0, Definition.built

    def interrupted(self, texts):
        nonlocal made
        made += 1
        if made == calls:
            raise kind("interrupted")
        return built(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(Definition, "built", interrupted)
        with contextlib.suppress(kind):
            key(exercise)
    assert made >= calls
    assert key(exercise) == "changes-input"


@pytest.mark.parametrize("calls", range(1, 12))
def test_an_interrupt_in_the_middle_of_a_candidate_s_run_is_none_of_its_answers(monkeypatch, calls):
    exercise = exercises()["double"]
    exercise.candidates.clear()
    made, answer = 0, Home.answer

    def interrupted(self, request):
        nonlocal made
        if self.namespace["double"] is not doubled_in_place:
            made += 1
            if made == calls:
                raise KeyboardInterrupt
        return answer(self, request)

    with monkeypatch.context() as patch:
        patch.setattr(Home, "answer", interrupted)
        with contextlib.suppress(KeyboardInterrupt):
            key(exercise)
    assert made >= calls
    assert key(exercise) == "changes-input"
