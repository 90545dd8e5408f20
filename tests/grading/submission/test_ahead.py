"""A check that asks everything at once: does it find what it finds when it asks one by one?"""

import time
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checking import exercises, find
from autograder.checking.samples import styles
from autograder.diagnosis import judge as judging_here
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import Recording, live
from autograder.grading.course.released import ReleasedChapter, ReleasedExercise
from autograder.grading.submission import judging
from autograder.grading.submission.ahead import Ahead, Unforeseen, identical, plan, same_request
from autograder.grading.submission.grade_notebook import grade_notebook
from autograder.grading.submission.sandbox_home import Gone
from autograder.remote import wire
from autograder.remote.calling import Home, spread
from autograder.remote.requests import CallRequest, Performer, message_of
from autograder.remote.wire import WireError
from autograder.sandbox import deadline, probe
from autograder.sandbox.deadline import Deadline, Scheduled
from autograder.sandbox.errors import SandboxTimeout
from autograder.sandbox.limits import Limits
from autograder.sandbox.process import SandboxProcess
from autograder.sandbox.session import many
from autograder.source.changes import applied, changes_of
from autograder.source.sources import definition
from tests.sample_class import reference_source
from tests.wrong import source_of, wrongs

REASON = probe.available()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

SETUP = (
    "import math\nimport torch\nfrom torch import Tensor, nn\nfrom torch.nn import functional as F"
)
# An answer that names the parameters is part of what this check asks next.
DEPENDENT = "LearnedPositions"
SEED = 11


def chapter_of(*names: str) -> ReleasedChapter:
    exercises = tuple(
        ReleasedExercise(name, find(name).points, f"check-{name}", "") for name in names
    )
    marks = {
        name: {"grade_id": name, "solution": name == exercise.name}
        for exercise in exercises
        for name in (exercise.name, exercise.check_id)
    }
    return ReleasedChapter("chapter", exercises, {}, "", marks, frozenset())


def graded(warm, sources: dict[str, str], limits: Limits | None = None, **more: str):
    """The verdicts of a notebook with these exercises, graded as a submission is."""
    cells = [new_code_cell(SETUP), *map(new_code_cell, more.values())]
    for name, source in sources.items():
        for mark, text in ((name, source), (f"check-{name}", "")):
            cells.append(new_code_cell(text, metadata={"nbgrader": {"grade_id": mark}}))
    notebook, chapter = new_notebook(cells=cells), chapter_of(*sources)
    return grade_notebook(notebook, chapter, warm, limits or Limits(), SEED)


SEARCHED = {  # two misconceptions at once, or none that is known: what is found by a long search
    "MultiHeadAttention": {
        "value, mask)": "value, None if mask is None else ~mask)",
        "self.W_o(merge_heads(heads))": "merge_heads(heads)",
    },
    "Encoder": {
        "norm_first, activation)": "activation=activation)",
        "x, weights = layer(x, mask)": "x, weights = layer(x, mask)\nmask = None",
    },
    "scaled_dot_product_scores": {"math.sqrt(D)": "math.sqrt(D + 1)"},
}
LONGEST = "Encoder"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.exhaustive if name == LONGEST else ())
        for name in SEARCHED
    ],
)
def test_the_sentence_depends_on_no_clock(warm, name, monkeypatch):
    """In a notebook, in grading, and on a machine where all that is tried takes seconds."""
    exercise = find(name)
    code = definition(exercise.module, name).code
    source = applied(code, changes_of(code, SEARCHED[name], name))
    root = definition(exercise.module, name)
    wanted = judge(name, Home({name: root.built({name: source})}), live(exercise), SEED, more=True)
    gone = [0.0]
    for clock in ("thread_time", "perf_counter"):
        real = getattr(time, clock)
        monkeypatch.setattr(time, clock, lambda real=real: real() + gone[0])
    slowed = SimpleNamespace(
        monotonic=lambda: time.monotonic() + gone[0],
        process_time=lambda: time.process_time() + gone[0],
        clock_gettime=time.clock_gettime,
    )
    monkeypatch.setattr(deadline, "time", slowed)
    imitate = judging_here._imitate

    def imitate_slowly(*given: Any) -> None:
        gone[0] += 3
        imitate(*given)

    monkeypatch.setattr(judging_here, "_imitate", imitate_slowly)
    exercise.candidates.clear()
    slow = judge(name, Home({name: root.built({name: source})}), live(exercise), SEED, more=True)
    whole = {part: item.code for part, item in root.whole.items()} | {name: source}
    found = graded(warm, {name: "\n\n".join(whole.values())}).verdicts[name]
    assert wanted.misconception
    assert slow == wanted
    assert found == wanted


