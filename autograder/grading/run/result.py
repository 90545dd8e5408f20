"""The result of one submission as plain data: record, scores, notebook and page."""

import json
from typing import Any

import nbformat

from autograder.checking.verdict import UNTOUCHED, Verdict
from autograder.files import sha256_of_content
from autograder.grading.course.released import ReleasedChapter
from autograder.grading.report.feedback_page import feedback_page
from autograder.grading.run.job import Job
from autograder.grading.submission.cell_outputs import check_outputs
from autograder.grading.submission.grade_notebook import GradedNotebook
from autograder.grading.submission.overwrite_cells import answered
from autograder.grading.text import one_line


def result_of(
    job: Job, graded: GradedNotebook, notebook: nbformat.NotebookNode | None
) -> dict[str, Any]:
    """The stable record of `--json`, and what goes into the course folder."""
    verdicts = _verdicts(job, graded)
    if notebook is None:
        notebook = _placeholder(job.chapter, verdicts)
    written = answered(notebook, job.chapter)
    record = _record(job, graded, verdicts)
    if written:
        points = {name: float(job.chapter.cell_metadata[name]["points"]) for name in written}
        record["by_hand"] = [
            {"name": name, "max_points": points[name], "answered": written[name]}
            for name in written
        ]
    return {
        "record": record,
        "scores": {
            exercise.check_id: verdict.points
            for exercise, verdict in zip(job.chapter.exercises, verdicts, strict=True)
        },
        "untouched": sorted(one.name for one in verdicts if one.status in UNTOUCHED),
        "answered": written,
        # Not nbformat.writes, which validates and indents what was made here, for 20 ms each.
        "notebook": json.dumps(notebook, ensure_ascii=False, sort_keys=True),
        "page": feedback_page(record, verdicts, notebook),
        "basis": job.basis,
        "checks": {exercise.name: exercise.digest for exercise in job.chapter.exercises},
    }


def unfinished(job: Job, status: str, text: str) -> dict[str, Any]:
    """The result of a submission that could not be graded, and why."""
    return result_of(job, GradedNotebook({}, status, [text]), None)


def given_up(job: Job, text: str) -> dict[str, Any]:
    """The result where the grader itself did not get through: for this time, not to be kept."""
    return unfinished(job, "crashed", text) | {"passing": True}


def _verdicts(job: Job, graded: GradedNotebook) -> list[Verdict]:
    """One for each exercise of the release, in its order."""
    text = one_line(graded.notes[0]) if graded.notes else "it was not graded"
    return [
        graded.verdicts.get(exercise.name)
        or Verdict(exercise.name, 0.0, exercise.points, "missing", None, text)
        for exercise in job.chapter.exercises
    ]


def _record(job: Job, graded: GradedNotebook, verdicts: list[Verdict]) -> dict[str, Any]:
    return {
        "student": job.student,
        "chapter": job.chapter.name,
        "score": sum(verdict.points for verdict in verdicts),
        "max_score": job.chapter.max_points,
        "status": graded.status,
        "seconds": round(graded.seconds, 3),
        "notes": [one_line(note) for note in graded.notes],
        "exercises": [verdict.as_dict() for verdict in verdicts],
        "sha256": sha256_of_content(job.content or b""),
    }


def _placeholder(chapter: ReleasedChapter, verdicts: list[Verdict]) -> nbformat.NotebookNode:
    """The notebook in the course folder of a submission that cannot be read."""
    notebook = nbformat.v4.new_notebook()
    by_check = {
        exercise.check_id: v for exercise, v in zip(chapter.exercises, verdicts, strict=True)
    }
    for number, (name, marks) in enumerate(chapter.cell_metadata.items()):
        new = nbformat.v4.new_code_cell
        if name in chapter.answers:
            new = nbformat.v4.new_markdown_cell
        text = chapter.answers.get(name, chapter.locked.get(name, ""))
        cell = new(text, id=f"release-{number}")
        cell.metadata.nbgrader = nbformat.NotebookNode(marks)
        if name in by_check:
            cell.outputs = check_outputs(by_check[name])
        notebook.cells.append(cell)
    return notebook
