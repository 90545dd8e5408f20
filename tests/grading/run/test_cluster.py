"""On a Dask cluster of real processes: the same scores, also when workers come and go?"""

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from autograder.cli import main
from autograder.errors import CourseError
from autograder.grading.course import fingerprint
from autograder.grading.run import cluster as grading_cluster
from autograder.grading.run.job import Job
from autograder.grading.run.result import unfinished
from autograder.grading.run.runner import grade_class
from autograder.sandbox.limits import Limits
from tests.sample_class import Class, write
from tests.sandboxed import needs_sandbox

distributed = pytest.importorskip("distributed")
disagreements = importlib.import_module("tests.class.expectations").disagreements

CHAPTER = "01-lookup"
DEADLY = "student-30"
pytestmark = [pytest.mark.slow, needs_sandbox]


@pytest.fixture(scope="module")
def cluster():
    """A scheduler on loopback and two workers, each a process with one thread."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def handed_in(course):
    """The honest half of the sample class in chapter 1, and what it must get."""
    made = Class(course).build(CHAPTER)
    write(made, course)
    return course, made


@pytest.mark.exhaustive
def test_scores_are_right_although_a_worker_is_lost_and_another_added(cluster, handed_in):
    course, made = handed_in
    seen = []

    def disturb(record):
        seen.append(record)
        if len(seen) == 2:
            with distributed.Client(cluster) as client:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            cluster.scale(3)

    records = grade_class(
        course, [CHAPTER], limits=Limits(20), progress=disturb, scheduler=cluster.scheduler_address
    )
    assert disagreements(made, records) == []
    assert len(seen) == len(made)


def test_a_worker_with_other_checks_is_refused(cluster, handed_in, monkeypatch):
    monkeypatch.setattr(fingerprint, "of_everything", lambda: "of another version")
    with pytest.raises(CourseError, match="another version of the course"):
        grade_class(handed_in[0], [CHAPTER], scheduler=cluster.scheduler_address)


def deadly_there(jobs, version):
    """What a worker does, were there a submission that ends it."""
    if any(job.student == DEADLY for job in jobs):
        os._exit(1)
    return [unfinished(job, "missing", "not looked at") for job in jobs]


class Commands:
    """A scheduler and workers, each a command of its own, as on several machines."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.running = {}
        self.ending = threading.Event()
        self.keeper = None
        self.start("scheduler", "scheduler", "--port=0")
        while not self.file.exists() or "address" not in self.file.read_text():
            assert self.running["scheduler"].poll() is None
            time.sleep(0.1)
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, name, kind, *options):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
        self.running[name] = subprocess.Popen(
            [*command, f"--scheduler-file={self.file}", "--no-dashboard"], stderr=subprocess.DEVNULL
        )

    def work(self, name="worker"):
        # Dask's own nanny does not replace a worker that ends before it was seen to start.
        self.start(name, "worker", "--nthreads=1", "--no-nanny")

    def keep(self, *names):
        """Start these workers, and start each anew whenever it has ended."""

        def replace():
            while not self.ending.wait(0.2):
                for name in names:
                    if name not in self.running or self.running[name].poll() is not None:
                        self.work(name)

        self.keeper = threading.Thread(target=replace)
        self.keeper.start()

    def end(self):
        self.ending.set()
        if self.keeper:
            self.keeper.join()
        for process in self.running.values():
            process.kill()
            process.wait()


@pytest.fixture
def commands(tmp_path):
    made = Commands(tmp_path)
    yield made
    made.end()


@pytest.mark.exhaustive
def test_a_submission_that_ends_its_workers_is_given_up_and_costs_nobody_else(
    commands, course, monkeypatch
):
    monkeypatch.setattr(grading_cluster, "grade_there", deadly_there)
    students = [f"student-{number:02}" for number in range(40)]
    assert DEADLY in students[20:]  # late enough to be in one task with others
    for student in students:
        (course.root / "submitted" / student / CHAPTER).mkdir(parents=True)
    commands.keep("one", "another")
    records = grade_class(course, [CHAPTER], scheduler=commands.address)
    statuses = {record["student"]: record["status"] for record in records}
    assert statuses.pop(DEADLY) == "crashed"
    assert len(statuses) == 39 and set(statuses.values()) == {"missing"}


@pytest.mark.parametrize(
    ("results", "seconds", "size"),
    [(0, 0, 1), (10, 0, 16), (10, 1, 5), (100, 1, 16), (10, 5, 1), (3, 60, 1)],
)
def test_a_task_is_half_a_second_of_work(results, seconds, size):
    assert grading_cluster._size(results, seconds) == size


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        ("worker", "no worker for 3 s"),
        pytest.param("scheduler", "gone", marks=pytest.mark.exhaustive),
    ],
)
def test_a_cluster_that_goes_away_is_told_and_nothing_is_lost(
    commands, handed_in, monkeypatch, ended, told
):
    course, made = handed_in
    commands.work()

    def disaster(record):
        monkeypatch.setattr(grading_cluster, "SECONDS_FOR_A_WORKER", 3)
        commands.running[ended].kill()

    with pytest.raises(CourseError, match=told):
        grade_class(course, [CHAPTER], progress=disaster, scheduler=commands.address)
    graded = list((course.root / "autograded").iterdir())
    assert 1 <= len(graded) < len(made)
    assert disagreements(made, grade_class(course, [CHAPTER], workers=1)) == []


def test_a_task_of_large_notebooks_has_few():
    sizes = [10, 2_000_000, 2_000_000, 20_000_000, 10, 10]
    jobs = iter([Job("ada", None, bytes(size), "", 0, Limits()) for size in sizes])
    tasks = [grading_cluster._next_task(jobs, 4) for _ in range(4)]
    assert [[len(job.content) for job in task] for task in tasks] == [
        [10, 2_000_000, 2_000_000],
        [20_000_000],
        [10, 10],
        [],
    ]


def test_no_scheduler_is_said_in_one_sentence(handed_in, monkeypatch, capsys):
    monkeypatch.setattr(grading_cluster, "SECONDS_TO_ANSWER", 1)
    course = str(handed_in[0].root)
    assert main(["grade", CHAPTER, "--course", course, "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "no Dask scheduler at tcp://127.0.0.1:1" in capsys.readouterr().err
