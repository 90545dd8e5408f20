"""GitHub Classroom: the workflow that grades a repository, and the outputs that it reports."""

import base64
import json
from pathlib import Path
from string import Template
from typing import Any

import yaml

from autograder.files import REPOSITORY
from autograder.grading.course.folder import Course
from autograder.grading.hosts import account
from autograder.grading.text import visible
from autograder.notebook.feedback import points_text

WORKFLOW = Path(__file__).with_name("templates") / "classroom.yml"
SIGNS = {True: "\N{WHITE HEAVY CHECK MARK}", False: "\N{CROSS MARK}"}


def github(record: dict[str, Any]) -> dict[str, str]:
    """A step's outputs, one an exercise, as GitHub Classroom's reporter reads them."""
    return {one["name"]: _runner(one) for one in record["exercises"]}


def _runner(one: dict[str, Any]) -> str:
    status = "pass" if one["passed"] else "fail"
    test = {"name": one["name"], "status": status, "message": visible(account(one))}
    test |= {"score": one["points"], "test_code": "", "filename": "", "line_no": 0}
    result = {"version": 1, "status": status, "max_score": one["max_points"], "tests": [test]}
    return base64.b64encode(json.dumps(result).encode()).decode()


def summary(record: dict[str, Any]) -> str:
    """The verdicts as Markdown, for the page of a workflow's run."""
    score, possible_points = record["score"], points_text(record["max_score"])
    lines = [f"### {record['chapter']}: {score:g} of {possible_points}", ""]
    lines += [f"Note: {_as_markdown(note)}." for note in record["notes"]]
    for one in record["exercises"]:
        outcome = "" if one["passed"] else f": {_as_markdown(account(one))}"
        lines.append(f"- {SIGNS[one['passed']]} `{one['name']}`{outcome}")
    return "\n".join(lines) + "\n"


def _as_markdown(text: str) -> str:
    """Text of a submission as Markdown shows it: on one line, and nothing in it is markup."""
    one_line = " ".join(visible(text).split())
    return "".join(
        f"\\{letter}" if letter in r"\`*_{}[]<>()#+-.!|&~@$:" else letter for letter in one_line
    )


def classroom_workflow(course: Course, chapter: str, path: Path) -> None:
    """Write the workflow that goes into an assignment's template repository."""
    exercises = course.chapters([chapter])[chapter].exercises
    settings = yaml.safe_load((REPOSITORY / "_config.yml").read_text(encoding="utf-8"))
    address = settings["repository"]["url"].removeprefix("https://github.com/")
    results = [
        f"          {exercise.name.upper()}_RESULTS: ${{{{ steps.grade.outputs.{exercise.name} }}}}"
        for exercise in exercises
    ]
    template = Template(WORKFLOW.read_text(encoding="utf-8"))
    path.write_text(
        template.substitute(
            chapter=chapter,
            repository=address,
            ref=settings["repository"]["branch"],
            results="\n".join(results),
            runners=",".join(exercise.name for exercise in exercises),
        ),
        encoding="utf-8",
    )
