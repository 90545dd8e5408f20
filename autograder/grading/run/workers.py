"""Who grades: this process alone, or several on this machine. Results come as they are done.

Jobs are taken from an iterator only when somebody is nearly free for them, so that a class of any
size never lies in memory as a whole.
"""

import contextlib
import itertools
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

from autograder.grading.run.job import TRIES, Job
from autograder.sandbox import cores
from autograder.sandbox.fork_server import end, fork_server
from autograder.sandbox.isolation import die_with_parent

Results = Iterator[tuple[Job, dict[str, Any]]]
CHOICE = 16  # jobs that lie ready, so that a worker finds one of its own draws
GAVE_UP = (
    f"the grader's own process ended on this submission {TRIES} times: "
    "run it again, or look at it by hand"
)


def alone(jobs: Iterator[Job]) -> Results:
    """Grade one after the other in this process."""
    used = set()
    asleep: list[Job] = []
    try:
        for job in itertools.chain(map(_others_wait, jobs), _drained(asleep)):
            used.add(job.limits)
            if result := work_on(job):
                yield job, result
            else:
                asleep.append(_last(job))
    finally:
        for limits in used:
            end(limits)


def _others_wait(job: Job) -> Job:
    return replace(job, others_wait=True)


def _last(job: Job) -> Job:
    return replace(job, others_wait=False)


def _drained(jobs: list[Job]) -> Iterator[Job]:
    """What is in the list by then, from its beginning."""
    while jobs:
        yield jobs.pop(0)


def work_on(job: Job) -> dict[str, Any]:
    """The result of one submission; empty where it stands back for others."""
    if job.content is not None:
        # The sandbox starts while PyTorch is imported here; what keeps it from it is told later.
        with contextlib.suppress(Exception):
            fork_server(job.limits)
    from autograder.grading.run.grade_submission import grade_submission

    return grade_submission(job)


def together(jobs: Iterator[Job], workers: int) -> Results:
    """Grade in several processes; where one dies, it is replaced.

    It is unknown which submission ended it, so all that were under way are graded again one by one,
    and only one that does it again is given up.
    """
    todo = _ByDraw(jobs)
    while True:
        under_way: dict[str, Job] = {}
        try:
            yield from _in_pools(todo, workers, under_way)
            return
        except BrokenProcessPool:
            pass
        for job in under_way.values():
            yield job, _by_itself(job)


class _ByDraw:
    """The jobs that are left. A worker gets those of draws that it has already paid for."""

    def __init__(self, jobs: Iterator[Job]) -> None:
        self._jobs, self._ready = map(_others_wait, jobs), list[Job]()
        self._asleep: list[Job] = []
        self._whose: dict[int, int] = {}

    def next(self, worker: int) -> list[Job]:
        """A job for this worker, if there is any: of its own draws, else of nobody's."""
        self._ready += itertools.islice(self._jobs, CHOICE - len(self._ready))
        self._ready.sort(key=lambda job: {worker: 0, None: 1}.get(self._whose.get(job.seed), 2))
        if not self._ready:
            return [self._asleep.pop(0)] if self._asleep else []
        found, self._ready = self._ready[:1], self._ready[1:]
        self._whose |= {job.seed: worker for job in found}
        return found

    def last(self, job: Job) -> None:
        """Put a sleeping job behind those that compute; the next free worker takes it then."""
        self._asleep.append(_last(job))


def _in_pools(todo: _ByDraw, workers: int, under_way: dict[str, Job]) -> Results:
    """A pool for each worker, which has its next job before it has done the last."""
    running: dict[Future, tuple[int, Job]] = {}
    with contextlib.ExitStack() as opened:
        # By its own number two runs on a large machine do not choose the same cores.
        pools = [opened.enter_context(_pool(os.getpid() + each)) for each in range(workers)]
        free = 2 * [*range(workers)]
        while True:
            idle = []
            for worker in free:
                jobs = todo.next(worker)
                if not jobs:
                    idle.append(worker)  # until one that stands back is left
                for job in jobs:
                    under_way[job.key] = job
                    running[pools[worker].submit(work_on, job)] = worker, job
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            free = [*idle, *(running[future][0] for future in done)]
            for future in done:
                result, (_, job) = future.result(), running.pop(future)
                del under_way[job.key]
                if result:
                    yield job, result
                else:
                    todo.last(job)


def _by_itself(job: Job) -> dict[str, Any]:
    # Several times: a machine short of memory ends workers through no fault of a submission.
    for _ in range(TRIES - 1):
        try:
            with _pool() as pool:
                return pool.submit(work_on, _last(job)).result()
        except BrokenProcessPool:
            continue
    from autograder.grading.run.result import given_up

    return given_up(job, GAVE_UP)


def _begin(number: int | None) -> None:
    """What a worker does first; one of several has a number."""
    if sys.platform == "linux":
        # A grader that is killed leaves no worker behind, and so no sandbox either.
        die_with_parent()
    if number is not None:
        cores.take(number)


@contextlib.contextmanager
def _pool(number: int | None = None) -> Iterator[ProcessPoolExecutor]:
    # Not fork: a fork of a process that has used torch's threads may hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=(number,))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
