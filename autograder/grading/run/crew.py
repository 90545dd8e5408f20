"""Who grades: this process alone, or several on this machine. Results come as they are done.

Jobs are taken from an iterator only when somebody is free for them, so that a class of any size
never lies in memory as a whole.
"""

import contextlib
import itertools
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from autograder.grading.run.job import TRIES, Job
from autograder.sandbox import cores
from autograder.sandbox.isolation import die_with_parent
from autograder.sandbox.warm import end, warm_process

Results = Iterator[tuple[Job, dict[str, Any]]]
GAVE_UP = (
    f"the grader's own process ended on this submission {TRIES} times: "
    "run it again, or look at it by hand"
)


def alone(jobs: Iterator[Job]) -> Results:
    """Grade one after the other in this process."""
    used = set()
    try:
        for job in jobs:
            used.add(job.limits)
            yield job, grade(job)
    finally:
        for limits in used:
            end(limits)


def grade(job: Job) -> dict[str, Any]:
    """The result of one submission."""
    if job.content is not None:
        # The sandbox starts while PyTorch is imported here; what keeps it from it is told later.
        with contextlib.suppress(Exception):
            warm_process(job.limits)
    from autograder.grading.run.grade import grade as graded

    return graded(job)


def together(jobs: Iterator[Job], workers: int) -> Results:
    """Grade in several processes; where one dies, it is replaced.

    Which submission brought it down cannot be told, so all that were under way are then graded
    one by one, and only who does it again is given up.
    """
    jobs = iter(jobs)
    while True:
        under_way: dict[str, Job] = {}
        try:
            yield from _in_pool(jobs, workers, under_way)
            return
        except BrokenProcessPool:
            pass
        for job in under_way.values():
            yield job, _by_itself(job)


def _in_pool(jobs: Iterator[Job], workers: int, under_way: dict[str, Job]) -> Results:
    running: dict[Future, Job] = {}
    with _pool(workers) as pool:
        while True:
            for job in itertools.islice(jobs, 2 * workers - len(running)):
                under_way[job.key] = job
                running[pool.submit(grade, job)] = job
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                result, job = future.result(), running.pop(future)
                del under_way[job.key]
                yield job, result


def _by_itself(job: Job) -> dict[str, Any]:
    # More than once: a machine that is short of memory ends workers for no fault of a submission.
    for _ in range(TRIES - 1):
        try:
            with _pool(1) as pool:
                return pool.submit(grade, job).result()
        except BrokenProcessPool:
            continue
    return job.given_up(GAVE_UP)


def _begin(counter: Any, grader: int) -> None:
    """What a worker does first; `counter` is shared by several."""
    if sys.platform == "linux":
        # A grader that is killed leaves no worker behind, and so no sandbox either.
        die_with_parent()
    if counter is not None:
        cores.take(counter, grader)


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    # Not fork: a fork of a process that has used torch's threads may hang.
    context = multiprocessing.get_context("spawn")
    counter = context.Value("i") if workers > 1 else None
    begun = (counter, os.getpid())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=begun)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
