"""Gradescope: the zip that makes its autograder, and the results that it reads."""

import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from autograder import manifest
from autograder.files import LEFT_ALONE, REPOSITORY, write_zip
from autograder.grading.course.folder import Course
from autograder.grading.hosts import account
from autograder.grading.text import visible
from autograder.source.content import content

TEMPLATES = Path(__file__).with_name("templates") / "gradescope"
LEFT_OUT = {*LEFT_ALONE, "release", "wrong.py", "test_reference.py"}
PROGRAMS = ("setup.sh", "run_autograder")


def results(record: dict[str, Any]) -> dict[str, Any]:
    """`results.json` as Gradescope's autograder specification has it."""
    tests = [
        {
            "name": one["name"],
            "score": one["points"],
            "max_score": one["max_points"],
            "status": "passed" if one["passed"] else "failed",
            "output": visible(account(one)),
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


def gradescope_zip(course: Course, chapter: str, path: Path) -> None:
    """Write the zip that Gradescope's "Configure Autograder" takes, for one released chapter."""
    course.listed([chapter])
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        # What chapters share lies in the book, whatever package it is.
        for name in ("autograder", content().folder, Path("book", content().shared)):
            ignore = shutil.ignore_patterns(*LEFT_OUT)
            shutil.copytree(REPOSITORY / name, root / name, ignore=ignore)
        _one_chapter(course, chapter, root / "course")
        (root / "requirements.txt").write_text("\n".join(_requirements()) + "\n")
        shutil.copy(REPOSITORY / "constraints.txt", root)
        for name in PROGRAMS:
            shutil.copy(TEMPLATES / name, root)
        write_zip(path, root, programs=PROGRAMS)


def _one_chapter(course: Course, chapter: str, to: Path) -> None:
    """A course folder with only what grading one chapter needs."""
    shutil.copytree(course.root / "release" / chapter, to / "release" / chapter)
    manifest.write(to, course.listed([chapter]).values())


def _requirements() -> list[str]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["notebooks"], *extras["grading"]]
    return [line for line in wanted if not line.startswith(f"{project['name']}[")]
