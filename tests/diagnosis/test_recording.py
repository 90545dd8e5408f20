"""The reference's answers, kept and replayed."""

import itertools

import pytest
import torch

from autograder.checking import find
from autograder.checking.samples import styles
from autograder.diagnosis import judge as judging
from autograder.diagnosis import recording
from autograder.diagnosis.judge import PUBLIC_SEED, judge, silent_misconceptions
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
    monkeypatch.setattr(recording, "silent_misconceptions", lambda name, reference: [3, 5])
    save("softmax", tmp_path / "new")
    loaded = load("softmax", tmp_path / "new")
    assert loaded.silent == {3, 5}
    for reply in replies:
        assert alike(loaded.answer(call(0)).message(), reply.message())
    assert {path.suffix for path in (tmp_path / "new").iterdir()} == {".answers", ".silent"}


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


def test_what_no_case_shows_is_not_tried_and_the_sentence_is_the_same(monkeypatch):
    """An exercise of an earlier one, whose mistakes show here in part."""
    name, seed, tried = "attend", PUBLIC_SEED, []

    def wrong(query, inputs):
        weights = (inputs @ query / len(query) ** 0.5).softmax(dim=0)
        return (weights @ inputs).cumsum(0).sqrt(), weights

    def told(reference):
        monkeypatch.setattr(find(name), "candidates", {})
        tried.clear()
        return judge(name, Home({name: wrong}), reference, seed), len(tried)

    silent = silent_misconceptions(name, live(find(name)))
    once = judging._imitate
    monkeypatch.setattr(judging, "_imitate", lambda *given: (tried.append(given), once(*given)))
    replies = record(name)
    everything, without_them = told(Recording(replies)), told(Recording(replies, silent))
    assert silent and everything[0] == without_them[0]
    assert everything[1] == without_them[1] + len(silent)