def another(name: str) -> Any:
    """Right code that is not the reference."""
    return next(iter(styles(name).values()))


@pytest.mark.parametrize(
    "name",
    [name for name in ("double", "softmax", "distance_scores", DEPENDENT) if name in exercises()],
)
def test_verdicts_are_those_of_asking_one_by_one(warm, name):
    exercise = find(name)
    right = another(name)
    things = [(source_of(right, name), right), *((one.source, one.thing) for one in wrongs(name))]
    plan.cache_clear()
    for source, thing in things:
        wanted = judge(name, Home({name: thing}), live(exercise), SEED, more=True)
        found = graded(warm, {name: source}).verdicts[name]
        assert (found.status, found.misconception) == (wanted.status, wanted.misconception)
        assert found.points == wanted.points


@pytest.mark.parametrize(
    ("name", "style"),
    [
        (name, style)
        for name in ("blockwise_attention", "distance_scores")
        for style in styles(name)
    ],
)
def test_a_limit_of_memory_leaves_room_for_every_style(warm, name, style):
    """The system counts what the C library keeps too, which no check outside of grading sees."""
    source = source_of(styles(name)[style], name)
    verdict = graded(warm, {name: source}).verdicts[name]
    assert verdict.passed, verdict.message


@pytest.mark.skipif(DEPENDENT not in exercises(), reason="its chapter was taken out")
def test_only_a_check_that_asks_by_the_answers_is_asked_one_by_one(warm):
    plan.cache_clear()
    own_names = reference_source(find(DEPENDENT)).replace("self.table", "self.rows")
    assert "self.rows" in own_names
    sources = {DEPENDENT: own_names, "softmax": reference_source(find("softmax"))}
    found = graded(warm, sources)
    assert all(verdict.passed for verdict in found.verdicts.values())
    assert not plan(DEPENDENT, SEED).holds
    assert plan("softmax", SEED).holds


ENDLESS_LATER = """
asked = 0
def double(x):
    global asked
    asked += 1
    while asked > 1:
        pass
    return x + 1
"""


def test_what_is_asked_after_the_first_mistake_costs_nothing_but_its_own_time(warm):
    """The first answer is wrong, the second never comes: the first one decides."""
    start = time.monotonic()
    sources = {"double": ENDLESS_LATER, "softmax": reference_source(find("softmax"))}
    found = graded(warm, sources, Limits(seconds=5))
    assert found.verdicts["double"].status == "failed"
    assert found.verdicts["softmax"].passed
    assert found.status == "graded"
    assert time.monotonic() - start < 60


def test_an_endless_call_that_the_check_needs_is_a_timeout(warm):
    sources = {
        "double": ENDLESS_LATER.replace("x + 1", "2 * x"),
        "softmax": reference_source(find("softmax")),
    }
    found = graded(warm, sources, Limits(seconds=3))
    assert found.verdicts["double"].status == "timeout"
    assert found.verdicts["softmax"].passed


SAME_ANSWERS = ["2 * x", "x + x", "2 * x + 1", "x + x + 1"]
OTHER_AT_THE_END = """
asked = 0
def double(x):
    global asked
    asked += 1
    return 2 * x + (asked == {last})
"""


def double(result: str) -> str:
    return f"def double(x):\n    return {result}\n"


def judged(monkeypatch) -> list[str]:
    """The names of the exercises whose checks run from here on."""
    names = []

    def noting(name: str, *args: Any, **options: Any):
        names.append(name)
        return judge(name, *args, **options)

    monkeypatch.setattr(judging, "judge", noting)
    return names


