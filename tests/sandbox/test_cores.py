"""Does each worker's sandbox have a core of its own, where there are several?"""

import os

import pytest

from autograder.grading.run.workers import _pool
from autograder.sandbox import cores, probe
from autograder.sandbox.process import SandboxProcess

pytestmark = pytest.mark.skipif(probe.available() is not None, reason="no sandbox")
WHERE = "import os, threading\nfound = []\n" + (
    "for _ in range(4):\n"
    "    thread = threading.Thread(target=lambda: found.append(os.sched_getaffinity(0)))\n"
    "    thread.start(); thread.join()\n"
    "print(*sorted(set().union(*found)))"
)


@pytest.fixture(autouse=True)
def no_core(monkeypatch):
    monkeypatch.setattr(cores, "_own", None)


def cores_of_a_session() -> list[int]:
    with SandboxProcess() as warm, warm.session() as session:
        reply = session.request({"op": "run", "source": WHERE, "bytes": 1000}, 60)
    return [int(word) for word in reply["outputs"][0]["text"].split()]


def test_two_workers_sessions_stay_on_two_cores():
    everywhere = sorted(os.sched_getaffinity(0))
    if len(everywhere) < 2:
        pytest.skip("there is one core")
    assert cores_of_a_session() == everywhere
    found = []
    for number in range(2):
        cores.take(len(everywhere) - 1 + number)
        found.append(cores_of_a_session())
    assert found == [[everywhere[-1]], [everywhere[0]]]
    assert sorted(os.sched_getaffinity(0)) == everywhere  # the grader itself goes where it likes


def own_core() -> set[int] | None:
    return cores._own


@pytest.mark.parametrize("number", [None, 7])
def test_a_worker_has_a_core_where_there_are_several(number):
    several = len(os.sched_getaffinity(0)) > 1 and number is not None
    with _pool(number) as pool:
        core = pool.submit(own_core).result()
    assert core is None or len(core) == 1
    assert (core is not None) == several


def test_where_there_is_one_core_or_none_may_be_chosen_sessions_run_all_the_same(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    cores.take(0)
    assert cores._own is None

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(cores, "_own", {0})
    monkeypatch.setattr(os, "sched_setaffinity", refused)
    with cores.own():
        assert cores._own == {0}
