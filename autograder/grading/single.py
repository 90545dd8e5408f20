"""One submission, graded where another system asks for it: Gradescope, GitHub Classroom.

    python -m autograder.grading.single --course COURSE --submission FOLDER --gradescope FILE
    python -m autograder.grading.single --course COURSE --submission FOLDER --github

The same engine, the same verdicts as `autograder grade`; nothing is kept.
"""

import argparse
import base64
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from autograder.checking.feedback import points_text
from autograder.grading.ahead import BrokenCheck
from autograder.grading.container import possible
from autograder.grading.course import Course, CourseError
from autograder.grading.grade import Job, grade, workshop
from autograder.grading.handed_in import find, pieces
from autograder.grading.notebook import Chapter
from autograder.grading.reading import Invalid
from autograder.grading.sandbox import SandboxUnavailable, available
from autograder.grading.submission import Limits
from autograder.grading.text import visible

SIGNS = {True: "\N{WHITE HEAVY CHECK MARK}", False: "\N{CROSS MARK}"}


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
        result = grade(job)
    except (BrokenCheck, SandboxUnavailable) as error:
        raise CourseError(str(error)) from error
    finally:
        workshop(limits).close()
    if result.get("passing"):
        raise CourseError(result["record"]["notes"][0])
    return result["record"]


def _content(folder: Path, chapter: Chapter) -> bytes:
    """The chapter's notebook, or the only one there is, whatever its name."""
    ids = frozenset(task.check_id for task in chapter.tasks)
    found = find(folder, {chapter.name: ids})
    if problem := found.problems.get(chapter.name):
        raise Invalid(problem)
    if piece := found.chosen.get(chapter.name):
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


def gradescope(record: dict[str, Any]) -> dict[str, Any]:
    """`results.json` as Gradescope's autograder specification has it."""
    tests = [
        {
            "name": one["name"],
            "score": one["points"],
            "max_score": one["max_points"],
            "status": "passed" if one["passed"] else "failed",
            "output": visible(_told(one)),
            "visibility": "visible",
        }
        for one in record["exercises"]
    ]
    return {
        "score": record["score"],
        "execution_time": round(record["seconds"]),
        "output": visible("\n".join(f"Note: {note}." for note in record["notes"])),
        "tests": tests,
    }


def github(record: dict[str, Any]) -> dict[str, str]:
    """A step's outputs, one an exercise, as GitHub Classroom's reporter reads them."""
    return {one["name"]: _runner(one) for one in record["exercises"]}


def _runner(one: dict[str, Any]) -> str:
    status = "pass" if one["passed"] else "fail"
    test = {"name": one["name"], "status": status, "message": visible(_told(one))}
    test |= {"score": one["points"], "test_code": "", "filename": "", "line_no": 0}
    result = {"version": 1, "status": status, "max_score": one["max_points"], "tests": [test]}
    return base64.b64encode(json.dumps(result).encode()).decode()


def summary(record: dict[str, Any]) -> str:
    """The verdicts as Markdown, for the page of a workflow's run."""
    score, possible_points = record["score"], points_text(record["max_score"])
    lines = [f"### {record['chapter']}: {score:g} of {possible_points}", ""]
    lines += [f"Note: {_plain(note)}." for note in record["notes"]]
    for one in record["exercises"]:
        told = "" if one["passed"] else f": {_plain(_told(one))}"
        lines.append(f"- {SIGNS[one['passed']]} `{one['name']}`{told}")
    return "\n".join(lines) + "\n"


def _told(one: dict[str, Any]) -> str:
    if one["passed"]:
        return "passed"
    return "\n".join(text for text in (one["misconception"], one["message"]) if text)


def _plain(text: str) -> str:
    """Text of a submission as Markdown shows it: on one line, and nothing in it is markup."""
    one_line = " ".join(visible(text).split())
    return "".join(
        f"\\{letter}" if letter in r"\`*_{}[]<>()#+-.!|&~@$:" else letter for letter in one_line
    )


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
        options.gradescope.write_text(json.dumps(gradescope(record), indent=1))
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
