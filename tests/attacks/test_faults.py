"""When disk, database, clock or processes fail under a run: is nothing lost, and is it said?"""

import contextlib
import errno
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import nbformat
import pytest

from autograder.errors import BrokenCheck, CourseError
from autograder.grading.course.folder import Course
from autograder.grading.course.journal import DRAWS, Journal
from autograder.grading.hosts.single import grade_single
from autograder.grading.run import runner, workers
from autograder.grading.run.grade_submission import grade_submission
from autograder.grading.run.job import Job
from autograder.grading.run.runner import grade_class, write_json
from autograder.grading.submission.grade_notebook import GradedNotebook
from autograder.sandbox.errors import SandboxUnavailable
from autograder.sandbox.fork_server import end, fork_server
from autograder.sandbox.limits import Limits
from tests.attacks.corpus import CHAPTER, cell_of, place, solved, write_course
from tests.sandboxed import needs_sandbox

STUDENTS = ("ada", "ben", "eve")
# What writes: each is a point at which a run can be ended or a disk be full.
EVENTS = ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree", "sqlite3")


@pytest.fixture(autouse=True)
def canned(monkeypatch):
    """Verdicts without a sandbox: what fails here is what happens to them afterwards."""
    monkeypatch.setattr(workers, "work_on", known)


def known(job: Job) -> dict:
    """A result that depends on the submission alone."""
    from autograder.checking import Verdict
    from autograder.grading.run.result import result_of, unfinished

    if job.content is None:
        return unfinished(job, "invalid", job.problem)
    notebook = nbformat.reads(job.content.decode(), as_version=4)
    verdicts = {}
    for number, exercise in enumerate(job.chapter.exercises):
        passed = len(job.content) % (number + 2) > 0
        status, points = ("passed", exercise.points) if passed else ("failed", 0.0)
        verdicts[exercise.name] = Verdict(
            exercise.name, points, exercise.points, status, None, "because"
        )
    return result_of(job, GradedNotebook(verdicts), notebook)


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """The folder of a course with what was handed in: to be copied, not to be graded."""
    return handed_in(tmp_path_factory.mktemp("template") / "course").root


@pytest.fixture
def another(template, tmp_path) -> Callable[[str], Course]:
    """Makes courses in which nothing was graded yet."""
    return lambda name: Course(shutil.copytree(template, tmp_path / name))


@pytest.fixture
def course(another) -> Course:
    return another("course")


def handed_in(root: Path) -> Course:
    """A course with a few submissions, no two alike."""
    made = write_course(root)
    for number, student in enumerate(STUDENTS):
        notebook = solved()
        notebook.cells[0].source += "!" * number
        nbformat.write(notebook, place(made, student))
    made.state.mkdir()
    (made.state / "secret").write_text("a secret that all of these courses share")
    return made


def state(course: Course) -> dict:
    """All that a run leaves for the teacher, without its random row ids."""
    files = {
        str(path.relative_to(course.root)): path.read_bytes() if path.is_file() else None
        for folder in ("autograded", "feedback")
        for path in sorted((course.root / folder).rglob("*"))
    }
    with sqlite3.connect(course.root / "gradebook.db") as database:
        rows = database.execute(
            """select handed.student_id, base_cell.name, grade.auto_score from grade
               join submitted_notebook on submitted_notebook.id = grade.notebook_id
               join submitted_assignment as handed on handed.id = submitted_notebook.assignment_id
               join base_cell on base_cell.id = grade.cell_id order by 1, 2"""
        ).fetchall()
        students = database.execute("select id from student order by 1").fetchall()
    return {"files": files, "rows": rows, "students": students}


@pytest.fixture(scope="module")
def undisturbed(template, tmp_path_factory):
    """The state that every run must end in, and how many events it takes to get there."""
    course = Course(shutil.copytree(template, tmp_path_factory.mktemp("undisturbed") / "course"))
    code, said = in_a_child(course, 10**9, "count")
    assert code == 0
    return state(course), int(said)


