"""Does a session's time count what it computes and sleeps, and not what its neighbors take?"""

import os
import threading
import time

import pytest

from autograder.sandbox import deadline as module
from autograder.sandbox.deadline import LOOK_SECONDS, PATIENCE, Deadline, Scheduled, scheduled


@pytest.fixture
def clock(monkeypatch):
    """A clock that is moved by hand, in a process that computes nothing by it."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module.time, "process_time", lambda: 2.0)
    return now


def test_who_sleeps_has_the_time_on_the_wall(clock):
    deadline = Deadline(10, Scheduled)
    clock[0] += 9
    assert deadline.left() == 1
    clock[0] += 1
    assert deadline.left() == 0


def test_waiting_for_a_core_does_not_count_up_to_some_patience(clock):
    found = [Scheduled(5, 7)]
    deadline = Deadline(10, lambda: found[0])
    clock[0] += 30
    found[0] = Scheduled(10, 7 + 25)
    assert deadline.left() == 5 and deadline.spared == 25
    clock[0] += 100
    found[0] = Scheduled(10, 7 + 125)
    assert deadline.left() < 0 and deadline.spared == PATIENCE * 10


def test_what_is_computed_here_between_two_questions_does_not_count(clock, monkeypatch):
    deadline = Deadline(60, lambda: Scheduled(5, 0))
    clock[0] += 2
    deadline.hurry()  # 5 seconds are left
    clock[0] += 40
    monkeypatch.setattr(module.time, "process_time", lambda: 2.0 + 40)
    assert deadline.left() == 5 and deadline.spared == 40
    deadline.hurry()  # it took no more than 2 seconds so far
    assert deadline.left() == 5
    clock[0] += 5
    assert deadline.left() == 0


def test_what_many_threads_compute_counts_together(clock):
    found = [Scheduled(5, 0)]
    deadline = Deadline(10, lambda: found[0])
    clock[0] += LOOK_SECONDS
    found[0] = Scheduled(14, 3)
    assert deadline.left() > 0
    clock[0] += LOOK_SECONDS
    found[0] = Scheduled(15.1, 3)
    assert deadline.left() < 0


def test_it_can_be_shortened_and_not_made_longer(clock):
    deadline = Deadline(10, Scheduled)
    clock[0] += 2
    deadline.hurry()  # 2 seconds so far, 4 for the rest, and one more
    assert deadline.left() == 5
    clock[0] += 2
    deadline.hurry()
    assert deadline.left() == 3


def test_a_process_that_is_gone_has_been_given_nothing():
    assert scheduled(None) == scheduled(2**22 + 1) == Scheduled()


def test_the_kernel_counts_what_threads_have_computed():
    before = scheduled(os.getpid()).computed

    def compute():
        start = time.thread_time()
        while time.thread_time() < start + 0.1:
            pass

    threads = [threading.Thread(target=compute) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scheduled(os.getpid()).computed - before > 0.25


def test_it_ends_where_nobody_has_worked_for_long(clock, monkeypatch):
    found, here = [Scheduled(5, 0)], [2.0]
    monkeypatch.setattr(module.time, "process_time", lambda: here[0])
    deadline = Deadline(20, lambda: found[0], idle=4)
    clock[0] += 10
    found[0], here[0] = Scheduled(9, 1), 5.0  # 4 computed, 1 waited for a core, 3 computed here
    assert deadline.left() > 0 and deadline.idle == 2 and not deadline.idled
    clock[0] += 3
    assert deadline.left() < 0 and deadline.idle == 5 and deadline.idled


def test_of_a_process_that_is_gone_the_last_look_counts(clock):
    found = [Scheduled(5, 0)]
    deadline = Deadline(20, lambda: found[0], idle=4)
    clock[0] += 3
    found[0] = Scheduled(7.5, 0)
    deadline.left()
    clock[0] += 10
    found[0] = Scheduled()
    deadline.end()
    assert deadline.idle == pytest.approx(0.5, abs=0.1)
