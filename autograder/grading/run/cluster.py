"""Grading on a Dask cluster: a task is notebooks in and results out, so no disk is shared.

Workers may come and go while a class is graded: Dask gives what a lost one was doing to another.
A task has as many submissions as make half a second of work, since what the scheduler and the way
there cost is the same for one as for many.
"""

import itertools
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from autograder.errors import CourseError
from autograder.grading.course import fingerprint
from autograder.grading.run.job import Job
from autograder.grading.run.workers import GAVE_UP, Results
from autograder.sandbox.probe import available

SECONDS_TO_ANSWER = 30
SECONDS_FOR_A_WORKER = 120
SECONDS_BETWEEN_COUNTS = 1.0
SECONDS_BETWEEN_LOOKS = 0.01
AHEAD = 2  # tasks for each thread of the cluster: one under way, one on its way there
SECONDS_OF_A_TASK = 0.5
LONGEST_TASK = 16  # submissions
LARGEST_TASK = 4_000_000  # bytes; a single notebook may have more
_one_at_a_time = threading.Lock()


def grade_there(jobs: Sequence[Job], version: str) -> list[dict[str, Any]]:
    """What a worker does. Raises CourseError on a machine that would not find the same verdicts."""
    if fingerprint.of_everything() != version:
        raise CourseError("it has another version of the course")
    if jobs[0].limits.sandbox and (reason := available()):
        raise CourseError(reason)
    from autograder.grading.run.grade_submission import grade_submission

    with _one_at_a_time:  # a worker with several threads has one sandbox
        return [grade_submission(job) for job in jobs]


def on_cluster(jobs: Iterator[Job], address: str) -> Results:
    """Grade on the workers of the scheduler at `address`, as in tcp://10.0.0.5:8786.

    Raises CourseError where there is no scheduler, no worker, or one that cannot grade.
    """
    try:
        from distributed import Client
    except ImportError:
        raise CourseError(
            "Grading on a cluster needs Dask: pip install 'attention-course[cluster]'."
        ) from None
    for name in ("distributed", "distributed.client"):  # what matters is said in a sentence
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise CourseError(f"There is no Dask scheduler at {address}: {reason}") from None
    version = fingerprint.of_everything()
    with client:
        lost: list[Job] = []
        yield from _graded(client, jobs, version, "grade", lost)
        for suspect in lost:  # only who ends workers when nothing else runs is to blame
            guilty: list[Job] = []
            yield from _graded(client, iter([suspect]), version, "again", guilty)
            for job in guilty:
                from autograder.grading.run.result import given_up

                yield job, given_up(job, GAVE_UP)


class _Staff:
    """The workers of a scheduler, who come and go; to count them after each result costs time."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._threads, self._counted, self._staffed = 0, float("-inf"), time.monotonic()

    def threads(self) -> int:
        """How many they have. Raises CourseError where there has been no worker for long."""
        now, address = time.monotonic(), self._client.scheduler.address
        if now - self._counted >= SECONDS_BETWEEN_COUNTS:
            try:
                self._threads, self._counted = sum(self._client.nthreads().values()), now
            except OSError:
                raise _gone(address) from None
            self._staffed = now if self._threads else self._staffed
        if now - self._staffed > SECONDS_FOR_A_WORKER:
            raise CourseError(
                f"The scheduler at {address} has had no worker for {SECONDS_FOR_A_WORKER} s: "
                "start some with `dask worker`, then run the same command again."
            )
        return self._threads


def _graded(
    client: Any, jobs: Iterator[Job], version: str, prefix: str, lost: list[Job]
) -> Results:
    """Keep all workers busy. To `lost` go the jobs whose workers ended again and again.

    Raises CourseError where there is no worker for long, or one that cannot grade.
    """
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    address, staff = client.scheduler.address, _Staff(client)
    under_way: dict[Any, list[Job]] = {}
    done = as_completed(with_results=True, raise_errors=False)
    results, seconds = 0, 0.0
    while True:
        threads = staff.threads()
        while len(under_way) < max(AHEAD * threads, 1):
            task = _next_task(jobs, _size(results, seconds))
            if not task:
                break
            future = client.submit(grade_there, task, version, key=f"{prefix}-{task[0].key}")
            under_way[future] = task
            done.add(future)
        if not under_way:
            return
        if not done.has_ready():
            time.sleep(SECONDS_BETWEEN_LOOKS)
            continue
        future, task_results = next(done)
        task = under_way.pop(future)
        if future.status == "finished":
            for job, result in zip(task, task_results, strict=True):
                results, seconds = results + 1, seconds + result["record"]["seconds"]
                yield job, result
        elif future.status != "error":
            raise _gone(address)
        elif isinstance(error := future.exception(), KilledWorker):
            lost.extend(task)
        else:
            raise CourseError(f"A worker of {address} cannot grade: {error}")


def _gone(address: str) -> CourseError:
    return CourseError(
        f"The scheduler at {address} is gone: start it and its workers, then run the same command "
        "again: it goes on from here, and nothing is lost."
    )


def _next_task(jobs: Iterator[Job], size: int) -> list[Job]:
    task, room = [], LARGEST_TASK
    for job in itertools.islice(jobs, size):
        task.append(job)
        room -= len(job.content or b"")
        if room <= 0:
            break
    return task


def _size(results: int, seconds: float) -> int:
    """How many submissions make a task, going by those that are done."""
    if not results:
        return 1
    return max(1, min(LONGEST_TASK, int(SECONDS_OF_A_TASK * results / max(seconds, 1e-3))))
