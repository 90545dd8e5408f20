"""Grades a class: workers find results, this process alone writes them down."""

import contextlib
import functools
import importlib
import itertools
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.checking.verdict import Verdict
from autograder.errors import BrokenCheck, CourseError, GradebookError, Invalid
from autograder.files import write_whole
from autograder.grading.course import side_files
from autograder.grading.course.folder import STUDENT_ID, Course, Submission
from autograder.grading.course.journal import Journal, there
from autograder.grading.course.released import ReleasedChapter
from autograder.grading.course.scores import Scores, read_scores, reading, settled
from autograder.grading.run.job import Job
from autograder.grading.run.workers import Results, alone, together
from autograder.sandbox.errors import SandboxUnavailable
from autograder.sandbox.limits import Limits

if TYPE_CHECKING:
    from autograder.grading.course.gradebook import Writer

Progress = Callable[[dict[str, Any]], None]


def grade_class(
    course: Course,
    chapters: Sequence[str] = (),
    *,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress = lambda record: None,
    students: Sequence[str] = (),
    scheduler: str | None = None,
) -> list[dict[str, Any]]:
    """Grade every submission of the chapters and return one record each, in order.

    What an earlier run has graded with the same content, checks and limits is not run again;
    where only some checks have changed, only those are. With `scheduler`, the address of a Dask
    scheduler, its workers grade; otherwise `workers` processes here, one a core.
    """
    released = course.chapters(chapters)
    course.see_due_dates()
    with (
        _in_a_sentence(),
        _ClassGrading(course, released, limits or Limits(), students, progress) as grading,
    ):
        for job, result in _results(grading.jobs(), workers or os.cpu_count() or 1, scheduler):
            grading.take(job, result)
        grading.take_what_was_graded_before()
        grading.settle()
        grading.journal.finished()
    return sorted(grading.records, key=lambda record: (record["chapter"], record["student"]))


