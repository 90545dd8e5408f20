"""Gradescope: the zip that makes its autograder, and the results that it reads."""

import json
import shutil
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from autograder.grading.course.folder import MANIFEST, Course
from autograder.grading.hosts.records import account
from autograder.grading.text import visible

REPOSITORY = Path(__file__).resolve().parents[3]
TEMPLATES = Path(__file__).with_name("templates") / "gradescope"
ENGINE = ("autograder", "solutions", "book/lab")
LEFT_OUT = {"__pycache__", "release", ".ipynb_checkpoints"}  # of the engine
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the date of every file in the zip: the same bytes every time


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
    course.chapters([chapter])
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ENGINE:
            ignore = shutil.ignore_patterns(*LEFT_OUT)
            shutil.copytree(REPOSITORY / name, root / name, ignore=ignore)
        _one_chapter(course, chapter, root / "course")
        (root / "requirements.txt").write_text("\n".join(_requirements()) + "\n")
        shutil.copy(REPOSITORY / "constraints.txt", root)
        for name in ("setup.sh", "run_autograder"):
            shutil.copy(TEMPLATES / name, root)
        _zip(root, path)


def _one_chapter(course: Course, chapter: str, to: Path) -> None:
    """A course folder with only what grading one chapter needs."""
    manifest = json.loads((course.root / MANIFEST).read_text(encoding="utf-8"))
    manifest["chapters"] = {chapter: manifest["chapters"][chapter]}
    shutil.copytree(course.root / "release" / chapter, to / "release" / chapter)
    (to / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def _requirements() -> list[str]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["notebooks"], *extras["grading"]]
    return [line for line in wanted if not line.startswith(f"{project['name']}[")]


def _zip(folder: Path, path: Path) -> None:
    part = path.with_name(f".{path.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            info = zipfile.ZipInfo(file.relative_to(folder).as_posix(), LONG_AGO)
            runs = file.parent == folder and file.suffix in ("", ".sh")
            info.external_attr = (0o100755 if runs else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, file.read_bytes())
    part.replace(path)
