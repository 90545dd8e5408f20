"""From the bytes of one submission to its result: what a worker does."""

import warnings
from typing import Any

import nbformat

from autograder.errors import BrokenCheck, Invalid
from autograder.grading.run.job import TRIES, Job
from autograder.grading.run.result import given_up, result_of, unfinished
from autograder.grading.submission.execution import StandsBack
from autograder.grading.submission.grade_notebook import GradedNotebook, grade_notebook
from autograder.grading.submission.overwrite_cells import restored
from autograder.grading.submission.parse import parse
from autograder.grading.submission.quote_text_cells import quote_text_cells
from autograder.sandbox.compiled import compile_imported
from autograder.sandbox.errors import SandboxUnavailable
from autograder.sandbox.fork_server import end, fork_server
from autograder.sandbox.process import SandboxProcess


def grade_submission(job: Job) -> dict[str, Any]:
    """Grade one submission; the result is plain data, whatever the submission holds.

    It is empty if the submission sleeps while others wait: then it is graded after them.
    Raises SandboxUnavailable or BrokenCheck where no submission can be graded.
    """
    try:
        with warnings.catch_warnings():
            # Warnings from students' code and from misconceptions are nothing for a teacher.
            warnings.simplefilter("ignore")
            return _graded(job)
    except StandsBack:
        return {}
    except (SandboxUnavailable, BrokenCheck):
        raise
    except Exception as error:  # one submission must not end the run for the class
        kind = type(error).__name__
        return given_up(job, f"a fault of the grader, please report it ({kind}: {error})")


def _graded(job: Job) -> dict[str, Any]:
    chapter = job.chapter
    if job.content is None:
        status = "missing" if not job.problem else "invalid"
        text = job.problem or "no notebook was handed in"
        return unfinished(job, status, text)
    try:
        notebook = parse(job.content)
    except Invalid as invalid:
        return unfinished(job, "invalid", str(invalid))
    notes = restored(notebook, chapter)
    graded = _grade(job, notebook)
    graded.notes = notes + graded.notes
    quote_text_cells(notebook, chapter)
    return result_of(job, graded, notebook)


def _grade(job: Job, notebook: nbformat.NotebookNode) -> GradedNotebook:
    """Run a notebook; again from the start if the fork server ended meanwhile.

    No submission can reach the fork server, so none is blamed for its end.
    """
    for attempt in range(TRIES):
        last = attempt == TRIES - 1
        server = fork_server(job.limits)
        try:
            if isinstance(server, SandboxProcess):
                cells = (cell for cell in notebook.cells if cell.cell_type == "code")
                compile_imported((cell.source for cell in cells), server)
            chapter, standing = job.chapter, job.standing
            graded = grade_notebook(
                notebook, chapter, server, job.limits, job.seed, standing, job.others_wait
            )
        except SandboxUnavailable:
            if last:
                raise
            end(job.limits)
            continue
        if server.alive or last:
            break
    return graded