def in_a_child(course: Course, point: int, what: str) -> tuple[int, str]:
    """Run the class in a fork that at its `point`-th event is killed, or cannot write."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        with open(reading, "rb") as said:
            text = said.read().decode()
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), text
    code = 9
    try:
        workers.work_on = known
        count = 0

        def hook(event: str, arguments: tuple) -> None:
            nonlocal count
            if not event.startswith(EVENTS) or not concerns(course, event, arguments):
                return
            count += 1
            if count == point and what == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if count >= point and what == "full":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))
            if count >= point and what == "read-only":
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(arguments[0]))

        sys.addaudithook(hook)  # there is no way to take it off again: hence the fork
        grade_class(course, workers=1)
        os.write(writing, str(count).encode())
        code = 0
    except CourseError as error:
        os.write(writing, str(error).encode())
        code = 3
    finally:
        os._exit(code)


def concerns(course: Course, event: str, arguments: tuple) -> bool:
    """Whether the event changes something in the course."""
    if event == "open":
        flags = arguments[2] if isinstance(arguments[2], int) else 0
        if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return False
    return bool(arguments) and str(course.root) in str(arguments[0])


def ends_as_undisturbed(course: Course, wanted: dict) -> None:
    grade_class(course, workers=1)
    assert state(course) == wanted


def points_of(undisturbed, number: int) -> list[int]:
    """About that many of the run's events, the first and the last among them."""
    events = undisturbed[1]
    return sorted({1 + round(step * (events - 1) / (number - 1)) for step in range(number)})


def killed_at(points: list[int], another: Callable[[str], Course], wanted: dict) -> None:
    for point in points:
        course = another(f"killed-{point}")
        assert in_a_child(course, point, "kill")[0] == -signal.SIGKILL
        ends_as_undisturbed(course, wanted)


@pytest.mark.slow
def test_killed_at_some_points_a_run_ends_as_if_undisturbed(another, undisturbed):
    killed_at(points_of(undisturbed, 8), another, undisturbed[0])


def test_what_a_killed_run_had_begun_to_write_goes_and_the_teachers_files_stay(course):
    folder = course.root / "autograded" / "ada" / CHAPTER
    folder.mkdir(parents=True)
    (folder / f".{CHAPTER}.ipynb.4711.part").write_text("half a note")
    (folder / ".my.part").write_text("the teacher's")
    grade_class(course, workers=1)
    assert {path.name for path in folder.iterdir()} == {f"{CHAPTER}.ipynb", ".my.part"}


@pytest.mark.exhaustive
def test_killed_at_every_point_a_run_ends_as_if_undisturbed(another, undisturbed):
    killed_at(list(range(1, undisturbed[1] + 1)), another, undisturbed[0])


@pytest.mark.exhaustive
def test_killed_a_hundred_times_at_any_moment_a_run_ends_as_if_undisturbed(another, undisturbed):
    """By the clock, so that the database's own writing is met too; often in one run."""
    chance, kills, number = random.Random(3), 0, 0
    while kills < 100:
        number += 1
        course = another(f"moment-{number}")
        for _ in range(chance.randint(1, 4)):
            child = os.fork()
            if not child:
                with contextlib.suppress(BaseException):
                    workers.work_on = known
                    grade_class(course, workers=1)
                os._exit(0)
            time.sleep(chance.uniform(0.0, 0.4))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            kills += os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        ends_as_undisturbed(course, undisturbed[0])


def failing_at(
    points: list[int], what: str, another: Callable[[str], Course], wanted: dict
) -> None:
    for point in points:
        course = another(f"{what}-{point}")
        code, said = in_a_child(course, point, what)
        assert code == 3, f"event {point}: {said}"
        assert "\n" not in said and "run the same command again" in said
        assert re.search("No space|Read-only|gradebook", said)
        ends_as_undisturbed(course, wanted)


@pytest.mark.parametrize("what", ["full", "read-only"])
def test_where_nothing_can_be_written_it_is_said_and_nothing_lost(another, undisturbed, what):
    failing_at(points_of(undisturbed, 5), what, another, undisturbed[0])


@pytest.mark.exhaustive
def test_where_from_any_point_on_nothing_can_be_written_it_is_said(another, undisturbed):
    failing_at(list(range(1, undisturbed[1] + 1)), "full", another, undisturbed[0])


def test_a_gradebook_that_another_program_writes_to_is_said(course, undisturbed):
    with sqlite3.connect(course.root / "gradebook.db", isolation_level=None) as other:
        other.execute("begin exclusive")
        with pytest.raises(CourseError, match="gradebook .* cannot be used .*locked.*same command"):
            grade_class(course, workers=1)
        other.execute("rollback")
    ends_as_undisturbed(course, undisturbed[0])


