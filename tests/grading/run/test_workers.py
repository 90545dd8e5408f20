"""Who grades what, and in which order?"""

import contextlib
import itertools
import random
from concurrent.futures import Future
from dataclasses import replace

import pytest

from autograder.grading.course.released import ReleasedChapter
from autograder.grading.run import workers
from autograder.grading.run.job import Job
from autograder.grading.run.workers import CHOICE, _ByDraw
from autograder.sandbox.limits import Limits

CHAPTER = ReleasedChapter("chapter", (), {}, "", {}, frozenset())


def jobs_of(draws: list[int]) -> list[Job]:
    return [
        Job(f"student-{number}", CHAPTER, b"", "", draw, Limits(), key=str(number))
        for number, draw in enumerate(draws)
    ]


def test_each_worker_keeps_to_its_draws_and_every_job_is_done_once():
    drawn = random.Random(3)
    todo = jobs_of([drawn.randrange(8) for _ in range(400)])
    left, done = _ByDraw(iter(todo)), []
    for worker in itertools.cycle([0, 1]):
        found = list(left.next(worker))
        if not found:
            break
        done += [(worker, job) for job in found]
    assert sorted(int(job.key) for _, job in done) == list(range(400))
    begun = {(worker, job.seed) for worker, job in done[:-CHOICE]}
    assert len(begun) <= 10  # of 16, where each would do what comes


@pytest.mark.parametrize("draws", [[1, 1, 1], [1, 2, 3]])
def test_nobody_waits_while_there_is_work(draws):
    left = _ByDraw(iter(jobs_of(draws)))
    assert [job.seed for worker in (0, 1, 2, 0) for job in left.next(worker)] == draws


def test_no_more_is_taken_than_lies_ready():
    taken = []
    left = _ByDraw(taken.append(job) or job for job in jobs_of([0] * 100))
    list(left.next(0))
    assert len(taken) == CHOICE


@pytest.mark.parametrize("stops", [False, True])
def test_who_grades_alone_ends_each_warm_process_also_where_the_run_breaks_off(monkeypatch, stops):
    one, other = jobs_of([1, 2])
    other = replace(other, limits=Limits(seconds=7))

    def grade(job):
        if stops and job.key == other.key:
            raise KeyboardInterrupt
        return {"of": job.key}

    ended = []
    monkeypatch.setattr(workers, "work_on", grade)
    monkeypatch.setattr(workers, "end", ended.append)
    run = workers.alone(iter([one, other]))
    if stops:
        with pytest.raises(KeyboardInterrupt):
            list(run)
    else:
        assert [job.key for job, _ in run] == [one.key, other.key]
    assert set(ended) == {one.limits, other.limits}


def alone(jobs):
    return workers.alone(jobs)


def together(jobs):
    return workers._in_pools(_ByDraw(jobs), 2, {})


class HerePool:
    """A pool that works at once, in this process."""

    def submit(self, work, job):
        future = Future()
        future.set_result(work(job))
        return future


@pytest.mark.parametrize("grade_all", [alone, together])
def test_who_sleeps_is_graded_when_no_other_is_left(monkeypatch, grade_all):
    begun = []

    def grade(job):
        """The first two sleep as long as others wait."""
        begun.append((job.key, job.others_wait))
        return {} if job.others_wait and job.key in ("0", "1") else {"record": {}}

    monkeypatch.setattr(workers, "work_on", grade)
    monkeypatch.setattr(workers, "_pool", lambda number: contextlib.nullcontext(HerePool()))
    done = [job.key for job, _ in grade_all(iter(jobs_of([0] * 5)))]
    assert sorted(done) == ["0", "1", "2", "3", "4"]
    assert {key for key, waiting in begun[:5] if waiting} == {"0", "1", "2", "3", "4"}
    assert sorted(begun[5:]) == [("0", False), ("1", False)]
