"""Does the engine judge another course's exercises, of which it knows nothing but its name?"""

import os
import subprocess
import sys
from pathlib import Path

from autograder.source.content import content

CHECK = """\
from autograder.checking import agrees, exercise, misconceptions

@exercise("triad", chapter="01-chords", points=3)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=4))

misconceptions["triad"] = {"sharp": ("The third is sharp.", {"4 * root": "5 * root"})}
"""
REFERENCE = """\
from torch import Tensor

def triad(root: Tensor) -> Tensor:
    \"\"\"A chord.\"\"\"
    return 4 * root
"""
GRADE = """\
from autograder.source.content import Content, use
use(Content(solutions="music.scores", shared="lab"))
from autograder.checking import exercises, find
from autograder.diagnosis.recording import reference_for
from autograder.remote.calling import Home
from autograder.diagnosis.judge import judge
print(*exercises())
for factor in (4, 5, 6):
    home = Home({"triad": lambda root: factor * root})
    verdict = judge("triad", home, reference_for(find("triad")))
    print(verdict.status, verdict.points, verdict.misconception)
"""


def test_the_engine_judges_what_it_is_handed(tmp_path: Path):
    for name, text in (("check.py", CHECK), ("reference.py", REFERENCE)):
        path = tmp_path / "music" / "scores" / "chords" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for folder in (path.parent, path.parents[1], path.parents[2]):
            (folder / "__init__.py").touch()
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ran = subprocess.run(
        [sys.executable, "-c", GRADE],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert ran.stdout.splitlines() == [
        "triad",
        "passed 3.0 None",
        "failed 0.0 The third is sharp.",
        "failed 0.0 triad is wrong in every case that is tried. "
        "Every number is 1.5 times what it should be.",
    ], ran.stderr


def test_this_course_is_handed_in_by_whoever_imports_the_package():
    assert content().file("softmax", "check") == Path("solutions/softmax/check.py")
