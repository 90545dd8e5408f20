"""Write the sample class's submissions and grade them in the sandbox, or say why there is none."""

import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

from clean import SAMPLE_MARK, is_sample, sample_mark

from autograder.sandbox.probe import available

ROOT = Path(__file__).resolve().parent.parent
COURSE = "build/sample-class"
STAMP = ROOT / "build" / ".grade"
# Honest and hostile submissions of one chapter: the classes of all chapters belong to the tests.
CHAPTER = "02-softmax"


def main() -> int:
    if reason := available():
        # Without the stamp the next run tries again.
        print(f"The sample class was not graded: {reason}")
        return 0
    # A course of its own, made anew: build/course may hold real submissions.
    make_room(ROOT / COURSE)
    release = [sys.executable, "-m", "autograder.cli", "release", CHAPTER, "--course", COURSE]
    grade = [sys.executable, "-m", "autograder.cli", "grade", "--course", COURSE]
    grade += ["--limit-seconds", "4"]  # the class holds endless loops, each waited for
    for command in (release, [sys.executable, "-m", "tests.sample_class", COURSE], grade):
        if code := subprocess.run(command, cwd=ROOT).returncode:
            return code
        if "tests.sample_class" in command:
            (ROOT / COURSE / SAMPLE_MARK).write_text(sample_mark(ROOT / COURSE), encoding="utf-8")
    STAMP.touch()
    return 0


def make_room(course: Path) -> None:
    """Remove the last sample class; where anything else was handed in there, move it aside."""
    if not course.exists():
        return
    if not (course / "submitted").exists() or is_sample(course):
        shutil.rmtree(course)
        return
    places = (course.with_name(f"{course.name}-kept-{number}") for number in count(1))
    aside = next(place for place in places if not place.exists())
    course.rename(aside)
    print(f"{course.relative_to(ROOT)} was changed since it was made; it is kept in {aside.name}.")


if __name__ == "__main__":
    sys.exit(main())
