"""One submission, graded where another system asks for it: Gradescope, GitHub Classroom.

    python -m autograder.grading.hosts.single --course COURSE --submission FOLDER --gradescope FILE
    python -m autograder.grading.hosts.single --course COURSE --submission FOLDER --github

The same engine, the same verdicts as `autograder grade`; nothing is kept.
"""

import argparse
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from autograder.errors import BrokenCheck, CourseError, Invalid
from autograder.grading.course.folder import Course
from autograder.grading.course.handed_in import found_in, pieces
from autograder.grading.course.released import ReleasedChapter
from autograder.grading.hosts.classroom import github, summary
from autograder.grading.hosts.gradescope import results
from autograder.grading.run.grade_submission import grade_submission
from autograder.grading.run.job import Job
from autograder.sandbox.container import possible
from autograder.sandbox.errors import SandboxUnavailable
from autograder.sandbox.fork_server import end
from autograder.sandbox.limits import Limits
from autograder.sandbox.probe import available


def grade_single(course: Course, folder: Path, limits: Limits) -> dict[str, Any]:
    """The record of the notebook in a folder.

    Raises CourseError unless one chapter is released, or where the grader itself does not get
    through: a score that is not the submission's must not be handed on.
    """
    chapters = course.chapters()
    if len(chapters) != 1:
        raise CourseError(f"{course.root} holds {len(chapters)} chapters; one is graded at a time.")
    (chapter,) = chapters.values()
    content, problem = None, ""
    try:
        content = _content(folder, chapter)
    except Invalid as invalid:
        problem = str(invalid)
    job = Job("submission", chapter, content, problem, secrets.randbits(56), limits)
    try:
        result = grade_submission(job)
    except (BrokenCheck, SandboxUnavailable) as error:
        raise CourseError(str(error)) from error
    finally:
        end(limits)
    if result.get("passing"):
        raise CourseError(result["record"]["notes"][0])
    return result["record"]


def _content(folder: Path, chapter: ReleasedChapter) -> bytes:
    """The chapter's notebook, or the only one there is, whatever its name."""
    ids = frozenset(exercise.check_id for exercise in chapter.exercises)
    work = found_in(folder, {chapter.name: ids})
    if problem := work.problems.get(chapter.name):
        raise Invalid(problem)
    if piece := work.chosen.get(chapter.name):
        return piece.read()
    others = [piece for piece in pieces(folder) if not piece.file_name.lower().endswith(".zip")]
    if len(others) == 1:
        return others[0].read()
    if not others:
        raise Invalid(f"no notebook was handed in; it should be {chapter.name}.ipynb")
    raise Invalid(f"there are {len(others)} notebooks; hand in {chapter.name}.ipynb alone")


def protection() -> Limits:
    """The sandbox, or a container's user without rights. Raises CourseError where neither is."""
    reason = available()
    if reason is None:
        return Limits()
    if possible() is None and Path("/.dockerenv").exists():
        return Limits(sandbox=False, container=True)
    raise CourseError(reason)


def main() -> int:
    """Grade, and write what the other system reads; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--course", type=Path, required=True)
    parser.add_argument("--submission", type=Path, required=True)
    parser.add_argument("--gradescope", type=Path, metavar="FILE", help="write results.json")
    parser.add_argument("--github", action="store_true", help="write a step's outputs and summary")
    options = parser.parse_args()
    try:
        record = grade_single(Course(options.course), options.submission, protection())
    except CourseError as error:
        # Without results.json Gradescope says that its autograder failed, and keeps no score.
        print(f"Not graded, which is not the submission's fault: {error}", file=sys.stderr)
        return 2
    if options.gradescope:
        options.gradescope.write_text(json.dumps(results(record), indent=1))
    if options.github:
        outputs = "".join(f"{name}={value}\n" for name, value in github(record).items())
        _append("GITHUB_OUTPUT", outputs)
        _append("GITHUB_STEP_SUMMARY", summary(record))
    print(summary(record))
    return 0


def _append(variable: str, text: str) -> None:
    if path := os.environ.get(variable):
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
