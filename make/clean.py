"""Remove what lies in build/, but for courses that hold work, wherever they lie there.

Standard library only: it runs without the environment.
"""

import hashlib
import json
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

A_COURSE_HAS = (".release/files.json", "submitted", "gradebook.db")
SAMPLE_MARK = ".sample-class"
FROM_THE_GRADEBOOK = {"autograded", "feedback", ".grading", "report.html", "report.csv"}
OF_A_COURSE = {"gradebook.db", "manifest.json", ".release", *FROM_THE_GRADEBOOK}


def remove(path: Path) -> None:
    """Remove a path, and say which courses at or below it stay."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    elif not any((path / name).exists() for name in A_COURSE_HAS):
        for below in sorted(path.iterdir()):
            remove(below)
        if not any(path.iterdir()):
            path.rmdir()
    elif work := next(held(path), None):
        print(f"{path} holds {work}; remove it yourself if you do not need it.")
    else:
        shutil.rmtree(path)


def held(course: Path) -> Iterator[str]:
    """What cannot be built again of a course, in words."""
    if (course / "submitted").exists() and not is_sample(course):
        yield "submissions and scores"
    digests = own_files(course)
    for path in sorted(course.rglob("*")):
        name = path.relative_to(course).as_posix()
        top = name.split("/")[0]
        if path.is_dir() and not path.is_symlink() or top in OF_A_COURSE:
            continue
        if top == "submitted" or name == SAMPLE_MARK or "__pycache__" in path.parts:
            continue
        if name == "nbgrader_config.py" and "made by `autograder release`" in text_of(path):
            continue
        if path.is_symlink() or digests.get(name) != digest(path):
            yield f"{name}, which is not as it was made"
    if students := enrolled(course / "gradebook.db"):
        yield f"a gradebook with {students} students"


def own_files(course: Path) -> dict[str, str]:
    record = course / ".release" / "files.json"
    return json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def digest(path: Path) -> str:
    """As the release notes it in its record."""
    content = path.read_bytes()
    return hashlib.sha256(len(content).to_bytes(8, "big") + content).hexdigest()


def enrolled(gradebook: Path) -> int:
    """How many students a gradebook has that is not the sample class's."""
    if is_sample(gradebook.parent) or not gradebook.is_file():
        return 0
    try:
        with sqlite3.connect(f"{gradebook.resolve().as_uri()}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM student").fetchone()[0]
    except sqlite3.OperationalError:  # no such table: it is empty
        return 0


def is_sample(course: Path) -> bool:
    """Whether all that was handed in is the sample class's, as it was written."""
    mark = course / SAMPLE_MARK
    return mark.is_file() and mark.read_text(encoding="utf-8") == sample_mark(course)


def sample_mark(course: Path) -> str:
    """A hash of all that lies in `submitted/`."""
    whole = hashlib.sha256()
    for path in sorted((course / "submitted").rglob("*")):
        content = b""
        if path.is_symlink():
            content = bytes(path.readlink())
        elif path.is_file():
            content = path.read_bytes()
        whole.update(f"{path.relative_to(course).as_posix()} {len(content)} ".encode() + content)
    return whole.hexdigest()


if __name__ == "__main__":
    remove(Path(sys.argv[1]))