def test_a_gradebook_that_is_none_is_said(course):
    (course.root / "gradebook.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(CourseError, match="gradebook .* cannot be used"):
        grade_class(course, workers=1)


def test_a_clock_that_jumps_changes_nothing(course, undisturbed, monkeypatch):
    real, hops = time.time, iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: real() + (-1) ** next(hops) * 10**8)
    ends_as_undisturbed(course, undisturbed[0])


class Fragile:
    """A pool of workers of which one submission ends the process, as a fault in a library would."""

    def __init__(self, fatal: str) -> None:
        self.fatal = fatal
        self.pools = 0

    @contextlib.contextmanager
    def __call__(self, number: int | None = None):
        self.pools += 1
        broken = False

        class Pool:
            @staticmethod
            def submit(function, job):
                nonlocal broken
                if broken:
                    raise BrokenProcessPool("ended")
                broken = job.student == self.fatal
                future: Future = Future()
                if broken:
                    future.set_exception(BrokenProcessPool("ended"))
                else:
                    future.set_result(known(job))
                return future

        yield Pool


@pytest.mark.parametrize("fatal", STUDENTS)
def test_a_submission_that_ends_its_worker_ends_nobody_elses_grading(
    course, undisturbed, monkeypatch, fatal
):
    monkeypatch.setattr(workers, "_pool", Fragile(fatal))
    records = {record["student"]: record for record in grade_class(course, workers=2)}
    assert records[fatal]["status"] == "crashed" and records[fatal]["score"] == 0
    assert "the grader's own process ended" in records[fatal]["notes"][0]
    assert all(records[name]["status"] == "graded" for name in STUDENTS if name != fatal)
    monkeypatch.undo()
    monkeypatch.setattr(workers, "work_on", known)
    ends_as_undisturbed(course, undisturbed[0])  # it is not held against the submission


def faulty(content: bytes) -> None:
    raise RecursionError("far too\ndeep")


def test_a_fault_of_the_grader_is_one_submissions_and_told(course, undisturbed, monkeypatch):
    monkeypatch.setattr(workers, "work_on", grade_submission)
    monkeypatch.setattr("autograder.grading.run.grade_submission.parse", faulty)
    for record in grade_class(course, workers=1):
        assert (record["status"], record["score"]) == ("crashed", 0)
        told = "a fault of the grader, please report it (RecursionError: far too deep)"
        assert record["notes"] == [told]
    monkeypatch.undo()
    monkeypatch.setattr(workers, "work_on", known)
    ends_as_undisturbed(course, undisturbed[0])


def test_a_fault_of_the_grader_is_no_score_for_another_system(course, monkeypatch):
    monkeypatch.setattr("autograder.grading.run.grade_submission.parse", faulty)
    with pytest.raises(CourseError, match="a fault of the grader, please report it"):
        grade_single(course, course.root / "submitted" / "ada" / CHAPTER, Limits())


@pytest.mark.parametrize("kind", [BrokenCheck, SandboxUnavailable])
def test_what_keeps_everybody_from_being_graded_is_said_and_nothing_lost(
    course, undisturbed, monkeypatch, kind
):
    def hopeless(job):
        if job.student != STUDENTS[0]:
            raise kind("Nobody can be graded.")
        return known(job)

    monkeypatch.setattr(workers, "work_on", hopeless)
    with pytest.raises(CourseError, match="Nobody can be graded"):
        grade_class(course, workers=1)
    monkeypatch.setattr(workers, "work_on", known)
    ends_as_undisturbed(course, undisturbed[0])


class Deadly(Job):
    """A submission that ends the worker that takes it up."""

    def __reduce__(self):
        return os._exit, (1,)


@pytest.mark.exhaustive
def test_a_worker_that_is_really_killed_loses_nothing(course, monkeypatch):
    monkeypatch.undo()
    chapter = course.chapters()[CHAPTER]
    limits = Limits()
    todo = []
    for number in range(8):
        kind = Deadly if number == 3 else Job
        todo.append(kind(f"student-{number}", chapter, None, "", 0, limits, key=f"{number}"))
    found = {job.key: result["record"] for job, result in workers.together(iter(todo), 2)}
    assert {key: record["status"] for key, record in found.items()} == {
        f"{number}": "crashed" if number == 3 else "missing" for number in range(8)
    }


SLOW = "import time\ntime.sleep(1.5)\n"