def test_the_same_answers_are_judged_once(warm, monkeypatch):
    plan.cache_clear()
    names, sessions = judged(monkeypatch), []
    monkeypatch.setattr(warm, "session", lambda: sessions.append(1) or SandboxProcess.session(warm))
    found = [graded(warm, {"double": double(one)}).verdicts["double"] for one in SAME_ANSWERS]
    assert found[0] == found[1] and found[2] == found[3]
    assert [one.passed for one in found] == [True, True, False, False]
    assert len(names) == 2 and len(sessions) == 4


def test_one_answer_that_differs_is_judged(warm, monkeypatch):
    plan.cache_clear()
    names = judged(monkeypatch)
    right = graded(warm, {"double": double("2 * x")}).verdicts["double"]
    last = OTHER_AT_THE_END.format(last=len(plan("double", SEED).requests))
    almost = graded(warm, {"double": last}).verdicts["double"]
    assert right.passed and almost.status == "failed" and len(names) == 2


def test_other_draws_know_nothing_of_each_other(warm):
    plan.cache_clear()
    graded(warm, {"double": double("2 * x")})
    assert len(plan("double", SEED).found) > 1 == len(plan("double", SEED + 1).found)


def test_a_known_mistake_has_no_more_time_for_the_rest(warm):
    """Its first answer is known to fail the check, and the second never comes."""
    plan.cache_clear()
    wanted = graded(warm, {"double": double("x + 1")}).verdicts["double"]
    found = graded(warm, {"double": ENDLESS_LATER}, Limits(seconds=300))
    assert found.verdicts["double"].message == wanted.message
    assert found.status == "graded" and found.seconds < 100


@pytest.mark.parametrize("frames", [[b"ab", b"c"], [b"", b"abc"]])
def test_answers_that_end_elsewhere_are_others(frames):
    asked = plan("double", SEED)
    one, other = (
        Ahead(Frames(each), asked, Deadline(60, Scheduled)) for each in (frames, [b"a", b"bc"])
    )
    for ahead in (one, other):
        ahead._receive()
        ahead._receive()
    assert one._now != other._now


class Frames:
    """A session from which these frames come."""

    def __init__(self, frames: list[bytes]) -> None:
        self.frames = enumerate(frames)

    def frame(self, seconds: Any) -> tuple[int, bytes]:
        return next(self.frames)

    def ask_all(self, *_: Any) -> None:
        pass

    limit_memory = ask_all


def test_what_was_lost_is_not_kept(warm):
    plan.cache_clear()
    endless = ENDLESS_LATER.replace("x + 1", "2 * x")
    found = graded(warm, {"double": endless}, Limits(seconds=2)).verdicts["double"]
    assert found.status == "timeout" and len(plan("double", SEED).found) == 1


def session_with(warm, source: str):
    session = warm.session()
    reply = session.request({"op": "run", "source": source, "bytes": 1000}, 20)
    assert reply["status"] == "ok", reply
    return session


def call(number: float) -> CallRequest:
    return CallRequest("f", (number,))


def message(number: float) -> dict:
    return message_of(call(number))


def test_answers_come_in_the_order_of_the_questions(warm):
    with session_with(warm, "def f(x): return 10 * x") as session:
        session.ask_all(many([message(n) for n in range(50)]), 50, 20)
        assert [session.next(20)["value"] for _ in range(50)] == [10 * n for n in range(50)]
        assert session.request(message(7), 20)["value"] == 70


SLOW = """
import time
calls = 0
def f(x):
    global calls
    calls += 1
    time.sleep(0.02)
    return calls
"""


def test_what_is_stopped_is_not_asked_to_the_end(warm):
    source = SLOW
    with session_with(warm, source) as session:
        session.ask_all(many([message(0)] * 500), 500, 20)
        assert session.next(20)["value"] == 1
        session.stop(20)
        assert session.request(message(0), 20)["value"] < 400


