"""Grades a class: workers find results, this process alone writes them down."""

import contextlib
import json
import multiprocessing
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from autograder.grading.course import STUDENT_ID, Course, Submission
from autograder.grading.grade import Job, grade, workshop
from autograder.grading.gradebook import Writer
from autograder.grading.isolation import die_with_parent
from autograder.grading.journal import Journal, write_whole
from autograder.grading.notebook import Chapter, Invalid, read
from autograder.grading.submission import Limits

Progress = Callable[[dict[str, Any]], None]


def grade_class(
    course: Course,
    chapters: Sequence[str] = (),
    *,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress = lambda record: None,
    students: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Grade every submission of the chapters and return one record each, in order.

    What an earlier run has graded with the same content, checks and limits is not run again.
    """
    limits = limits or Limits()
    released = course.chapters(chapters)
    journal = Journal(course.state)
    settings = repr(limits)
    todo: list[tuple[Submission, Job, str]] = []
    records: dict[Submission, dict[str, Any]] = {}

    with Writer(course.db_url) as gradebook:
        for submission in course.submissions(list(released)):
            if students and submission.student not in students:
                continue
            job, key = _job(submission, released[submission.chapter], journal, limits, settings)
            result = journal.result(key)
            if result is None:
                todo.append((submission, job, key))
                continue
            _apply(course, gradebook, journal, submission, key, result)
            records[submission] = result["record"]
            progress(result["record"])
        for submission, key, result in _graded(todo, workers or os.cpu_count() or 1, limits):
            journal.keep(key, result)
            _apply(course, gradebook, journal, submission, key, result)
            records[submission] = result["record"]
            progress(result["record"])
    journal.finished()
    return [records[submission] for submission in sorted(records, key=_order)]


def _order(submission: Submission) -> tuple[str, str]:
    return submission.chapter, submission.student


def _job(
    submission: Submission, chapter: Chapter, journal: Journal, limits: Limits, settings: str
) -> tuple[Job, str]:
    content, problem = None, ""
    try:
        if not STUDENT_ID.fullmatch(submission.student):
            raise Invalid("the student's folder has a name that cannot be an id")
        if submission.folder.is_symlink():
            raise Invalid("the folder is a symbolic link; a submission must be a plain folder")
        if submission.notebook.is_symlink() or submission.notebook.exists():
            content = read(submission.notebook)
    except Invalid as invalid:
        problem = str(invalid)
    except OSError as error:
        problem = f"the notebook cannot be read ({error.strerror})"
    told = content if content is not None else f"no content: {problem}".encode()
    key = journal.key(told, chapter, f"{settings}, {submission.student}")
    return Job(submission.student, chapter, content, problem, journal.seed(chapter), limits), key


def _graded(
    todo: list[tuple[Submission, Job, str]], workers: int, limits: Limits
) -> Iterator[tuple[Submission, str, dict[str, Any]]]:
    """The results as they come; a worker that dies is replaced, its submissions tried once more."""
    if not todo:
        return
    if workers == 1:
        try:
            for submission, job, key in todo:
                yield submission, key, grade(job)
        finally:
            workshop(limits).close()
        return
    waiting = list(reversed(todo))
    tries: dict[str, int] = {}
    while waiting:
        with _pool(min(workers, len(waiting))) as pool:
            running: dict[Future, tuple[Submission, Job, str]] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < 2 * workers:
                        item = waiting.pop()
                        running[pool.submit(grade, item[1])] = item
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        submission, job, key = running[future]
                        result = future.result()
                        del running[future]
                        yield submission, key, result
            except BrokenProcessPool:
                for item in running.values():
                    tries[item[2]] = tries.get(item[2], 0) + 1
                    if tries[item[2]] >= 3:
                        raise
                    waiting.append(item)


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    # Not fork: a fork of a process that has used torch's threads may hang.
    context = multiprocessing.get_context("spawn")
    # A grader that is killed leaves no worker behind, and so no sandbox either.
    tied = die_with_parent if sys.platform == "linux" else None
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=tied)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _apply(
    course: Course,
    gradebook: Writer,
    journal: Journal,
    submission: Submission,
    key: str,
    result: dict[str, Any],
) -> None:
    """Bring the gradebook, then the folders, to what the result says; harmless to repeat."""
    student, chapter = submission.student, submission.chapter
    if not STUDENT_ID.fullmatch(student):
        return
    autograded = course.root / "autograded" / student / chapter
    feedback = course.root / "feedback" / student / chapter
    if journal.is_applied(student, chapter, key) and autograded.exists() and feedback.exists():
        return
    untouched = set(result["untouched"])
    gradebook.write(student, chapter, result["scores"], submission.folder, untouched)
    notebook = {f"{chapter}.ipynb": result["notebook"].encode()}
    _replace(autograded, notebook | _timestamp(submission.folder))
    _replace(feedback, {f"{chapter}.html": result["page"].encode()})
    journal.applied(student, chapter, key)


def _timestamp(folder: Path) -> dict[str, bytes]:
    path = folder / "timestamp.txt"
    with contextlib.suppress(OSError):
        if not path.is_symlink() and stat.S_ISREG(path.stat().st_mode):
            return {"timestamp.txt": path.read_bytes()[:100]}
    return {}


def _replace(folder: Path, files: dict[str, bytes]) -> None:
    """The folder with exactly these files, renamed into place when it is whole."""
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, content in files.items():
        (part / name).write_bytes(content)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def write_json(records: Iterable[dict[str, Any]], path: Path) -> None:
    """One object a line: the stable interface for other tools."""
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    write_whole(path, lines.encode())