@needs_sandbox
@pytest.mark.parametrize("kind", ["in the middle", "before"])
def test_a_warm_process_that_is_killed_costs_nobody_points(course, kind):
    notebook = solved()
    if kind == "in the middle":
        cell_of(notebook, "double").source += f"\n{SLOW}"
    limits = Limits(memory_bytes=512 * 2**20, seconds=60)
    chapter = course.chapters()[CHAPTER]
    job = Job("ada", chapter, nbformat.writes(notebook).encode(), "", 5, limits)
    try:
        process = fork_server(limits)._process
        killer = threading.Timer(1.0 if kind == "in the middle" else 0.0, process.kill)
        killer.start()
        if kind == "before":
            killer.join()
        record = grade_submission(job)["record"]
        killer.join()
        assert (record["status"], record["score"]) == ("graded", record["max_score"])
    finally:
        end(limits)


@needs_sandbox
def test_many_slow_cells_are_one_slow_submission(course):
    """Each keeps to the limit of a cell; together they would take all night."""
    notebook = solved()
    for number in range(100):
        source = (
            "import time\n"
            "end = time.perf_counter() + 0.7\n"
            "while time.perf_counter() < end:\n"
            "    pass"
        )
        notebook.cells.insert(1, nbformat.v4.new_code_cell(source, id=f"slow-{number}"))
    limits = Limits(seconds=1, memory_bytes=512 * 2**20)
    job = Job("ada", course.chapters()[CHAPTER], nbformat.writes(notebook).encode(), "", 5, limits)
    try:
        record = grade_submission(job)["record"]
    finally:
        end(limits)
    assert (record["status"], record["score"]) == ("timeout", 0)
    for exercise in record["exercises"]:
        assert exercise["status"] == "timeout"
        assert "all of the submission took more than 10 seconds" in exercise["message"]


def test_a_folder_whose_name_is_no_text_is_told_and_stops_nobody(course, tmp_path):
    odd = os.fsdecode(b"\xff\xfe-odd")
    try:
        nbformat.write(solved(), place(course, odd))
    except OSError:
        pytest.skip("this file system takes text names alone")
    records = {record["student"]: record for record in grade_class(course, workers=1)}
    assert records[odd]["status"] == "invalid"
    assert "a name that cannot be an id" in records[odd]["notes"][0]
    assert set(records) == {*STUDENTS, odd}
    write_json(records.values(), tmp_path / "records.jsonl")
    assert len((tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()) == 4


def test_students_get_different_inputs_and_the_same_ones_when_a_run_is_resumed(course):
    (chapter,) = course.chapters().values()
    journal = Journal(course.state)
    seeds = {student: journal.seed(chapter, student) for student in map(str, range(200))}
    assert len(set(seeds.values())) == DRAWS
    again = Journal(course.state)
    assert seeds == {student: again.seed(chapter, student) for student in seeds}
    journal.finished()
    later = {student: again.seed(chapter, student) for student in seeds}
    assert not set(later.values()) & set(seeds.values())
    shared = [len({(seeds[one], later[one]) for one in seeds}), DRAWS]
    assert shared[0] > shared[1]  # who shares a draw once does not share the next


@contextlib.contextmanager
def without_power():
    """As a grader who is not root: permissions hold."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o200])
@pytest.mark.parametrize("closed", ["", CHAPTER, f"{CHAPTER}/{CHAPTER}.ipynb"])
def test_what_the_grader_may_not_look_into_is_invalid_and_stops_nobody(
    course, monkeypatch, mode, closed
):
    for path in (course.root, *course.root.parents[:-2], *course.root.rglob("*")):
        os.chmod(path, 0o777)
    locked = course.root / "submitted" / "ben" / closed
    locked.chmod(mode)
    find, make = Course.submissions, runner._job

    def powerless(function):
        def called(*arguments):
            with without_power():
                return function(*arguments)

        return called

    monkeypatch.setattr(Course, "submissions", powerless(find))
    monkeypatch.setattr(runner, "_job", powerless(make))
    records = grade_class(course, workers=1)
    locked.chmod(0o777)
    status = {record["student"]: record["status"] for record in records}
    readable = closed.endswith(".ipynb") and mode == 0o400 and os.geteuid() != 0
    assert status == {"ada": "graded", "ben": "graded" if readable else "invalid", "eve": "graded"}
    (ben,) = (record for record in records if record["student"] == "ben")
    assert readable or "cannot be read" in ben["notes"][0]