@dataclass
class _ClassGrading(contextlib.AbstractContextManager["_ClassGrading"]):
    """What one run over a class has to do, and what it has done."""

    course: Course
    released: dict[str, ReleasedChapter]
    limits: Limits
    students: Sequence[str]
    progress: Progress
    records: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.journal = Journal(self.course.state)
        self._under_way: dict[tuple[str, str], Submission] = {}
        self._graded_before: list[tuple[Submission, str]] = []
        self._closing = contextlib.ExitStack()

    def __exit__(self, *error: object) -> None:
        self._closing.close()

    @functools.cached_property
    def gradebook(self) -> "Writer":
        from autograder.grading.course.gradebook import Writer

        return self._closing.enter_context(Writer(self.course.settings.gradebook))

    @functools.cached_property
    def scores(self) -> Scores:
        """The gradebook as it was when somebody first asked, read without nbgrader."""
        with reading(self.course.settings.gradebook) as query:
            return read_scores(query)

    def jobs(self) -> Iterator[Job]:
        """What there is to run. What the journal has is noted, and nothing is written here."""
        for submission in self.course.submissions(list(self.released)):
            if self.students and submission.student not in self.students:
                continue
            chapter = self.released[submission.chapter]
            job = _job(submission, chapter, self.journal, self.limits)
            if self.journal.record(job.key) is None:
                if not self._under_way:  # nbgrader is imported meanwhile
                    threading.Thread(target=_import_gradebook, daemon=True).start()
                self._under_way[submission.student, submission.chapter] = submission
                yield job
            else:
                self._graded_before.append((submission, job.key))

    def take(self, job: Job, result: dict[str, Any]) -> None:
        """Write down what a job came to."""
        key = job.key
        if result.get("passing"):
            key = f"{key}, not kept"
        else:
            self.journal.keep(key, result)
        self._write(self._under_way.pop((job.student, job.chapter.name)), key, result)

    def take_what_was_graded_before(self) -> None:
        """Write down what an earlier run found, where the gradebook does not show it yet."""
        for submission, key in self._graded_before:
            self._write(submission, key, None)

    def settle(self) -> None:
        """Bring due dates and late penalties to what the settings say, if they are not there."""
        settings = self.course.settings
        if "gradebook" in vars(self) or not settled(self.scores, settings, self.released):
            self.gradebook.settle(settings, self.released)

    def _write(self, submission: Submission, key: str, result: dict[str, Any] | None) -> None:
        record = self._applied(submission, key, result)
        self.records.append(record)
        self.progress(record)

    def _applied(
        self, submission: Submission, key: str, found: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Bring the gradebook, then the folders, to what the result says; harmless to repeat.

        Returns the record. A result that is not given is the journal's.
        """
        student, chapter, journal = submission.student, submission.chapter, self.journal
        if not STUDENT_ID.fullmatch(student):
            return found["record"] if found else there(journal.record(key))
        autograded = self.course.root / "autograded" / student / chapter
        feedback = self.course.root / "feedback" / student / chapter
        came = submission.came
        beside = side_files.sent_with(submission.folder, came)
        beside_page = side_files.for_feedback(beside, journal, student, chapter)
        current = journal.shown(student, chapter) == key
        if found is None and current and autograded.exists() and feedback.exists():
            score = self.scores.found.get((student, chapter))
            if came.when is not None and (score is None or score.handed_in != came.when):
                self.gradebook.note_arrival(student, chapter, came.when)
            side_files.put(autograded, beside)
            side_files.put(feedback, beside_page)
            return _for_the_teacher(there(journal.record(key)), submission)
        result = found or there(journal.result(key))
        untouched, answered = set(result["untouched"]), result.get("answered", {})
        self.gradebook.write(student, chapter, result["scores"], came.when, untouched, answered)
        side_files.put(autograded, {f"{chapter}.ipynb": result["notebook"].encode()} | beside)
        side_files.put(feedback, {f"{chapter}.html": result["page"].encode()} | beside_page)
        journal.applied(student, chapter, key)
        return _for_the_teacher(result["record"], submission)


def _import_gradebook() -> None:
    """Import nbgrader early, which takes a second; errors are raised where it is used."""
    with contextlib.suppress(Exception):
        importlib.import_module("autograder.grading.course.gradebook")


@contextlib.contextmanager
def _in_a_sentence() -> Iterator[None]:
    """Turn errors that end a run into a CourseError that says what to do."""
    again = "Then run the same command again: it goes on from here, and nothing is lost."
    try:
        yield
    except OSError as error:
        where = error.filename or "A file"
        text = f"{where} cannot be written or read ({error.strerror or error})"
        raise CourseError(f"{text}: see to its disk and permissions. {again}") from error
    except BrokenCheck as error:
        raise CourseError(str(error)) from error
    except (GradebookError, SandboxUnavailable) as error:
        raise CourseError(f"{error} {again}") from error


def _results(jobs: Iterator[Job], workers: int, scheduler: str | None) -> Results:
    if scheduler:
        from autograder.grading.run.cluster import on_cluster

        return on_cluster(jobs, scheduler)
    first = list(itertools.islice(jobs, workers))  # no more processes than there is work for
    workers, jobs = len(first), itertools.chain(first, jobs)
    return alone(jobs) if workers <= 1 else together(jobs, workers)


def _job(submission: Submission, chapter: ReleasedChapter, journal: Journal, limits: Limits) -> Job:
    content, problem = None, ""
    try:
        if not STUDENT_ID.fullmatch(submission.student):
            raise Invalid("the student's folder has a name that cannot be an id")
        content = submission.read()
    except Invalid as invalid:
        problem = str(invalid)
    except OSError as error:
        problem = f"the notebook cannot be read ({error.strerror})"
    graded = content if content is not None else f"no content: {problem}".encode()
    basis = journal.basis(graded, chapter, f"{limits!r}, {submission.student}")
    key = journal.key(basis, chapter)
    seed = journal.seed(chapter, submission.student)
    standing = _standing(submission, chapter, journal, basis, key)
    return Job(submission.student, chapter, content, problem, seed, limits, key, basis, standing)


def _standing(
    submission: Submission, chapter: ReleasedChapter, journal: Journal, basis: str, key: str
) -> dict[str, Verdict]:
    """The verdicts of the last run that stand although another check has changed."""
    before = journal.shown(submission.student, chapter.name)
    result = journal.result(before) if before not in (None, key) else None
    if result is None or result.get("basis") != basis:
        return {}
    digests = {exercise.name: exercise.digest for exercise in chapter.exercises}
    return {
        name: Verdict.of(record)
        for record in result["record"]["exercises"]
        if (name := record["name"]) in digests and result["checks"].get(name) == digests[name]
    }


def _for_the_teacher(record: dict[str, Any], submission: Submission) -> dict[str, Any]:
    """The record with what is not on the student's page: which file it was, when it came."""
    notes = [note for note in (submission.note, submission.came.problem) if note]
    complete = record | {"notes": [*record["notes"], *notes]}
    return complete | {"file": submission.piece.name} if submission.piece else complete


def write_json(records: Iterable[dict[str, Any]], path: Path) -> None:
    """One object a line: the stable interface for other tools."""
    # In ASCII: some readers end a line at U+2028 too, and the name of a folder need not be text.
    lines = "".join(json.dumps(_without_examples(record)) + "\n" for record in records)
    write_whole(path, lines.encode())


def _without_examples(record: dict[str, Any]) -> dict[str, Any]:
    exercises = [Verdict.of(one).without_example() for one in record["exercises"]]
    return record | {"exercises": exercises}
