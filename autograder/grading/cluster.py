"""Grading on a Dask cluster: a task is a notebook in and a result out, so no disk is shared.

Workers may come and go while a class is graded: Dask gives what a lost one was doing to another.
"""

import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any

from autograder.grading import fingerprint
from autograder.grading.course import CourseError
from autograder.grading.crew import GAVE_UP, Graded
from autograder.grading.grade import Job, grade
from autograder.grading.sandbox import available

SECONDS_TO_ANSWER = 30
SECONDS_FOR_A_WORKER = 120
SECONDS_BETWEEN_COUNTS = 1.0  # workers come and go; to ask after each result would cost time
AHEAD = 2  # jobs for each thread of the cluster: one under way, one on its way there
_one_at_a_time = threading.Lock()


class Unfit(Exception):
    """This worker cannot grade; the text says why."""


def grade_there(job: Job, version: str) -> dict[str, Any]:
    """What a worker does. Raises Unfit on a machine that would not find the same verdicts."""
    if fingerprint.of_everything() != version:
        raise Unfit("it has another version of the course")
    if job.limits.sandbox and (reason := available()):
        raise Unfit(reason)
    with _one_at_a_time:  # a worker with several threads has one sandbox
        return grade(job)


def on_cluster(jobs: Iterator[Job], address: str) -> Graded:
    """Grade on the workers of the scheduler at `address`, as in tcp://10.0.0.5:8786.

    Raises CourseError where there is no scheduler, no worker, or one that cannot grade.
    """
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise CourseError(
            "Grading on a cluster needs Dask: pip install 'attention-course[cluster]'."
        ) from None
    try:
        client = Client(address, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise CourseError(f"There is no Dask scheduler at {address}: {reason}") from None
    version = fingerprint.of_everything()
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_FOR_A_WORKER)
        except TimeoutError:
            raise CourseError(
                f"The scheduler at {address} has had no worker for {SECONDS_FOR_A_WORKER} s: "
                "start some with `dask worker`."
            ) from None
        under_way: dict[Any, Job] = {}
        done = as_completed(with_results=True, raise_errors=False)
        threads, counted = 0, -SECONDS_BETWEEN_COUNTS
        while True:
            if time.monotonic() - counted >= SECONDS_BETWEEN_COUNTS:
                threads, counted = sum(client.nthreads().values()), time.monotonic()
            room = AHEAD * threads - len(under_way)
            for job in itertools.islice(jobs, max(room, 0 if under_way else 1)):
                future = client.submit(grade_there, job, version, key=f"grade-{job.key}")
                under_way[future] = job
                done.add(future)
            if not under_way:
                return
            future, result = next(done)
            job = under_way.pop(future)
            if future.status == "finished":
                yield job, result
            elif isinstance(error := future.exception(), KilledWorker):
                yield job, job.given_up(GAVE_UP)
            else:
                raise CourseError(f"A worker of {address} cannot grade: {error}")