FORGED = """
import gc, socket, autograder.remote.wire as wire
def f(x):
    ours = next(each for each in gc.get_objects() if isinstance(each, socket.socket))
    ours.sendall(wire.encode(({number}, {{"value": 1.0}})))
    return 2.0
"""


ANSWERS_AND_STAYS = FORGED.format(number=-1).replace("return 2.0", "while True: pass")


def test_a_process_that_does_not_stop_ends_the_session(warm):
    session = session_with(warm, ANSWERS_AND_STAYS)
    session.ask_all(many([message(0), message(1)]), 2, 20)
    session.next(20)
    with pytest.raises(SandboxTimeout):
        session.stop(0.5)
    with pytest.raises(SandboxTimeout):
        session.request(message(0), 20)


@pytest.mark.parametrize("number", [-2, 0, 5, "'a'", None, True])
def test_an_answer_out_of_turn_ends_the_session(warm, number):
    session = session_with(warm, FORGED.format(number=number))
    session.ask_all(many([message(0)] * 3), 3, 20)
    with pytest.raises(WireError):
        for _ in range(3):
            session.next(20)
    with pytest.raises(WireError):
        session.request(message(0), 20)


def test_answers_sent_twice_are_no_answers_of_what_follows(warm):
    session = session_with(warm, FORGED.format(number=-1))
    session.ask_all(many([message(0)] * 2), 2, 20)
    assert session.next(20)["value"] == 1.0  # its own forged answer, which is compared like any
    with pytest.raises(WireError):
        session.next(20)


def test_a_plan_survives_a_check_that_changes_its_inputs():
    """What was noted is what was asked at that time."""
    foreseen = plan("softmax", SEED)

    class Foreseen(Performer):
        def __init__(self):
            self.home, self.next = Home({"softmax": another("softmax")}), 0

        def answer(self, request):
            assert same_request(request, foreseen.requests[self.next])
            self.next += 1
            return self.home.answer(request)

    assert judge("softmax", Foreseen(), Recording(foreseen.answers), SEED).passed


def test_an_unforeseen_question_is_not_answered(warm):
    foreseen = plan("double", SEED)
    with session_with(warm, "def double(x): return 2 * x") as session:
        ahead = Ahead(session, foreseen, session.deadline(20))
        with pytest.raises(Unforeseen):
            ahead.answer(call(1.0))


def test_an_answer_that_is_none_is_gone(warm):
    source = SETUP + FORGED.format(number=-1).replace('{"value": 1.0}', "[1]")
    foreseen = plan("double", SEED)
    with session_with(warm, source.replace("def f(x)", "def double(x)")) as session:
        ahead = Ahead(session, foreseen, session.deadline(20))
        with pytest.raises(Gone):
            for request in foreseen.requests:
                ahead.answer(request)


@pytest.mark.parametrize(
    "one, other",
    [
        (1, 1.0),
        (1, True),
        ([1], (1,)),
        ({"a": 1}, {"b": 1}),
        (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        (torch.ones(2), torch.ones(2, 1)),
        (torch.ones(3, 4), spread(torch.ones(3, 4))),
        (torch.ones(2), torch.tensor([1.0, 1.0 + 2**-20])),
        (torch.tensor([float("nan"), 1.0]), torch.tensor([float("nan"), 2.0])),
        (torch.tensor(float("nan")), torch.tensor(1.0)),
    ],
)
def test_what_differs_in_kind_or_in_a_bit_is_not_alike(one, other):
    assert identical(one, one) and identical(other, other)
    assert not identical(one, other) and not identical({"x": (one,)}, {"x": (other,)})


def test_a_frame_for_many_sessions_is_plain_data():
    _, request = wire.decode(many([message(1.0)]))
    assert request == {"op": "all", "requests": [message(1.0)]}


def test_a_check_that_asks_nothing_is_judged(warm, monkeypatch):
    plan.cache_clear()
    monkeypatch.setattr(find("double"), "check", lambda *_: None)
    for _ in range(2):
        assert graded(warm, {"double": double("x")}).verdicts["double"].passed
    plan.cache_clear()
