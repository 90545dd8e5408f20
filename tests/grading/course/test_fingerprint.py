"""Is an exercise graded again when, and only when, what its verdict depends on has changed?"""

import pytest

from autograder.grading.course.fingerprint import of_exercise

CHECKS = """
import torch
from autograder.checking import agrees, exercise, misconceptions
from solutions.shared.check import helper

LOOSE = 1e-3


def twice(x):
    return helper(x) * 2


@exercise("one", chapter="c", points=1)
def _(student, reference, draw):
    agrees(student, reference, twice(draw.normal(L=3)))


misconceptions["one"] = {"small": ("It is too small.", {"base(x)": "base(x) - 1"})}


@exercise("two", chapter="c", points=1)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=3), rtol=LOOSE)
"""
FILES = {
    "solutions/c/check.py": CHECKS,
    "solutions/shared/check.py": "def helper(x):\n    return x + 1\n",
    "solutions/other/check.py": "SIZE = 4\n",
    "solutions/early/check.py": 'misconceptions["base"] = {"late": ("It is late.", {"x": "-x"})}\n',
    "solutions/late/check.py": 'misconceptions["last"] = {"late": ("It is late.", {"x": "-x"})}\n',
    "solutions/c/reference.py": (
        "from solutions.early import base\n\ndef one(x):\n    return base(x)\n"
    ),
    "solutions/early/reference.py": "def base(x):\n    return x\n",
    "solutions/late/reference.py": "def last(x):\n    return x\n",
}


@pytest.fixture
def changed(tmp_path):
    """Which of the two exercises a change of one file changes."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def change(name: str, old: str, new: str) -> set[str]:
        before = {exercise: of_exercise(exercise, "c", tmp_path) for exercise in ("one", "two")}
        assert old in FILES[name]
        (tmp_path / name).write_text(FILES[name].replace(old, new))
        return {
            exercise
            for exercise in before
            if of_exercise(exercise, "c", tmp_path) != before[exercise]
        }

    return change


@pytest.mark.parametrize(
    ("file", "old", "new", "again"),
    [
        ("solutions/c/check.py", "rtol=LOOSE", "rtol=1e-5", {"two"}),
        ("solutions/c/check.py", "LOOSE = 1e-3", "LOOSE = 1e-5", {"two"}),
        ("solutions/c/check.py", "draw.normal(L=3)))", "draw.normal(L=4)))", {"one"}),
        ("solutions/c/check.py", "- 1", "- 2", {"one"}),
        ("solutions/c/check.py", "too small", "too low", {"one"}),
        ("solutions/c/check.py", "helper(x) * 2", "helper(x) * 3", {"one"}),
        ("solutions/c/check.py", 'def twice', '# A comment.\n\n\ndef twice', set()),
        ("solutions/other/check.py", "4", "5", set()),
        ("solutions/early/check.py", "late", "too late", {"one"}),
        ("solutions/late/check.py", "late", "too late", set()),
        ("solutions/early/reference.py", "return x", "return x * 1", {"one", "two"}),
        ("solutions/late/reference.py", "return x", "return x * 1", set()),
    ],
)  # fmt: skip
def test_a_change_is_noticed_where_it_matters(changed, file, old, new, again):
    assert changed(file, old, new) == again
