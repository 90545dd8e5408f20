"""The reference's answers, kept and replayed."""

import itertools

import pytest
import torch

from autograder.checking import find
from autograder.checking.samples import styles
from autograder.diagnosis import judge as judging
from autograder.diagnosis import recording
from autograder.diagnosis.judge import PUBLIC_SEED, judge, patterns_of
from autograder.diagnosis.patterns import Pattern
from autograder.diagnosis.recording import (
    Recorder,
    Recording,
    live,
    load,
    record,
    reference_for,
    save,
)
from autograder.remote.calling import Home
from autograder.remote.requests import CallRequest, Error, GradientsFound, Reply
from autograder.remote.values import Ref
from tests.wrong import wrongs


def call(x):
    return CallRequest("f", (x,))


def test_a_recorder_keeps_the_answers_and_can_start_again():
    recorder = Recorder(Home({"f": lambda x: x + 1}))
    assert recorder.answer(call(1)) == Reply(2)
    recorder.rewind()
    recorder.answer(call(2))
    recorder.answer(call(3))
    assert recorder.replies == [Reply(3), Reply(4)]


def test_a_recording_answers_in_order_and_can_start_again():
    recording = Recording([Reply(3), Reply(4)])
    assert [recording.answer(call(0)) for _ in range(2)] == [Reply(3), Reply(4)]
    recording.rewind()
    assert recording.answer(call(0)) == Reply(3)


def test_what_is_saved_is_loaded(tmp_path, monkeypatch):
    x = torch.arange(6.0).reshape(2, 3)
    replies = [
        Reply((x, [1, 2.5, None, "a", True]), inputs={"0": x.T, "mask": x > 2}),
        Reply(Ref(3), GradientsFound({"0": x.double()})),
        Reply(float("-inf"), calls=("exp",), largest=6, traced=100),
        Reply(x, later=x + 1),
        Reply(torch.tensor([float("nan"), float("-inf")])),
        Reply(error=Error("ValueError", ("ValueError",), "x")),
    ]
    monkeypatch.setattr(recording, "record", lambda name: replies)
    wrong = frozenset({((0, 1), "value"), ((2, 0), "raised")})
    patterns = [Pattern(wrong), None, Pattern(besides=wrong), Pattern()]
    monkeypatch.setattr(recording, "patterns_of", lambda name, reference: patterns)
    save("softmax", tmp_path / "new")
    loaded = load("softmax", tmp_path / "new")
    assert list(loaded.patterns) == patterns
    for reply in replies:
        assert alike(loaded.answer(call(0)).message(), reply.message())
    assert {path.suffix for path in (tmp_path / "new").iterdir()} == {".answers", ".patterns"}


def alike(one, two):
    if type(one) is not type(two):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == two.dtype and torch.equal(one.nan_to_num(7), two.nan_to_num(7))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(alike(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(alike, one, two))
    return one == two


def test_an_answer_without_a_tensor_can_be_saved(tmp_path):
    save("letter_similarity", tmp_path)
    for style, made in styles("letter_similarity").items():
        home, recorded = Home({"letter_similarity": made}), load("letter_similarity", tmp_path)
        assert judge("letter_similarity", home, recorded).passed, style


def test_a_reference_that_fails_is_not_recorded(monkeypatch):
    answers = itertools.count()
    changing = Home({"double": lambda x: x + next(answers)})
    monkeypatch.setattr(recording, "live", lambda exercise: changing)
    with pytest.raises(ValueError, match="The reference of double does not pass its own check"):
        record("double")
    monkeypatch.undo()
    exercise = find("double")  # nor is anything of it kept for those who are judged after it
    verdict = judge("double", Home({"double": lambda x: 2.0 * x}), live(exercise))
    assert verdict.key == "float"


def test_a_recording_is_used_where_there_is_one(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "RECORDINGS", tmp_path)
    assert isinstance(reference_for(find("double")), Home)
    save("double", tmp_path)
    monkeypatch.setattr(load, "__defaults__", (tmp_path,))
    assert isinstance(reference_for(find("double")), Recording)


@pytest.fixture
def told(monkeypatch):
    """What is said of code by someone who knows nothing yet, and how many changes were run."""
    runs = []
    once = judging._imitate
    monkeypatch.setattr(judging, "_imitate", lambda *given: (runs.append(given), once(*given)))

    def told(name, thing, reference, seed=PUBLIC_SEED):
        monkeypatch.setattr(find(name), "candidates", {})
        runs.clear()
        return judge(name, Home({name: thing}), reference, seed), len(runs)

    return told


def half_wrong(query, inputs):
    weights = (inputs @ query / len(query) ** 0.5).softmax(dim=0)
    return (weights @ inputs).cumsum(0).sqrt(), weights


def test_with_patterns_the_same_is_said_after_fewer_runs(told):
    """Of an exercise of which other code is wrong, and of one that uses earlier ones."""
    known = [("attend", half_wrong)]
    known += [(name, one.thing) for name in ("attend", "mean_pool") for one in wrongs(name)[::4]]
    fewer = 0
    for name, thing in known:
        replies = record(name)
        patterns = patterns_of(name, live(find(name)))
        everything, by_patterns = (
            told(name, thing, Recording(replies, given)) for given in ((), patterns)
        )
        assert everything[0] == by_patterns[0]
        assert everything[1] >= by_patterns[1]
        fewer += everything[1] - by_patterns[1]
    assert fewer > 20


def test_with_another_seed_patterns_say_what_to_try_first(told):
    """What they say against a misconception may then be false, if it is less than half of it."""
    name, seed = "mean_pool", 7
    replies = Recorder(live(find(name)))
    assert judge(name, live(find(name)), replies, seed).passed
    patterns = patterns_of(name, live(find(name)))
    false = [one and Pattern(one.values | {((0, 0), "raised")}, one.besides) for one in patterns]
    last = wrongs(name)[-1]
    verdicts, runs = zip(
        *(
            told(name, last.thing, Recording(replies.replies, given), seed)
            for given in ((), patterns, false)
        ),
        strict=True,
    )
    assert {verdict.key for verdict in verdicts} == {last.key}
    assert runs[1] <= runs[2] < runs[0]
